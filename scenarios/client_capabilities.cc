// Scenarios about what a server uses of its client: nothing that the client does not declare.
//
// Specification: basic/lifecycle, "Capability Negotiation"; client/elicitation, "Capabilities";
// client/sampling, "Tools in Sampling".
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "reference/wire/message.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

bool has_asked(Connection& connection, std::size_t from, std::string_view method) {
  for (const EventPtr& event : connection.transcript().events(from)) {
    if (event->is_from_client() || event->message() == nullptr) continue;
    if (event->message()->method() == method) return true;
    if (event->message()->kind() != wire::MessageKind::kResult) continue;
    // Without sessions a server asks by a result.
    const Json& questions = member(event->message()->result(), "inputRequests");
    if (!questions.is_object()) continue;
    for (const Json& question : questions) {
      if (text_member(question, "method") == method) return true;
    }
  }
  return false;
}

// Tools that may ask their client without being known for it: few, as they have been called before.
constexpr std::size_t kMostPlainCalls = 8;

bool asks_anything(const Event& event) {
  const wire::Message* const message = event.is_from_server() ? event.message() : nullptr;
  return message != nullptr &&
         ((message->kind() == wire::MessageKind::kRequest && message->method() != "ping") ||
          !member(message->result(), "inputRequests").is_null());
}

// Calls such tools, and says of the rule that it held if some of them worked and none asked for
// anything. That one asks for too much is judged by the monitor.
void judge_plain_calls(Script& script, Connection& connection, RequirementId rule) {
  const std::size_t from = connection.mark();
  std::optional<Reply> last;
  std::size_t count = 0;
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostPlainCalls)) {
    Reply reply =
        connection.request("tools/call", {{"name", tool.name}, {"arguments", tool.arguments}});
    if (!reply.is_result() || member(reply.result(), "isError") == true) continue;
    ++count;
    last.emplace(std::move(reply));
  }
  const auto events = connection.transcript().events(from);
  const bool is_asked = std::any_of(events.begin(), events.end(),
                                    [](const EventPtr& event) { return asks_anything(*event); });
  if (!last || is_asked) return;
  script.check(rule, true, *last);
  script.tried({rule}, count, "tools that worked and asked for nothing");
}

// A client that declares nothing is asked for nothing. That it is not is judged by the monitor.
SCENARIO(capabilities_of_the_client_are_respected, first_in_turn("client without capabilities"),
         judges({"lifecycle.uses-negotiated-capabilities", "roots.capability-checked",
                 "lifecycle.handles-missing-capabilities"})) {
  struct Feature {
    Ability ability;
    std::string_view method;
  };
  Connection& connection = script.session_that_declares(Json::object());
  if (!connection.has_begun()) return;
  for (const Feature& feature : {Feature{Ability::kSamples, "sampling/createMessage"},
                                 Feature{Ability::kElicits, "elicitation/create"},
                                 Feature{Ability::kElicitsByUrl, "elicitation/create"},
                                 Feature{Ability::kAsksRoots, "roots/list"}}) {
    const auto tool = script.tool_with(feature.ability);
    if (!tool) continue;
    const std::size_t from = connection.mark();
    const Reply reply =
        connection.request("tools/call", {{"name", tool->name}, {"arguments", tool->arguments}});
    script.check("lifecycle.handles-missing-capabilities", reply.is_answered(), reply,
                 fmt::format("{} needs what the client does not offer, and was answered with {}",
                             tool->name, reply.describe()));
    if (!reply.is_answered() || has_asked(connection, from, feature.method)) continue;
    script.check("lifecycle.uses-negotiated-capabilities", true, reply);
    if (feature.ability == Ability::kAsksRoots) {
      script.check("roots.capability-checked", true, reply);
    }
  }
  judge_plain_calls(script, connection, "lifecycle.uses-negotiated-capabilities");
}

// Of a client that can show forms and no URLs, which it says by no mode at all, and whose model has
// no tools.
Json modest_capabilities() {
  return {{"elicitation", Json::object()}, {"sampling", Json::object()}};
}

// Calls a tool that asks the user in a mode that the client did not declare. What comes is judged
// by the monitor.
void judge_mode(Script& script, Connection& session, const ToolUse& tool) {
  session.listen();
  const std::size_t from = session.mark();
  const Reply reply =
      session.request("tools/call", {{"name", tool.name}, {"arguments", tool.arguments}});
  if (!reply.is_answered() || has_asked(session, from, "elicitation/create")) return;
  script.check("elicitation.undeclared-mode-not-sent", true, reply);
}

// A client that can only show forms is sent to no URL. That it is not is judged by the monitor.
SCENARIO(capabilities_of_elicitation_are_respected, in_both_eras(), in_turn("modest client"),
         in_revisions(&model::Revision::has_url_elicitation),
         judges({"elicitation.undeclared-mode-not-sent"})) {
  const auto tool = script.tool_with(Ability::kElicitsByUrl);
  if (!tool) script.lacks("elicitation.undeclared-mode-not-sent", Ability::kElicitsByUrl);
  Connection& connection = script.session_that_declares(modest_capabilities());
  if (!connection.has_begun()) return;
  // What it shows in a form elsewhere it must not send to a URL here.
  if (const auto form = script.tool_with(Ability::kElicits)) {
    connection.request("tools/call", {{"name", form->name}, {"arguments", form->arguments}});
  }
  if (!tool) {
    return judge_plain_calls(script, connection, "elicitation.undeclared-mode-not-sent");
  }
  judge_mode(script, connection, *tool);
}

// A client that opens URLs and shows no forms is sent no form.
SCENARIO(capabilities_of_clients_without_forms_are_respected, own_session(),
         in_revisions(&model::Revision::has_url_elicitation),
         judges({"elicitation.undeclared-mode-not-sent"})) {
  const auto tool = script.tool_with(Ability::kElicits);
  if (!tool) return;
  Connection& session = script.session_that_declares({{"elicitation", {{"url", Json::object()}}}});
  if (!session.has_begun()) return;
  judge_mode(script, session, *tool);
}

// A client that does not declare sampling.tools is offered no tools for its model.
SCENARIO(sampling_offers_no_tools_where_undeclared, in_both_eras(), in_turn("modest client"),
         in_revisions(&model::Revision::has_sampling_tools),
         judges({"sampling.tools-only-if-declared"})) {
  constexpr RequirementId kRule = "sampling.tools-only-if-declared";
  const auto tools = script.tools_with(Ability::kSamples);
  if (tools.empty()) script.lacks(kRule, Ability::kSamples);
  Connection& session = script.session_that_declares(modest_capabilities());
  if (!session.has_begun()) return;
  session.listen();
  // The monitor judges what the tools ask for.
  for (const ToolUse& tool : tools) {
    session.request("tools/call", {{"name", tool.name}, {"arguments", tool.arguments}});
  }
  if (tools.empty()) judge_plain_calls(script, session, kRule);
}

}  // namespace
}  // namespace assay::scenarios
