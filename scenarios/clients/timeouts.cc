// A server that does not answer: a client that gives up says so, and goes on.
//
// Specification: basic/lifecycle, "Timeouts" and "Error Handling"; basic/utilities/cancellation;
// of 2026-07-28 basic/patterns/cancellation.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/catalogue/catalogue.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr std::string_view kSilentTool = "test_silent";
constexpr const char* kSilence = "assay-silence";
constexpr const char* kCancellation = "assay-cancellation";
constexpr int kPingsBehindAnswer = 3;
// In the answer that comes too late, and nowhere else.
constexpr std::string_view kLateWord = "assay-late-4711";
// A client that asks for something else sooner may not have waited at all: its calls run in
// parallel, one a little later than the other.
constexpr std::chrono::milliseconds kShortestWait{400};

// The notification; where a request has a stream of its own, its end before the answer.
EventPtr cancellation_of(const Review& review, const Said& call) {
  for (const Said& said : review.client()) {
    const bool is_it =
        said.session == call.session && said.message.method() == "notifications/cancelled" &&
        member(said.message.params(), "requestId") == wire::to_json(*call.message.id());
    if (is_it) return said.event;
  }
  const bool closes = review.revision().is_stateless() && review.transport().answers_in_exchanges();
  if (!closes) return nullptr;
  const auto reply = review.reply_to(call);
  for (const EventPtr& event : review.sessions()[call.session].events) {
    using Kind = transport::Observation::Kind;
    const bool is_end =
        event->observation.kind == Kind::kClosed || event->observation.kind == Kind::kBroken;
    if (reply && reply->event->n < event->n) break;
    if (is_end && event->is_from_client() &&
        event->observation.lane == call.event->observation.lane) {
      return event;
    }
  }
  return nullptr;
}

// The client left before the answer came: who only asks for several things at a time waits for all
// of them.
bool has_left_without(const Review& review, const Said& call) {
  using Kind = transport::Observation::Kind;
  const auto reply = review.reply_to(call);
  if (!reply) return true;
  const auto& events = review.sessions()[call.session].events;
  return std::any_of(events.begin(), events.end(), [&](const EventPtr& event) {
    const auto& seen = event->observation;
    const bool is_end = seen.kind == Kind::kClosed || seen.kind == Kind::kBroken;
    return is_end && event->is_from_client() && seen.lane == call.event->observation.lane &&
           event->n < reply->event->n;
  });
}

// What the client asked for when it may have given up the call, which it left without an answer.
std::optional<Said> asked_without(const Review& review, const Said& call) {
  auto instead = review.asked_instead(call);
  if (!instead || !has_left_without(review, call)) return std::nullopt;
  // Nor has it waited if it takes its time between any two requests.
  const auto waited = instead->event->at - call.event->at;
  const bool has_waited = waited >= kShortestWait && 2 * waited >= 3 * review.longest_pause(call);
  return has_waited ? instead : std::nullopt;
}

// The client asked for more in turn: it had the answer to that request, or waited for it as well.
bool goes_on_after(const Review& review, const Said& request) {
  const auto reply = review.reply_to(request);
  const auto& said = review.client();
  return std::any_of(said.begin(), said.end(), [&](const Said& each) {
    const bool is_more = each.session == request.session && each.event->n > request.event->n &&
                         each.message.kind() == wire::MessageKind::kRequest &&
                         each.message.method() != "ping";
    return is_more && ((reply && reply->event->n < each.event->n) ||
                       each.event->at - request.event->at >= kShortestWait);
  });
}

// What shows that the client does not wait for the answer any more. Without a cancellation it is no
// more than its pace; and who leaves as soon as it has another answer may just have had two calls
// under way, and no use for the first.
EventPtr giving_up(const Review& review, const Said& call, const EventPtr& cancellation) {
  if (cancellation) return cancellation;
  const auto instead = asked_without(review, call);
  return instead && goes_on_after(review, *instead) ? instead->event : nullptr;
}

// The first call of that tool is not answered, for as long as a question waits for its answer; or
// until the client cancels it, and then comes an answer that is too late.
class SilentPlay : public Play {
 public:
  bool is_silent() const override { return true; }
  void on_message(Visit& visit) override {
    const wire::Message& message = visit.message();
    if (visit.is_notification("notifications/cancelled") && id_ &&
        member(message.params(), "requestId") == wire::to_json(*id_)) {
      visit.settle(kSilence);
      visit.settle(kCancellation);
      is_cancelled_ = true;
    }
    if (!visit.is_request("tools/call")) return;
    if (called_tool(message) != kSilentTool) {
      if (id_ && visit.revision().has_sessions()) wait_for_late_answer(visit);
      return;
    }
    visit.answer(text_result(message, fmt::format("Better late than never: {}", kLateWord)));
    if (id_) return;
    id_ = message.id();
    visit.await(kSilence);
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    list_only({hosted_tool("test_simple_text", "Answers with a text"),
               hosted_tool(std::string(kSilentTool), "Does not answer for a long time")},
              result);
  }

