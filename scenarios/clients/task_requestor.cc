// A client calls tools as tasks: it looks after them, as often as it may, until they are at their
// end, or in want of input.
//
// Specification: basic/utilities/tasks, "Getting Tasks", "Task Status Notification", "Input
// Required Status"; 2025-11-25.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr std::string_view kPlainTaskTool = "test_tool_with_task";
constexpr std::string_view kAnnouncedTool = "test_task_announced";
constexpr std::string_view kWantingTool = "test_task_wants_input";
constexpr const char* kTaskTime = "2025-11-25T10:30:00.000Z";
constexpr std::chrono::milliseconds kInterval{60};
// So often a task is shown as it began; then it is at its end.
constexpr int kLooks = 3;

// What the ids of all tasks of that tool begin with.
std::string task_prefix(std::string_view tool) {
  return fmt::format("assay-task-of-{}-", tool);
}
bool is_task_of(std::string_view task_id, std::string_view tool) {
  return task_id.starts_with(task_prefix(tool));
}

class TaskRequestorPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    const wire::Message& message = visit.message();
    const std::string task_id(text_member(message.params(), "taskId"));
    if (visit.is_request("tools/call") && member(message.params(), "task").is_object()) {
      const std::string tool = called_tool(message);
      const std::string id = fmt::format("{}{}", task_prefix(tool), looks_.size() + 1);
      looks_[id] = 0;
      if (tool == kAnnouncedTool) announce(visit, id);
      return visit.answer({{"task", task(id)}});
    }
    if (!looks_.contains(task_id)) return;
    if (visit.is_request("tasks/get")) {
      const int look = ++looks_[task_id];
      if (look == 1 && is_task_of(task_id, kAnnouncedTool)) announce(visit, task_id);
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
    std::optional<Said> call;  // what it came of; nothing if there was no such task
    EventPtr created;
    std::vector<Said> looks;  // tasks/get
    EventPtr fetch;           // the first tasks/result
    EventPtr last() const {
      if (fetch) return fetch;
      return looks.empty() ? created : looks.back().event;
    }
    // It saw the end, or waited for it.
    bool is_through() const { return fetch || static_cast<int>(looks.size()) > kLooks; }
  };

  Json task(const std::string& id) const {
    const bool wants = is_task_of(id, kWantingTool);
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

  // Its tasks of that tool.
  static std::vector<Followed> tasks_of(const Review& review, std::string_view tool) {
    const std::vector<Said> looks = review.requests("tasks/get");
    const std::vector<Said> fetches = review.requests("tasks/result");
    std::vector<Followed> tasks;
    for (const Said& call : review.requests("tools/call")) {
      if (called_tool(call.message) != tool) continue;
      const auto reply = review.reply_to(call);
      if (!reply) continue;
      const std::string id(text_member(member(reply->message.result(), "task"), "taskId"));
      if (id.empty()) continue;
      const auto is_it = [&](const Said& asked) {
        return text_member(asked.message.params(), "taskId") == id;
      };
      Followed& task = tasks.emplace_back(Followed{call, reply->event, {}, nullptr});
      std::copy_if(looks.begin(), looks.end(), std::back_inserter(task.looks), is_it);
      const auto fetch = std::find_if(fetches.begin(), fetches.end(), is_it);
      if (fetch != fetches.end()) task.fetch = fetch->event;
    }
    return tasks;
  }
  // The one of them that it followed furthest.
  static Followed follow(const Review& review, std::string_view tool) {
    const std::vector<Followed> tasks = tasks_of(review, tool);
    const auto furthest =
        std::max_element(tasks.begin(), tasks.end(), [](const Followed& a, const Followed& b) {
          return std::pair(a.is_through(), a.looks.size()) <
                 std::pair(b.is_through(), b.looks.size());
        });
    return furthest == tasks.end() ? Followed() : *furthest;
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
    for (const Followed& each : tasks_of(review, kPlainTaskTool)) review_interval(review, each);
    if (task.looks.empty()) return;
    const bool is_through = task.is_through();
    for (const RequirementId rule : {RequirementId("tasks.polled-until-terminal"),
                                     RequirementId("tasks.polled-beside-result")}) {
      if (is_through) {
        review.held(rule, task.last());
      } else {
        review.missed(rule,
                      fmt::format("the client polled its task {} times and stopped, but the task "
                                  "was still working",
                                  task.looks.size()),
                      {task.created, task.looks.back().event}, {"tasks/get"});
      }
    }
  }

  // From the call on, which came before the client knew of the interval: however late it or we are,
  // and however many looks come together then, that can only be longer. So it is whether the
  // interval is counted from look to look, or on a timer. Timers come a little early: half of the
  // time is plainly too little.
  static void review_interval(Review& review, const Followed& task) {
    constexpr RequirementId kRule = "tasks.poll-interval-respected";
    const std::size_t most = std::min<std::size_t>(task.looks.size(), kLooks + 1);
    EventPtr last;
    for (std::size_t i = 0; i < most; ++i) {
      const Said& look = task.looks[i];
      const bool is_behind_end = task.fetch && look.event->n > task.fetch->n;
      // Each session has its own clock.
      if (look.session != task.call->session || is_behind_end) break;
      if (i < 2) continue;
      last = look.event;
      const auto taken =
          std::chrono::duration_cast<std::chrono::milliseconds>(last->at - task.call->event->at);
      if (taken >= i * kInterval / 2) continue;
      const std::vector<EventPtr> proof = {task.call->event, task.created, last};
      if (was_notified(review, *task.call, look)) {
        return review.unclear(kRule, "notifications may be why the client looked", proof);
      }
      return review.crossed(kRule,
                            fmt::format("the client polled its task {} times within {} ms, but the "
                                        "pollInterval is {} ms",
                                        i + 1, taken.count(), kInterval.count()),
                            proof);
    }
    if (last) review.held(kRule, last);
  }
  // Between the two it heard of some task, and may have looked at all of them.
  static bool was_notified(const Review& review, const Said& from, const Said& to) {
    const auto& said = review.server();
    return std::any_of(said.begin(), said.end(), [&](const Said& each) {
      return each.session == from.session && each.event->n > from.event->n &&
             each.event->n < to.event->n && each.message.method() == "notifications/tasks/status";
    });
  }

  // A notification is welcome, but no reason to stop looking.
  static void review_announced(Review& review) {
    const Followed task = follow(review, kAnnouncedTool);
    if (!task.created || task.looks.empty()) return;
    constexpr RequirementId kRule = "tasks.polled-despite-notifications";
    if (task.is_through()) return review.held(kRule, task.last());
    review.missed(kRule, "the client stopped polling its task after a notification",
                  {task.created, task.looks.back().event}, {"tasks/get"});
  }

  static void review_wanting(Review& review) {
    const Followed task = follow(review, kWantingTool);
    if (!task.created || (task.looks.empty() && !task.fetch)) return;
    constexpr RequirementId kRule = "tasks.input-required-result-called";
    const auto seen = static_cast<int>(task.looks.size());
    if (task.fetch && seen <= kLooks) return review.held(kRule, task.fetch);
    if (seen < kLooks) return review.unclear(kRule, "the client stopped polling its task");
    review.missed(kRule,
                  fmt::format("the client saw input_required {} times, and did not call "
                              "tasks/result",
                              kLooks),
                  {task.created, task.looks.back().event}, {"tasks/result"});
  }

  std::map<std::string, int, std::less<>> looks_;  // by the id of the task
};

const ClientScenarioRegistration kTaskRequestor(
    {.name = "tools-as-tasks",
     .task = "calls test_tool_with_task, test_task_announced and test_task_wants_input as tasks",
     .requirements = {"tasks.status-notification-not-relied-on", "tasks.polled-until-terminal",
                      "tasks.polled-beside-result", "tasks.poll-interval-respected",
                      "tasks.polled-despite-notifications", "tasks.input-required-result-called"},
     .make = make_play<TaskRequestorPlay>});

}  // namespace
}  // namespace assay::scenarios
