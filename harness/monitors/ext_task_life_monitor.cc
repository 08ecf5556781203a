// Follows the tasks of the extension through the answers to tasks/get: their status, what they ask
// for, and what may change.
//
// Specification: the extension's page, "Task Status", "Task Polling", "Task Update Requests", "Task
// Cancellation". Answers may overtake each other, so that an answer is held only against what had
// passed when its request was sent.
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/monitors/durable_tasks.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

// Hostile peers may have as many tasks and keys as they like.
constexpr std::size_t kMostLives = 1024;
constexpr std::size_t kMostKeys = 256;

// What is known of one key of inputRequests.
struct Key {
  EventPtr first;
  Json method;
  Json params;         // without _meta
  EventPtr answered;   // tasks/update with its response was acknowledged
  EventPtr gone;       // a later tasks/get showed it no more
  bool is_one = true;  // what it stands for has not changed
};

struct LifeOfTask {
  EventPtr last;
  Json interval;  // pollIntervalMs and ttlMs as they were last
  Json ttl;
  EventPtr end;  // the first sighting of a terminal status
  std::string last_status;
  EventPtr cancelled;  // the acknowledgement of tasks/cancel
  std::map<std::string, Key, std::less<>> keys;
};

Json without_meta(Json params) {
  if (params.is_object()) params.erase("_meta");
  return params;
}

