// Messages that are odd and harmless: a client goes on behind each of them.
//
// Specification: basic, "Messages" and "_meta"; basic/utilities/cancellation; client/elicitation,
// "Completion Notifications for URL Mode Elicitation"; 2024-11-05 to 2025-11-25.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr const char* kBeforeOddities = "assay-before";
constexpr RequirementId kNoResponse("jsonrpc.notification-no-response");
constexpr RequirementId kReservedMeta("meta.no-assumptions");
constexpr RequirementId kParseErrorCode("jsonrpc.parse-error-code");
constexpr RequirementId kInvalidRequestCode("jsonrpc.invalid-request-code");

// One odd message; behind it the client is asked for a sign of life.
struct Oddity {
  const char* ping;  // the id of that
  std::string_view bytes;
  std::string_view what;  // the client fell silent over it
  std::array<std::optional<RequirementId>, 2> rules;
};

constexpr RequirementId kUnknownIgnored("cancellation.unknown-ignored");
constexpr RequirementId kCompletedIgnored("cancellation.completed-ignored");
constexpr RequirementId kRacesHandled("cancellation.races-handled");
constexpr RequirementId kMalformedIgnored("cancellation.malformed-ignored");
constexpr RequirementId kCompletionIgnored("elicitation.unknown-completion-ignored");
constexpr RequirementId kSurvived("jsonrpc.bad-message-survived");

constexpr std::array kNotifications = {
    Oddity{"assay-behind-unknown",
           R"({"jsonrpc":"2.0","method":"notifications/assay","params":{"odd":true}})",
           "a notification that does not exist",
           {}},
    Oddity{
        "assay-behind-cancelled-unknown",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"assay-nobody"}})",
        "the cancellation of a request that it never had",
        {kUnknownIgnored}},
    Oddity{
        "assay-behind-cancelled-late",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"assay-before"}})",
        "the cancellation of a ping that it had answered",
        {kCompletedIgnored, kRacesHandled}},
    Oddity{
        "assay-behind-cancelled-oddly",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"odd":true}}})",
        "a cancellation whose request id is an object",
        {kMalformedIgnored}},
    Oddity{
        "assay-behind-completion",
        R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"assay-nobody"}})",
        "the completion of an elicitation that it never had",
        {kCompletionIgnored}},
};
constexpr Oddity kNoJson = {"assay-behind-no-json",
                            R"({"jsonrpc":"2.0","method":)",
                            "a message that is not JSON",
                            {kSurvived}};
constexpr Oddity kNoRequest = {"assay-behind-no-request",
                               R"({"jsonrpc":"2.0","method":42})",
                               "a message whose method is a number",
                               {kSurvived}};

// What a client that knows nothing of it finds at a key that MCP reserves.
const std::array<Json, 5>& reserved_values() {
  static const std::array<Json, 5> kValues = {Json(nullptr), Json(7), Json("text"), Json::array(),
                                              Json::object()};
  return kValues;
}
std::string meta_ping(std::size_t i) {
  return fmt::format("assay-meta-{}", i);
}

// Behind it, and behind what was said before it.
void put(const Oddity& oddity, Visit& visit) {
  visit.then();
  visit.say_raw(std::string(oddity.bytes));
  visit.ask(oddity.ping, "ping");
}

// Only who takes elicitations by URL is told that one is complete.
bool applies(const Review& review, RequirementId rule, const Said& question) {
  return rule != kCompletionIgnored ||
         harness::declares_in(review.capabilities(question), "elicitation.url");
}

// `before` is the ping that showed that the client was alive. Returns the one that shows it next.
std::string review_survival(Review& review, const Oddity& oddity, const std::string& before) {
  const auto question = review.question(oddity.ping);
  if (!question || !review.answer_to(before)) return oddity.ping;
  for (const auto& rule : oddity.rules) {
    if (!rule || !applies(review, *rule, *question)) continue;
    if (const auto answer = review.answer_to(oddity.ping)) {
      review.held(*rule, answer->event);
    } else if (review.asked_beside("tools/list", *question)) {
      review.unclear(*rule, "the client did other things meanwhile, and left", {question->event});
    } else {
      review.fell_silent(*rule, fmt::format("the client fell silent over {}", oddity.what),
                         {review.said_before(*question), question->event});
    }
  }
  return oddity.ping;
}

// Answers that name no question. One with an id that no question had breaks another rule.
std::vector<Said> answers_without_id(const Review& review) {
  std::vector<Said> found;
  for (const Said& said : review.client()) {
    const bool is_answer = said.message.kind() == wire::MessageKind::kResult ||
                           said.message.kind() == wire::MessageKind::kError;
    const auto& id = said.message.id();
    if (is_answer && (!id || id->kind() == wire::Id::Kind::kNull)) found.push_back(said);
  }
  return found;
}

