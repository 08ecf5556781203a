// Scenarios about tasks of the extension `io.modelcontextprotocol/tasks` that ask their client for
// something.
//
// Specification: the extension's page, "Task Polling", "Task Update Requests".
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"
#include "scenarios/ext_task_calls.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr RequirementId kOthersIgnored("ext-tasks.update-ignores-other-keys");
constexpr const char* kNobodysKey = "assay-was-never-asked";

// A refusal because of what the response holds is none because of its key, so that the response is
// one that fits many a question.
Json some_response() {
  return {{"action", "decline"}};
}

void judge_ignored_key(Script& script, const std::string& id, const std::string& key,
                       std::string_view what) {
  const Reply reply = update_durable(script.session(), id, {{key, some_response()}});
  if (!reply.is_answered()) return;
  script.check(kOthersIgnored, reply.is_result(), reply,
               fmt::format("tasks/update with a response to {} was answered with {}", what,
                           reply.describe()));
}

// What the task waits for is still the same.
void judge_unmoved(Script& script, const Reply& before, const std::string& id) {
  const Reply after = get_durable(script.session(), id);
  if (!after.is_result() || is_at_end(after)) {
    script.unclear(kOthersIgnored, "the task did not wait on", after.events());
    return;
  }
  const bool is_same =
      member(after.result(), "inputRequests") == member(before.result(), "inputRequests");
  script.check(kOthersIgnored, is_same, {before.events().back(), after.events().back()},
               "a response to a key that was never asked about changed what the task asks");
}

// Leads a task through all its questions, and answers what it did not ask, too.
void lead_with_other_keys(Script& script, const DurableCall& call) {
  Connection& session = script.session();
  const Reply asks = poll_durable_while(session, call.id, {"working"});
  if (status_of(asks) != "input_required") {
    drop_durable(session, call.id);
    return;
  }
  judge_ignored_key(script, call.id, kNobodysKey, "a key that was never asked about");
  judge_unmoved(script, asks, call.id);
  const Reply end = lead_to_end(script, call.id);
  const Json& requests = member(asks.result(), "inputRequests");
  if (status_of(end) == "completed" && requests.is_object() && !requests.empty()) {
    judge_ignored_key(script, call.id, requests.begin().key(), "a key that has been answered");
  }
  if (!is_at_end(end)) drop_durable(session, call.id);
}

// Responses to what is not asked are ignored, and the others lead the task to its end.
SCENARIO(ext_tasks_take_the_input_that_they_ask_for, of_extension("tasks"), lengthy(),
         judges({"ext-tasks.update-ignores-other-keys"})) {
  constexpr std::size_t kMostAsking = 4;
  std::size_t asking = 0;
  for (const ToolUse& tool : script.tools_with(Ability::kTaskElicits)) {
    const DurableCall call = call_durably(script, tool);
    if (!call.is_task()) continue;
    lead_with_other_keys(script, call);
    if (++asking == kMostAsking) return;
  }
  if (asking == 0) script.lacks(kOthersIgnored, Ability::kTaskElicits);
}

// All that a task waits for is shown, each time, until it is answered.
SCENARIO(ext_tasks_show_all_that_they_wait_for, of_extension("tasks"), lengthy(),
         judges({"ext-tasks.input-requests-complete", "ext-tasks.update-may-be-partial"})) {
  constexpr RequirementId kComplete("ext-tasks.input-requests-complete");
  constexpr RequirementId kPartial("ext-tasks.update-may-be-partial");
  constexpr int kLooks = 4;
  Connection& session = script.session();
  for (const ToolUse& tool : script.tools_with(Ability::kTaskElicits)) {
    const DurableCall call = call_durably(script, tool);
    if (!call.is_task()) continue;
    Reply asks = poll_durable_while(session, call.id, {"working"});
    const Json responses = polite_responses(script, member(asks.result(), "inputRequests"));
    if (responses.size() < 2) {
      drop_durable(session, call.id);
      continue;
    }
    for (int i = 0; i < kLooks; ++i) asks = get_durable(session, call.id);
    const std::string first = responses.begin().key();
    const Reply part = update_durable(session, call.id, {{first, responses[first]}});
    if (part.is_result()) {
      script.check(kPartial, true, part);
      for (int i = 0; i < kLooks; ++i) asks = get_durable(session, call.id);
    }
    const Reply end = lead_to_end(script, call.id);
    if (!is_at_end(end)) drop_durable(session, call.id);
    return;
  }
  for (const RequirementId rule : {kComplete, kPartial}) {
    script.not_exercised(rule, "no task asked for two things at once",
                         "name a tool that asks the user two things at once as a task in a "
                         "--profile file (does: task-elicits)");
  }
}

}  // namespace
}  // namespace assay::scenarios
