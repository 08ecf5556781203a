// Scenarios about how tasks come to be: what is declared, by the server and by each tool, and what
// answers a task-augmented request.
//
// Specification: basic/utilities/tasks, "Capability Negotiation", "Tool-Level Negotiation",
// "Creating Tasks".
#include <fmt/format.h>

#include <limits>
#include <string>
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

// Of the tools of one server, this many are tried.
constexpr int kMostTools = 3;

// The times tell of a change of status after the creation, or are too coarse to tell.
bool may_have_moved_on(const Json& task) {
  const std::string_view created = text_member(task, "createdAt");
  const bool is_fine = created.find('.') != std::string_view::npos;
  return !is_fine || created != text_member(task, "lastUpdatedAt");
}

void judge_beginning(Script& script, const TaskCall& call) {
  const Json& task = member(call.reply.result(), "task");
  const std::string_view status = text_member(task, "status");
  if (status == "working" || status.empty()) return;  // the monitor has seen it
  if (may_have_moved_on(task)) {
    script.unclear("tasks.begins-working", "the task has moved on since it was created",
                   call.reply.events());
  } else {
    script.check("tasks.begins-working", false, call.reply,
                 fmt::format("the status of a task that takes time has not changed since its "
                             "creation, and it is {}",
                             status),
                 "/result/task/status");
  }
}

// How many reports of progress came between the two events, where both are on one lane.
std::size_t progress_before_answer(Connection& session, const Reply& created) {
  if (created.events().size() < 2) return 0;
  const EventPtr& answer = created.events().back();
  std::size_t count = 0;
  for (const EventPtr& event : session.transcript().events(created.events().front()->n)) {
    if (event == answer) break;
    if (event->is_from_client() || event->message() == nullptr) continue;
    if (!(event->observation.lane == answer->observation.lane)) continue;
    if (event->message()->method() == "notifications/progress") ++count;
  }
  return count;
}

// A task-augmented call is answered with a task that works, under an id that the server chose, and
// before the work is done.
SCENARIO(tasks_are_created, with_tasks(),
         judges({"tasks.create-result-returned", "tasks.create-result-soon", "tasks.begins-working",
                 "tasks.id-from-receiver"})) {
  constexpr const char* kOurId = "assay-chose-this-id";
  constexpr const char* kToken = "assay-creation";
  const auto rules = {
      RequirementId("tasks.create-result-returned"), RequirementId("tasks.create-result-soon"),
      RequirementId("tasks.begins-working"), RequirementId("tasks.id-from-receiver")};
  const auto tool = any_task_tool(script, rules);
  if (!tool) return;
  Connection& session = script.session();
  Json params = task_params(*tool, kToken);
  params["task"]["taskId"] = kOurId;
  const Reply reply = session.request("tools/call", params);
  const Json& task = member(reply.result(), "task");
  const TaskCall call{reply, std::string(text_member(task, "taskId"))};
  if (!reply.is_result() || member(reply.result(), "isError") == true) {
    no_task(script, call, rules);
    return;
  }
  script.check("tasks.create-result-returned", task.is_object(), reply,
               "the result of a task-augmented call holds no task", "/result");
  if (!call.is_created()) return;
  script.check("tasks.id-from-receiver", call.id != kOurId && call.id != kToken, reply,
               "the server took the id of the task from the request", "/result/task/taskId");
  const auto slow = script.tool_with(Ability::kTaskTakesTime);
  const bool takes_time = slow && slow->name == tool->name;
  if (takes_time) judge_beginning(script, call);
  const Reply now = get_task(session, call.id);
  // A tool that reports on its way has reported twice: the work was not begun when it was accepted.
  // What takes no time may be done before anybody could be told.
  const bool is_late = takes_time && is_at_end(now) && progress_before_answer(session, reply) >= 2;
  if (is_late || (now.is_result() && !is_at_end(now))) {
    script.check("tasks.create-result-soon", !is_late, reply.events(),
                 "the task was announced when its work was done, not when it was accepted",
                 Crossed{});
  } else {
    script.unclear("tasks.create-result-soon", "the task was at its end when it was looked at");
  }
  if (!is_at_end(now)) drop_task(session, call.id);
}

