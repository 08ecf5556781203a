#include "scenarios/http_calls.h"

#include <array>
#include <string>

namespace assay::scenarios {
namespace {

using harness::Connection;
using harness::Script;

struct KnownTool {
  std::string_view name;
  std::string_view arguments;  // JSON
};

// The fixture, and the tool of server-everything.
constexpr std::array kSlowTools = {
    KnownTool{"test_slow", R"({"duration_ms": 240, "steps": 6})"},
    KnownTool{"trigger-long-running-operation", R"({"duration": 0.6, "steps": 6})"},
};

}  // namespace

std::optional<Json> slow_call(const Script& script, Connection& connection,
                              std::string_view token) {
  for (const KnownTool& tool : kSlowTools) {
    if (!script.may_call(tool.name)) continue;
    return wire::make_request(connection.next_id(), "tools/call",
                              {{"name", tool.name},
                               {"arguments", Json::parse(tool.arguments)},
                               {"_meta", {{"progressToken", token}}}});
  }
  return std::nullopt;
}

std::optional<Json> disconnecting_call(const Script& script, Connection& connection) {
  constexpr std::string_view kFixture = "test_reconnection";
  if (!script.may_call(kFixture)) return std::nullopt;
  return wire::make_request(connection.next_id(), "tools/call",
                            {{"name", kFixture}, {"arguments", Json::object()}});
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
