// Scenarios that make a server ask its client: for a model's answer, for the user's, for roots.
// What it asks is judged by monitors.
//
// Specification: client/sampling, client/elicitation, client/roots.
#include <fmt/format.h>

#include <string_view>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

// Tools that ask the client are called, and their questions answered.
SCENARIO(client_features_are_asked_for, in_both_eras(),
         judges({"elicitation.mode-and-message", "elicitation.form-parameters",
                 "elicitation.url-parameters", "elicitation.url-valid",
                 "elicitation.required-error-lists", "elicitation.required-error-entries",
                 "sampling.tools-only-if-declared"})) {
  struct Need {
    Ability ability;
    RequirementId rule;
  };
  for (const Need& need :
       {Need{Ability::kSamples, "sampling.tools-only-if-declared"},
        Need{Ability::kElicits, "elicitation.mode-and-message"},
        Need{Ability::kElicits, "elicitation.form-parameters"},
        Need{Ability::kElicitsByUrl, "elicitation.url-parameters"},
        Need{Ability::kElicitsByUrl, "elicitation.url-valid"},
        Need{Ability::kNeedsElicitation, "elicitation.required-error-lists"},
        Need{Ability::kNeedsElicitation, "elicitation.required-error-entries"}}) {
    if (!script.tool_with(need.ability)) script.lacks(need.rule, need.ability);
  }
  for (const Ability ability :
       {Ability::kSamples, Ability::kElicits, Ability::kElicitsByUrl, Ability::kNeedsElicitation}) {
    for (const ToolUse& tool : script.tools_with(ability)) script.call(tool);
  }
}

// A tool that cannot go on before an elicitation says so with the error that is made for it.
SCENARIO(elicitation_is_required_with_its_own_error,
         in_revisions(&model::Revision::has_url_elicitation),
         judges({"elicitation.required-error-code"})) {
  constexpr RequirementId kRule = "elicitation.required-error-code";
  const auto tool = script.tool_with(Ability::kNeedsElicitation);
  if (!tool) {
    script.lacks(kRule, Ability::kNeedsElicitation);
    return;
  }
  const Reply reply = script.call(*tool);
  const bool is_refused = reply.is_error() || member(reply.result(), "isError") == true;
  if (reply.is_error(wire::kMethodNotFound)) {
    script.unclear(kRule, "the server does not serve tools/call", reply.events());
  } else if (is_refused) {
    script.check(kRule, reply.is_error(wire::kUrlElicitationRequired), reply);
  } else {
    script.unclear(kRule, "the tool did not fail", reply.events());
  }
}

// An error without an id: whatever it is about, it is no request of ours.
bool has_complained(Connection& connection, std::size_t from) {
  for (const EventPtr& event : connection.transcript().events(from)) {
    if (event->is_from_client() || event->message() == nullptr) continue;
    const auto& id = event->message()->id();
    const bool is_error = event->message()->kind() == wire::MessageKind::kError;
    if (is_error && (!id || id->kind() == wire::Id::Kind::kNull)) return true;
  }
  return false;
}

// It answers something, be it no ping.
bool goes_on_serving(Connection& connection) {
  return connection.fence() || connection.request("tools/list").is_answered();
}

// Roots that cannot be listed, and roots that change, do not end a server's work.
SCENARIO(roots_may_fail_and_change, first_in_turn("patience"),
         judges({"roots.unavailable-handled", "roots.list-changes-handled"})) {
  Connection& connection = script.open_connection();
  bool was_asked = false;
  connection.on_request("roots/list", [&](const Json&) -> Answer {
    was_asked = true;
    return RefusedRequest{wire::kInternalError, "The roots are not available now"};
  });
  connection.begin();
  if (!connection.has_begun()) return;
  script.hand_on(connection);
  const auto tool = script.tool_with(Ability::kAsksRoots);
  if (tool) {
    connection.request("tools/call", {{"name", tool->name}, {"arguments", tool->arguments}});
  }
  bool goes_on = goes_on_serving(connection) && !has_complained(connection, 0);
  if (!was_asked) {
    for (const RequirementId rule : {RequirementId("roots.unavailable-handled"),
                                     RequirementId("roots.list-changes-handled")}) {
      if (tool) {
        script.not_exercised(rule, fmt::format("{} did not ask for roots", tool->name),
                             hint(Ability::kAsksRoots));
      } else {
        script.lacks(rule, Ability::kAsksRoots);
      }
    }
    connection.on_request("roots/list", nullptr);
    return;
  }
  script.check("roots.unavailable-handled", goes_on, connection.transcript().events(),
               "after roots/list was refused, an error came, or no answer to a ping",
               Awaited{"an answer to ping"});
  connection.on_request("roots/list", nullptr);
  const std::size_t from = connection.mark();
  connection.notify("notifications/roots/list_changed");
  goes_on = goes_on_serving(connection) && !has_complained(connection, from);
  script.check("roots.list-changes-handled", goes_on, connection.transcript().events(from),
               "after the roots had changed, an error came, or no answer to a ping",
               Awaited{"an answer to ping"});
}

}  // namespace
}  // namespace assay::scenarios
