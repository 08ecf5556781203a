// Follows the tasks of the extension through the answers to tasks/get and notifications/tasks:
// their status, what they ask for, and what may change.
//
// Specification: the extension's page, "Task Status", "Task Polling", "Task Update Requests", "Task
// Cancellation", "Task Status Notifications". Messages may overtake each other, so that an answer
// is held only against what had passed when its request was sent, and a notification only against
// those before it on its stream.
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

// The first sighting of a terminal status.
struct End {
  EventPtr event;
  std::string status;
};

struct LifeOfTask {
  EventPtr last;
  Json interval;  // pollIntervalMs and ttlMs as they were last
  Json ttl;
  End end;
  End told_end;        // the first by a notification
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
    if (!sighting.is_from_judged) return;
    if (sighting.is_notification() && sighting.message.method() == "notifications/tasks") {
      take_told(sighting, judge);
    }
    if (sighting.exchange == nullptr || !sighting.is_result()) return;
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
  // Whether the request that this answers was sent when that had passed, or both are notifications
  // on one stream.
  static bool came_after(const Sighting& sighting, const EventPtr& event) {
    if (event == nullptr) return false;
    if (sighting.is_result()) return sighting.exchange->request_event->n > event->n;
    return event->message() != nullptr &&
           event->message()->kind() == wire::MessageKind::kNotification &&
           event->observation.lane == sighting.event->observation.lane;
  }
  // The task that it shows, and where that stands.
  static const Json& shown_by(const Sighting& sighting) {
    return sighting.is_result() ? sighting.message.result() : sighting.message.params();
  }
  static std::string place_of(const Sighting& sighting, std::string_view name) {
    return fmt::format("/{}/{}", sighting.is_result() ? "result" : "params", name);
  }

  // Null if it is not to be followed.
  LifeOfTask* life_of(const std::string& id, const Json& shown) {
    if (!is_durable_status(text_member(shown, "status"))) return nullptr;
    if (tasks_.size() >= kMostLives && !tasks_.contains(id)) return nullptr;
    return &tasks_[id];
  }

  void take_told(const Sighting& sighting, Judge& judge) {
    const Json& shown = shown_by(sighting);
    LifeOfTask* const task = life_of(std::string(text_member(shown, "taskId")), shown);
    if (task == nullptr) return;
    const std::string status(text_member(shown, "status"));
    judge_status(task->told_end, status, sighting, judge);
    take_status(*task, status, sighting, judge);
    if (is_durable_end(status) && !task->told_end.event) {
      task->told_end = {sighting.event, status};
    }
  }

  void take_got(const std::string& id, const Sighting& sighting, Judge& judge) {
    const Json& result = shown_by(sighting);
    LifeOfTask* const found = life_of(id, result);
    if (found == nullptr) return;
    LifeOfTask& task = *found;
    const std::string status(text_member(result, "status"));
    const bool is_again = came_after(sighting, task.last);
    if (!judge_status(task.end, status, sighting, judge) && is_again) {
      judge.held("ext-tasks.status-transitions", sighting.event);
    }
    note_freedoms(task, status, sighting, judge);
    take_status(task, status, sighting, judge);
    task.last = sighting.event;
    task.interval = member(result, "pollIntervalMs");
    task.ttl = member(result, "ttlMs");
  }

  // True if the task has another status than its end had.
  static bool judge_status(const End& end, const std::string& status, const Sighting& sighting,
                           Judge& judge) {
    if (!came_after(sighting, end.event) || status == end.status) return false;
    judge.broke("ext-tasks.status-transitions",
                fmt::format("the status of a task was {} after it had been {}", status, end.status),
                {end.event, sighting.event}, place_of(sighting, "status"));
    return true;
  }

  // What it asks for until its end.
  static void take_status(LifeOfTask& task, const std::string& status, const Sighting& sighting,
                          Judge& judge) {
    if (task.end.event) return;
    take_keys(task, member(shown_by(sighting), "inputRequests"), status, sighting, judge);
    if (is_durable_end(status)) task.end = {sighting.event, status};
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
    const std::string place =
        (Json::json_pointer(place_of(sighting, "inputRequests")) / name).to_string();
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
