// Scenarios about subscriptions to the status of tasks of the extension
// `io.modelcontextprotocol/tasks`.
//
// Specification: the extension's page, "Task Status Notifications".
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/ext_task_calls.h"
#include "scenarios/stateless_calls.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr const char* kTaskAcknowledged = "notifications/subscriptions/acknowledged";

// The first of the answer to a subscription and its acknowledgement.
EventPtr first_word(Connection& session, const Pending& pending) {
  return session.wait_for(
      pending.from,
      [&](const Event& event) {
        if (!event.is_from_server() || event.message() == nullptr) return false;
        const wire::Message& message = *event.message();
        return message.id() == pending.id || message.method() == kTaskAcknowledged;
      },
      session.patience().request);
}

Pending listen_to_task(Connection& session, const std::string& id, bool declares) {
  Json params = {{"notifications", {{"taskIds", Json::array({id})}}}};
  return session.start("subscriptions/listen",
                       declares ? declaring_tasks(session, std::move(params)) : params);
}

void stop_listening(Connection& session, const Pending& pending) {
  if (session.http() != nullptr) {
    abandon(session, pending.lane);
  } else {
    session.notify("notifications/cancelled", {{"requestId", wire::to_json(pending.id)}});
  }
}

// A subscription to a task is refused where its client does not declare the extension.
SCENARIO(ext_tasks_subscriptions_need_a_client_that_declares_them, of_extension("tasks"), in_turn(),
         judges({"ext-tasks.listen-undeclared-error", "ext-tasks.standard-errors"})) {
  constexpr RequirementId kRule("ext-tasks.listen-undeclared-error");
  const auto call = create_any_durable(script, {kRule});
  if (!call) return;
  Connection& session = script.session();
  const Pending pending = listen_to_task(session, call->id, false);
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

// What a subscription to a task brings: the monitors judge it.
SCENARIO(ext_tasks_tell_their_subscribers, of_extension("tasks"), in_turn("tasks"), lengthy(),
         judges({"ext-tasks.notified-as-agreed"})) {
  constexpr RequirementId kRule("ext-tasks.notified-as-agreed");
  const auto call = create_durable(script, Ability::kTaskTakesTime, {kRule});
  if (!call) return;
  Connection& session = script.session();
  const Pending pending = listen_to_task(session, call->id, true);
  const EventPtr word = first_word(session, pending);
  if (!word || word->message()->method() != kTaskAcknowledged) {
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