bool is_known(Script& script, std::string_view tool) {
  const KnownTool* known = script.tool_policy().known.tool(tool);
  return known != nullptr && !known->uses.empty();
}

// With the arguments of the profile, or a guess.
ToolUse probable_use(Script& script, const Json& tool) {
  ToolUse use{.name = std::string(text_member(tool, "name"))};
  if (is_known(script, use.name)) {
    use.arguments = script.tool_policy().known.tool(use.name)->uses.front().arguments;
  } else if (auto guess = sample_arguments(member(tool, "inputSchema"))) {
    use.arguments = *std::move(guess);
  }
  return use;
}

// Arguments may be refused before anything else: what was only guessed may be why.
bool may_be_refused_for_arguments(Script& script, const Json& tool, const Reply& reply) {
  const bool is_success = reply.is_result() && member(reply.result(), "isError") != true;
  return !is_success && !required_arguments(tool).empty() &&
         !is_known(script, text_member(tool, "name"));
}

void judge_plain_call(Script& script, RequirementId rule, const Json& tool) {
  const ToolUse use = probable_use(script, tool);
  const Reply reply = script.call(use);
  if (reply.is_error(wire::kInvalidRequest)) {
    script.unclear(rule,
                   "-32600 is the error for a request type that has to be augmented, and the "
                   "text gives both",
                   reply.events());
    return;
  }
  const bool is_wrapped = member(reply.result(), "isError") == true;
  const std::string detail = fmt::format(
      "a plain call of {}, whose taskSupport is required, was answered with {} instead of error "
      "-32601",
      use.name, is_wrapped ? "a result that says isError" : reply.describe());
  const bool is_refused = reply.is_error(wire::kMethodNotFound);
  if (!is_refused && may_be_refused_for_arguments(script, tool, reply)) {
    script.unclear(rule, detail + ", and its arguments were a guess", reply.events());
  } else {
    script.check(rule, is_refused, reply, detail);
  }
}

// A tool that has to be called as a task refuses a plain call.
SCENARIO(tasks_are_required_by_some_tools, with_tasks(), judges({"tasks.tool-required-error"})) {
  constexpr RequirementId kRule = "tasks.tool-required-error";
  if (!script.is_declared(kToolsAsTasks)) return;
  int tried = 0;
  for (const Json& tool : script.survey().tools().items) {
    const std::string name(text_member(tool, "name"));
    if (task_support(tool) != "required" || !script.may_call(name)) continue;
    if (++tried > kMostTools) break;
    judge_plain_call(script, kRule, tool);
  }
  if (tried == 0) {
    script.not_exercised(kRule, "no tool that may be called has to be called as a task",
                         "a tool whose taskSupport is required, and --tools to allow it");
  }
}

// A tool that cannot be called as a task refuses it.
SCENARIO(tasks_are_refused_by_other_tools, with_tasks(), judges({"tasks.tool-forbidden-error"})) {
  constexpr RequirementId kRule = "tasks.tool-forbidden-error";
  if (!script.is_declared(kToolsAsTasks)) return;
  bool any = false;
  for (const ToolUse& use : plain_tools(script.survey(), script.tool_policy(), kMostTools)) {
    if (task_support(*script.survey().tool(use.name)) != "forbidden") continue;
    any = true;
    // Who may not call it at all is refused for that, whatever else is wrong.
    const Reply plain = script.call(use);
    if (!plain.is_result()) {
      script.unclear(
          kRule, fmt::format("a plain call of {} was answered with {}", use.name, plain.describe()),
          plain.events());
      continue;
    }
    const TaskCall call = create_task(script.session(), use);
    script.check(
        kRule, call.reply.is_error(wire::kMethodNotFound), call.reply,
        fmt::format("a call as a task of {}, which does not allow it, was answered with {} "
                    "instead of error -32601",
                    use.name, call.reply.describe()));
    drop_task(script.session(), call.id);
  }
  if (any) return;
  script.not_exercised(kRule, "no tool that may be called forbids to be called as a task",
                       "a tool with readOnlyHint that requires no argument");
}

