// Scenarios about lists that change while somebody watches.
//
// Specification: "List Changed Notification" of server/tools, server/prompts and server/resources.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"

namespace assay::scenarios {
namespace {

using namespace harness;

struct ChangingList {
  catalogue::RequirementId requirement;
  std::string_view capability;
  std::string_view method;
  std::string_view notification;
  Ability changed_by;
};

constexpr ChangingList kLists[] = {
    {"tools.list-changed-notified", "tools.listChanged", "tools/list",
     "notifications/tools/list_changed", Ability::kChangesTools},
    {"prompts.list-changed-notified", "prompts.listChanged", "prompts/list",
     "notifications/prompts/list_changed", Ability::kChangesPrompts},
    {"resources.list-changed-notified", "resources.listChanged", "resources/list",
     "notifications/resources/list_changed", Ability::kChangesResources},
};

// Whether the client of `session` is told that its list has changed since `from`.
void judge_telling(Script& script, const ChangingList& list, Connection& session, std::size_t from,
                   const Listing& after) {
  const EventPtr told =
      session.wait_for_notification(from, list.notification, session.patience().request);
  const auto evidence = told ? std::vector<EventPtr>{told} : after.last_reply->events();
  script.check(
      list.requirement, told != nullptr, evidence,
      fmt::format("the answer to {} changed, but {} did not come", list.method, list.notification),
      Awaited{std::string(list.notification)});
}

void judge_change(Script& script, const ChangingList& list) {
  Connection& session = script.session();
  const auto tool = script.tool_with(list.changed_by);
  if (!session.has_capability(list.capability)) {
    // Who does not declare that it tells of changes does not tell: the monitor judges.
    if (tool) script.call(*tool);
    session.fence();
    return;
  }
  if (!tool) {
    script.lacks(list.requirement, list.changed_by);
    return;
  }
  const Listing before = Survey::read(session, list.method);
  const std::size_t from = session.mark();
  const Reply reply = script.call(*tool);
  const Listing after = Survey::read(session, list.method);
  if (!after.is_complete || before.items == after.items) {
    script.unclear(list.requirement, "the list did not change", reply.events());
    return;
  }
  judge_telling(script, list, session, from, after);
}

// Whoever declared listChanged tells of a list that has changed.
SCENARIO(list_changes_are_announced, in_turn(),
         judges({"tools.list-changed-notified", "prompts.list-changed-notified",
                 "resources.list-changed-notified", "lifecycle.uses-negotiated-capabilities"})) {
  if (!script.session().listen()) {
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("tools.list-changed-notified"),
          catalogue::RequirementId("prompts.list-changed-notified"),
          catalogue::RequirementId("resources.list-changed-notified")}) {
      script.not_exercised(rule, "the server offers no stream to announce it on",
                           "a GET stream at the endpoint");
    }
    return;
  }
  for (const ChangingList& list : kLists) judge_change(script, list);
}

// A list may be one for all clients: each of them whose list has changed is told.
SCENARIO(list_changes_are_announced_to_each_client, own_session(), over_http(),
         in_revisions(&model::Revision::has_streamable_http),
         judges({"tools.list-changed-notified", "prompts.list-changed-notified",
                 "resources.list-changed-notified"})) {
  const auto is_changeable = [&](const ChangingList& list) {
    return script.is_declared(list.capability) && script.tool_with(list.changed_by);
  };
  if (std::none_of(std::begin(kLists), std::end(kLists), is_changeable)) return;
  Connection& one = script.open_session();
  Connection& other = script.open_session();
  // Who has no sessions cannot tell clients apart.
  if (!one.http()->session_id() || !one.listen() || !other.listen()) return;
  for (const ChangingList& list : kLists) {
    if (!is_changeable(list)) continue;
    const auto tool = script.tool_with(list.changed_by);
    const Listing before = Survey::read(other, list.method);
    const std::size_t from = other.mark();
    one.request("tools/call", {{"name", tool->name}, {"arguments", tool->arguments}});
    const Listing after = Survey::read(other, list.method);
    if (!before.is_complete || !after.is_complete || before.items == after.items) continue;
    judge_telling(script, list, other, from, after);
  }
}

}  // namespace
}  // namespace assay::scenarios
