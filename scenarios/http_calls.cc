#include "scenarios/http_calls.h"

#include <string>

namespace assay::scenarios {

using harness::Ability;
using harness::Connection;
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

}  // namespace assay::scenarios
