// Scenarios about ping.
//
// Specification: basic/utilities/ping.
#include <fmt/format.h>


#include "harness/runner/scenario.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// A ping is answered, and at once: a plain request in an idle session has nothing to wait for.
SCENARIO(ping_is_answered, judges({"ping.answered"})) {
  const Reply reply = script.request("ping");
  script.check("ping.answered", reply.is_result(), reply);
}

// A ping is answered also while a tool takes its time. How soon, the text does not say: a server
// that does one thing at a time may answer when the tool has.
SCENARIO(ping_is_answered_beside_slow_work, in_turn(), judges({"ping.answered"})) {
  const auto tool = script.tool_with(Ability::kTakesTime);
  if (!tool) return;
  Connection& session = script.session();
  const Pending call =
      session.start("tools/call", {{"name", tool->name}, {"arguments", tool->arguments}});
  const Pending ping = session.start("ping");
  Reply reply = session.await(ping);
  if (reply.kind() == Reply::Kind::kSilence) {
    if (!session.await(call, session.patience().start).is_answered()) {
      script.unclear("ping.answered", "neither a slow tool nor a ping beside it was answered",
                     reply.events());
      return;
    }
    reply = session.await(ping);
  }
  script.check("ping.answered", reply.is_result(), reply,
               fmt::format("a ping beside a slow tool was answered with {}", reply.describe()));
  session.await(call, session.patience().start);
}

}  // namespace
}  // namespace assay::scenarios
