// A server cancels what it asked: the client stops, and does not answer.
//
// Specification: basic/utilities/cancellation, "Behavior Requirements", 2024-11-05 to 2025-11-25.
// The question and its cancellation come in one breath, so that a client that takes its time is
// still at it. An answer counts only where it comes behind the answers to two pings that were sent
// one after the other behind the cancellation: by then that has been read. A second question like
// it shows when an answer would have been there.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/host/play.h"
#include "harness/host/review.h"
#include "harness/runner/client_scenario.h"
#include "harness/script/capability.h"
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
using harness::TransportKind;
using harness::Visit;

constexpr RequirementId kUnanswered = "cancellation.no-response";
constexpr RequirementId kWorkStops = "cancellation.stop-processing";
// Each id of a request is its progress token as well.
constexpr const char* kCancelledQuestion = "assay-cancelled-question";
constexpr const char* kCompanionQuestion = "assay-companion-question";
constexpr const char* kReadByThen = "assay-behind-cancellation-2";
constexpr int kPingsBehind = 3;

// What the client may take its time for: sampling, or a form; its method is empty if neither.
std::pair<std::string_view, Json> slow_question(const Json& declared, const char* token) {
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
    if (visit.is_request("initialize")) {
      declared_ = member(visit.message().params(), "capabilities");
    }
    if (!visit.is_request("tools/list") || has_asked_) return;
    has_asked_ = true;
    const auto [method, params] = slow_question(declared_, kCancelledQuestion);
    if (method.empty()) return;
    visit.say(wire::make_request(wire::Id::of_string(kCancelledQuestion), method, Json(params)));
    visit.say(wire::make_notification(
        "notifications/cancelled",
        {{"requestId", kCancelledQuestion}, {"reason", "It is not needed any more"}}));
    for (int i = 1; i <= kPingsBehind; ++i) {
      visit.ask(fmt::format("assay-behind-cancellation-{}", i), "ping");
      visit.then();
    }
    const auto [again, like_it] = slow_question(declared_, kCompanionQuestion);
    visit.ask(kCompanionQuestion, again, like_it);
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    const auto question = review.question(kCancelledQuestion);
    if (!question) {
      if (!has_asked_) return;
      for (const RequirementId rule : {kUnanswered, kWorkStops}) {
        review.not_exercised(rule, "the client declares neither sampling nor elicitation");
      }
      return;
    }
    const auto read = review.answer_to(kReadByThen);
    const auto companion = review.answer_to(kCompanionQuestion);
    const auto answer = review.answer_to(kCancelledQuestion);
    review_answer(review, *question, read, companion, answer);
    review_work(review, read, companion, answer);
  }

 private:
  static bool is_good(const std::optional<Said>& answer) {
    return answer && answer->message.kind() == wire::MessageKind::kResult;
  }

  static void review_answer(Review& review, const Said& question, const std::optional<Said>& read,
                            const std::optional<Said>& companion,
                            const std::optional<Said>& answer) {
    if (answer && read && answer->event->n > read->event->n) {
      // What cannot be cancelled may be answered, and nobody can tell from outside what that is.
      review.unclear(kUnanswered,
                     "the question was cancelled and answered all the same, as one may that cannot "
                     "be cancelled",
                     {question.event, read->event, answer->event});
    } else if (answer) {
      review.unclear(kUnanswered,
                     "the answer may have been on its way when the cancellation arrived",
                     {question.event, answer->event});
    } else if (is_good(companion)) {
      review.held(kUnanswered, companion->event);
    } else {
      review.unclear(kUnanswered, "a second question like it was not answered either",
                     {question.event});
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
  static void review_work(Review& review, const std::optional<Said>& read,
                          const std::optional<Said>& companion, const std::optional<Said>& answer) {
    if (!read) return review.unclear(kWorkStops, "a ping behind the cancellation was not answered");
    if (answer) {
      // It may be one that cannot be cancelled: then the work is done, and the cancellation
      // ignored.
      return review.unclear(kWorkStops, "the question was answered", {answer->event});
    }
    const auto reports = reports_behind(review, read->event, kCancelledQuestion);
    // One report may have been on its way; and over HTTP each goes by itself.
    if (reports.size() >= 2) {
      const bool has_order = review.transport() == TransportKind::kStdio;
      if (!has_order) {
        return review.unclear(kWorkStops, "the reports of progress may have come late",
                              {read->event, reports.back()});
      }
      return review.broke(kWorkStops,
                          "the answer was withheld, and the client went on to report progress",
                          {read->event, reports.front(), reports.back()});
    }
    const bool would_be_seen =
        !reports_behind(review, read->event, kCompanionQuestion).empty() && is_good(companion);
    if (would_be_seen) {
      review.held(kWorkStops, companion->event);
    } else {
      review.not_exercised(kWorkStops,
                           "the client reports no progress of what it is asked, so its work cannot "
                           "be seen");
    }
  }

  bool has_asked_ = false;
  Json declared_;
};

bool lets_servers_cancel(model::Revision revision) {
  return revision.has_handshake();
}

const ClientScenarioRegistration kCancelledQuestions(
    {.name = "server-cancels",
     .task = "lists the tools, and is asked something meanwhile that is cancelled",
     .requirements = {"cancellation.no-response", "cancellation.stop-processing"},
     .make = harness::make_play<CancelledQuestionPlay>,
     .concerns = lets_servers_cancel});

}  // namespace
}  // namespace assay::scenarios
