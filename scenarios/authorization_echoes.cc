// Scenarios about tokens that come back: what a client shows in confidence does not stand in what
// the server logs.
//
// Specification: server/utilities/logging, "Security".
#include <algorithm>
#include <string>
#include <string_view>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/means.h"
#include "reference/wire/message.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using model::Revision;

constexpr std::size_t kMostLoggingTools = 8;

// Everything is logged that the server logs at all.
void ask_for_logs(Connection& session) {
  if (!session.has_capability("logging")) return;
  if (session.revision().has_set_level()) {
    session.request("logging/setLevel", {{"level", "debug"}});
    session.listen();
  }
}

Json call_params(Connection& session, const ToolUse& tool) {
  Json params = {{"name", tool.name}, {"arguments", tool.arguments}};
  if (!session.revision().has_set_level()) {
    params["_meta"] = {{"io.modelcontextprotocol/logLevel", "debug"}};
  }
  return params;
}

// One of those that were given, be they good or not.
bool holds_token(Script& script, std::string_view text) {
  return std::any_of(script.tokens().begin(), script.tokens().end(), [&](const UserToken& token) {
    return text.find(token.text) != std::string_view::npos;
  });
}

// A log message holds no token, that of its session or another one, whatever the server does
// meanwhile.
SCENARIO(authorization_tokens_stay_out_of_logs, in_both_eras(), own_session(), over_http(),
         in_revisions(&Revision::has_authorization),
         judges({"logging.no-credentials", "logging.sensitive-removed"})) {
  const auto good = tokens_of(script, UserToken::Standing::kGood);
  if (good.empty()) return;
  Connection& session = script.session();
  ask_for_logs(session);
  std::vector<ToolUse> tools = script.tools_with(Ability::kLogs);
  for (const ToolUse& tool :
       plain_tools(script.survey(), script.tool_policy(), kMostLoggingTools)) {
    tools.push_back(tool);
  }
  for (const ToolUse& tool : tools) session.request("tools/call", call_params(session, tool));
  session.fence();
  for (const EventPtr& event : session.transcript().events()) {
    const wire::Message* const message = event->message();
    if (event->is_from_client() || message == nullptr) continue;
    if (message->method() != "notifications/message") continue;
    const bool is_clean = !holds_token(script, message->bytes());
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("logging.no-credentials"),
          catalogue::RequirementId("logging.sensitive-removed")}) {
      script.check(rule, is_clean, {event},
                   "a log message holds an access token that clients show");
    }
  }
}

}  // namespace
}  // namespace assay::scenarios
