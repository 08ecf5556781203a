#include "scenarios/clients/ext_task_play.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "reference/model/extension.h"

namespace assay::scenarios {
namespace {

const model::Extension& hosted_extension() {
  static const model::Extension& kTasks = *model::find_extension("tasks");
  return kTasks;
}

bool declares_hosted(const Visit& visit) {
  return model::declared_extensions(visit.revision(), declared_by(visit.message()))
      .contains(model::index_of(hosted_extension()));
}

std::string iso_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", std::chrono::floor<std::chrono::milliseconds>(
                                                  std::chrono::system_clock::now()));
}

bool is_task_end(std::string_view status) {
  return status == "completed" || status == "failed" || status == "cancelled";
}

bool names_task(const Said& said, std::string_view id) {
  return text_member(said.message.params(), "taskId") == id;
}

bool listens_to(const Said& listen, std::string_view id) {
  const Json& filter = member(listen.message.params(), "notifications");
  const auto ids = array_member(filter, "taskIds");
  return std::any_of(ids.begin(), ids.end(), [&](const Json& each) { return each == id; });
}

std::vector<Said> about_task(const Review& review, std::string_view method, std::string_view id) {
  std::vector<Said> all = review.requests(method);
  std::erase_if(all, [&](const Said& each) { return !names_task(each, id); });
  return all;
}

}  // namespace

void ExtTaskPlay::on_message(Visit& visit) {
  const wire::Message& message = visit.message();
  if (visit.is_request("tools/call")) {
    const std::string tool = called_tool(message);
    const bool is_task = declares_hosted(visit) && becomes_task(tool, declared_by(message));
    if (!is_task) return visit.answer(text_result(message, "Done"));
    Json created = shown(add_task(tool, message));
    created["resultType"] = "task";
    return visit.answer(std::move(created));
  }
  const std::string id(text_member(message.params(), "taskId"));
  if (tasks_.contains(id)) answer_about_task(visit);
}

void ExtTaskPlay::answer_about_task(Visit& visit) {
  const wire::Message& message = visit.message();
  HostedTask& task = tasks_.at(std::string(text_member(message.params(), "taskId")));
  const bool is_known = visit.is_request("tasks/get") || visit.is_request("tasks/update") ||
                        visit.is_request("tasks/cancel");
  if (!is_known) return;
  if (!declares_hosted(visit)) {
    constexpr std::int64_t kMissingCapability = -32021;
    return visit.reject(kMissingCapability, "Missing required client capability",
                        {{"requiredCapabilities", hosted_extension().capability()}});
  }
  if (visit.is_request("tasks/get")) {
    ++task.looks;
    if (is_gone(task)) return visit.refuse(wire::kInvalidParams, "Task has expired");
    Json result = shown(task);
    result["resultType"] = "complete";
    return visit.answer(std::move(result));
  }
  if (visit.is_request("tasks/cancel")) task.is_cancelled = true;
  const Json& responses = member(message.params(), "inputResponses");
  if (visit.is_request("tasks/update") && responses.is_object()) {
    if (task.given.empty()) task.looks_when_given = task.looks;
    for (const auto& [key, response] : responses.items()) task.given.try_emplace(key, response);
  }
  visit.answer({{"resultType", "complete"}});
}

void ExtTaskPlay::on_result(const wire::Message& request, Json& result) {
  if (request.method() == "server/discover") {
    result["capabilities"].merge_patch(hosted_extension().capability());
  }
  if (request.method() != "tools/list") return;
  std::vector<Json> listed;
  for (const auto& [name, description] : tools()) listed.push_back(hosted_tool(name, description));
  list_only(listed, result);
}

Json ExtTaskPlay::shown(const HostedTask& task) const {
  TaskView now = view(task);
  if (task.is_cancelled) {
    now.status = "cancelled";
    now.more = Json::object();
  }
  Json object = {{"taskId", task.id},
                 {"status", now.status},
                 {"createdAt", task.created_at},
                 {"lastUpdatedAt", task.created_at},
                 {"ttlMs", ttl(task.tool)},
                 {"pollIntervalMs", now.interval}};
  // What a status brings is shown from the first look on.
  if (task.looks > 0) object.update(now.more);
  return object;
}

HostedTask& ExtTaskPlay::add_task(const std::string& tool, const wire::Message& call) {
  const std::string id = fmt::format("assay-task-of-{}-{}", tool, tasks_.size() + 1);
  HostedTask& task = tasks_[id];
  task.id = id;
  task.tool = tool;
  task.capabilities = declared_by(call);
  task.created_at = iso_now();
  return task;
}

Json ExtTaskPlay::done(const std::string& text) {
  return {
      {"result", {{"resultType", "complete"}, {"content", {{{"type", "text"}, {"text", text}}}}}}};
}

bool FollowedTask::has_ended() const {
  return is_task_end(last_status);
}

std::vector<FollowedTask> followed_tasks(const Review& review, std::string_view tool) {
  std::vector<FollowedTask> tasks;
  for (const Said& call : review.requests("tools/call")) {
    const bool is_meant = tool.empty() || called_tool(call.message) == tool;
    const auto reply = is_meant ? review.reply_to(call) : std::nullopt;
    if (!reply || text_member(reply->message.result(), "resultType") != "task") continue;
    FollowedTask task(call, reply->event);
    task.id = text_member(reply->message.result(), "taskId");
    task.looks = about_task(review, "tasks/get", task.id);
    task.updates = about_task(review, "tasks/update", task.id);
    task.cancels = about_task(review, "tasks/cancel", task.id);
    for (const Said& look : task.looks) {
      const auto answer = review.reply_to(look);
      const bool is_shown = answer && answer->message.kind() == wire::MessageKind::kResult;
      task.is_refused = !is_shown;
      if (is_shown) task.last_status = text_member(answer->message.result(), "status");
    }
    for (const Said& listen : review.requests("subscriptions/listen")) {
      task.is_listened_to = task.is_listened_to || listens_to(listen, task.id);
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

Json declared_by(const wire::Message& request) {
  return member(member(request.params(), "_meta"), "io.modelcontextprotocol/clientCapabilities");
}

}  // namespace assay::scenarios