  void review(Review& review) override {
    for (const Said& call : review.requests("tools/call")) {
      if (called_tool(call.message) == kSilentTool) return review_call(review, call);
    }
    for (const RequirementId rule :
         {RequirementId("lifecycle.request-timeout"), RequirementId("tools.calls-time-out"),
          kHandled, kLate, kRaces}) {
      review.not_exercised(rule, "the client did not call the tool that does not answer");
    }
    for (const RequirementId rule : cancelling(review)) {
      review.not_exercised(rule, "the client did not call the tool that does not answer");
    }
  }

 private:
  // Over HTTP a request may overtake the cancellation, and its answer the one that is too late: the
  // pings give the client time to have read that.
  void wait_for_late_answer(Visit& visit) {
    if (!is_cancelled_) visit.await(kCancellation);
    if (std::exchange(has_waited_, true)) return;
    for (int i = 1; i <= kPingsBehindAnswer; ++i) {
      visit.then();
      visit.ask(fmt::format("assay-behind-late-answer-{}", i), "ping");
    }
  }

  static constexpr RequirementId kHandled = "lifecycle.handles-request-timeout";
  static constexpr RequirementId kLate = "cancellation.late-response-ignored";
  // Both sides have to cope with an answer and a cancellation that cross.
  static constexpr RequirementId kRaces = "cancellation.races-handled";

  // What asks for the cancellation of what is given up.
  static std::vector<RequirementId> cancelling(const Review& review) {
    std::vector<RequirementId> rules = {"lifecycle.timeout-cancels"};
    const bool is_http = review.transport().is_streamable_http();
    if (review.revision().is_stateless())
      rules.push_back(RequirementId("cancellation.client-announces"));
    if (review.revision().has_sessions() && is_http) {
      rules.push_back(RequirementId("http.cancellation-explicit"));
    }
    return rules;
  }

  static void review_call(Review& review, const Said& call) {
    const EventPtr cancellation = cancellation_of(review, call);
    const EventPtr gave_up = giving_up(review, call, cancellation);
    for (const RequirementId rule :
         {RequirementId("lifecycle.request-timeout"), RequirementId("tools.calls-time-out")}) {
      if (gave_up) {
        review.held(rule, gave_up);
      } else {
        review.unclear(rule,
                       "the client still waited for its call when it was answered, or left; the "
                       "text names no time, so its timeout may be longer",
                       {call.event});
      }
    }
    for (const RequirementId rule : cancelling(review)) {
      if (cancellation) {
        review.held(rule, cancellation);
      } else if (gave_up) {
        review.crossed(rule,
                       "the client asked for other things one after the other, left without the "
                       "answer to its call, and did not cancel that",
                       {call.event, gave_up});
      } else if (const auto instead = asked_without(review, call)) {
        review.unclear(rule,
                       "the client asked for something else, and left when it had that: it may not "
                       "have given up its call before",
                       {call.event, instead->event});
      } else {
        review.not_exercised(rule, "the client did not give up its call");
      }
    }
    review_handling(review, call, gave_up);
    review_late_answer(review, call, cancellation);
  }

  // Who ends with an error of its own may be meant to.
  static void review_handling(Review& review, const Said& call, const EventPtr& gave_up) {
    if (!review.crash().empty() && !review.reply_to(call)) {
      review.crashed(kHandled,
                     "the client crashed while a call was not answered: " + review.crash(),
                     {call.event});
    } else if (gave_up && review.crash().empty()) {
      review.held(kHandled, gave_up);
    } else {
      review.not_exercised(kHandled, "the client did not give up its call");
    }
  }

  // Ignoring it is to go on as if it had not come.
  static void review_late_answer(Review& review, const Said& call, const EventPtr& cancellation) {
    const auto late = review.reply_to(call);
    if (!cancellation || !late || late->event->n < cancellation->n) {
      for (const RequirementId rule : {kLate, kRaces}) {
        review.not_exercised(rule, "no answer came after a cancellation");
      }
      return;
    }
    const auto& said = review.client();
    // An error under another id answers something else, such as a ping.
    const auto complaint = std::find_if(said.begin(), said.end(), [&](const Said& each) {
      return each.session == call.session && each.event->n > late->event->n &&
             each.message.kind() == wire::MessageKind::kError &&
             (!each.message.id() || each.message.id()->kind() == wire::Id::Kind::kNull ||
              each.message.id() == call.message.id());
    });
    if (complaint != said.end()) {
      review.broke(kLate, "the client answered a late response with an error",
                   {cancellation, late->event, complaint->event});
      return;
    }
    // Whoever repeats what stands only there has used it.
    const auto user = std::find_if(said.begin(), said.end(), [&](const Said& each) {
      return each.session == call.session && each.event->n > late->event->n &&
             each.event->observation.bytes().find(kLateWord) != std::string_view::npos;
    });
    if (user != said.end()) {
      review.broke(kLate, "the client used a response that came after it had cancelled the request",
                   {cancellation, late->event, user->event});
      return;
    }
    for (const RequirementId rule : {kLate, kRaces}) {
      if (review.crash().empty()) {
        review.held(rule, late->event);
      } else {
        review.crashed(rule, "the client crashed after a late response: " + review.crash(),
                       {cancellation, late->event});
      }
    }
  }

