// Tools whose calls go on as tasks, where the client has the extension for them; the official suite
// knows most of them by name. Specification: the extension `io.modelcontextprotocol/tasks`.
#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reference/server/content.h"
#include "reference/server/durable_task.h"
#include "reference/server/handlers.h"
#include "reference/server/inputs.h"
#include "reference/server/tools.h"

namespace assay::server {
namespace {

constexpr std::chrono::milliseconds kJob{100};
constexpr std::int64_t kLongestJob = 600;  // seconds

struct FormQuestion {
  std::string key;  // where the question is asked in a result
  std::string message;
  Json schema;
};

// What the user has answered: asked within the task, or without one in the result. Or what is
// answered to the client meanwhile, or in the end.
std::variant<std::vector<Json>, Answer> ask_forms(ToolDialogue& conversation,
                                                  const std::vector<FormQuestion>& questions) {
  std::vector<Json> answers;
  if (conversation.is_durable()) {
    std::vector<TaskQuestion> asked;
    for (const FormQuestion& each : questions) {
      asked.push_back(
          {"elicitation/create",
           {{"mode", "form"}, {"message", each.message}, {"requestedSchema", each.schema}}});
    }
    for (ClientAnswer& answer : conversation.ask_together(asked)) {
      if (!answer.is_result()) return Answer(tool_error("Elicitation failed: " + answer.trouble()));
      answers.push_back(std::move(answer.value));
    }
    return answers;
  }
  InputRound round(conversation.context());
  for (const FormQuestion& each : questions) {
    const Json* const answer = round.elicit(each.key, each.message, each.schema);
    answers.push_back(answer == nullptr ? Json() : *answer);
  }
  if (auto unfinished = round.unfinished()) return *std::move(unfinished);
  return answers;
}

std::string answered_text(const Json& answer, const char* field) {
  return string_member(member(answer, "content"), field)
      .value_or("(" + string_member(answer, "action").value_or("nothing") + ")");
}

bool is_confirmed(const Json& answer) {
  return member(member(answer, "content"), "confirm") == true;
}

FormQuestion name_question() {
  return {"name", "What is your name?", required_arguments({{"name", {{"type", "string"}}}})};
}

FormQuestion confirmation(const std::string& message) {
  return {"confirm", message, required_arguments({{"confirm", {{"type", "boolean"}}}})};
}

Answer greet(ToolDialogue&, const Json& arguments) {
  return tool_text("Hello, " + string_member(arguments, "name").value_or("?") + "!");
}

Answer slow_compute(ToolDialogue& conversation, const Json& arguments) {
  const Json& given = member(arguments, "seconds");
  const std::int64_t seconds = std::clamp<std::int64_t>(
      given.is_number_integer() ? given.get<std::int64_t>() : 1, 0, kLongestJob);
  conversation.wait(std::chrono::seconds(seconds));
  return tool_text("Computed " + string_member(arguments, "label").value_or("something") + " in " +
                   std::to_string(seconds) + " s.");
}

Answer failing_job(ToolDialogue& conversation, const Json&) {
  conversation.wait(kJob);
  return tool_error("This job always fails");
}

Answer protocol_error_job(ToolDialogue& conversation, const Json&) {
  conversation.wait(kJob);
  return Refusal{wire::kInternalError, "This job always ends in an error of the protocol"};
}

Answer confirm_delete(ToolDialogue& conversation, const Json& arguments) {
  const std::string file = string_member(arguments, "filename").value_or("the file");
  const auto asked = ask_forms(conversation, {confirmation("Shall " + file + " be deleted?")});
  if (const auto* answer = std::get_if<Answer>(&asked)) return *answer;
  return tool_text(is_confirmed(std::get<0>(asked).front()) ? "It would be deleted: " + file
                                                            : "It would be kept: " + file);
}

Answer multi_input(ToolDialogue& conversation, const Json&) {
  const auto asked = ask_forms(conversation, {name_question(), confirmation("Shall it go on?")});
  if (const auto* answer = std::get_if<Answer>(&asked)) return *answer;
  const auto& answers = std::get<0>(asked);
  return tool_text(answered_text(answers[0], "name") +
                   (is_confirmed(answers[1]) ? " goes" : " stops"));
}

// One question after the other.
Answer two_questions(ToolDialogue& conversation, const Json&) {
  std::vector<Json> answers;
  for (const FormQuestion& each : {name_question(), confirmation("Shall it go on?")}) {
    const auto asked = ask_forms(conversation, {each});
    if (const auto* answer = std::get_if<Answer>(&asked)) return *answer;
    answers.push_back(std::get<0>(asked).front());
  }
  return tool_text(answered_text(answers[0], "name") +
                   (is_confirmed(answers[1]) ? " goes" : " stops"));
}

// Asks before there is a task.
std::optional<Answer> ask_name_first(ToolDialogue& conversation, Json& arguments) {
  InputRound round(conversation.context());
  const FormQuestion question = name_question();
  const Json* const answer = round.elicit("user_name", question.message, question.schema);
  if (auto unfinished = round.unfinished()) return unfinished;
  arguments["user_name"] = answered_text(*answer, "name");
  return std::nullopt;
}

Answer task_after_question(ToolDialogue& conversation, const Json& arguments) {
  conversation.wait(kJob);
  return tool_text("Hello, " + string_member(arguments, "user_name").value_or("?") +
                   "! The task is done.");
}

}  // namespace

std::vector<Tool> job_tools() {
  return {
      {.name = "greet",
       .title = "Greeting",
       .description = "Greets at once, never as a task",
       .input_schema = required_arguments({{"name", {{"type", "string"}}}}),
       .run = greet,
       .exists = &model::Revision::is_stateless},
      {.name = "slow_compute",
       .title = "Slow computation",
       .description = "Takes so many seconds; can be a task, and be cancelled",
       .input_schema = optional_arguments(
           {{"seconds", {{"type", "integer"}}}, {"label", {{"type", "string"}}}}),
       .run = slow_compute,
       .is_slow = true,
       .task_support = TaskSupport::kOptional,
       .exists = &model::Revision::is_stateless},
      {.name = "failing_job",
       .title = "Failing job",
       .description = "Fails, only as a task",
       .input_schema = no_arguments(),
       .run = failing_job,
       .is_slow = true,
       .task_support = TaskSupport::kRequired,
       .exists = &model::Revision::is_stateless},
      {.name = "protocol_error_job",
       .title = "Job with a protocol error",
       .description = "Ends in an error of the protocol, as a task or not",
       .input_schema = no_arguments(),
       .run = protocol_error_job,
       .is_slow = true,
       .task_support = TaskSupport::kOptional,
       .exists = &model::Revision::is_stateless},
      {.name = "confirm_delete",
       .title = "Confirmed deletion",
       .description = "Asks the user before it would delete a file; can be a task",
       .input_schema = optional_arguments({{"filename", {{"type", "string"}}}}),
       .run = confirm_delete,
       .is_slow = true,
       .task_support = TaskSupport::kOptional,
       .exists = &model::Revision::is_stateless},
      {.name = "multi_input",
       .title = "Several inputs",
       .description = "Asks the user two things at once; can be a task",
       .input_schema = no_arguments(),
       .run = multi_input,
       .is_slow = true,
       .task_support = TaskSupport::kOptional,
       .exists = &model::Revision::is_stateless},
      {.name = "test_task_two_questions",
       .title = "Two questions",
       .description = "Asks the user one thing after the other; only as a task",
       .input_schema = no_arguments(),
       .run = two_questions,
       .is_slow = true,
       .task_support = TaskSupport::kRequired,
       .exists = &model::Revision::is_stateless},
      {.name = "test_tool_with_task",
       .title = "Task after a question",
       .description = "Asks the user first, and goes on as a task",
       .input_schema = no_arguments(),
       .run = task_after_question,
       .is_slow = true,
       .task_support = TaskSupport::kRequired,
       .exists = &model::Revision::is_stateless,
       .prepare = ask_name_first},
  };
}

}  // namespace assay::server
