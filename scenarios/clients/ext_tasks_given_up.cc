// Tasks of the extension `io.modelcontextprotocol/tasks` that do not end: a client cancels one with
// tasks/cancel, and need not wait longer than the task's ttlMs. And a task in answer to a request
// that cannot have one.
//
// Specification: the extension's page, "Task Cancellation", "Task Polling", "Capability
// Negotiation".
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/clients/ext_task_play.h"

namespace assay::scenarios {
namespace {

constexpr std::string_view kNeverEnds = "test_task_never_ends";
constexpr std::string_view kExpires = "test_task_expires";
constexpr std::int64_t kUnendingInterval = 100;
constexpr int kUnendingTtl = 400;
// Even so, a client that does not give up is told something then.
constexpr int kLooksWithoutEnd = 60;
constexpr int kLooksUntilGone = 10;

bool is_of_task(const Said& said, std::string_view id) {
  return text_member(said.message.params(), "taskId") == id;
}

class UnendingTaskPlay : public ExtTaskPlay {
 protected:
  std::vector<std::pair<std::string, std::string>> tools() const override {
    return {{std::string(kNeverEnds), "Goes on until the client cancels it"},
            {std::string(kExpires), "Is kept for a moment only"}};
  }
  bool becomes_task(std::string_view /*tool*/, const Json& /*capabilities*/) const override {
    return true;
  }
  TaskView view(const HostedTask& task) const override {
    TaskView now;
    now.interval = kUnendingInterval;
    if (task.tool == kNeverEnds && task.looks >= kLooksWithoutEnd) {
      now.status = "completed";
      now.more = done("Done after all");
    }
    return now;
  }
  Json ttl(std::string_view tool) const override {
    return tool == kExpires ? Json(kUnendingTtl) : Json();
  }
  bool is_gone(const HostedTask& task) const override {
    return task.tool == kExpires && task.looks > kLooksUntilGone;
  }

 public:
  void review(Review& review) override {
    for (const FollowedTask& task : followed_tasks(review)) {
      if (called_tool(task.call.message) == kExpires) {
        review_expired(review, task);
      } else {
        review_cancelled(review, task);
      }
    }
  }

 private:
  // That it was cancelled in the other way is seen by the monitor.
  static void review_cancelled(Review& review, const FollowedTask& task) {
    if (task.cancels.empty()) return;
    const Said& cancel = task.cancels.front();
    review.held("ext-tasks.no-cancelled-notification", cancel.event);
    const bool looks_again =
        std::any_of(task.looks.begin(), task.looks.end(), [&](const Said& each) {
          return each.session == cancel.session && each.event->n > cancel.event->n;
        });
    if (!looks_again) review.held("ext-tasks.cancelled-may-be-forgotten", cancel.event);
  }

  // It stopped by itself, without having been told of an end.
  static void review_expired(Review& review, const FollowedTask& task) {
    const bool was_told = static_cast<int>(task.looks.size()) > kLooksUntilGone;
    const EventPtr end = task.cancels.empty() ? task.last() : task.cancels.front().event;
    const bool was_kept = end->at - task.created->at >= std::chrono::milliseconds(kUnendingTtl) / 2;
    if (task.looks.empty() || was_told || !was_kept) return;
    review.held("ext-tasks.ttl-as-backstop", end);
  }
};

const ClientScenarioRegistration kUnendingTasks(
    {.name = "tasks-without-end",
     .task = "calls each tool, and cancels the task of test_task_never_ends",
     .requirements = {"ext-tasks.no-cancelled-notification", "ext-tasks.cancelled-may-be-forgotten",
                      "ext-tasks.ttl-as-backstop"},
     .make = make_play<UnendingTaskPlay>,
     .extension = "tasks",
     .deeds = {{harness::Act::kCallsTool, std::string(kNeverEnds)},
               {harness::Act::kCallsTool, std::string(kExpires)}}});

// The first list of tools is a task.
class ListBecomesTaskPlay : public ExtTaskPlay {
 protected:
  std::vector<std::pair<std::string, std::string>> tools() const override {
    return {{"test_simple_text", "Answers with a text"}};
  }
  bool becomes_task(std::string_view /*tool*/, const Json& /*capabilities*/) const override {
    return false;
  }
  TaskView view(const HostedTask& /*task*/) const override {
    TaskView now;
    now.status = "completed";
    now.more = {{"result", {{"resultType", "complete"}, {"tools", Json::array()}}}};
    return now;
  }

 public:
  void on_message(Visit& visit) override {
    const bool is_first = visit.is_request("tools/list") && !was_listed_;
    if (!is_first) return ExtTaskPlay::on_message(visit);
    was_listed_ = true;
    const HostedTask& task = add_task("list", visit.message());
    Json created = shown(task);
    created["status"] = "working";
    created["resultType"] = "task";
    visit.answer(std::move(created));
  }

  void review(Review& review) override {
    for (const Said& list : review.requests("tools/list")) {
      const auto reply = review.reply_to(list);
      if (reply && text_member(reply->message.result(), "resultType") == "task") {
        return review_task(review, *reply);
      }
    }
  }

 private:
  static void review_task(Review& review, const Said& reply) {
    constexpr RequirementId kRule = "ext-tasks.unsupported-type-invalid";
    const std::string id(text_member(reply.message.result(), "taskId"));
    // To cancel it is to want nothing of it.
    for (const char* method : {"tasks/get", "tasks/update"}) {
      for (const Said& asked : review.requests(method)) {
        if (!is_of_task(asked, id)) continue;
        return review.broke(
            kRule, fmt::format("the client sent {} for a task that answered tools/list", method),
            {reply.event, asked.event}, "/params/taskId");
      }
    }
    review.held(kRule, reply.event);
  }

  bool was_listed_ = false;
};

const ClientScenarioRegistration kListBecomesTask(
    {.name = "list-becomes-task",
     .task = "lists the tools",
     .requirements = {"ext-tasks.unsupported-type-invalid"},
     .make = make_play<ListBecomesTaskPlay>,
     .may_fail = true,
     .extension = "tasks"});

}  // namespace
}  // namespace assay::scenarios
