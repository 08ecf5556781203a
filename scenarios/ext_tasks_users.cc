// Scenarios about tasks of the extension `io.modelcontextprotocol/tasks` of which another user
// knows the id.
//
// Specification: the extension's page, "Task Status Notifications", "Protocol Errors", "Security
// Considerations".
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"
#include "scenarios/ext_task_calls.h"
#include "scenarios/task_calls.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr RequirementId kAuthBound("ext-tasks.auth-bound");
constexpr const char* kTaskOfNobody = "a55a4000-0000-4000-8000-000000000001";

// A task of the first user, and the connection of the second.
struct Foreign {
  Connection& theirs;
  const DurableCall& call;
};

bool acknowledges_unknown(Connection& session, const std::string& method) {
  Json params = {{"taskId", kTaskOfNobody}};
  if (method == "tasks/update") params["inputResponses"] = Json::object();
  return ask_about_tasks(session, method, std::move(params)).is_result();
}

// Unknown tasks should be refused, and need not be: the same answer for one of another user tells
// nothing of it. True where that is so, and the request is to be judged by what it did.
bool is_to_be_judged_by_effect(Script& script, Connection& theirs, const std::string& method,
                               const Reply& reply) {
  if (!reply.is_answered()) return false;
  if (reply.is_result() && method != "tasks/get" && acknowledges_unknown(theirs, method)) {
    return true;
  }
  script.check(kAuthBound, !reply.is_result(), reply,
               fmt::format("a second user sent {} for a task of the first user, and got {}", method,
                           reply.describe()));
  return false;
}

void judge_effect(Script& script, bool has_effect, std::string_view method, const Reply& theirs,
                  const Reply& own) {
  std::vector<EventPtr> events = theirs.events();
  events.insert(events.end(), own.events().begin(), own.events().end());
  if (has_effect) {
    script.check(kAuthBound, false, std::move(events),
                 fmt::format("a second user sent {} for a task of the first user, and it took "
                             "effect",
                             method));
  } else {
    script.unclear(kAuthBound,
                   fmt::format("{} is acknowledged for a task of another user as for none, and "
                               "took no effect that could be seen",
                               method),
                   std::move(events));
  }
}

void judge_get(Script& script, const Foreign& foreign) {
  const Reply reply = get_durable(foreign.theirs, foreign.call.id);
  is_to_be_judged_by_effect(script, foreign.theirs, "tasks/get", reply);
}

// Whether the task still asks for one of these. What has failed or was cancelled may have lost its
// patience.
bool may_still_ask(const Reply& got, const Json& responses) {
  const std::string_view status = status_of(got);
  if (status == "working" || status == "completed") return false;
  if (status != "input_required") return true;
  const Json& requests = member(got.result(), "inputRequests");
  for (const auto& [key, response] : responses.items()) {
    if (requests.contains(key)) return true;
  }
  return false;
}

// Answers what a task of the first user asks as the second one.
void answer_for_another(Script& script, Connection& theirs) {
  Connection& mine = script.session();
  const auto asking = create_durable(script, Ability::kTaskElicits, {});
  if (!asking) return;
  const Reply before = poll_durable_while(mine, asking->id, {"working"});
  const Json responses = polite_responses(script, member(before.result(), "inputRequests"));
  if (status_of(before) == "input_required" && !responses.empty()) {
    const Reply given = update_durable(theirs, asking->id, responses);
    if (given.is_result()) {
      const Reply own = get_durable(mine, asking->id);
      judge_effect(script, !may_still_ask(own, responses), "tasks/update", given, own);
    }
  }
  drop_durable(mine, asking->id);
}

void judge_update(Script& script, const Foreign& foreign) {
  const Reply reply = update_durable(foreign.theirs, foreign.call.id, Json::object());
  if (!is_to_be_judged_by_effect(script, foreign.theirs, "tasks/update", reply)) return;
  answer_for_another(script, foreign.theirs);
}

