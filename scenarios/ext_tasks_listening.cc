// Scenarios about subscriptions to the status of tasks of the extension
// `io.modelcontextprotocol/tasks`.
//
// Specification: the extension's page, "Task Status Notifications".
#include <fmt/format.h>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"
#include "scenarios/ext_task_calls.h"
#include "scenarios/stateless_calls.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

// A subscription to a task is refused where its client does not declare the extension.
SCENARIO(ext_tasks_subscriptions_need_a_client_that_declares_them, of_extension("tasks"), in_turn(),
         judges({"ext-tasks.listen-undeclared-error", "ext-tasks.standard-errors"})) {
  constexpr RequirementId kRule("ext-tasks.listen-undeclared-error");
  const auto call = create_any_durable(script, {kRule});
  if (!call) return;
  Connection& session = script.session();
  const Pending pending = listen_to_tasks(session, {call->id}, false);
  const EventPtr word = first_word(session, pending);
  if (!word) {
    script.unclear(kRule, "subscriptions/listen was neither acknowledged nor answered",
                   {pending.sent});
  } else if (word->message()->kind() != wire::MessageKind::kError) {
    script.check(kRule, false, {pending.sent, word},
                 "a subscription to a task that does not declare the extension was accepted");
    stop_listening(session, pending);
  } else {
    const wire::Message& error = *word->message();
    const Json& required = member(member(error.error(), "data"), "requiredCapabilities");
    const bool names_it =
        member(member(required, "extensions"), tasks_extension().identifier).is_object();
    const bool is_right = error.error_code() == kMissingCapability;
    script.check(kRule, is_right && names_it, {pending.sent, word},
                 fmt::format("a subscription to a task that does not declare the extension was "
                             "refused with error {}{}",
                             error.error_code().value_or(0),
                             is_right ? ", which does not name the extension" : ""));
    script.check("ext-tasks.standard-errors", is_right, {pending.sent, word},
                 fmt::format("a missing capability was answered with error {}",
                             error.error_code().value_or(0)));
  }
  drop_durable(session, call->id);
}

// What a subscription to a task brings, and what its call asks for in vain: the monitors judge it.
SCENARIO(ext_tasks_tell_their_subscribers, of_extension("tasks"), in_turn("tasks"), lengthy(),
         judges({"ext-tasks.notified-as-agreed"})) {
  constexpr RequirementId kRule("ext-tasks.notified-as-agreed");
  const Json meta = {{"progressToken", "assay-told-task"}, {kLogLevel, "debug"}};
  const auto call = create_durable(script, Ability::kTaskTakesTime, {kRule}, meta);
  if (!call) return;
  Connection& session = script.session();
  const Pending pending = listen_to_tasks(session, {call->id});
  const EventPtr word = first_word(session, pending);
  if (!is_acknowledgement(word)) {
    drop_durable(session, call->id);
    return;
  }
  // Another one, of which nobody wants to hear.
  const DurableCall other = call_durably(script, call->tool);
  poll_durable_while(session, call->id, {"working", "input_required"});
  drop_durable(session, other.id);
  session.fence();
  drop_durable(session, call->id);
  session.fence();
  stop_listening(session, pending);
}

}  // namespace
}  // namespace assay::scenarios
