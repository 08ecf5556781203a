#include "scenarios/task_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "harness/script/json_member.h"
#include "harness/script/sample_value.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::scenarios {

using catalogue::RequirementId;
using harness::Ability;
using harness::array_member;
using harness::Clock;
using harness::Connection;
using harness::EventPtr;
using harness::member;
using harness::Reply;
using harness::Script;
using harness::text_member;
using harness::ToolUse;

namespace {

constexpr std::int64_t kLongTtl = 600'000;  // milliseconds
// A known tool of a stranger's takes some seconds.
constexpr int kPatienceOfRequests = 3;
// Between two polls, where the server does not say, or says something odd.
constexpr std::int64_t kShortestPoll = 10;
constexpr std::int64_t kLongestPoll = 1000;

bool is_status_notification(const harness::Event& event) {
  return event.is_from_server() && event.message() != nullptr &&
         event.message()->method().starts_with("notifications/tasks");
}

// True if the server says that it runs tools as tasks; if not, the rules are noted as not
// applicable.
bool are_applicable(Script& script, std::initializer_list<RequirementId> rules) {
  if (script.is_declared(kToolsAsTasks)) return true;
  for (const RequirementId rule : rules) {
    script.not_applicable(rule, "the server does not declare tasks.requests.tools.call");
  }
  return false;
}

// Of the tools of one server that nothing is known of, this many are tried.
constexpr std::size_t kMostTried = 4;

// True if no profile tells of the tool, or only what came of it when it was tried.
bool is_strange(const Script& script, const std::string& name) {
  const auto& tried = script.profile().tried;
  return script.profile().tool(name) == nullptr ||
         std::find(tried.begin(), tried.end(), name) != tried.end();
}

// The ways to call the tools that say they can be called as tasks, and of which no profile tells:
// those that were tried plainly, or with guessed arguments. First what can be called either way.
std::vector<ToolUse> strange_task_tools(const Script& script) {
  std::vector<ToolUse> either;
  std::vector<ToolUse> required;
  for (const Json& tool : script.survey().tools().items) {
    const std::string name(text_member(tool, "name"));
    const std::string_view support = task_support(tool);
    if (support == "forbidden" || !script.may_call(name) || !is_strange(script, name)) continue;
    std::vector<ToolUse>& uses = support == "optional" ? either : required;
    const harness::KnownTool* tried = script.profile().tool(name);
    const auto guess = harness::sample_arguments(member(tool, "inputSchema"));
    if (tried != nullptr) {
      uses.insert(uses.end(), tried->uses.begin(), tried->uses.end());
    } else if (guess) {
      uses.push_back({.name = name, .arguments = *guess});
    }
  }
  either.insert(either.end(), required.begin(), required.end());
  return either;
}

std::optional<ToolUse> find_able(const std::vector<ToolUse>& tools, Ability ability) {
  const auto found = std::find_if(tools.begin(), tools.end(),
                                  [&](const ToolUse& tool) { return tool.can(ability); });
  return found == tools.end() ? std::nullopt : std::optional(*found);
}

// The first that is still at work when it is looked at; else the first of all.
std::optional<ToolUse> find_slow(Connection& session, const std::vector<ToolUse>& tools) {
  if (auto slow = find_able(tools, Ability::kTakesTime)) return slow;
  for (std::size_t i = 0; i < std::min(tools.size(), kMostTried); ++i) {
    const TaskCall call = create_task(session, tools[i]);
    if (!call.is_created()) continue;
    const bool is_at_work = status_of(get_task(session, call.id)) == "working";
    drop_task(session, call.id);
    if (is_at_work) return tools[i];
  }
  return tools.empty() ? std::nullopt : std::optional(tools.front());
}

// One that succeeds when it is called plainly, where it can be; else the first of all.
std::optional<ToolUse> find_sound(Script& script, const std::vector<ToolUse>& tools) {
  for (std::size_t i = 0; i < std::min(tools.size(), kMostTried); ++i) {
    const ToolUse& tool = tools[i];
    if (task_support(*script.survey().tool(tool.name)) != "optional") continue;
    const Reply reply = script.session().request(
        "tools/call", {{"name", tool.name}, {"arguments", tool.arguments}});
    if (reply.is_result() && member(reply.result(), "isError") != true) return tool;
  }
  return tools.empty() ? std::nullopt : std::optional(tools.front());
}

// One that fails in its result, be it for want of its required arguments.
std::optional<ToolUse> find_failing(Connection& session, const std::vector<ToolUse>& tools) {
  if (auto failing = find_able(tools, Ability::kFails)) return failing;
  for (std::size_t i = 0; i < std::min(tools.size(), kMostTried); ++i) {
    if (tools[i].arguments.empty()) continue;
    const Reply reply =
        session.request("tools/call", {{"name", tools[i].name}, {"arguments", Json::object()}});
    if (member(reply.result(), "isError") == true) return ToolUse{.name = tools[i].name};
  }
  return std::nullopt;
}

// Where no profile knows a tool of that ability: one that shows it when it is tried.
std::optional<ToolUse> find_by_trying(Script& script, Ability ability) {
  const std::vector<ToolUse> tools = strange_task_tools(script);
  if (ability == Ability::kTaskTakesTime) return find_slow(script.session(), tools);
  if (ability == Ability::kTaskFails) return find_failing(script.session(), tools);
  if (ability == Ability::kTaskElicits) return find_able(tools, Ability::kElicits);
  if (ability == Ability::kRunsAsTask) return find_sound(script, tools);
  return std::nullopt;
}

bool can_be_task(const Script& script, const std::optional<ToolUse>& tool) {
  const Json* listed = tool ? script.survey().tool(tool->name) : nullptr;
  return listed != nullptr && task_support(*listed) != "forbidden";
}

// What every client of Streamable HTTP sends.
constexpr std::array<std::string_view, 11> kStandardHeaders = {
    "accept", "accept-encoding", "connection",           "content-length", "content-type",
    "host",   "mcp-session-id",  "mcp-protocol-version", "last-event-id",  "user-agent",
    "origin"};

bool is_standard(const std::string& name) {
  std::string lower = name;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::find(kStandardHeaders.begin(), kStandardHeaders.end(), lower) !=
         kStandardHeaders.end();
}

// Codes that JSON-RPC 2.0 keeps for itself.
bool is_reserved(std::int64_t code) {
  return code >= -32768 && code <= -32000;
}

}  // namespace

