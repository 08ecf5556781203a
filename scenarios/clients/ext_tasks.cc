// Calls that become tasks of the extension `io.modelcontextprotocol/tasks`, beside calls that do
// not: a client asks about each task, no more often than it may, until the task ends.
//
// Specification: the extension's page, "Capability Negotiation", "Task Polling".
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/clients/ext_task_play.h"

namespace assay::scenarios {
namespace {

constexpr std::string_view kPlainTool = "test_task_not_needed";
constexpr std::string_view kSteadyTool = "test_task_steady";
constexpr std::string_view kSlowingTool = "test_task_slows_down";
constexpr std::string_view kRefusedTool = "test_task_fails";
constexpr std::string_view kFailedTool = "test_task_has_error";
// So often a task is shown at work; then it has ended.
constexpr int kLooksAtWork = 4;
constexpr std::int64_t kSteadyInterval = 60;
constexpr std::int64_t kFirstInterval = 40;
constexpr std::int64_t kLaterInterval = 200;

class ExtTaskPollingPlay : public ExtTaskPlay {
 protected:
  std::vector<std::pair<std::string, std::string>> tools() const override {
    return {{std::string(kPlainTool), "Answers at once"},
            {std::string(kSteadyTool), "Takes its time"},
            {std::string(kSlowingTool), "Takes its time, and wants to be asked less often"},
            {std::string(kRefusedTool), "Ends in an error"},
            {std::string(kFailedTool), "Fails"}};
  }
  bool becomes_task(std::string_view tool, const Json& /*capabilities*/) const override {
    return tool != kPlainTool;
  }
  TaskView view(const HostedTask& task) const override {
    TaskView now;
    now.interval = task.tool == kSlowingTool && task.looks > 0 ? kLaterInterval
                   : task.tool == kSlowingTool                 ? kFirstInterval
                                                               : kSteadyInterval;
    if (task.looks <= kLooksAtWork) return now;
    now.status = task.tool == kRefusedTool ? "failed" : "completed";
    now.more = done("Done");
    if (task.tool == kFailedTool) now.more["result"]["isError"] = true;
    if (task.tool == kRefusedTool) {
      now.more = {{"statusMessage", "The job came to nothing"},
                  {"error", {{"code", -32603}, {"message", "The job came to nothing"}}}};
    }
    return now;
  }

 public:
  void review(Review& review) override {
    const std::vector<FollowedTask> tasks = followed_tasks(review);
    const bool has_looked = !review.requests("tasks/get").empty();
    review_handled(review, tasks);
    for (const FollowedTask& task : tasks) {
      review_end(review, task, has_looked);
      const std::string tool = called_tool(task.call.message);
      if (tool == kSteadyTool || tool == kSlowingTool) review_interval(review, task);
    }
  }

 private:
  // What a client makes of a task is its own affair: it may show it to its user, and leave. It does
  // not handle a task that it breaks off at, though it went on after a plain result.
  static void review_handled(Review& review, const std::vector<FollowedTask>& tasks) {
    constexpr RequirementId kRule = "ext-tasks.either-result-handled";
    if (tasks.empty()) return;
    const auto looked = std::find_if(tasks.begin(), tasks.end(), [](const FollowedTask& each) {
      return !each.looks.empty() || each.is_listened_to || !each.cancels.empty();
    });
    if (looked != tasks.end()) return review.held(kRule, looked->last());
    const FollowedTask& first = tasks.front();
    const std::vector<EventPtr> events = {first.call.event, first.created};
    if (!review.crash().empty()) {
      return review.crashed(kRule, "the client crashed when its call became a task", events);
    }
    if (!review.went_on_after(first.call) && went_on_after_plain(review, first.call.session)) {
      return review.fell_silent(kRule, "the client fell silent when its call became a task",
                                events);
    }
    review.unclear(kRule, "the client never asked about a task", events);
  }
  static bool went_on_after_plain(const Review& review, std::size_t session) {
    for (const Said& call : review.requests("tools/call")) {
      const bool is_plain = called_tool(call.message) == kPlainTool && call.session == session;
      if (is_plain && review.reply_to(call) && review.went_on_after(call)) return true;
    }
    return false;
  }

  // Why a client may have stopped without having been told of the end; nothing if it had no reason.
  static const char* excuse_of(const FollowedTask& task, bool has_looked) {
    if (!has_looked) return "the client never asked about a task";
    if (task.is_listened_to) return "the client waits to be told of its task";
    return task.is_refused ? "the client was not shown its task" : nullptr;
  }

  static void review_end(Review& review, const FollowedTask& task, bool has_looked) {
    constexpr RequirementId kRule = "ext-tasks.polled-until-terminal";
    if (task.is_through()) return review.held(kRule, task.last());
    if (const char* const excuse = excuse_of(task, has_looked)) {
      return review.unclear(kRule, excuse, {task.call.event, task.created});
    }
    review.missed(kRule,
                  fmt::format("the client asked about its task {} times and stopped, but the task "
                              "was still working",
                              task.looks.size()),
                  {task.created, task.last()}, {"tasks/get"});
  }

  // From the call on, which came before the client knew of an interval: however late it or we are,
  // and however many looks come together then, that can only be longer. Timers come a little early:
  // half of the time is plainly too little.
  static void review_interval(Review& review, const FollowedTask& task) {
    constexpr RequirementId kRule = "ext-tasks.poll-interval-respected";
    std::chrono::milliseconds due = interval_of(review.reply_to(task.call));
    EventPtr last;
    for (std::size_t i = 0; i < task.looks.size(); ++i) {
      const Said& look = task.looks[i];
      // Each session has its own clock.
      if (look.session != task.call.session) break;
      const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(look.event->at -
                                                                               task.call.event->at);
      if (i >= 2) {
        last = look.event;
        if (taken < due / 2) {
          return review.crossed(
              kRule,
              fmt::format("the client asked about its task {} times within {} ms, but its "
                          "pollIntervalMs add up to {} ms",
                          i + 1, taken.count(), due.count()),
              {task.call.event, task.created, last});
        }
      }
      if (i > 0) due += interval_of(review.reply_to(look));
    }
    if (last) review.held(kRule, last);
  }
  static std::chrono::milliseconds interval_of(const std::optional<Said>& reply) {
    if (!reply) return {};
    const Json& given = member(reply->message.result(), "pollIntervalMs");
    return std::chrono::milliseconds(given.is_number_integer() ? given.get<std::int64_t>() : 0);
  }
};

const ClientScenarioRegistration kExtTaskPolling(
    {.name = "calls-become-tasks",
     .task = "calls each tool, and follows each task to its end",
     .requirements = {"ext-tasks.either-result-handled", "ext-tasks.polled-until-terminal",
                      "ext-tasks.poll-interval-respected"},
     .make = make_play<ExtTaskPollingPlay>,
     .extension = "tasks",
     .deeds = {{harness::Act::kCallsTool, std::string(kPlainTool)},
               {harness::Act::kCallsTool, std::string(kSteadyTool)},
               {harness::Act::kCallsTool, std::string(kSlowingTool)},
               {harness::Act::kCallsTool, std::string(kRefusedTool)}}});

}  // namespace
}  // namespace assay::scenarios
