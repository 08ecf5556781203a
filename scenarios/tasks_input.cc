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
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr RequirementId kRelated = "tasks.input-request-related";
constexpr RequirementId kShared = "tasks.related-task-shared";
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
    if (event->is_sent() || event->message() == nullptr) continue;
    if (event->message()->method() == "elicitation/create") found = event;
  }
  return found;
}

// The id of the one task of this session, as soon as it has been told.
std::string id_of_task(Connection& session) {
  for (const EventPtr& event : session.transcript().events()) {
    if (event->is_sent() || event->message() == nullptr) continue;
    if (event->message()->kind() != wire::MessageKind::kResult) continue;
    const Json& task = member(event->message()->result(), "task");
    if (task.is_object()) return std::string(text_member(task, "taskId"));
  }
  return "";
}

// Looks at the task before it answers.
void answer_with_a_look(Connection& session, std::optional<Question>& asked) {
  session.on_request("elicitation/create", [&session, &asked](const Json& params) -> Answer {
    if (!asked) {
      asked = Question{params, std::nullopt};
      const std::string id = id_of_task(session);
      if (!id.empty()) asked->meanwhile = get_task(session, id);
    }
    Json content = Json::object();
    const Json& properties = member(member(params, "requestedSchema"), "properties");
    for (const auto& [name, schema] : properties.items()) {
      const Json& choices = array_member(schema, "oneOf");
      const Json& words = array_member(schema, "enum");
      const std::string_view type = text_member(schema, "type");
      if (!choices.empty()) {
        content[name] = member(choices[0], "const");
      } else if (!words.empty()) {
        content[name] = words[0];
      } else if (type == "boolean") {
        content[name] = true;
      } else {
        content[name] = type == "string" ? Json("assay") : Json(1);
      }
    }
    return Json{{"action", "accept"}, {"content", std::move(content)}};
  });
}

void judge_question(Script& script, const Question& question, const std::string& id) {
  const std::vector<EventPtr> asked = {last_question(script.session())};
  const Json& named = member(member(question.params, "_meta"), kRelatedTask);
  script.check(kRelated, named.is_object(), asked,
               "the elicitation that a task asked for does not name a task in its _meta");
  if (named.is_object()) {
    script.check(kShared, text_member(named, "taskId") == id, asked,
                 "the elicitation names another task than the one that asked for it");
  }
  if (!question.meanwhile) {
    script.unclear(kEntered, "the task asked before it was told of", asked);
    return;
  }
  const std::string_view status = status_of(*question.meanwhile);
  if (status == "working" || status == "input_required") {
    std::vector<EventPtr> events = asked;
    events.insert(events.end(), question.meanwhile->events().begin(),
                  question.meanwhile->events().end());
    script.check(kEntered, status == "input_required", events,
                 "while the task waited for the answer to its elicitation it was working");
  } else {
    script.unclear(kEntered, "the task could not be looked at while it waited",
                   question.meanwhile->events());
  }
}

// A task that elicits waits in input_required for the answer, and goes on with it.
SCENARIO(tasks_wait_for_input, own_session(), lengthy(),
         in_revisions(&model::Revision::has_core_tasks),
         judges({"tasks.input-request-related", "tasks.related-task-shared",
                 "tasks.input-required-entered", "tasks.input-required-left"})) {
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
                 "long after its elicitation was answered the task is input_required still",
                 waits_still);
  } else {
    script.unclear(kLeft, "the task could not be looked at after its answer", now.events());
  }
  if (!waits_still) session.await(result, task_patience(session));
}

}  // namespace
}  // namespace assay::scenarios
