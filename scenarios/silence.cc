// Scenarios about what a server says by itself, while nothing is asked of it.
//
// Specification: server/resources, "Subscriptions"; server/utilities/logging; basic.
#include "scenarios/silence.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "harness/script/usable.h"
#include "reference/wire/message.h"

namespace assay::scenarios {

using namespace harness;

void hear_nothing(Connection& session) {
  constexpr std::chrono::milliseconds kQuietTime{1500};
  session.wait_for(
      session.mark(), [](const Event&) { return false; },
      std::min(kQuietTime, std::chrono::milliseconds(session.patience().request)));
}

namespace {

// So many of the listed resources are subscribed to.
constexpr std::size_t kMostSubscriptions = 3;

// A quick call, so that there is a progress token whose operation is over.
void call_something(Script& script) {
  const auto tools = plain_tools(script.survey(), script.tool_policy(), 1);
  if (tools.empty()) return;
  script.request("tools/call", {{"name", tools.front().name},
                                {"arguments", tools.front().arguments},
                                {"_meta", {{"progressToken", "assay-silence"}}}});
}

// With the stream of GET open, where there is one: nothing subscribed to, then some resources, then
// nothing again. Monitors judge what comes.
SCENARIO(silence_is_listened_to, in_turn("patience"), lengthy(), judges({})) {
  Connection& session = script.session();
  session.listen();
  call_something(script);
  if (session.has_capability("logging")) session.request("logging/setLevel", {{"level", "error"}});
  session.fence();  // the level holds for certain
  hear_nothing(session);
  if (!session.has_capability("resources.subscribe")) return;
  std::vector<Json> subscribed;
  for (const Json& resource : script.survey().resources().items) {
    if (subscribed.size() == kMostSubscriptions) break;
    if (!is_readable(resource)) continue;
    Json params = {{"uri", member(resource, "uri")}};
    if (session.request("resources/subscribe", params).is_result()) {
      subscribed.push_back(std::move(params));
    }
  }
  if (subscribed.empty()) return;
  hear_nothing(session);
  for (const Json& params : subscribed) {
    if (!session.request("resources/unsubscribe", params).is_result()) return;
  }
  if (session.fence()) hear_nothing(session);
}

}  // namespace
}  // namespace assay::scenarios
