// Judges what the target says of its tasks: their status and how it changes, what every task holds,
// and where a task is named.
//
// Specification: basic/utilities/tasks (2025-11-25). Of two sightings the second is later only
// where it answers a request that was sent after the first had arrived: answers and notifications
// may overtake each other on their way. The form of a task is the schema monitor's, which names the
// sentences about createdAt, lastUpdatedAt, ttl and taskId.
#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/monitors/task_sightings.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

// Hostile targets may show as many tasks as they like; more than these are not followed.
constexpr std::size_t kMostTasks = 20'000;

struct Followed {
  std::string status;
  EventPtr event;  // where it was seen
};

class TaskMonitor : public Monitor {
 public:
  std::string_view name() const override { return "task_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"tasks.capability-declared",
            "tasks.request-types-declared",
            "tasks.begins-working",
            "tasks.status-transitions",
            "tasks.transitions-from-working",
            "tasks.transitions-from-input-required",
            "tasks.terminal-is-final",
            "tasks.cancelled-stays-cancelled",
            "tasks.cancel-status-first",
            "tasks.id-string",
            "tasks.created-at-given",
            "tasks.last-updated-given",
            "tasks.ttl-reported",
            "tasks.poll-interval-suggested",
            "tasks.ttl-may-be-overridden",
            "tasks.status-may-be-notified",
            "tasks.failure-explained",
            "tasks.task-id-parameter-rules",
            "tasks.related-task-in-result",
            "tasks.related-task-not-in-results",
            "tasks.related-task-not-in-status-notification"};
  }

  std::vector<RequirementId> client_requirements() const override { return server_requirements(); }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged || !session.revision().has_core_tasks()) return;
    for (const SeenTask& seen : tasks_in(sighting)) {
      judge_members(seen, sighting, judge);
      judge_identity(seen, sighting, judge);
      if (is_the_one_asked_for(seen, sighting)) follow(seen, sighting, judge);
    }
    if (is_create_task_result(sighting)) judge_declared(sighting, session, judge);
    if (sighting.is_result_of("tasks/result")) judge_named(sighting, judge);
    judge_not_named(sighting, judge);
  }

 private:
  // What the request has to be declared as.
  static std::string path_of(std::string_view method) {
    if (method == "tools/call") return "tasks.requests.tools.call";
    if (method == "sampling/createMessage") return "tasks.requests.sampling.createMessage";
    if (method == "elicitation/create") return "tasks.requests.elicitation.create";
    return "tasks.requests";
  }

  static void judge_declared(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const bool is_client = judge.judged() == Party::kClient;
    const auto declares = [&](std::string_view path) {
      return is_client ? session.client_declares(path) : session.server_declares(path);
    };
    const std::string_view who = transport::name(judge.judged());
    const std::string path = path_of(sighting.exchange->request.method());
    // What the server says of itself could not be read: that is another rule's matter.
    if (!is_client && session.server().is_null()) return;
    if (!declares("tasks")) {
      judge.broke(
          "tasks.capability-declared",
          fmt::format("a task was created, but the {} does not declare the tasks capability", who),
          {sighting.exchange->request_event, sighting.event}, "/result/task");
      return;
    }
    judge.held("tasks.capability-declared", sighting.event);
    if (declares(path)) {
      judge.held("tasks.request-types-declared", sighting.event);
    } else {
      judge.broke("tasks.request-types-declared",
                  fmt::format("a task was created for {}, but the {} does not declare {}",
                              sighting.exchange->request.method(), who, path),
                  {sighting.exchange->request_event, sighting.event}, "/result/task");
    }
  }

  static void judge_members(const SeenTask& seen, const Sighting& sighting, Judge& judge) {
    const Json& task = *seen.task;
    if (member(task, "taskId").is_string()) judge.held("tasks.id-string", sighting.event);
    if (seen.place == TaskPlace::kNotified) {
      judge.held("tasks.status-may-be-notified", sighting.event);
      return;
    }
    if (!text_member(task, "createdAt").empty()) {
      judge.held("tasks.created-at-given", sighting.event);
    }
    if (!text_member(task, "lastUpdatedAt").empty()) {
      judge.held("tasks.last-updated-given", sighting.event);
    }
    if (seen.place == TaskPlace::kCreated) judge_ttl_given(task, sighting, judge);
    if (seen.place == TaskPlace::kGot) judge_got(task, sighting, judge);
    if (seen.place == TaskPlace::kCancelled) judge_cancelled(task, sighting, judge);
  }

  static void judge_ttl_given(const Json& task, const Sighting& sighting, Judge& judge) {
    const Json& asked = member(member(sighting.exchange->request.params(), "task"), "ttl");
    if (asked.is_number() && task.contains("ttl") && task["ttl"] != asked) {
      judge.held("tasks.ttl-may-be-overridden", sighting.event);
    }
  }

  static void judge_got(const Json& task, const Sighting& sighting, Judge& judge) {
    if (task.contains("ttl")) judge.held("tasks.ttl-reported", sighting.event);
    if (task.contains("pollInterval")) judge.held("tasks.poll-interval-suggested", sighting.event);
    if (text_member(task, "status") != "failed") return;
    const bool is_explained =
        text_member(task, "statusMessage").find_first_not_of(" \t\r\n") != std::string_view::npos;
    judge.check("tasks.failure-explained", is_explained,
                "the task failed, but statusMessage does not say why", sighting.event,
                "/result/statusMessage");
  }

  // What is accepted has been cancelled; a task that had ended before is refused instead.
  static void judge_cancelled(const Json& task, const Sighting& sighting, Judge& judge) {
    const std::string_view status = text_member(task, "status");
    if (status == "cancelled") {
      judge.held("tasks.cancel-status-first", sighting.event);
    } else if (is_known_status(status)) {
      judge.broke("tasks.cancel-status-first",
                  fmt::format("the cancellation was accepted, but the task is {}", status),
                  {sighting.exchange->request_event, sighting.event}, "/result/status");
    }
  }

  // An answer about one task is about the one that was named.
  static void judge_identity(const SeenTask& seen, const Sighting& sighting, Judge& judge) {
    if (seen.place != TaskPlace::kGot && seen.place != TaskPlace::kCancelled) return;
    if (!member(sighting.exchange->request.params(), "taskId").is_string()) return;
    if (!member(*seen.task, "taskId").is_string() || is_the_one_asked_for(seen, sighting)) return;
    judge.broke("tasks.task-id-parameter-rules",
                fmt::format("{} was answered with another task than the one in taskId",
                            sighting.exchange->request.method()),
                {sighting.exchange->request_event, sighting.event}, "/result/taskId");
  }

  // Whoever answers with another task than the one that was named says nothing of either.
  static bool is_the_one_asked_for(const SeenTask& seen, const Sighting& sighting) {
    if (seen.place != TaskPlace::kGot && seen.place != TaskPlace::kCancelled) return true;
    return member(sighting.exchange->request.params(), "taskId") == member(*seen.task, "taskId");
  }

  void follow(const SeenTask& seen, const Sighting& sighting, Judge& judge) {
    const std::string id(text_member(*seen.task, "taskId"));
    const std::string status(text_member(*seen.task, "status"));
    if (id.empty() || status.empty()) return;
    const auto known = tasks_.find(id);
    if (seen.place == TaskPlace::kCreated) {
      judge_beginning(status, sighting, judge);
      if (known == tasks_.end() && tasks_.size() >= kMostTasks) return;
      tasks_[id] = {status, sighting.event};
      return;
    }
    if (known == tasks_.end()) {
      if (!is_known_status(status)) {
        judge.broke("tasks.status-transitions", "the task has an unknown status", {sighting.event},
                    seen.pointer + "/status");
      }
      if (tasks_.size() < kMostTasks) tasks_[id] = {status, sighting.event};
      return;
    }
    judge_change(known->second, status, seen, sighting, judge);
    const bool was_at_end = is_terminal_status(known->second.status);
    if (is_known_status(status) && !was_at_end) known->second = {status, sighting.event};
  }

  // A task may have moved on before its creator is told of it, so that only a status that there is
  // not proves anything here.
  static void judge_beginning(const std::string& status, const Sighting& sighting, Judge& judge) {
    if (status == "working") {
      judge.held("tasks.begins-working", sighting.event);
    } else if (!is_known_status(status)) {
      judge.broke("tasks.begins-working", "the task begins with an unknown status",
                  {sighting.exchange->request_event, sighting.event}, "/result/task/status");
    }
  }

  static bool is_later(const Sighting& sighting, const Followed& before) {
    return sighting.exchange != nullptr && sighting.exchange->request_event->n > before.event->n;
  }

  static void judge_change(const Followed& before, const std::string& status, const SeenTask& seen,
                           const Sighting& sighting, Judge& judge) {
    const std::vector<EventPtr> evidence = {before.event, sighting.event};
    const std::string pointer = seen.pointer + "/status";
    const auto broke = [&](RequirementId rule, const std::string& detail) {
      judge.broke(rule, detail, evidence, pointer);
      judge.broke("tasks.status-transitions", detail, evidence, pointer);
    };
    const bool was_waiting = before.status == "input_required";
    const RequirementId from_here = was_waiting
                                        ? RequirementId("tasks.transitions-from-input-required")
                                        : RequirementId("tasks.transitions-from-working");
    const bool was_at_end = is_terminal_status(before.status);
    if (!is_known_status(status)) {
      // What does not answer a later question may show an older state.
      if (is_later(sighting, before)) {
        broke(was_at_end ? rule_of_end(before) : from_here,
              fmt::format("the task went from {} to an unknown status", before.status));
      } else {
        judge.broke("tasks.status-transitions", "the task has an unknown status", {sighting.event},
                    pointer);
      }
      return;
    }
    if (!was_at_end && before.status != status) {
      judge.held(from_here, sighting.event);
      judge.held("tasks.status-transitions", sighting.event);
    } else if (was_at_end && is_later(sighting, before)) {
      judge_final(before, status, sighting, broke, judge);
    }
  }

  static RequirementId rule_of_end(const Followed& before) {
    return before.status == "cancelled" ? RequirementId("tasks.cancelled-stays-cancelled")
                                        : RequirementId("tasks.terminal-is-final");
  }

  template <typename Broke>
  static void judge_final(const Followed& before, const std::string& status,
                          const Sighting& sighting, const Broke& broke, Judge& judge) {
    const RequirementId rule = rule_of_end(before);
    if (status == before.status) {
      judge.held(rule, sighting.event);
    } else {
      broke(rule, fmt::format("the task was {}, and is {} later", before.status, status));
    }
  }

  // The result of a task does not tell whose it is but by this.
  static void judge_named(const Sighting& sighting, Judge& judge) {
    const Json& id = member(sighting.exchange->request.params(), "taskId");
    const Json& named = related_task(sighting.message.result());
    const std::vector<EventPtr> evidence = {sighting.exchange->request_event, sighting.event};
    if (!named.is_object()) {
      judge.broke("tasks.related-task-in-result",
                  fmt::format("the result has no {} in its _meta", kRelatedTask), evidence,
                  "/result/_meta");
    } else if (id.is_string() && member(named, "taskId") != id) {
      judge.broke("tasks.related-task-in-result", "the result names another task", evidence,
                  "/result/_meta");
    } else {
      judge.held("tasks.related-task-in-result", sighting.event);
    }
  }

  // Where the task is named already, it is not named again.
  static void judge_not_named(const Sighting& sighting, Judge& judge) {
    if (sighting.is_notification() && sighting.message.method() == "notifications/tasks/status") {
      judge.check("tasks.related-task-not-in-status-notification",
                  related_task(sighting.message.params()).is_null(),
                  "the notification also names its task in _meta", sighting.event, "/params/_meta");
    }
    for (const char* method : {"tasks/get", "tasks/list", "tasks/cancel"}) {
      if (!sighting.is_result_of(method)) continue;
      judge.check("tasks.related-task-not-in-results",
                  related_task(sighting.message.result()).is_null(),
                  fmt::format("the result of {} also names its task in _meta", method),
                  sighting.event, "/result/_meta");
    }
  }

  std::map<std::string, Followed> tasks_;  // by their ids
};

const MonitorRegistration<TaskMonitor> kTaskMonitorRegistration;

}  // namespace
}  // namespace assay::harness
