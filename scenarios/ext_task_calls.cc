#include "scenarios/ext_task_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "harness/script/http_script.h"
#include "harness/script/json_member.h"
#include "harness/script/stateless_connection.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/mrtr_calls.h"
#include "scenarios/stateless_calls.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {

using namespace harness;
using catalogue::RequirementId;

namespace {

constexpr const char* kTaskAcknowledged = "notifications/subscriptions/acknowledged";
// No task is looked at more often while it asks; and how long we wait in between.
constexpr int kMostLooks = 40;
constexpr std::chrono::milliseconds kPause{50};
constexpr std::array kTaskAbilities = {Ability::kTaskTakesTime, Ability::kRunsAsTask,
                                       Ability::kTaskFails, Ability::kTaskRefused,
                                       Ability::kTaskElicits};

std::optional<DurableCall> create_first(Script& script, const std::vector<ToolUse>& tools,
                                        const Json& meta = Json::object()) {
  for (const ToolUse& tool : tools) {
    DurableCall call = call_durably(script, tool, meta);
    if (call.is_task()) return call;
  }
  return std::nullopt;
}

void note_lack(Script& script, Ability ability, const std::vector<ToolUse>& tools,
               std::initializer_list<RequirementId> rules) {
  for (const RequirementId rule : rules) {
    if (tools.empty()) {
      script.lacks(rule, ability);
    } else {
      script.not_exercised(
          rule,
          fmt::format("{} was called, and its call did not become a task", tools.front().name),
          hint(ability));
    }
  }
}

}  // namespace

const model::Extension& tasks_extension() {
  static const model::Extension& kTasks = *model::find_extension("tasks");
  return kTasks;
}

Json declaring_tasks(Connection& session, Json params) {
  if (params.is_null()) params = Json::object();
  params["_meta"][kClientCapabilities] = capabilities_with(session.revision(), tasks_extension());
  return params;
}

Reply ask_about_tasks(Connection& session, std::string_view method, Json params) {
  return session.request(method, declaring_tasks(session, std::move(params)));
}

DurableCall call_durably(Script& script, const ToolUse& tool, const Json& meta) {
  Reply reply =
      ask_about_tasks(script.session(), "tools/call",
                      {{"name", tool.name}, {"arguments", tool.arguments}, {"_meta", meta}});
  const bool is_task = text_member(reply.result(), "resultType") == "task";
  std::string id(is_task ? text_member(reply.result(), "taskId") : "");
  return {tool, std::move(reply), std::move(id)};
}

Reply call_plainly(Script& script, const ToolUse& tool) {
  return script.session().request("tools/call",
                                  {{"name", tool.name}, {"arguments", tool.arguments}});
}

std::optional<DurableCall> create_durable(Script& script, Ability ability,
                                          std::initializer_list<RequirementId> rules,
                                          const Json& meta) {
  const std::vector<ToolUse> tools = script.tools_with(ability);
  if (auto call = create_first(script, tools, meta)) return call;
  note_lack(script, ability, tools, rules);
  return std::nullopt;
}

std::optional<DurableCall> create_any_durable(Script& script,
                                              std::initializer_list<RequirementId> rules) {
  const std::vector<ToolUse> tools = durable_tools(script);
  if (auto call = create_first(script, tools)) return call;
  note_lack(script, Ability::kRunsAsTask, tools, rules);
  return std::nullopt;
}

std::vector<ToolUse> durable_tools(Script& script) {
  std::vector<ToolUse> all;
  for (const Ability ability : kTaskAbilities) {
    for (ToolUse& tool : script.tools_with(ability)) {
      const bool is_known = std::any_of(all.begin(), all.end(), [&](const ToolUse& each) {
        return each.name == tool.name && each.arguments == tool.arguments;
      });
      if (!is_known) all.push_back(std::move(tool));
    }
  }
  return all;
}

Reply get_durable(Connection& session, const std::string& id) {
  return ask_about_tasks(session, "tasks/get", {{"taskId", id}});
}

Reply update_durable(Connection& session, const std::string& id, Json responses) {
  return ask_about_tasks(session, "tasks/update",
                         {{"taskId", id}, {"inputResponses", std::move(responses)}});
}

Reply cancel_durable(Connection& session, const std::string& id) {
  return ask_about_tasks(session, "tasks/cancel", {{"taskId", id}});
}

Reply poll_durable_while(Connection& session, const std::string& id,
                         std::initializer_list<std::string_view> statuses) {
  return poll_while(session, {[&] { return get_durable(session, id); }, "pollIntervalMs"},
                    statuses);
}

Reply lead_to_end(Script& script, const std::string& id) {
  Connection& session = script.session();
  Reply now = poll_durable_while(session, id, {"working"});
  Json answered = Json::object();
  for (int i = 0; i < kMostLooks && status_of(now) == "input_required"; ++i) {
    Json responses = polite_responses(script, member(now.result(), "inputRequests"));
    for (const auto& [key, response] : answered.items()) responses.erase(key);
    if (responses.empty()) {
      // What was answered may be shown for a while.
      session.wait_for(
          session.mark(), [](const Event&) { return false; }, kPause);
    } else if (!update_durable(session, id, responses).is_result()) {
      break;
    }
    answered.update(responses);
    now = poll_durable_while(session, id, {"working"});
  }
  return now;
}

void drop_durable(Connection& session, const std::string& id) {
  if (!id.empty()) cancel_durable(session, id);
}

Pending listen_to_tasks(Connection& session, const std::vector<std::string>& ids, bool declares) {
  Json params = {{"notifications", {{"taskIds", ids}}}};
  return session.start("subscriptions/listen",
                       declares ? declaring_tasks(session, std::move(params)) : params);
}

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

bool is_acknowledgement(const EventPtr& word) {
  return word != nullptr && word->message()->method() == kTaskAcknowledged;
}

void stop_listening(Connection& session, const Pending& pending) {
  if (session.http() != nullptr) {
    abandon(session, pending.lane);
  } else {
    session.notify("notifications/cancelled", {{"requestId", wire::to_json(pending.id)}});
  }
}

Json polite_responses(Script& script, const Json& requests) {
  return requests.is_object() ? good_responses(script, requests) : Json::object();
}

}  // namespace assay::scenarios