void judge_cancel(Script& script, const Foreign& foreign) {
  const Reply reply = cancel_durable(foreign.theirs, foreign.call.id);
  if (!is_to_be_judged_by_effect(script, foreign.theirs, "tasks/cancel", reply)) return;
  const Reply own =
      poll_durable_while(script.session(), foreign.call.id, {"working", "input_required"});
  judge_effect(script, status_of(own) == "cancelled", "tasks/cancel", reply, own);
}

bool lists(const EventPtr& acknowledgement, std::string_view id) {
  const Json& filter = member(acknowledgement->message()->params(), "notifications");
  for (const Json& each : array_member(filter, "taskIds")) {
    if (each == id) return true;
  }
  return false;
}

// Whether the server lists the task to its own user who listens to it.
bool is_listed_to_its_user(Connection& mine, const std::string& id) {
  const Pending pending = listen_to_tasks(mine, {id});
  const EventPtr word = first_word(mine, pending);
  if (word == nullptr || !is_acknowledgement(word)) return false;
  stop_listening(mine, pending);
  return lists(word, id);
}

// A list that names also what does not exist says nothing: then a notification tells. The first
// user ends the task, so that there is one.
void judge_listen(Script& script, const Foreign& foreign) {
  Connection& theirs = foreign.theirs;
  const DurableCall& call = foreign.call;
  if (!is_listed_to_its_user(script.session(), call.id)) {
    return script.unclear(kAuthBound, "its own user could not listen to the task either");
  }
  const Pending pending = listen_to_tasks(theirs, {call.id, kTaskOfNobody});
  const EventPtr word = first_word(theirs, pending);
  if (word == nullptr) return;
  const bool is_listed = is_acknowledgement(word) && lists(word, call.id);
  if (!is_listed || !lists(word, kTaskOfNobody)) {
    script.check(kAuthBound, !is_listed, {pending.sent, word},
                 "a second user listens to a task of the first user, and the acknowledgement "
                 "lists it");
  } else {
    drop_durable(script.session(), call.id);
    const EventPtr told = theirs.wait_for(
        pending.from,
        [&](const Event& event) {
          return event.is_from_server() && event.message() != nullptr &&
                 event.message()->method() == "notifications/tasks" &&
                 text_member(event.message()->params(), "taskId") == call.id;
        },
        theirs.patience().request);
    if (told != nullptr) {
      script.check(kAuthBound, false, {pending.sent, word, told},
                   "a second user who listens was told of a task of the first user");
    } else {
      script.unclear(kAuthBound,
                     "the acknowledgement lists a task of another user as it lists none, and "
                     "nothing was told of it",
                     {pending.sent, word});
    }
  }
  if (is_acknowledgement(word)) stop_listening(theirs, pending);
}

// A task is its user's: another user is not told of it, and can neither answer nor cancel it.
SCENARIO(ext_tasks_are_kept_from_other_users, of_extension("tasks"), own_session(), lengthy(),
         over_http(), judges({"ext-tasks.auth-bound"})) {
  const auto other = other_users_token(script, {kAuthBound});
  if (!other) return;
  const auto call = create_durable(script, Ability::kTaskTakesTime, {kAuthBound});
  if (!call) return;
  Connection& mine = script.session();
  const Foreign foreign{script.open_session(*other), *call};
  judge_get(script, foreign);
  judge_update(script, foreign);
  judge_cancel(script, foreign);
  const Reply own = get_durable(mine, call->id);
  if (!own.is_result()) {
    script.unclear(kAuthBound, "tasks/get did not show its own user the task", own.events());
  }
  drop_durable(mine, call->id);
}

// Nor can another user listen to it.
SCENARIO(ext_tasks_are_not_told_to_other_users, of_extension("tasks"), own_session(), lengthy(),
         over_http(), judges({"ext-tasks.auth-bound"})) {
  const auto other = other_users_token(script, {kAuthBound});
  if (!other) return;
  const auto call = create_durable(script, Ability::kTaskTakesTime, {kAuthBound});
  if (!call) return;
  judge_listen(script, {script.open_session(*other), *call});
  drop_durable(script.session(), call->id);
}

}  // namespace
}  // namespace assay::scenarios