class ExtTaskLifeMonitor : public Monitor {
 public:
  std::string_view name() const override { return "ext_task_life_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"ext-tasks.status-transitions",
            "ext-tasks.poll-interval-may-change",
            "ext-tasks.ttl-may-change",
            "ext-tasks.input-requests-complete",
            "ext-tasks.key-unique",
            "ext-tasks.key-not-reused",
            "ext-tasks.key-one-request",
            "ext-tasks.update-may-lag",
            "ext-tasks.update-may-be-partial",
            "ext-tasks.cancel-may-lag",
            "ext-tasks.cancel-may-be-late"};
  }
  bool holds_in(model::Revision revision) const override { return has_durable_tasks(revision); }

  void on_message(const Sighting& sighting, const SessionView& /*session*/, Judge& judge) override {
    if (!sighting.is_from_judged || sighting.exchange == nullptr || !sighting.is_result()) return;
    const Json& params = sighting.exchange->request.params();
    const std::string id(text_member(params, "taskId"));
    const std::string_view method = sighting.exchange->request.method();
    if (method == "tasks/get") {
      if (text_member(sighting.message.result(), "taskId") == id) take_got(id, sighting, judge);
    } else if (method == "tasks/update") {
      take_update(id, params, sighting, judge);
    } else if (method == "tasks/cancel" && tasks_.contains(id)) {
      tasks_[id].cancelled = sighting.event;
    }
  }

 private:
  // Whether the request that this answers was sent when that had passed.
  static bool came_after(const Sighting& sighting, const EventPtr& event) {
    return event != nullptr && sighting.exchange->request_event->n > event->n;
  }

  void take_got(const std::string& id, const Sighting& sighting, Judge& judge) {
    if (tasks_.size() >= kMostLives && !tasks_.contains(id)) return;
    LifeOfTask& task = tasks_[id];
    const Json& result = sighting.message.result();
    const std::string status(text_member(result, "status"));
    if (!is_durable_status(status)) return;
    judge_status(task, status, sighting, judge);
    note_freedoms(task, status, sighting, judge);
    if (!task.end) take_keys(task, member(result, "inputRequests"), status, sighting, judge);
    if (is_durable_end(status) && !task.end) {
      task.end = sighting.event;
      task.last_status = status;
    }
    task.last = sighting.event;
    task.interval = member(result, "pollIntervalMs");
    task.ttl = member(result, "ttlMs");
  }

  static void judge_status(const LifeOfTask& task, const std::string& status,
                           const Sighting& sighting, Judge& judge) {
    const RequirementId rule("ext-tasks.status-transitions");
    if (task.last == nullptr || !came_after(sighting, task.last)) return;
    if (!came_after(sighting, task.end)) return judge.held(rule, sighting.event);
    if (status == task.last_status) return judge.held(rule, sighting.event);
    judge.broke(
        rule,
        fmt::format("the status of a task was {} after it had been {}", status, task.last_status),
        {task.end, sighting.event}, "/result/status");
  }

  static void note_freedoms(const LifeOfTask& task, const std::string& status,
                            const Sighting& sighting, Judge& judge) {
    const Json& result = sighting.message.result();
    if (task.last != nullptr && member(result, "pollIntervalMs") != task.interval) {
      judge.held("ext-tasks.poll-interval-may-change", sighting.event);
    }
    if (task.last != nullptr && member(result, "ttlMs") != task.ttl) {
      judge.held("ext-tasks.ttl-may-change", sighting.event);
    }
    if (!came_after(sighting, task.cancelled)) return;
    if (!is_durable_end(status)) judge.held("ext-tasks.cancel-may-lag", sighting.event);
    if (status == "completed" || status == "failed") {
      judge.held("ext-tasks.cancel-may-be-late", sighting.event);
    }
  }

  static void take_keys(LifeOfTask& task, const Json& requests, const std::string& status,
                        const Sighting& sighting, Judge& judge) {
    const bool asks = status == "input_required" && requests.is_object();
    bool is_any_left = false;
    for (auto& [name, key] : task.keys) {
      const bool is_there = asks && requests.contains(name);
      is_any_left = is_any_left || (is_there && !key.answered);
      if (is_there || !came_after(sighting, key.first)) continue;
      // What is not shown while nothing else is asked for may be withdrawn.
      const bool is_hidden = asks && !key.answered;
      if ((key.answered ? came_after(sighting, key.answered) : is_hidden) && !key.gone) {
        key.gone = sighting.event;
      }
    }
    if (!asks) return;
    if (is_any_left && task.keys.size() > 1) {
      judge.held("ext-tasks.input-requests-complete", sighting.event);
    }
    for (const auto& [name, request] : requests.items()) {
      if (task.keys.size() >= kMostKeys && !task.keys.contains(name)) continue;
      take_key(task.keys[name], name, request, sighting, judge);
    }
  }

  static void take_key(Key& key, const std::string& name, const Json& request,
                       const Sighting& sighting, Judge& judge) {
    Json params = without_meta(member(request, "params"));
    if (key.first == nullptr) {
      key.first = sighting.event;
      key.method = member(request, "method");
      key.params = std::move(params);
      for (const RequirementId rule :
           {RequirementId("ext-tasks.key-unique"), RequirementId("ext-tasks.key-one-request"),
            RequirementId("ext-tasks.key-not-reused")}) {
        judge.held(rule, sighting.event);
      }
      return;
    }
    const std::string place = (Json::json_pointer("/result/inputRequests") / name).to_string();
    const bool is_same = key.method == member(request, "method") && key.params == params;
    const bool is_reused = key.answered && came_after(sighting, key.gone);
    if (!is_same && key.is_one) {
      key.is_one = false;
      judge.broke("ext-tasks.key-one-request",
                  "the same key stands for another request than before",
                  {key.first, sighting.event}, place);
    }
    if (is_reused) {
      judge.broke("ext-tasks.key-not-reused",
                  "a key was used again after its request had been answered",
                  {key.first, key.answered, key.gone, sighting.event}, place);
    }
    if (!is_same || is_reused) {
      judge.broke("ext-tasks.key-unique", "a key is not unique over the life of its task",
                  {key.first, sighting.event}, place);
    } else if (key.answered && came_after(sighting, key.answered)) {
      judge.held("ext-tasks.update-may-lag", sighting.event);
    } else if (!key.answered && came_after(sighting, key.gone)) {
      judge.broke("ext-tasks.input-requests-complete",
                  "a request that was not answered was left out, and came back",
                  {key.first, key.gone, sighting.event}, place);
    }
    if (is_reused) key.answered = key.gone = nullptr;
  }

  void take_update(const std::string& id, const Json& params, const Sighting& sighting,
                   Judge& judge) {
    const auto found = tasks_.find(id);
    if (found == tasks_.end()) return;
    const Json& responses = member(params, "inputResponses");
    if (!responses.is_object()) return;
    bool is_any = false;
    bool is_partial = false;
    for (auto& [name, key] : found->second.keys) {
      const bool is_open = !key.answered;
      const bool is_here = responses.contains(name);
      is_any = is_any || (is_open && is_here);
      is_partial = is_partial || (is_open && !is_here && !key.gone);
      if (is_open && is_here) key.answered = sighting.event;
    }
    if (is_any && is_partial) judge.held("ext-tasks.update-may-be-partial", sighting.event);
  }

  std::map<std::string, LifeOfTask> tasks_;
};

const MonitorRegistration<ExtTaskLifeMonitor> kExtTaskLifeMonitorRegistration;

}  // namespace
}  // namespace assay::harness
