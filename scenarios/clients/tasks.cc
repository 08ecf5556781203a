// A client that runs sampling as a task for a server.
//
// Specification: basic/utilities/tasks, 2025-11-25.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr const char* kSampleWithoutTask = "assay-no-task";
constexpr const char* kOneTask = "assay-task";
constexpr const char* kOtherTask = "assay-other-task";
constexpr const char* kGetTask = "assay-get-task";
constexpr const char* kTaskResult = "assay-task-result";
constexpr const char* kGetUnknownTask = "assay-get-unknown-task";
constexpr const char* kCancelUnknownTask = "assay-cancel-unknown-task";
constexpr const char* kListTasks = "assay-list-tasks";
constexpr const char* kListByNoCursor = "assay-list-tasks-by-no-cursor";
constexpr const char* kCancelEnded = "assay-cancel-ended-task";
constexpr const char* kCancelRunning = "assay-cancel-running-task";
constexpr const char* kGetEnded = "assay-get-ended-task";
constexpr const char* kGetCancelled = "assay-get-cancelled-task";

Json sample_request(bool is_task) {
  Json params = {
      {"messages",
       Json::array({{{"role", "user"}, {"content", {{"type", "text"}, {"text", "Hello"}}}}})},
      {"maxTokens", 100}};
  if (is_task) params["task"] = {{"ttl", 60000}};
  return params;
}

std::string id_of_created(const wire::Message& answer) {
  return std::string(text_member(member(answer.result(), "task"), "taskId"));
}

class ClientTasksPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    const wire::Message& message = visit.message();
    if (visit.is_request("initialize")) declared_ = member(message.params(), "capabilities");
    if (visit.answers(kOneTask)) one_ = id_of_created(message);
    if (visit.answers(kOtherTask)) other_ = id_of_created(message);
    if (!visit.is_request("tools/list") || has_asked_) return;
    has_asked_ = true;
    for (const char* id : {kSampleWithoutTask, kOneTask, kOtherTask}) {
      visit.ask(id, "sampling/createMessage", sample_request(id != kSampleWithoutTask));
    }
    visit.then([this](Visit& then) { follow(then); });
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    const auto plain = review.answer_to(kSampleWithoutTask);
    const auto one = review.answer_to(kOneTask);
    if (!plain || !one) return;
    const Json capabilities = review.capabilities(*one);
    if (!harness::declares_in(capabilities, "sampling")) return;
    if (!harness::declares_in(capabilities, "tasks.requests.sampling.createMessage")) {
      review_undeclared(review, *plain, *one);
      return;
    }
    review_creation(review, *one);
    if (one_.empty()) return;
    review_get(review);
    review_result(review);
    review_list(review);
    review_refusal(review, kGetUnknownTask, "tasks.unknown-task-error",
                   "tasks/get with an unknown taskId was not refused with -32602");
    review_refusal(review, kCancelUnknownTask, "tasks.unknown-task-error",
                   "tasks/cancel with an unknown taskId was not refused with -32602");
    review_refusal(review, kListByNoCursor, "tasks.list-invalid-cursor-error",
                   "tasks/list with an unknown cursor was not refused with -32602");
    if (is_result_of(review, kTaskResult)) {
      review_refusal(review, kCancelEnded, "tasks.cancel-terminal-refused",
                     "the cancellation of a task at its end was not refused with -32602");
    }
  }

 private:
  // Asks after both tasks, once they are there.
  void follow(Visit& visit) const {
    if (one_.empty()) return;
    const Json one = {{"taskId", one_}};
    Json confused = one;
    confused["_meta"]["io.modelcontextprotocol/related-task"] = {{"taskId", "assay-another"}};
    visit.ask(kGetTask, "tasks/get", confused);
    visit.ask(kTaskResult, "tasks/result", one);
    visit.ask(kGetUnknownTask, "tasks/get", {{"taskId", "assay-no-such-task"}});
    if (harness::declares_in(declared_, "tasks.list")) {
      visit.ask(kListTasks, "tasks/list");
      visit.ask(kListByNoCursor, "tasks/list", {{"cursor", "assay-no-such-cursor"}});
    }
    visit.then();
    visit.ask(kGetEnded, "tasks/get", one);
    if (!harness::declares_in(declared_, "tasks.cancel")) return;
    visit.ask(kCancelUnknownTask, "tasks/cancel", {{"taskId", "assay-no-such-task"}});
    visit.ask(kCancelEnded, "tasks/cancel", one);
    if (other_.empty()) return;
    visit.ask(kCancelRunning, "tasks/cancel", {{"taskId", other_}});
    visit.then();
    visit.ask(kGetCancelled, "tasks/get", {{"taskId", other_}});
  }

  static bool is_result_of(const Review& review, const char* id) {
    const auto answer = review.answer_to(id);
    return answer && answer->message.kind() == wire::MessageKind::kResult;
  }

  static void review_undeclared(Review& review, const Said& plain, const Said& one) {
    if (plain.message.kind() != wire::MessageKind::kResult) return;
    const bool is_usual = member(one.message.result(), "content").is_structured();
    review.check("tasks.undeclared-ignored", is_usual,
                 "a sampling request with a task was not answered as one without, and the client "
                 "declares no tasks for sampling",
                 {plain.event, one.event}, "/result");
  }

  static void review_creation(Review& review, const Said& one) {
    if (one.message.kind() != wire::MessageKind::kResult) return;
    review.check("tasks.create-result-returned", member(one.message.result(), "task").is_object(),
                 "a request with a task was not answered with a task", {one.event}, "/result");
    const auto other = review.answer_to(kOtherTask);
    const std::string id = id_of_created(one.message);
    if (!other || id.empty()) return;
    review.check("tasks.id-unique", id_of_created(other->message) != id,
                 "two tasks have the same id", {one.event, other->event}, "/result/task/taskId");
  }

  void review_get(Review& review) const {
    const auto answer = review.answer_to(kGetTask);
    if (!answer || answer->message.kind() != wire::MessageKind::kResult) return;
    review.check("tasks.related-task-ignored-in-requests",
                 text_member(answer->message.result(), "taskId") == one_,
                 "tasks/get with another task in _meta was not answered with that of taskId",
                 {answer->event}, "/result/taskId");
  }

  static void review_result(Review& review) {
    const auto answer = review.answer_to(kTaskResult);
    if (!answer || answer->message.kind() != wire::MessageKind::kResult) return;
    const bool is_sampled = member(answer->message.result(), "content").is_structured();
    for (const RequirementId rule :
         {RequirementId("tasks.result-of-terminal"), RequirementId("tasks.result-same-response")}) {
      review.check(rule, is_sampled, "the result of the task is no sampled message",
                   {answer->event}, "/result");
    }
  }

  void review_list(Review& review) const {
    const auto answer = review.answer_to(kListTasks);
    const bool is_there = is_result_of(review, kGetTask) && answer &&
                          answer->message.kind() == wire::MessageKind::kResult;
    if (!is_there || member(answer->message.result(), "nextCursor").is_string()) return;
    const Json& tasks = harness::array_member(answer->message.result(), "tasks");
    const bool is_listed = std::any_of(tasks.begin(), tasks.end(), [&](const Json& task) {
      return text_member(task, "taskId") == one_;
    });
    for (const RequirementId rule :
         {RequirementId("tasks.list-complete"), RequirementId("tasks.list-next-cursor")}) {
      review.check(rule, is_listed,
                   "tasks/list does not show a task that tasks/get finds, and gives no cursor",
                   {answer->event}, "/result/tasks");
    }
  }

  static void review_refusal(Review& review, const char* id, RequirementId rule,
                             const char* detail) {
    const auto question = review.question(id);
    const auto answer = review.answer_to(id);
    if (!question || !answer) return;
    review.check(rule, answer->message.error_code() == wire::kInvalidParams, detail,
                 {question->event, answer->event});
  }

  bool has_asked_ = false;
  Json declared_;
  std::string one_;  // the ids of the two tasks; empty if there are none
  std::string other_;
};

const ClientScenarioRegistration kClientTasks(
    {.name = "server-makes-tasks",
     .task = "lists the tools, and samples its model as a task meanwhile",
     .requirements = {"tasks.undeclared-ignored", "tasks.create-result-returned", "tasks.id-unique",
                      "tasks.related-task-ignored-in-requests", "tasks.result-of-terminal",
                      "tasks.result-same-response", "tasks.list-complete", "tasks.list-next-cursor",
                      "tasks.unknown-task-error", "tasks.list-invalid-cursor-error",
                      "tasks.cancel-terminal-refused"},
     .make = make_play<ClientTasksPlay>});

}  // namespace
}  // namespace assay::scenarios
