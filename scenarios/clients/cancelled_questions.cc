// A server cancels what it asked: the client stops, and does not answer.
//
// Specification: basic/utilities/cancellation, "Behavior Requirements", 2024-11-05 to 2025-11-25.
// The question and its cancellation come in one breath, so that a client that takes its time is
// still at it; who answers before it has read the cancellation is tried again, a few times. An
// answer counts only where it comes behind the answers to two pings that were sent one after the
// other behind the cancellation: by then that has been read. A second question like it shows when
// an answer would have been there.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr RequirementId kCancelledUnanswered = "cancellation.no-response";
constexpr RequirementId kWorkStops = "cancellation.stop-processing";
// Each id of a request is its progress token as well.
constexpr const char* kCompanionQuestion = "assay-companion-question";
constexpr int kPingsBehind = 3;
// How often it is tried: a client answers before it has read the cancellation by chance, more often
// on a busy machine, and not so often in a row.
constexpr int kMostCancelled = 5;

// A question that is cancelled, and the pings behind that.
class CancelledTry {
 public:
  explicit CancelledTry(int number) : number_(number) {}

  std::string question() const {
    return number_ == 1 ? "assay-cancelled-question"
                        : fmt::format("assay-cancelled-question-{}", number_);
  }
  std::string ping(int which) const {
    return fmt::format("assay-behind-cancellation-{}", (number_ - 1) * kPingsBehind + which);
  }
  // Whose answer shows that the cancellation has been read.
  std::string read_by_then() const { return ping(2); }

 private:
  int number_;
};

// What the client may take its time for: sampling, or a form; its method is empty if neither.
std::pair<std::string_view, Json> slow_question(const Json& declared, std::string_view token) {
  const Json meta = {{"progressToken", token}};
  if (harness::declares_in(declared, "sampling")) {
    const Json message = {{"role", "user"},
                          {"content", {{"type", "text"}, {"text", "Write me a long story"}}}};
    return {"sampling/createMessage",
            {{"messages", Json::array({message})}, {"maxTokens", 1000}, {"_meta", meta}}};
  }
  const Json& forms = member(declared, "elicitation");
  if (!forms.is_object() || (!forms.empty() && !forms.contains("form"))) return {"", nullptr};
  const Json schema = {{"type", "object"}, {"properties", {{"name", {{"type", "string"}}}}}};
  return {"elicitation/create",
          {{"message", "Who are you?"}, {"requestedSchema", schema}, {"_meta", meta}}};
}

class CancelledQuestionPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    const wire::Message& message = visit.message();
    if (visit.is_request("initialize")) declared_ = member(message.params(), "capabilities");
    if (tries_ > 0 && visit.answers(CancelledTry(tries_).question())) {
      is_answered_ = true;
    }
    if (!visit.is_request("tools/list") || has_asked_) return;
    has_asked_ = true;
    if (!slow_question(declared_, kCompanionQuestion).first.empty()) try_once(visit);
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    if (!review.question(CancelledTry(1).question())) {
      if (!has_asked_) return;
      for (const RequirementId rule : {kCancelledUnanswered, kWorkStops}) {
        review.not_exercised(rule, "the client declares neither sampling nor elicitation");
      }
      return;
    }
    std::vector<Tried> all;
    for (int i = 1; i <= kMostCancelled; ++i) {
      const CancelledTry attempt(i);
      auto question = review.question(attempt.question());
      if (!question) break;
      all.push_back({attempt, *std::move(question), review.answer_to(attempt.read_by_then()),
                     review.answer_to(attempt.question())});
    }
    const auto unanswered =
        std::find_if(all.begin(), all.end(), [](const Tried& each) { return !each.answer; });
    const Tried& telling = unanswered == all.end() ? all.back() : *unanswered;
    const auto companion = review.answer_to(kCompanionQuestion);
    review_answer(review, all, telling, companion);
    review_work(review, telling, companion);
  }

 private:
  struct Tried {
    CancelledTry attempt;
    Said question;
    std::optional<Said> read;    // the answer that shows that the cancellation has been read
    std::optional<Said> answer;  // to the question
  };

  void try_once(Visit& visit) {
    const CancelledTry attempt(++tries_);
    is_answered_ = false;
    const auto [method, params] = slow_question(declared_, attempt.question());
    visit.say(wire::make_request(wire::Id::of_string(attempt.question()), method, Json(params)));
    visit.say(wire::make_notification(
        "notifications/cancelled",
        {{"requestId", attempt.question()}, {"reason", "It is not needed any more"}}));
    for (int i = 1; i <= kPingsBehind; ++i) {
      visit.ask(attempt.ping(i), "ping");
      visit.then();
    }
    if (tries_ == 1) {
      const auto [again, like_it] = slow_question(declared_, kCompanionQuestion);
      visit.ask(kCompanionQuestion, again, like_it);
    }
    visit.then([this](Visit& next) {
      if (is_answered_ && tries_ < kMostCancelled) try_once(next);
    });
  }

  static bool is_good(const std::optional<Said>& answer) {
    return answer && answer->message.kind() == wire::MessageKind::kResult;
  }

  static void review_answer(Review& review, const std::vector<Tried>& all, const Tried& telling,
                            const std::optional<Said>& companion) {
    for (const Tried& each : all) {
      const bool is_behind = each.answer && each.read && review.has_order() &&
                             each.answer->event->n > each.read->event->n;
      if (!is_behind) continue;
      // What cannot be cancelled may be answered, and nobody can tell from outside what that is.
      return review.unclear(kCancelledUnanswered,
                            "the question was cancelled and answered all the same, as one may that "
                            "cannot be cancelled",
                            {each.question.event, each.read->event, each.answer->event});
    }
    if (telling.answer) {
      review.unclear(kCancelledUnanswered,
                     "the answer may have been on its way when the cancellation arrived",
                     {telling.question.event, telling.answer->event});
    } else if (!is_good(companion)) {
      review.unclear(kCancelledUnanswered, "a second question like it was not answered either",
                     {telling.question.event});
    } else if (!telling.read) {
      review.unclear(kCancelledUnanswered, "a ping after the cancellation was not answered",
                     {telling.question.event});
    } else {
      review.held(kCancelledUnanswered, companion->event);
    }
  }

  static std::vector<EventPtr> reports_behind(const Review& review, const EventPtr& event,
                                              std::string_view token) {
    std::vector<EventPtr> reports;
    for (const Said& said : review.client()) {
      const bool is_it = said.message.method() == "notifications/progress" &&
                         said.event->n > event->n &&
                         member(said.message.params(), "progressToken") == token;
      if (is_it) reports.push_back(said.event);
    }
    return reports;
  }

  // By the progress that it reports, as it does of a question like it.
  static void review_work(Review& review, const Tried& telling,
                          const std::optional<Said>& companion) {
    if (!telling.read) {
      return review.unclear(kWorkStops, "a ping after the cancellation was not answered");
    }
    if (telling.answer) {
      // It may be one that cannot be cancelled: then the work is done, and the cancellation
      // ignored.
      return review.unclear(kWorkStops, "the question was answered", {telling.answer->event});
    }
    const EventPtr& read = telling.read->event;
    const auto reports = reports_behind(review, read, telling.attempt.question());
    // One report may have been on its way; and over HTTP each goes by itself.
    if (reports.size() >= 2) {
      if (!review.has_order()) {
        return review.unclear(kWorkStops, "the reports of progress may have come late",
                              {read, reports.back()});
      }
      return review.crossed(kWorkStops,
                            "the answer was withheld, and the client went on to report progress",
                            {read, reports.front(), reports.back()});
    }
    const auto asked = review.question(kCompanionQuestion);
    const bool would_be_seen = asked && is_good(companion) &&
                               !reports_behind(review, asked->event, kCompanionQuestion).empty();
    if (would_be_seen) {
      review.held(kWorkStops, companion->event);
    } else {
      review.not_exercised(kWorkStops,
                           "the client reports no progress of what it is asked, so its work cannot "
                           "be seen");
    }
  }

  bool has_asked_ = false;
  int tries_ = 0;
  bool is_answered_ = false;  // the question of the latest attempt
  Json declared_;
};

const ClientScenarioRegistration kCancelledQuestions(
    {.name = "server-cancels",
     .task = "lists the tools, and is asked something meanwhile that is cancelled",
     .requirements = {"cancellation.no-response", "cancellation.stop-processing"},
     .make = make_play<CancelledQuestionPlay>});

}  // namespace
}  // namespace assay::scenarios
