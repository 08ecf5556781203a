#include "harness/script/handshake_connection.h"

#include <utility>

#include "harness/script/polite_client.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {

Json initialize_params(model::Revision revision, std::optional<Json> capabilities) {
  return {{"protocolVersion", revision.text()},
          {"capabilities", capabilities.value_or(full_client_capabilities(revision))},
          {"clientInfo", {{"name", "mcp-assay"}, {"version", ASSAY_VERSION}}}};
}

Reply HandshakeConnection::begin(std::optional<Json> capabilities) {
  Pending pending = start("initialize", initialize_params(revision(), std::move(capabilities)));
  // There may be one session too many.
  pending.is_paced = false;
  Reply reply = await(pending, patience().start);
  if (!reply.is_result() || !reply.result().is_object()) return reply;
  set_server(reply.result());
  const Json version = server().value("protocolVersion", Json());
  if (version.is_string()) wire_end().set_protocol_version(version.get<std::string>());
  if (const auto then = std::exchange(before_initialized_, nullptr)) then();
  notify("notifications/initialized");
  return reply;
}

void HandshakeConnection::attend(const Event& event) {
  const wire::Message* message = event.message();
  if (message == nullptr) return;
  if (message->kind() == wire::MessageKind::kRequest) answer_request(*message);
  for (const wire::Message& member : message->members()) {
    if (member.kind() == wire::MessageKind::kRequest) answer_request(member);
  }
}

void HandshakeConnection::answer_request(const wire::Message& request) {
  const Answer answer =
      answer_to(request.method(), request.has_params() ? request.params() : Json::object());
  if (std::holds_alternative<WithheldAnswer>(answer)) return;
  const auto* refused = std::get_if<RefusedRequest>(&answer);
  send_answer(refused != nullptr ? wire::encode_error(request.id(), refused->code, refused->message)
                                 : wire::encode_result(*request.id(), std::get<Json>(answer)));
}

}  // namespace assay::harness
