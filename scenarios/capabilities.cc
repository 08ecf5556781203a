// Scenarios about what is declared and what is served.
//
// Specification: basic/lifecycle, "Capability Negotiation" and "Operation".
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/usable.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

// Of a stranger's tools, this many are looked at for one that can be called plainly.
constexpr std::size_t kMostPlainTools = 4;

constexpr RequirementId kServed = "lifecycle.declared-capabilities-served";

// Whatever else the answer says, a declared method is not unknown.
void judge_served(Script& script, std::string_view capability, const Reply& reply,
                  std::string_view method) {
  if (!reply.is_answered()) return;
  script.check(
      kServed, !reply.is_error(wire::kMethodNotFound), reply,
      fmt::format("{} is declared, but {} is answered with method not found", capability, method));
}

// What is listed can be used: each of its methods is tried on one thing that the list gives.
void judge_use(Script& script) {
  Connection& session = script.session();
  const auto ask = [&](std::string_view capability, std::string_view method, Json params) {
    judge_served(script, capability, session.request(method, std::move(params)), method);
  };
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostPlainTools)) {
    // A call of one that has to be a task is refused with the same code.
    const Json& listed = *script.survey().tool(tool.name);
    if (member(member(listed, "execution"), "taskSupport") == "required") continue;
    ask("tools", "tools/call", {{"name", tool.name}, {"arguments", tool.arguments}});
    break;
  }
  for (const Json& prompt : script.survey().prompts().items) {
    if (!is_named(prompt)) continue;
    ask("prompts", "prompts/get",
        {{"name", member(prompt, "name")},
         {"arguments", prompt_arguments(script.profile(), prompt)}});
    break;
  }
  for (const Json& resource : script.survey().resources().items) {
    if (!is_readable(resource)) continue;
    ask("resources", "resources/read", {{"uri", member(resource, "uri")}});
    break;
  }
}

// A task that there is not is no reason to say that there is no such method.
void judge_tasks_served(Script& script) {
  Connection& session = script.session();
  const auto ask = [&](std::string_view capability, std::string_view method) {
    if (!session.has_capability(capability)) return;
    judge_served(script, capability, session.request(method, {{"taskId", "assay-no-such-task"}}),
                 method);
  };
  ask("tasks.requests", "tasks/get");
  ask("tasks.requests", "tasks/result");
  ask("tasks.cancel", "tasks/cancel");
  if (!session.has_capability("tasks.list")) return;
  judge_served(script, "tasks.list", session.request("tasks/list"), "tasks/list");
}

// The methods of every declared capability are known to the server.
SCENARIO(capabilities_declared_are_served, in_both_eras(), own_session(),
         judges({"lifecycle.declared-capabilities-served"})) {
  Connection& session = script.session();
  for (const Listing& listing : script.survey().listings()) {
    // Templates are one of the things that `resources` may offer, and no part of every server.
    if (!listing.last_reply || listing.method == "resources/templates/list") continue;
    judge_served(script, listing.capability, *listing.last_reply, listing.method);
  }
  judge_use(script);
  const auto ask = [&](std::string_view capability, std::string_view method, Json params) {
    if (!session.has_capability(capability)) return;
    judge_served(script, capability, session.request(method, std::move(params)), method);
  };
  ask("completions", "completion/complete",
      {{"ref", {{"type", "ref/prompt"}, {"name", "assay"}}},
       {"argument", {{"name", "assay"}, {"value", ""}}}});
  // Without sessions each request says its own log level, and subscriptions are judged as such.
  if (script.revision().is_stateless()) return;
  ask("logging", "logging/setLevel", {{"level", "error"}});
  for (const Json& resource : script.survey().resources().items) {
    if (!is_readable(resource)) continue;
    ask("resources.subscribe", "resources/subscribe", {{"uri", member(resource, "uri")}});
    ask("resources.subscribe", "resources/unsubscribe", {{"uri", member(resource, "uri")}});
    break;
  }
  if (script.revision().has_core_tasks()) judge_tasks_served(script);
}

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

// A client that declares nothing is asked for nothing. That it is not is judged by the monitor.
SCENARIO(capabilities_of_the_client_are_respected, own_session(),
         judges({"lifecycle.uses-negotiated-capabilities", "roots.capability-checked",
                 "lifecycle.handles-missing-capabilities"})) {
  struct Feature {
    Ability ability;
    std::string_view method;
  };
  Connection& connection = script.open_connection();
  connection.begin(Json::object());
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
}

// A client that can only show forms is sent to no URL. That it is not is judged by the monitor.
SCENARIO(capabilities_of_elicitation_are_respected, in_both_eras(), own_session(),
         in_revisions(&model::Revision::has_url_elicitation),
         judges({"elicitation.undeclared-mode-not-sent"})) {
  const auto tool = script.tool_with(Ability::kElicitsByUrl);
  if (!tool) {
    script.lacks("elicitation.undeclared-mode-not-sent", Ability::kElicitsByUrl);
    return;
  }
  Connection& connection = script.open_connection();
  connection.begin(Json{{"elicitation", {{"form", Json::object()}}}});
  if (!connection.has_begun()) return;
  const std::size_t from = connection.mark();
  const Reply reply =
      connection.request("tools/call", {{"name", tool->name}, {"arguments", tool->arguments}});
  if (!reply.is_answered() || has_asked(connection, from, "elicitation/create")) return;
  script.check("elicitation.undeclared-mode-not-sent", true, reply);
}

}  // namespace
}  // namespace assay::scenarios
