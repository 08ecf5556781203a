// A client calls tools as tasks: it looks after them, as often as it may, until they are at their
// end, or in want of input.
//
// Specification: basic/utilities/tasks, "Getting Tasks", "Task Status Notification", "Input
// Required Status"; 2025-11-25.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/host/play.h"
#include "harness/host/review.h"
#include "harness/runner/client_scenario.h"
#include "harness/script/json_member.h"
#include "scenarios/clients/hosted_tools.h"

namespace assay::scenarios {
namespace {

using catalogue::RequirementId;
using harness::ClientScenarioRegistration;
using harness::EventPtr;
using harness::member;
using harness::Play;
using harness::Review;
using harness::Said;
using harness::text_member;
using harness::Visit;

constexpr std::string_view kPlainTaskTool = "test_tool_with_task";
constexpr std::string_view kAnnouncedTool = "test_task_announced";
constexpr std::string_view kWantingTool = "test_task_wants_input";
constexpr const char* kTaskTime = "2025-11-25T10:30:00.000Z";
constexpr std::chrono::milliseconds kInterval{60};
// So often a task is shown as it began; then it is at its end.
constexpr int kLooks = 3;

class TaskRequestorPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    const wire::Message& message = visit.message();
    const std::string task_id(text_member(message.params(), "taskId"));
    if (visit.is_request("tools/call") && member(message.params(), "task").is_object()) {
      const std::string id = "assay-task-of-" + called_tool(message);
      looks_[id] = 0;
      if (id.ends_with(kAnnouncedTool)) announce(visit, id);
      return visit.answer({{"task", task(id)}});
    }
    if (!looks_.contains(task_id)) return;
    if (visit.is_request("tasks/get")) {
      const int look = ++looks_[task_id];
      if (look == 1 && task_id.ends_with(kAnnouncedTool)) announce(visit, task_id);
      return visit.answer(task(task_id));
    }
    // Whoever waits for the result has waited long enough.
    if (visit.is_request("tasks/result")) {
      looks_[task_id] = kLooks + 1;
      Json result = text_result(message, "Done");
      result["_meta"]["io.modelcontextprotocol/related-task"] = {{"taskId", task_id}};
      return visit.answer(std::move(result));
    }
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() == "initialize") {
      result["capabilities"]["tasks"] = {{"list", Json::object()},
                                         {"cancel", Json::object()},
                                         {"requests", {{"tools", {{"call", Json::object()}}}}}};
    }
    if (request.method() != "tools/list") return;
    std::vector<Json> tools;
    for (const std::string_view name : {kPlainTaskTool, kAnnouncedTool, kWantingTool}) {
      Json tool = hosted_tool(std::string(name), "Takes its time");
      tool["execution"] = {{"taskSupport", "required"}};
      tools.push_back(std::move(tool));
    }
    list_only(tools, result);
  }

  void review(Review& review) override {
    review_plain(review);
    review_announced(review);
    review_wanting(review);
  }

 private:
  // What the client did with one task, in order.
  struct Followed {
    EventPtr created;
    std::vector<EventPtr> looks;  // tasks/get
    EventPtr fetch;               // the first tasks/result
    EventPtr last() const {
      if (fetch) return fetch;
      return looks.empty() ? created : looks.back();
    }
    // It saw the end, or waited for it.
    bool is_through() const { return fetch || static_cast<int>(looks.size()) > kLooks; }
  };

  Json task(const std::string& id) const {
    const bool wants = id.ends_with(kWantingTool);
    const bool is_done = looks_.at(id) > kLooks;
    return {{"taskId", id},
            {"status", is_done ? "completed" : wants ? "input_required" : "working"},
            {"createdAt", kTaskTime},
            {"lastUpdatedAt", kTaskTime},
            {"ttl", 600'000},
            {"pollInterval", kInterval.count()}};
  }
  void announce(Visit& visit, const std::string& id) const {
    visit.say(wire::make_notification("notifications/tasks/status", task(id)));
  }

  static Followed follow(const Review& review, std::string_view tool) {
    Followed out;
    for (const Said& call : review.requests("tools/call")) {
      const auto reply = review.reply_to(call);
      const bool is_it = called_tool(call.message) == tool && reply &&
                         member(reply->message.result(), "task").is_object();
      if (is_it && !out.created) out.created = reply->event;
    }
    const std::string id = "assay-task-of-" + std::string(tool);
    for (const Said& look : review.requests("tasks/get")) {
      if (text_member(look.message.params(), "taskId") == id) out.looks.push_back(look.event);
    }
    for (const Said& fetch : review.requests("tasks/result")) {
      if (text_member(fetch.message.params(), "taskId") == id && !out.fetch) {
        out.fetch = fetch.event;
      }
    }
    return out;
  }

  // Nobody tells it anything.
  static void review_plain(Review& review) {
    const Followed task = follow(review, kPlainTaskTool);
    if (!task.created) return;
    constexpr RequirementId kUnaided = "tasks.status-notification-not-relied-on";
    if (task.looks.empty() && !task.fetch) {
      // Who is told of nothing may have done without the task.
      const bool is_told_of_other = !follow(review, kAnnouncedTool).looks.empty();
      if (!is_told_of_other) return review.unclear(kUnaided, "the client never looked at its task");
    }
    review.check(kUnaided, task.looks.size() + (task.fetch ? 1 : 0) > 0,
                 "the client followed a task only where a notification came", {task.created});
    if (task.looks.empty()) return;
    const bool is_through = task.is_through();
    for (const RequirementId rule : {RequirementId("tasks.polled-until-terminal"),
                                     RequirementId("tasks.polled-beside-result")}) {
      if (is_through) {
        review.held(rule, task.last());
      } else {
        review.broke(rule,
                     fmt::format("the client polled its task {} times and stopped, but the task "
                                 "was still working",
                                 task.looks.size()),
                     {task.created, task.looks.back()}, "", true);
      }
    }
    review_interval(review, task);
  }

  // From any look to the one after the next, so that it does not matter what the time is counted
  // from. Timers come a little early: half of the time is plainly too little.
  static void review_interval(Review& review, const Followed& task) {
    if (task.looks.size() < 3) return;
    auto shortest = harness::Clock::duration::max();
    for (std::size_t i = 2; i < task.looks.size(); ++i) {
      shortest = std::min(shortest, task.looks[i]->at - task.looks[i - 2]->at);
    }
    const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(shortest);
    review.check("tasks.poll-interval-respected", taken >= kInterval / 2,
                 fmt::format("the client polled its task twice within {} ms, but the pollInterval "
                             "is {} ms",
                             taken.count(), kInterval.count()),
                 {task.created, task.looks.back()});
  }

  // A notification is welcome, but no reason to stop looking.
  static void review_announced(Review& review) {
    const Followed task = follow(review, kAnnouncedTool);
    if (!task.created || task.looks.empty()) return;
    constexpr RequirementId kRule = "tasks.polled-despite-notifications";
    if (task.is_through()) return review.held(kRule, task.last());
    review.broke(kRule, "the client stopped polling its task after a notification",
                 {task.created, task.looks.back()}, "", true);
  }

  static void review_wanting(Review& review) {
    const Followed task = follow(review, kWantingTool);
    if (!task.created || (task.looks.empty() && !task.fetch)) return;
    constexpr RequirementId kRule = "tasks.input-required-result-called";
    const auto seen = static_cast<int>(task.looks.size());
    if (task.fetch && seen <= kLooks) return review.held(kRule, task.fetch);
    if (seen < kLooks) return review.unclear(kRule, "the client stopped polling its task");
    review.broke(kRule,
                 fmt::format("the client saw input_required {} times, and did not call "
                             "tasks/result",
                             kLooks),
                 {task.created, task.looks.back()});
  }

  std::map<std::string, int, std::less<>> looks_;  // by the id of the task
};

bool has_tasks_of_servers(model::Revision revision) {
  return revision.has_core_tasks();
}

const ClientScenarioRegistration kTaskRequestor(
    {.name = "tools-as-tasks",
     .task = "calls test_tool_with_task, test_task_announced and test_task_wants_input as tasks",
     .requirements = {"tasks.status-notification-not-relied-on", "tasks.polled-until-terminal",
                      "tasks.polled-beside-result", "tasks.poll-interval-respected",
                      "tasks.polled-despite-notifications", "tasks.input-required-result-called"},
     .make = harness::make_play<TaskRequestorPlay>,
     .concerns = has_tasks_of_servers});

}  // namespace
}  // namespace assay::scenarios
