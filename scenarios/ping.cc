// Scenarios about ping.
//
// Specification: basic/utilities/ping.
#include "harness/runner/scenario.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// A ping is answered, and at once: a plain request in an idle session has nothing to wait for.
SCENARIO(ping_is_answered, judges({"ping.answered"})) {
  const Reply reply = script.request("ping");
  script.check("ping.answered", reply.is_result(), reply);
}

// A busy machine may hold back one answer, but not each of so many.
constexpr int kMostPings = 4;

// The answer to a ping that is sent while the tool runs, and whether the tool's came before it.
struct BesideWork {
  Reply ping;
  bool is_behind = false;
};

BesideWork ping_beside(Connection& session, const ToolUse& tool) {
  const Pending call =
      session.start("tools/call", {{"name", tool.name}, {"arguments", tool.arguments}});
  const Reply ping = session.request("ping");
  const auto answer = session.poll(call);
  const bool is_behind =
      answer && ping.is_result() && answer->events().back()->n < ping.events().back()->n;
  session.await(call);
  return {ping, is_behind};
}

// A ping is answered at once, also while a tool takes its time. That it comes ahead of the tool's
// answer is proof; that it comes late is for those to see who set a tool's time.
SCENARIO(ping_is_answered_beside_slow_work, own_session(), judges({"ping.answered"})) {
  const auto tool = script.tool_with(Ability::kTakesTime);
  if (!tool) return;
  BesideWork seen = ping_beside(script.session(), *tool);
  for (int i = 1; i < kMostPings && seen.is_behind; ++i) {
    seen = ping_beside(script.session(), *tool);
  }
  script.check("ping.answered", seen.ping.is_result() && !seen.is_behind, seen.ping,
               seen.is_behind ? "the ping waited until a slow tool had answered, each time"
                              : "a ping beside a slow tool was not answered");
}

}  // namespace
}  // namespace assay::scenarios