std::optional<ToolUse> task_tool(Script& script, Ability ability,
                                 std::initializer_list<RequirementId> rules) {
  if (!are_applicable(script, rules)) return std::nullopt;
  auto tool = script.tool_with(ability);
  if (can_be_task(script, tool)) return tool;
  if (auto found = find_by_trying(script, ability)) return found;
  for (const RequirementId rule : rules) script.lacks(rule, ability);
  return std::nullopt;
}

std::optional<ToolUse> any_task_tool(Script& script, std::initializer_list<RequirementId> rules) {
  if (!are_applicable(script, rules)) return std::nullopt;
  for (const Ability ability : {Ability::kTaskTakesTime, Ability::kRunsAsTask}) {
    auto tool = script.tool_with(ability);
    if (can_be_task(script, tool)) return tool;
  }
  if (auto found = find_by_trying(script, Ability::kRunsAsTask)) return found;
  for (const RequirementId rule : rules) script.lacks(rule, Ability::kRunsAsTask);
  return std::nullopt;
}

Json task_params(const ToolUse& tool, const Json& token) {
  Json params = {{"name", tool.name}, {"arguments", tool.arguments}, {"task", {{"ttl", kLongTtl}}}};
  if (!token.is_null()) params["_meta"] = {{"progressToken", token}};
  return params;
}

TaskCall create_task(Connection& session, const ToolUse& tool, const Json& token) {
  Reply reply = session.request("tools/call", task_params(tool, token));
  std::string id(text_member(member(reply.result(), "task"), "taskId"));
  return {std::move(reply), std::move(id)};
}

