#include "harness/monitors/session_view.h"

#include "harness/script/capability.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

// An answer may still come, and once its id was given twice, also one to the request before.
bool is_open(const Exchange& exchange) {
  return exchange.answers == 0 || (exchange.is_ambiguous && exchange.answers < 2);
}

}  // namespace

bool SessionView::server_declares(std::string_view path) const {
  return declares(server(), path);
}

const Json& SessionView::client_capabilities() const {
  if (revision_.has_sessions()) return member(client_, "capabilities");
  static const Json kNone;
  if (!request_) return kNone;
  return member(member(request_->params(), "_meta"), "io.modelcontextprotocol/clientCapabilities");
}

bool SessionView::client_declares(std::string_view path) const {
  return declares_in(client_capabilities(), path);
}

void SessionView::set_request(const wire::Message* request) {
  request_ = request == nullptr ? std::nullopt : std::optional<wire::Message>(*request);
}

const Exchange* SessionView::exchange(const wire::Id& id, Party asker) const {
  const auto found = exchanges_.find({asker, id});
  return found == exchanges_.end() ? nullptr : &found->second;
}

const Exchange* SessionView::answered_by(const wire::Message& answer, Party speaker) {
  const auto found = exchanges_.find({other_than(speaker), *answer.id()});
  if (found == exchanges_.end()) return nullptr;
  ++found->second.answers;
  return &found->second;
}

void SessionView::declare_further(const Json& params) {
  const Json& more = member(params, "capabilities");
  const bool is_whole = more.is_object() && member(client_, "capabilities").is_object();
  if (is_whole) client_["capabilities"].update(more, true);
}

void SessionView::note(const Sighting& sighting) {
  const wire::Message& message = sighting.message;
  const Party speaker = sighting.speaker();
  const bool is_client = speaker == Party::kClient;
  // A request that is malformed on purpose may be answered with its id, where that can be read.
  const bool is_bad_request =
      is_client && message.kind() == wire::MessageKind::kMalformed && message.id();
  if (sighting.is_request() || is_bad_request) {
    Exchange exchange{sighting.event, message, speaker, 0, nullptr, false};
    const auto earlier = exchanges_.find({speaker, *message.id()});
    exchange.is_ambiguous = earlier != exchanges_.end() && is_open(earlier->second);
    exchanges_.insert_or_assign({speaker, *message.id()}, std::move(exchange));
    // What counts is the one that the server accepts: one before it may have been refused.
    if (is_client && message.method() == "initialize" && server_.is_null()) {
      client_ = message.params();
    }
  } else if (sighting.is_notification()) {
    if (is_client && message.method() == "notifications/initialized") is_initialized_ = true;
    if (message.method() == "notifications/cancelled" && message.params().is_object()) {
      const Json id = message.params().value("requestId", Json());
      const auto found = exchanges_.find({speaker, wire::Id::from_json_text(id.dump())});
      if (found != exchanges_.end()) found->second.cancelled = sighting.event;
    }
  } else if (!is_client && sighting.is_result_of("initialize")) {
    if (!server_.is_null()) declare_further(sighting.exchange->request.params());
    if (server_.is_null()) server_ = message.result();
  } else if (!is_client && sighting.is_result_of("server/discover")) {
    discovered_ = message.result();
  }
}

}  // namespace assay::harness
