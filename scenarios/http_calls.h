// Requests that keep an event stream busy, for scenarios about streams.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/script/http_script.h"
#include "harness/script/script.h"

namespace assay::scenarios {

// What to say where there is no such tool.
inline constexpr std::string_view kNoSlowTool =
    "no tool is known that takes time and may be called";
inline constexpr std::string_view kSlowToolHint =
    "name a tool that takes some time in a --profile file (does: takes-time)";

// A call that takes some time, and reports progress with this token meanwhile if its tool does;
// nothing if no tool is known for it that may be called.
std::optional<Json> slow_call(const harness::Script& script, harness::Connection& connection,
                              std::string_view token);

// A call of a tool that closes its connection before it answers; nothing if none is known.
std::optional<Json> disconnecting_call(const harness::Script& script,
                                       harness::Connection& connection);

// Requests that a server answers with one message: the lists that it declares, and ping.
std::vector<Json> quick_requests(const harness::Script& script, harness::Connection& connection);

// The same, and the call of a tool that there is not: what a server may have routes of its own for.
std::vector<Json> harmless_requests(const harness::Script& script, harness::Connection& connection);

// A stream that was broken off after its first event with an id, and the request it was for.
struct Broken {
  wire::Id id;
  harness::HttpAnswer before;
  std::optional<std::string> last_event_id;
};
Broken break_off(harness::Connection& session, const Json& request);

bool carries_answer_to(const harness::HttpAnswer& reply, const wire::Id& id);

}  // namespace assay::scenarios
