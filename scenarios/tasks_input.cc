// Scenarios about tasks that need something of their requestor: they wait in input_required.
//
// Specification: basic/utilities/tasks, "Input Required Status".
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/sample_value.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr RequirementId kRelated = "tasks.input-request-related";
constexpr RequirementId kShared = "tasks.related-task-shared";
constexpr RequirementId kGiven = "tasks.related-task-given";
constexpr RequirementId kEntered = "tasks.input-required-entered";
constexpr RequirementId kLeft = "tasks.input-required-left";

// What the server asked for the sake of the task, and how the task stood meanwhile.
struct Question {
  Json params;
  std::optional<Reply> meanwhile;  // tasks/get, asked and answered before the question is
};

EventPtr last_question(Connection& session) {
  EventPtr found;
  for (const EventPtr& event : session.transcript().events()) {
    if (event->is_from_client() || event->message() == nullptr) continue;
    if (event->message()->method() == "elicitation/create") found = event;
  }
  return found;
}

// The id of the one task that was made from `from` on, as soon as it has been told.
std::string id_of_task(Connection& session, std::size_t from) {
  for (const EventPtr& event : session.transcript().events(from)) {
    if (event->is_from_client() || event->message() == nullptr) continue;
    if (event->message()->kind() != wire::MessageKind::kResult) continue;
    const Json& task = member(event->message()->result(), "task");
    if (task.is_object()) return std::string(text_member(task, "taskId"));
  }
  return "";
}

// What a user may have entered into the form.
Json filled_in(const Json& params) {
  Json content = Json::object();
  const Json& properties = member(member(params, "requestedSchema"), "properties");
  for (const auto& [name, schema] : properties.items()) {
    content[name] = sample_value(schema, name);
  }
  return {{"action", "accept"}, {"content", std::move(content)}};
}

// Looks at the task before it answers.
void answer_with_a_look(Connection& session, std::optional<Question>& asked) {
  const std::size_t from = session.mark();
  session.on_request("elicitation/create", [&session, &asked, from](const Json& params) -> Answer {
    if (!asked) {
      asked = Question{params, std::nullopt};
      const std::string id = id_of_task(session, from);
      if (!id.empty()) asked->meanwhile = get_task(session, id);
    }
    return filled_in(params);
  });
}

void judge_question(Script& script, const Question& question, const std::string& id) {
  const std::vector<EventPtr> asked = {last_question(script.session())};
  const Json& named = member(member(question.params, "_meta"), kRelatedTask);
  script.check(kRelated, named.is_object(), asked,
               "the elicitation that a task asked for does not name a task in its _meta");
  if (named.is_object()) {
    const bool is_its_own = text_member(named, "taskId") == id;
    script.check(kShared, is_its_own, asked,
                 "the elicitation names another task than the one that asked for it");
    // The rule about all messages. What breaks it here breaks one of the two above, and is told so.
    if (is_its_own) script.check(kGiven, true, asked, "");
  }
  if (!question.meanwhile) {
    script.unclear(kEntered, "the task sent its elicitation before its id was known", asked);
    return;
  }
  const std::string_view status = status_of(*question.meanwhile);
  if (status == "working" || status == "input_required") {
    std::vector<EventPtr> events = asked;
    events.insert(events.end(), question.meanwhile->events().begin(),
                  question.meanwhile->events().end());
    script.check(kEntered, status == "input_required", events,
                 "while the task waited for its elicitation, its status was working", Crossed{});
  } else {
    script.unclear(kEntered, "tasks/get failed while the task waited",
                   question.meanwhile->events());
  }
}

// A task that elicits waits in input_required for the answer, and goes on with it.
SCENARIO(tasks_wait_for_input, in_turn("tasks"), lengthy(),
         in_revisions(&model::Revision::has_core_tasks),
         judges({"tasks.input-request-related", "tasks.related-task-shared",
                 "tasks.related-task-given", "tasks.input-required-entered",
                 "tasks.input-required-left"})) {
  const auto tool = task_tool(script, Ability::kTaskElicits, {kRelated, kShared, kEntered, kLeft});
  if (!tool) return;
  Connection& session = script.session();
  std::optional<Question> asked;
  answer_with_a_look(session, asked);
  const TaskCall call = create_task(session, *tool);
  if (!call.is_created()) {
    no_task(script, call, {kRelated, kShared, kEntered, kLeft});
    return;
  }
  // It may ask at once, or keep its question until somebody waits for the result.
  poll_while(session, call.id, {"working"});
  const Pending result = session.start("tasks/result", {{"taskId", call.id}});
  const Reply now = poll_while(session, call.id, {"input_required"});
  session.on_request("elicitation/create", nullptr);
  if (!asked) {
    for (const RequirementId rule : {kRelated, kShared, kEntered, kLeft}) {
      script.unclear(rule, "the task asked for nothing", now.events());
    }
    return;
  }
  judge_question(script, *asked, call.id);
  const bool waits_still = status_of(now) == "input_required";
  if (now.is_result()) {
    script.check(kLeft, !waits_still, now.events(),
                 "the elicitation was answered, but the task is still input_required",
                 Awaited{"another status than input_required"});
  } else {
    script.unclear(kLeft, "tasks/get failed after the elicitation was answered", now.events());
  }
  if (!waits_still) session.await(result, task_patience(session));
}

// Answered while the task goes on. An internal error tells of trouble, and not of an end.
bool is_early(const std::optional<Reply>& result) {
  return result && result->is_answered() && !result->is_error(wire::kInternalError);
}

// While a task waits for its client it has no result yet: tasks/result blocks until a terminal
// status, for whoever asked before the question came and for whoever asks now.
SCENARIO(tasks_keep_their_result_while_they_wait, in_turn("tasks"), lengthy(),
         in_revisions(&model::Revision::has_core_tasks), judges({"tasks.result-blocks"})) {
  constexpr RequirementId kBlocks = "tasks.result-blocks";
  const auto tool = task_tool(script, Ability::kTaskElicits, {kBlocks});
  if (!tool) return;
  Connection& session = script.session();
  session.on_request("elicitation/create", [](const Json&) -> Answer { return WithheldAnswer{}; });
  const std::size_t from = session.mark();
  const TaskCall call = create_task(session, *tool);
  if (!call.is_created()) return no_task(script, call, {kBlocks});
  const Pending before = session.start("tasks/result", {{"taskId", call.id}});
  const EventPtr question =
      session.wait_for_request(from, "elicitation/create", session.patience().request);
  if (!question) return script.unclear(kBlocks, "the task asked for nothing");
  const Pending now = session.start("tasks/result", {{"taskId", call.id}});
  get_task(session, call.id);  // by its answer, what is answered at once has been
  const std::optional<Reply> results[] = {session.poll(before), session.poll(now)};
  // The task was no further than this when the results came.
  const Reply after = get_task(session, call.id);
  const std::string_view status = status_of(after);
  for (const auto& result : results) {
    if (status != "working" && status != "input_required") break;
    script.check(
        kBlocks, !is_early(result),
        result ? std::vector<EventPtr>{question, result->events().back(), after.events().back()}
               : after.events(),
        fmt::format(
            "tasks/result was answered while the task ({}) still waited for its elicitation",
            status));
  }
  session.respond(*question->message()->id(), filled_in(question->message()->params()));
  session.await(now, task_patience(session));
}

}  // namespace
}  // namespace assay::scenarios
