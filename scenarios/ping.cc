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

// A ping is answered at once, also while a tool takes its time. That it comes ahead of the tool's
// answer is proof; that it comes late is for those to see who set a tool's time.
SCENARIO(ping_is_answered_beside_slow_work, own_session(), judges({"ping.answered"})) {
  const auto tool = script.tool_with(Ability::kTakesTime);
  if (!tool) return;
  Connection& session = script.session();
  const Pending call =
      session.start("tools/call", {{"name", tool->name}, {"arguments", tool->arguments}});
  const Reply ping = session.request("ping");
  const bool is_behind_the_tool = session.poll(call) && ping.is_result() &&
                                  session.poll(call)->events().back()->n < ping.events().back()->n;
  script.check("ping.answered", ping.is_result() && !is_behind_the_tool, ping,
               is_behind_the_tool ? "the ping waited until a slow tool had answered"
                                  : "a ping beside a slow tool was not answered");
  session.await(call);
}

}  // namespace
}  // namespace assay::scenarios
