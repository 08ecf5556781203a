#include "harness/script/stateless_connection.h"

#include <utility>

#include "harness/script/json_member.h"
#include "harness/script/polite_client.h"
#include "reference/transport/http_client.h"
#include "reference/transport/request_headers.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

// A server may ask again and again; nobody sensible asks more often.
constexpr int kMostRounds = 8;

bool wants_input(const Reply& reply) {
  return reply.is_result() && text_member(reply.result(), "resultType") == "input_required";
}

}  // namespace

Json request_meta(model::Revision revision, std::optional<Json> capabilities) {
  return {
      {"io.modelcontextprotocol/protocolVersion", revision.text()},
      {"io.modelcontextprotocol/clientInfo", {{"name", "mcp-assay"}, {"version", ASSAY_VERSION}}},
      {"io.modelcontextprotocol/clientCapabilities",
       capabilities.value_or(full_client_capabilities(revision))}};
}

Json capabilities_with(model::Revision revision, const model::Extension& extension) {
  Json capabilities = full_client_capabilities(revision);
  capabilities.merge_patch(extension.capability());
  return capabilities;
}

StatelessConnection::StatelessConnection(const TargetAccess& access, model::Revision revision,
                                         Patience patience, std::stop_token stop)
    : Connection(access, revision, patience, std::move(stop)), meta_(request_meta(revision)) {}

Reply StatelessConnection::begin(std::optional<Json> capabilities) {
  meta_ = request_meta(revision(), std::move(capabilities));
  Reply reply = await(start("server/discover"), patience().start);
  if (reply.is_result() && reply.result().is_object()) set_server(reply.result());
  return reply;
}

Json StatelessConnection::prepared(std::string_view method, Json params) const {
  // The one notification that a client sends carries none.
  if (method.starts_with("notifications/")) return params;
  if (params.is_null()) params = Json::object();
  if (!params.is_object()) return params;
  Json& meta = params["_meta"];
  if (meta.is_null()) meta = Json::object();
  if (!meta.is_object()) return params;
  for (const auto& [key, value] : meta_.items()) {
    if (!meta.contains(key)) meta[key] = value;
  }
  return params;
}

transport::Lane StatelessConnection::transmit(const Json& message) {
  if (http() == nullptr) return Connection::transmit(message);
  transport::HttpRequest request;
  request.headers = fields_of(message);
  request.body = wire::encode(message);
  request.with_session_headers = false;
  return http()->start(std::move(request));
}

void StatelessConnection::attend(const Event& event) {
  const wire::Message* message = event.message();
  if (message == nullptr || message->kind() != wire::MessageKind::kResult) return;
  if (member(message->result(), "tools").is_array()) parameters_.note(message->result());
}

transport::Headers StatelessConnection::fields_of(const Json& message) const {
  transport::Headers fields = mirrored_headers(message, parameters_);
  // A request says its version itself. A notification does not, and its POST has to.
  const bool is_notification = message.contains("method") && !message.contains("id");
  const std::string name(transport::kProtocolVersionHeader);
  if (is_notification && !transport::find_header(fields, name)) {
    fields.emplace_back(name, revision().text());
  }
  return fields;
}

std::optional<Json> StatelessConnection::responses_to(const Json& requests) const {
  Json responses = Json::object();
  for (const auto& [key, request] : requests.items()) {
    const Answer answer = answer_to(text_member(request, "method"), member(request, "params"));
    if (!std::holds_alternative<Json>(answer)) return std::nullopt;
    responses[key] = std::get<Json>(answer);
  }
  return responses;
}

std::optional<Json> StatelessConnection::next_attempt(const Json& params,
                                                      const Reply& reply) const {
  if (!wants_input(reply)) return std::nullopt;
  Json retry = params.is_object() ? params : Json::object();
  const Json& requests = member(reply.result(), "inputRequests");
  if (requests.is_object()) {
    auto responses = responses_to(requests);
    if (!responses) return std::nullopt;
    retry["inputResponses"] = *std::move(responses);
  }
  const Json& state = member(reply.result(), "requestState");
  if (state.is_string()) retry["requestState"] = state;
  if (!requests.is_object() && !state.is_string()) return std::nullopt;
  return retry;
}

Reply StatelessConnection::completed(std::string_view method, const Json& params, Reply reply) {
  for (int round = 0; round < kMostRounds; ++round) {
    auto next = next_attempt(params, reply);
    if (!next) return reply;
    reply = await(start(method, *std::move(next)));
  }
  return reply;
}

}  // namespace assay::harness