bool is_held_in(const Oddity& oddity, model::Revision revision) {
  const auto& rule = oddity.rules[0];
  return !rule || catalogue::find(rule->text())->holds_in(revision);
}

class OddMessagesPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/list") || has_begun_) return;
    has_begun_ = true;
    visit.ask(kBeforeOddities, "ping");
    for (const Oddity& oddity : kNotifications) {
      if (is_held_in(oddity, visit.revision())) put(oddity, visit);
    }
    visit.then();
    if (catalogue::find(kReservedMeta.text())->holds_in(visit.revision())) {
      for (std::size_t i = 0; i < reserved_values().size(); ++i) {
        visit.ask(meta_ping(i), "ping",
                  {{"_meta", {{"io.modelcontextprotocol/assay", reserved_values()[i]}}}});
      }
    }
  }

  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    std::string before = kBeforeOddities;
    for (const Oddity& oddity : kNotifications) {
      if (review.question(oddity.ping)) before = review_survival(review, oddity, before);
    }
    review_responses(review);
    review_meta(review);
  }

 private:
  static void review_responses(Review& review) {
    const auto first = review.question(kNotifications.front().ping);
    if (!first || !review.answer_to(kNotifications.front().ping)) return;
    const EventPtr notification = review.said_before(*first);
    for (const Said& answer : answers_without_id(review)) {
      if (answer.session != first->session || answer.event->n < notification->n) continue;
      review.broke(kNoResponse, "the client answered a notification", {notification, answer.event});
      return;
    }
    review.held(kNoResponse, notification);
  }

  // Nothing is told by who refuses any ping.
  static void review_meta(Review& review) {
    const auto plain = review.answer_to(kBeforeOddities);
    if (!plain || plain->message.kind() != wire::MessageKind::kResult) return;
    for (std::size_t i = 0; i < reserved_values().size(); ++i) {
      const auto question = review.question(meta_ping(i));
      const auto answer = review.answer_to(meta_ping(i));
      if (!question || !answer) continue;
      review.check(kReservedMeta, answer->message.kind() == wire::MessageKind::kResult,
                   "a ping was refused that has a value at a reserved key of _meta",
                   {question->event, answer->event});
    }
  }

  bool has_begun_ = false;
};

// A message that nobody can take, on its own: only so is it plain what an answer without an id
// answers. It may as well stay without one.
class BadMessagePlay : public Play {
 public:
  struct Answer {
    RequirementId rule;
    int code;
    std::string_view wrong;
  };
  BadMessagePlay(const Oddity& message, const Answer& answer)
      : message_(message), answer_(answer) {}

  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/list") || has_begun_) return;
    has_begun_ = true;
    visit.ask(kBeforeOddities, "ping");
    put(message_, visit);
  }

  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    review_survival(review, message_, kBeforeOddities);
    const auto question = review.question(message_.ping);
    if (!question) return;
    const EventPtr said = review.said_before(*question);
    for (const Said& answer : answers_without_id(review)) {
      if (answer.session != question->session || answer.event->n < said->n) continue;
      review.check(answer_.rule, answer.message.error_code() == answer_.code,
                   std::string(answer_.wrong), {said, answer.event}, "/error/code");
    }
  }

 private:
  const Oddity& message_;
  const Answer answer_;
  bool has_begun_ = false;
};

std::unique_ptr<Play> make_no_json() {
  return std::make_unique<BadMessagePlay>(
      kNoJson,
      BadMessagePlay::Answer{kParseErrorCode, wire::kParseError,
                             "text that is not JSON was answered with another error than -32700"});
}

std::unique_ptr<Play> make_no_request() {
  return std::make_unique<BadMessagePlay>(
      kNoRequest,
      BadMessagePlay::Answer{
          kInvalidRequestCode, wire::kInvalidRequest,
          "a message that is not a request was answered with another error than -32600"});
}

const ClientScenarioRegistration kOddMessages(
    {.name = "odd-messages",
     .task = "lists the tools, and meets odd and harmless messages meanwhile",
     .requirements = {kUnknownIgnored, kCompletedIgnored, kRacesHandled, kMalformedIgnored,
                      kCompletionIgnored, kNoResponse, kReservedMeta},
     .make = make_play<OddMessagesPlay>,
     .concerns = &model::Revision::has_sessions});

const ClientScenarioRegistration kNoJsonAtAll(
    {.name = "odd-json",
     .task = "lists the tools, and meets a message that is not JSON",
     .requirements = {kSurvived, kParseErrorCode},
     .make = make_no_json});

const ClientScenarioRegistration kNoRequestAtAll(
    {.name = "odd-request",
     .task = "lists the tools, and meets a message whose method is a number",
     .requirements = {kSurvived, kInvalidRequestCode},
     .make = make_no_request});

}  // namespace
}  // namespace assay::scenarios
