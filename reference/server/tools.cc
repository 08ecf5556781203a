// The methods of tools. Specification: server/tools, and "Tool-Level Negotiation" of
// basic/utilities/tasks.
#include "reference/server/tools.h"

#include <algorithm>
#include <utility>

#include "reference/server/apps.h"
#include "reference/server/arguments.h"
#include "reference/server/call.h"
#include "reference/server/content.h"
#include "reference/server/durable_task.h"
#include "reference/server/extensions.h"
#include "reference/server/handlers.h"
#include "reference/server/pagination.h"
#include "reference/server/session.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

std::vector<Tool> collect() {
  std::vector<Tool> all;
  for (std::vector<Tool> (*table)() :
       {content_tools, slow_tools, client_tools, input_tools, header_tools, change_tools,
        task_tools, client_task_tools, job_tools, upstream_tools, app_tools}) {
    for (Tool& tool : table()) all.push_back(std::move(tool));
  }
  return all;
}

Answer run_extra(ToolDialogue&, const Json&) {
  return tool_text("This tool is not always here.");
}

const Tool& extra_tool() {
  static const Tool kExtra = {.name = "test_extra_tool",
                              .title = "Extra tool",
                              .description = "Comes and goes with test_trigger_tool_change",
                              .input_schema = no_arguments(),
                              .run = run_extra};
  return kExtra;
}

const std::vector<Tool>& all_tools() {
  static const std::vector<Tool> kAll = collect();
  return kAll;
}

bool is_there(const Context& context, const Tool& tool) {
  return context.speaks().satisfies(tool.exists) &&
         (!tool.needs_upstream || !context.options().upstream.empty()) &&
         (tool.ui.is_null() || is_offered(context.options(), apps_extension(), context.speaks()));
}

const Tool* tool_of(const Context& context, std::string_view name) {
  const Tool* const tool = find_tool(context.speaks(), name);
  if (tool != nullptr && is_there(context, *tool)) return tool;
  const bool is_extra = name == extra_tool().name && context.has_extra(Context::Extra::kTool);
  return is_extra ? &extra_tool() : nullptr;
}

std::vector<const Tool*> tools_of(const Context& context) {
  std::vector<const Tool*> tools;
  for (const Tool& tool : all_tools()) {
    if (is_there(context, tool)) tools.push_back(&tool);
  }
  if (context.has_extra(Context::Extra::kTool)) tools.push_back(&extra_tool());
  return tools;
}

Json describe(const Context& context, const Tool& tool) {
  const model::Revision revision = context.speaks();
  Json json = {
      {"name", tool.name}, {"description", tool.description}, {"inputSchema", tool.input_schema}};
  if (revision.has_tool_annotations()) {
    json["annotations"] = {{"readOnlyHint", tool.is_read_only},
                           {"openWorldHint", tool.needs_upstream}};
  }
  if (revision.has_titles()) json["title"] = tool.title;
  if (revision.has_structured_content() && !tool.output_schema.is_null()) {
    json["outputSchema"] = tool.output_schema;
  }
  if (revision.has_icons()) json["icons"] = sample_icons();
  if (!tool.ui.is_null() && context.declares_apps()) json["_meta"] = {{"ui", tool.ui}};
  if (revision.has_core_tasks() && tool.task_support != TaskSupport::kForbidden) {
    const bool is_required = tool.task_support == TaskSupport::kRequired;
    json["execution"] = {{"taskSupport", is_required ? "required" : "optional"}};
  }
  return json;
}

// The client's token, if it sent one that the specification allows.
Json progress_token(const Call& call) {
  const Json& token = member(member(call.params(), "_meta"), "progressToken");
  return token.is_string() || token.is_number_integer() ? token : Json(nullptr);
}

// Whether the call may be a task, or has to be one.
std::optional<Refusal> check_task_support(const Context& context, const Tool& tool, bool as_task) {
  if (context.options().has(Switch::kIgnoresTaskSupport)) return std::nullopt;
  if (as_task && tool.task_support == TaskSupport::kForbidden) {
    return Refusal{wire::kMethodNotFound, "The tool does not support tasks"};
  }
  if (!as_task && tool.task_support == TaskSupport::kRequired) {
    return Refusal{wire::kMethodNotFound, "The tool must be called as a task"};
  }
  return std::nullopt;
}

void run_task(Session& session, const std::shared_ptr<Task>& task, const Tool& tool,
              const Json& arguments, const Json& token) {
  ToolDialogue conversation(session, {.sink = Task::sink(task),
                                      .stop = task->stop_token(),
                                      .progress_token = token,
                                      .task = task->id(),
                                      .watcher = task.get()});
  std::function<void()> last_words;
  if (session.options().has(Switch::kReportsAfterTaskEnd)) {
    last_words = [&conversation] {
      for (const double more : {1001, 1002, 1003})
        conversation.progress(more, 1003, "Still working");
    };
  }
  task->complete(tool.run(conversation, arguments), last_words);
}

Answer start_task(Session& session, const std::shared_ptr<Call>& call, const Tool& tool,
                  const Json& arguments) {
  const Json& asked = member(member(call->params(), "task"), "ttl");
  const Options& options = session.options();
  const auto ttl = asked.is_number_integer()
                       ? std::chrono::milliseconds(std::clamp<std::int64_t>(
                             asked.get<std::int64_t>(), 0, options.longest_ttl.count()))
                       : options.default_ttl;
  const std::shared_ptr<Task> task = session.tasks().create(ttl);
  if (!task) return Refusal{wire::kInternalError, "Too many tasks"};
  const auto work = [self = session.shared_from_this(), task, &tool, arguments,
                     token = progress_token(*call)] {
    run_task(*self, task, tool, arguments, token);
  };
  const Json created = {{"task", task->json()}};
  if (options.has(Switch::kCreatesTasksLate)) {
    work();
    return created;
  }
  // The client learns of the task before anything the task says.
  call->answer(created);
  const bool is_taken = session.workers().run(work);
  if (!is_taken) task->complete(Refusal{wire::kInternalError, "Too much work is waiting"});
  return Later{};
}

