// What a client keeps of the tasks that it runs for a server: their ids, their results, their time.
//
// Specification: basic/utilities/tasks, "Task ID Requirements", "Result Retrieval", "Protocol
// Errors", "Resource Management"; 2025-11-25.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr const char* kPlain = "assay-plain-sample";
constexpr const char* kAsTask = "assay-sample-as-task";
constexpr const char* kBad = "assay-bad-sample";
constexpr const char* kBadAsTask = "assay-bad-sample-as-task";
constexpr const char* kKeptForAges = "assay-sample-for-ages";
constexpr const char* kResult = "assay-result-of-task";
constexpr const char* kBadResult = "assay-result-of-bad-task";
constexpr const char* kBehindResult = "assay-task-behind-result";
constexpr const char* kNoTask = "assay-result-of-no-task";
constexpr const char* kOwnTaskId = "assay-chose-this-id";
constexpr const char* kSampling = "sampling/createMessage";
// The longest whole number that every JSON parser keeps: some 285,000 years.
constexpr std::int64_t kAges = (std::int64_t{1} << 53) - 1;

enum class Sample { kGood, kBad };

// The bad one has a message that nobody sent, and nothing in it.
Json sample_params(Sample which) {
  Json message = {{"role", "user"}, {"content", {{"type", "text"}, {"text", "Hello"}}}};
  if (which == Sample::kBad) message = {{"role", "nobody"}};
  return {{"messages", Json::array({message})}, {"maxTokens", 100}};
}
Json task_sample(Sample which, std::int64_t ttl) {
  Json params = sample_params(which);
  params["task"] = {{"ttl", ttl}, {"taskId", kOwnTaskId}};
  return params;
}

std::string created_task(const wire::Message& answer) {
  return std::string(text_member(member(answer.result(), "task"), "taskId"));
}

bool is_terminal(std::string_view status) {
  return status == "completed" || status == "failed" || status == "cancelled";
}

bool is_result_message(const std::optional<Said>& said) {
  return said && said->message.kind() == wire::MessageKind::kResult;
}

class TaskReceiverPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    const wire::Message& message = visit.message();
    if (visit.is_request("initialize")) declared_ = member(message.params(), "capabilities");
    if (visit.answers(kAsTask)) good_ = created_task(message);
    if (visit.answers(kBadAsTask)) bad_ = created_task(message);
    if (!visit.is_request("tools/list") || has_asked_) return;
    has_asked_ = true;
    if (!harness::declares_in(declared_, "tasks.requests.sampling.createMessage")) return;
    visit.ask(kPlain, kSampling, sample_params(Sample::kGood));
    visit.ask(kBad, kSampling, sample_params(Sample::kBad));
    visit.ask(kAsTask, kSampling, task_sample(Sample::kGood, 60'000));
    visit.ask(kBadAsTask, kSampling, task_sample(Sample::kBad, 60'000));
    visit.ask(kKeptForAges, kSampling, task_sample(Sample::kGood, kAges));
    visit.then([this](Visit& then) { fetch(then); });
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    const auto created = review.answer_to(kAsTask);
    if (!created || good_.empty()) return;
    review.check("tasks.id-from-receiver", good_ != kOwnTaskId,
                 "the client took the id of the task from the request", {created->event},
                 "/result/task/taskId");
    review_ttl(review);
    review_result(review);
    review_same_error(review);
    review_refusal(review);
  }

 private:
  void fetch(Visit& visit) const {
    if (good_.empty()) return;
    visit.ask(kResult, "tasks/result", {{"taskId", good_}});
    if (!bad_.empty()) visit.ask(kBadResult, "tasks/result", {{"taskId", bad_}});
    visit.ask(kNoTask, "tasks/result", {{"taskId", "assay-no-task-at-all"}});
    visit.then();
    visit.ask(kBehindResult, "tasks/get", {{"taskId", good_}});
  }

  static void review_ttl(Review& review) {
    const auto answer = review.answer_to(kKeptForAges);
    if (!is_result_message(answer)) return;
    const Json& task = member(answer->message.result(), "task");
    if (!task.is_object() || !task.contains("ttl")) return;
    const Json& ttl = task["ttl"];
    const bool is_endless = ttl.is_null() || (ttl.is_number() && ttl.get<double>() >= kAges);
    review.check("tasks.ttl-limit", !is_endless,
                 "a task that asks to be kept for 285,000 years was accepted as it was",
                 {answer->event}, "/result/task/ttl");
  }

  static void review_result(Review& review) {
    const auto plain = review.answer_to(kPlain);
    const auto answer = review.answer_to(kResult);
    if (!is_result_message(plain) || !is_result_message(answer)) return;
    // What the model says may differ from time to time; what a message consists of may not.
    constexpr std::array kParts = {"role", "content", "model"};
    const bool is_whole = std::all_of(kParts.begin(), kParts.end(), [&](const char* part) {
      return !plain->message.result().contains(part) || answer->message.result().contains(part);
    });
    review.check("tasks.result-exact", is_whole,
                 "the result of a task lacks what the plain request would have given",
                 {plain->event, answer->event}, "/result");
    const auto behind = review.answer_to(kBehindResult);
    if (!is_result_message(behind)) return;
    const std::string_view status = text_member(behind->message.result(), "status");
    review.check("tasks.result-blocks", is_terminal(status),
                 "tasks/result was answered, and the task is not at its end",
                 {answer->event, behind->event}, "/result/status");
  }

  static void review_same_error(Review& review) {
    const auto plain = review.answer_to(kBad);
    const auto answer = review.answer_to(kBadResult);
    if (!plain || !answer || plain->message.kind() != wire::MessageKind::kError) return;
    review.check("tasks.result-same-error",
                 answer->message.error_code() == plain->message.error_code(),
                 "the plain request was refused, and the result of the task is not that error",
                 {plain->event, answer->event}, "/error/code");
  }

  static void review_refusal(Review& review) {
    const auto question = review.question(kNoTask);
    const auto answer = review.answer_to(kNoTask);
    if (!question || !answer) return;
    const auto code = answer->message.error_code();
    review.check("tasks.unknown-task-error", code == wire::kInvalidParams,
                 "tasks/result with an unknown taskId was not refused with -32602",
                 {question->event, answer->event});
    if (answer->message.kind() != wire::MessageKind::kError) return;
    const bool is_standard = code == wire::kInvalidParams || code == wire::kInternalError ||
                             code == wire::kInvalidRequest || code == wire::kMethodNotFound ||
                             code == wire::kParseError;
    review.check("tasks.standard-errors", is_standard,
                 "tasks/result of no task was refused with an error that is none of JSON-RPC's",
                 {answer->event}, "/error/code");
    const std::string_view why = text_member(answer->message.error(), "message");
    review.check("tasks.errors-informative",
                 why.find_first_not_of(" \t\r\n") != std::string_view::npos,
                 "tasks/result of no task was refused without a word of why", {answer->event},
                 "/error/message");
  }

  bool has_asked_ = false;
  Json declared_;
  std::string good_;  // the ids of the two tasks; empty if there are none
  std::string bad_;
};

const ClientScenarioRegistration kTaskReceiver(
    {.name = "server-fetches-results",
     .task = "lists the tools, and gives the results of tasks meanwhile",
     .requirements = {"tasks.id-from-receiver", "tasks.ttl-limit", "tasks.result-exact",
                      "tasks.result-blocks", "tasks.result-same-error", "tasks.standard-errors",
                      "tasks.errors-informative", "tasks.unknown-task-error"},
     .make = make_play<TaskReceiverPlay>});

}  // namespace
}  // namespace assay::scenarios