void no_task(Script& script, const TaskCall& call, std::initializer_list<RequirementId> rules) {
  for (const RequirementId rule : rules) {
    script.unclear(rule,
                   fmt::format("no task was created: the answer was {}", call.reply.describe()),
                   call.reply.events());
  }
}

bool lists_task(Connection& session, std::string_view id) {
  constexpr int kMostPages = 64;
  Json params = Json::object();
  for (int page = 0; page < kMostPages; ++page) {
    const Reply reply = session.request("tasks/list", params);
    for (const Json& task : array_member(reply.result(), "tasks")) {
      if (text_member(task, "taskId") == id) return true;
    }
    const Json& next = member(reply.result(), "nextCursor");
    if (!next.is_string()) return false;
    params["cursor"] = next;
  }
  return false;
}

Reply get_task(Connection& session, const std::string& id) {
  return session.request("tasks/get", {{"taskId", id}});
}

std::string_view status_of(const Reply& reply) {
  return text_member(reply.result(), "status");
}

bool is_at_end(const Reply& reply) {
  const std::string_view status = status_of(reply);
  return status == "completed" || status == "failed" || status == "cancelled";
}

std::chrono::milliseconds task_patience(const Connection& session) {
  return kPatienceOfRequests * session.patience().request;
}

Reply poll_while(Connection& session, const std::string& id,
                 std::initializer_list<std::string_view> statuses) {
  return poll_while(session, {[&] { return get_task(session, id); }, "pollInterval"}, statuses);
}

Reply poll_while(Connection& session, const Polling& polling,
                 std::initializer_list<std::string_view> statuses) {
  const auto deadline = Clock::now() + task_patience(session);
  while (true) {
    const std::size_t from = session.mark();
    Reply reply = polling.get();
    const bool goes_on =
        std::find(statuses.begin(), statuses.end(), status_of(reply)) != statuses.end();
    if (!goes_on || Clock::now() >= deadline) return reply;
    const Json& given = member(reply.result(), polling.interval);
    const std::int64_t interval = given.is_number_integer() ? given.get<std::int64_t>() : 0;
    session.wait_for(from, is_status_notification,
                     std::chrono::milliseconds(std::clamp(interval, kShortestPoll, kLongestPoll)));
  }
}

Reply await_end(Connection& session, const std::string& id) {
  return poll_while(session, id, {"working", "input_required"});
}

void drop_task(Connection& session, const std::string& id) {
  if (id.empty() || !session.has_capability("tasks.cancel")) return;
  session.request("tasks/cancel", {{"taskId", id}});
}

bool has_credentials(Connection& session) {
  for (const EventPtr& event : session.transcript().events()) {
    const auto& observation = event->observation;
    if (event->is_from_server() || !observation.http()) continue;
    for (const auto& [name, value] : observation.http()->headers) {
      if (!is_standard(name)) return true;
    }
  }
  return false;
}

void judge_refusal(Script& script, RequirementId rule, const Reply& reply,
                   const std::string& what) {
  if (reply.kind() == Reply::Kind::kGone) {
    script.unclear(rule, fmt::format("{}: {}", what, reply.describe()), reply.events());
    return;
  }
  if (!reply.is_error()) {
    script.check(rule, false, reply,
                 fmt::format("{} was answered with {}", what, reply.describe()));
    return;
  }
  const std::int64_t code = reply.error_code().value_or(0);
  if (!is_reserved(code)) {
    script.check(
        "tasks.standard-errors", false, reply,
        fmt::format("{} was answered with error {}, which is none of JSON-RPC's", what, code),
        "/error/code");
    script.unclear(rule, "the error code is not one of JSON-RPC", reply.events());
    return;
  }
  script.check("tasks.standard-errors", true, reply);
  script.check(rule, code == wire::kInvalidParams, reply,
               fmt::format("{} was answered with error {} instead of -32602", what, code),
               "/error/code");
  const std::string_view message = text_member(member(reply.message()->json(), "error"), "message");
  script.check("tasks.errors-informative",
               message.find_first_not_of(" \t\r\n") != std::string_view::npos, reply,
               fmt::format("{} was refused without a word of why", what), "/error/message");
}

}  // namespace assay::scenarios