// Goes on as a task of the extension, which says nothing of its own.
Answer start_durable_task(Context& context, const std::shared_ptr<Call>& call, const Tool& tool,
                          const Json& arguments) {
  const std::shared_ptr<DurableTask> task = context.create_task();
  if (!task) return Refusal{wire::kInternalError, "Too many tasks"};
  Json created = task->json();
  created["resultType"] = "task";
  call->answer(created);
  const bool is_taken =
      context.workers().run([self = context.share(), sink = call->sink(), task, &tool, arguments] {
        ToolDialogue conversation(
            *self, {.sink = sink, .stop = task->stop_token(), .durable = task.get()});
        task->complete(tool.run(conversation, arguments));
      });
  if (!is_taken) task->complete(Refusal{wire::kInternalError, "Too much work is waiting"});
  return Later{};
}

// The answer to a call that goes on as a task of the extension, or that its client lacks the
// extension for; nothing where it is answered at once.
std::optional<Answer> answer_durably(Context& context, const std::shared_ptr<Call>& call,
                                     const Tool& tool, const Json& arguments) {
  const bool may_be_task = context.options().has_tasks_extension &&
                           tasks_extension().extends(context.speaks()) &&
                           tool.task_support != TaskSupport::kForbidden;
  if (!may_be_task) return std::nullopt;
  if (!context.declares_tasks()) {
    if (tool.task_support == TaskSupport::kOptional) return std::nullopt;
    return tasks_not_declared();
  }
  Json prepared = arguments;
  if (tool.prepare != nullptr) {
    ToolDialogue conversation(context, {.sink = call->sink(), .stop = call->stop_token()});
    if (auto answer = tool.prepare(conversation, prepared)) return answer;
  }
  return start_durable_task(context, call, tool, prepared);
}

Answer run_now(Context& context, const Call& call, const Tool& tool, const Json& arguments) {
  ToolDialogue conversation(context, {.sink = call.sink(),
                                      .stop = call.stop_token(),
                                      .progress_token = progress_token(call),
                                      .task = std::nullopt});
  return tool.run(conversation, arguments);
}

Answer run_on_worker(Context& context, const std::shared_ptr<Call>& call, const Tool& tool,
                     const Json& arguments) {
  if (!context.calls().add(call)) {
    return Refusal{wire::kInvalidRequest, "Too many requests, or one of that id, are under way"};
  }
  const bool is_taken = context.workers().run([self = context.share(), call, &tool, arguments] {
    call->answer(run_now(*self, *call, tool, arguments));
    self->calls().remove(*call);
  });
  if (is_taken) return Later{};
  context.calls().remove(*call);
  return Refusal{wire::kInternalError, "Too much work is waiting"};
}

}  // namespace

const Tool* find_tool(model::Revision revision, std::string_view name) {
  for (const Tool& tool : all_tools()) {
    if (tool.name == name && revision.satisfies(tool.exists)) return &tool;
  }
  return nullptr;
}

Json no_arguments() {
  return {{"type", "object"}, {"properties", Json::object()}};
}

Json optional_arguments(Json properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

Json required_arguments(Json properties) {
  Json names = Json::array();
  for (const auto& [name, property] : properties.items()) names.push_back(name);
  Json schema = optional_arguments(std::move(properties));
  schema["required"] = std::move(names);
  return schema;
}

Answer list_tools(Context& context, Call& call) {
  const std::vector<const Tool*> tools = tools_of(context);
  return paginate(context, call.params(), "tools", tools.size(),
                  [&](std::size_t i) { return describe(context, *tools[i]); });
}

Answer call_tool(Context& context, const std::shared_ptr<Call>& call) {
  const std::optional<std::string> name = string_member(call->params(), "name");
  if (!name) return invalid_params("name must be a string");
  const Tool* tool = tool_of(context, *name);
  if (!tool) return invalid_params("Unknown tool: " + *name);
  const Json& given = member(call->params(), "arguments");
  if (!given.is_null() && !given.is_object()) return invalid_params("arguments must be an object");

  const bool as_task =
      context.speaks().has_core_tasks() && member(call->params(), "task").is_object();
  if (context.speaks().has_core_tasks()) {
    if (const auto refusal = check_task_support(context, *tool, as_task)) return *refusal;
  }
  static const Json kNoArguments = Json::object();
  const Json& arguments = given.is_null() ? kNoArguments : given;
  if (const auto defect = defect_of_arguments(context.options(), tool->input_schema, arguments)) {
    if (context.speaks().has_input_errors_in_results()) return tool_error(*defect);
    return invalid_params(*defect);
  }
  if (as_task) return start_task(*context.session(), call, *tool, arguments);
  if (auto answer = answer_durably(context, call, *tool, arguments)) return *std::move(answer);
  if (tool->is_slow && !context.options().has(Switch::kSlowBlocksAll)) {
    return run_on_worker(context, call, *tool, arguments);
  }
  return run_now(context, *call, *tool, arguments);
}

}  // namespace assay::server