  std::optional<wire::Id> id_;
  bool is_cancelled_ = false;
  bool has_waited_ = false;
};

const ClientScenarioRegistration kSilentServer(
    {.name = "server-silent",
     .task = "calls test_silent, gives it up after a second, calls test_simple_text, and lists the "
             "tools again",
     .requirements = {"lifecycle.request-timeout", "tools.calls-time-out",
                      "lifecycle.timeout-cancels", "http.cancellation-explicit",
                      "cancellation.client-announces", "lifecycle.handles-request-timeout",
                      "cancellation.late-response-ignored", "cancellation.races-handled"},
     .make = make_play<SilentPlay>,
     .may_fail = true});

constexpr std::string_view kBusyTool = "test_progresses";
constexpr const char* kBusy = "assay-busy";

// The first call of that tool is not answered either, and there is progress all the time.
class BusyPlay : public Play {
 public:
  bool is_silent() const override { return true; }
  void on_message(Visit& visit) override {
    const wire::Message& message = visit.message();
    if (visit.is_notification("notifications/cancelled") && id_ &&
        member(message.params(), "requestId") == wire::to_json(*id_)) {
      visit.settle(kBusy);
    }
    if (!visit.is_request("tools/call")) return;
    visit.answer(text_result(message, "Done at last"));
    const Json& token = member(member(message.params(), "_meta"), "progressToken");
    if (called_tool(message) != kBusyTool || id_ || token.is_null()) return;
    id_ = message.id();
    visit.await(kBusy);
    visit.repeat([token](int times) -> Json {
      return {{"jsonrpc", "2.0"},
              {"method", "notifications/progress"},
              {"params", {{"progressToken", token}, {"progress", times + 1}}}};
    });
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    list_only({hosted_tool("test_simple_text", "Answers with a text"),
               hosted_tool(std::string(kBusyTool), "Reports progress for a long time")},
              result);
  }

  void review(Review& review) override {
    constexpr RequirementId kRule("lifecycle.timeout-maximum");
    for (const Said& call : review.requests("tools/call")) {
      if (called_tool(call.message) != kBusyTool || call.message.id() != id_) continue;
      const EventPtr gave_up = giving_up(review, call, cancellation_of(review, call));
      if (!gave_up) {
        review.unclear(kRule,
                       "the client still waited for its call when it was answered, or left; the "
                       "text names no time, so its maximum may be longer",
                       {call.event});
      } else if (!had_progress(review, call, gave_up)) {
        review.not_exercised(kRule, "the client gave up its call before any progress came");
      } else {
        review.held(kRule, gave_up);
      }
      return;
    }
    review.not_exercised(kRule, "the client did not ask for the progress of a call");
  }

 private:
  static bool had_progress(const Review& review, const Said& call, const EventPtr& until) {
    const auto& said = review.server();
    return std::any_of(said.begin(), said.end(), [&](const Said& each) {
      return each.session == call.session && each.event->n > call.event->n &&
             each.event->n < until->n && each.message.method() == "notifications/progress";
    });
  }

  std::optional<wire::Id> id_;
};

const ClientScenarioRegistration kBusyServer(
    {.name = "server-busy",
     .task = "calls test_progresses and asks for its progress, gives it up after a second all "
             "the same, and calls test_simple_text",
     .requirements = {"lifecycle.timeout-maximum"},
     .make = make_play<BusyPlay>,
     .may_fail = true});

constexpr const char* kNoSession = "assay-no-session";

// initialize is not answered, for as long as a question waits for its answer.
class NoSessionPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("initialize") || was_asked_) return;
    was_asked_ = true;
    visit.await(kNoSession);
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    constexpr RequirementId kRule = "lifecycle.handles-initialize-timeout";
    for (const Said& asked : review.requests("initialize")) {
      const auto reply = review.reply_to(asked);
      if (!review.crash().empty()) {
        review.crashed(kRule,
                       "the client crashed while initialize was not answered: " + review.crash(),
                       {asked.event});
      } else if (!reply) {
        review.held(kRule, asked.event);
      } else {
        review.not_exercised(kRule, "the client waited for the answer until it came");
      }
      return;
    }
    review.not_exercised(kRule, "the client did not initialize");
  }

 private:
  bool was_asked_ = false;
};

const ClientScenarioRegistration kNoSessionServer(
    {.name = "server-silent-at-first",
     .task = "connects to a server that does not answer, and gives up after half a second",
     .requirements = {"lifecycle.handles-initialize-timeout"},
     .make = make_play<NoSessionPlay>,
     .may_fail = true});

}  // namespace
}  // namespace assay::scenarios
