#include "scenarios/http_calls.h"

#include <string>

#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::scenarios {

using harness::Ability;
using harness::Connection;
using harness::HeldStream;
using harness::HttpAnswer;
using harness::Script;

std::optional<Json> slow_call(const Script& script, Connection& connection,
                              std::string_view token) {
  const auto tool = script.tool_with(Ability::kTakesTime);
  if (!tool) return std::nullopt;
  return wire::make_request(connection.next_id(), "tools/call",
                            {{"name", tool->name},
                             {"arguments", tool->arguments},
                             {"_meta", {{"progressToken", token}}}});
}

std::optional<Json> disconnecting_call(const Script& script, Connection& connection) {
  const auto tool = script.tool_with(Ability::kClosesStream);
  if (!tool) return std::nullopt;
  return wire::make_request(connection.next_id(), "tools/call",
                            {{"name", tool->name}, {"arguments", tool->arguments}});
}

std::vector<Json> quick_requests(const Script& script, Connection& connection) {
  std::vector<Json> requests = {wire::make_request(connection.next_id(), "ping")};
  for (const harness::Listing& listing : script.survey().listings()) {
    if (!listing.is_complete) continue;
    requests.push_back(wire::make_request(connection.next_id(), listing.method));
  }
  return requests;
}

std::vector<Json> harmless_requests(const Script& script, Connection& connection) {
  std::vector<Json> requests = quick_requests(script, connection);
  if (connection.has_capability("tools")) {
    requests.push_back(
        wire::make_request(connection.next_id(), "tools/call",
                           {{"name", "assay-no-such-tool"}, {"arguments", Json::object()}}));
  }
  return requests;
}

Broken break_off(Connection& session, const Json& request) {
  const HeldStream stream = HeldStream::post(session, request);
  stream.until(
      [](const HttpAnswer& reply) { return reply.last_event_id().has_value() || is_over(reply); });
  HttpAnswer before = stream.abandon();
  return {wire::Id::from_json_text(request.at("id").dump()), before, before.last_event_id()};
}

bool carries_answer_to(const HttpAnswer& reply, const wire::Id& id) {
  const wire::Message* answer = reply.answer();
  return answer != nullptr && answer->id() == id;
}

}  // namespace assay::scenarios