// Calls what says that it can be called as a task, where the server does not declare that. True if
// a task came of it: then the monitor tells what should have been declared.
bool creates_undeclared_task(Script& script, RequirementId rule) {
  constexpr int kMostTried = 3;
  Connection& session = script.session();
  const auto on_purpose = session.malformed_on_purpose();
  int tried = 0;
  for (const Json& tool : script.survey().tools().items) {
    if (task_support(tool) == "forbidden" || !script.tool_policy().allows(tool)) continue;
    const TaskCall call = create_task(session, probable_use(script, tool));
    if (call.is_created()) {
      script.check(rule, false, call.reply,
                   "tools/call with a task field was answered with a task");
      drop_task(session, call.id);
      return true;
    }
    if (++tried == kMostTried) break;
  }
  return false;
}

// A request of a kind that the server does not run as a task is served as if nobody had asked.
SCENARIO(tasks_field_is_ignored_where_undeclared, with_tasks(),
         judges({"tasks.undeclared-ignored", "tasks.capability-declared",
                 "tasks.request-types-declared"})) {
  constexpr RequirementId kRule = "tasks.undeclared-ignored";
  Connection& session = script.session();
  const auto try_it = [&](const std::string& method, Json params) {
    const Reply plain = session.request(method, params);
    if (!plain.is_result()) return false;
    params["task"] = {{"ttl", 60'000}};
    const auto on_purpose = session.malformed_on_purpose();
    const Reply reply = session.request(method, params);
    const bool is_task =
        member(reply.result(), "task").is_object() && !member(plain.result(), "task").is_object();
    script.check(kRule, reply.is_result() && !is_task, reply,
                 fmt::format("{} with a task field was answered with {}", method,
                             is_task ? "a task" : reply.describe()));
    // Who refuses it runs no task either.
    return reply.is_answered() && !is_task;
  };
  try_it("ping", Json::object());
  for (const Listing& listing : script.survey().listings()) {
    if (listing.is_complete) try_it(listing.method, Json::object());
  }
  for (const Json& prompt : script.survey().prompts().items) {
    if (!required_arguments(prompt).empty()) continue;
    try_it("prompts/get", {{"name", text_member(prompt, "name")}});
    break;
  }
  if (runs_tools_as_tasks(session) || creates_undeclared_task(script, kRule)) return;
  bool has_ignored = !script.survey().tools().is_declared;
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), 1)) {
    has_ignored = try_it("tools/call", {{"name", tool.name}, {"arguments", tool.arguments}});
  }
  if (!has_ignored || session.has_capability("tasks")) return;
  for (const RequirementId rule : {RequirementId("tasks.capability-declared"),
                                   RequirementId("tasks.request-types-declared")}) {
    script.not_applicable(rule, "the server runs nothing as a task");
  }
}

// No task is kept for ages, whatever its requestor asks for.
SCENARIO(tasks_are_not_kept_for_ever, with_tasks(), judges({"tasks.ttl-limit"})) {
  constexpr RequirementId kRule = "tasks.ttl-limit";
  // The longest whole number that every JSON parser keeps: some 285,000 years.
  constexpr std::int64_t kAges = (std::int64_t{1} << 53) - 1;
  const auto tool = any_task_tool(script, {kRule});
  if (!tool) return;
  Connection& session = script.session();
  Json params = task_params(*tool);
  params["task"]["ttl"] = kAges;
  const Reply reply = session.request("tools/call", params);
  const Json& task = member(reply.result(), "task");
  if (!task.is_object() || !task.contains("ttl")) {
    script.unclear(kRule, fmt::format("no task was created: the answer was {}", reply.describe()),
                   reply.events());
    return;
  }
  const Json& ttl = task["ttl"];
  const bool is_endless = ttl.is_null() || (ttl.is_number() && ttl.get<double>() >= kAges);
  script.check(kRule, !is_endless, reply,
               "a task that asks to be kept for 285,000 years was accepted as it was",
               "/result/task/ttl");
  drop_task(session, std::string(text_member(task, "taskId")));
}

}  // namespace
}  // namespace assay::scenarios
