#include "reference/server/requests_to_client.h"

#include "reference/server/handlers.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {

using transport::Outgoing;

std::string ClientAnswer::trouble() const {
  switch (kind) {
    case Kind::kResult:
      return "";
    case Kind::kError:
      return "the client answered with an error: " + value.value("message", std::string("?"));
    case Kind::kTimedOut:
      return "the client did not answer in time";
    case Kind::kCancelled:
      return "the call was cancelled";
    case Kind::kNotSupported:
      return "the client does not support it";
  }
  return "";
}

ClientAnswer RequestsToClient::ask(transport::Sink& sink, std::string_view method, Json params,
                                   std::chrono::milliseconds timeout, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const wire::Id id = wire::Id::of(++last_id_);
  pending_.emplace(id, nullptr);
  lock.unlock();
  if (method == "sampling/createMessage") {
    params["_meta"]["progressToken"] = "request-" + id.json_text();
  }
  sink.send({Outgoing::Kind::kRequest, wire::encode(wire::make_request(id, method, params))});
  lock.lock();
  has_arrived_.wait_for(lock, stop, timeout, [&] { return pending_.at(id) != nullptr; });
  const std::shared_ptr<const wire::Message> response = pending_.at(id);
  pending_.erase(id);
  lock.unlock();

  if (response && response->kind() == wire::MessageKind::kResult) {
    if (!response->result().is_object()) {
      return {ClientAnswer::Kind::kError, Json{{"message", "its result is no object"}}};
    }
    return {ClientAnswer::Kind::kResult, response->result()};
  }
  if (response) return {ClientAnswer::Kind::kError, response->error()};
  const bool is_stopped = stop.stop_requested();
  const ClientAnswer gone = {
      is_stopped ? ClientAnswer::Kind::kCancelled : ClientAnswer::Kind::kTimedOut, nullptr};
  // What was to be a task is never cancelled by the id of its request.
  if (params.is_object() && params.contains("task")) return gone;
  sink.send({Outgoing::Kind::kNotification,
             wire::encode(wire::make_notification(
                 "notifications/cancelled",
                 {{"requestId", Json::parse(id.json_text())},
                  {"reason", is_stopped ? "The call was cancelled" : "No answer in time"}}))});
  return gone;
}

bool RequestsToClient::take(const wire::Message& response) {
  if (!response.id()) return false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = pending_.find(*response.id());
    if (found == pending_.end()) return false;
    found->second = std::make_shared<const wire::Message>(response);
  }
  has_arrived_.notify_all();
  return true;
}

bool allows_asking(const Json& capabilities, std::string_view method, const Json& params) {
  if (method == "sampling/createMessage") {
    const Json& sampling = member(capabilities, "sampling");
    return sampling.is_object() && (!params.contains("tools") || sampling.contains("tools"));
  }
  if (method == "roots/list") return capabilities.contains("roots");
  if (method != "elicitation/create") return false;
  const Json& elicitation = member(capabilities, "elicitation");
  if (!elicitation.is_object()) return false;
  if (member(params, "mode") == "url") return elicitation.contains("url");
  // An empty object means form, as it did before there was another mode.
  return elicitation.contains("form") || !elicitation.contains("url");
}

}  // namespace assay::server
