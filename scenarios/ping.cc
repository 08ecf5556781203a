// Scenarios about ping.
//
// Specification: basic/utilities/ping.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "harness/runner/scenario.h"
#include "harness/script/handshake_connection.h"
#include "harness/script/json_member.h"

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
SCENARIO(ping_is_answered_beside_slow_work, own_session(), judges({"ping.answered"})) {
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

// A client may ping before it says that it is initialized: it is answered as at any other time.
SCENARIO(ping_is_answered_before_initialized, own_session(), judges({"ping.answered"})) {
  Connection& connection = script.open_connection();
  const Reply reply =
      connection.await(connection.start("initialize", initialize_params(connection.revision())),
                       connection.patience().start);
  if (!reply.is_result()) return;
  const std::string_view version = text_member(reply.result(), "protocolVersion");
  connection.wire_end().set_protocol_version(std::string(version));
  const Reply ping = connection.request("ping");
  script.check("ping.answered", ping.is_result(), ping,
               fmt::format("a ping between initialize and notifications/initialized was answered "
                           "with {}",
                           ping.describe()));
}

}  // namespace
}  // namespace assay::scenarios
