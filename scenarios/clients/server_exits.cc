// A server whose process ends while it owes an answer: a client starts it again, and listens again
// for what it had listened for.
//
// Specification of 2026-07-28: basic/transports/stdio, "Unexpected Termination";
// basic/patterns/subscriptions, "Graceful Closure".
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

using Observed = transport::Observation::Kind;

constexpr std::string_view kExitingTool = "test_exits";
constexpr std::string_view kListenMethod = "subscriptions/listen";
constexpr const char* kListensAgain = "assay-listens-again";
constexpr RequirementId kStartedAgain("stdio.unexpected-exit-restart");
constexpr RequirementId kListenedAgain("subscriptions.stdio-listen-again");
// Who leaves sooner has no use for a server any more; who stays so long without one starts none.
constexpr std::chrono::milliseconds kStay{3000};

// Of the first process only the first call of that tool is its end. The next one lets a call wait a
// while for the client to listen again.
class ExitingPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    const wire::Message& message = visit.message();
    const auto now = harness::Clock::now();
    if (heard_ && !exited_) pace_ = std::max(pace_, now - *heard_);
    heard_ = now;
    if (visit.is_request(kListenMethod) && exited_) {
      listens_again_ = true;
      visit.settle(kListensAgain);
    }
    if (!visit.is_request("tools/call")) return;
    if (called_tool(message) == kExitingTool && !exited_) {
      exited_ = harness::Clock::now();
      return visit.crash();
    }
    visit.answer(text_result(message, "Here again"));
    if (exited_ && !listens_again_) visit.await(kListensAgain);
  }
  void on_start() override { started_later_ += exited_ ? 1 : 0; }
  void on_client_end() override { left_ = harness::Clock::now(); }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    list_only({hosted_tool(std::string(kExitingTool), "Ends the server"),
               hosted_tool("test_simple_text", "Answers with a text")},
              result);
  }

  void review(Review& review) override {
    const EventPtr exit = end_of_first(review);
    if (exit == nullptr) {
      review.not_exercised(kStartedAgain, "the client did not call the tool that ends the server");
      review.not_exercised(kListenedAgain, "the client did not call the tool that ends the server");
      return;
    }
    if (started_later_ > 0) {
      review.held(kStartedAgain, exit);
    } else if (exited_ && left_ && *left_ - *exited_ >= kStay + 3 * pace_) {
      review.fell_silent(kStartedAgain,
                         "the server exited while it owed an answer, and the client went on for "
                         "three seconds and more without starting it again",
                         {exit});
    } else {
      review.not_exercised(kStartedAgain, "the client left when its server did");
    }
    review_listening(review, exit);
  }

 private:
  // Of the process that the call was the end of.
  static EventPtr end_of_first(const Review& review) {
    for (const Said& call : review.requests("tools/call")) {
      if (called_tool(call.message) != kExitingTool || review.reply_to(call)) continue;
      for (const EventPtr& event : review.sessions()[call.session].events) {
        if (event->observation.kind == Observed::kExit) return event;
      }
    }
    return nullptr;
  }
  // The session of the first process that was started behind that end: as they began, those come
  // last.
  std::size_t first_later(const Review& review) const {
    return review.sessions().size() - std::min(started_later_, review.sessions().size());
  }

  // The subscription that ended with the process: acknowledged, and neither cancelled nor over.
  static EventPtr lost_subscription(const Review& review, const EventPtr& exit) {
    for (const Said& listen : review.requests(kListenMethod)) {
      const auto& events = review.sessions()[listen.session].events;
      if (events.empty() || events.back() != exit || review.reply_to(listen)) continue;
      const Json id = wire::to_json(*listen.message.id());
      const bool was_taken_back =
          std::any_of(review.client().begin(), review.client().end(), [&](const Said& said) {
            return said.session == listen.session &&
                   said.message.method() == "notifications/cancelled" &&
                   member(said.message.params(), "requestId") == id;
          });
      const bool was_acknowledged =
          std::any_of(review.server().begin(), review.server().end(), [&](const Said& said) {
            return said.session == listen.session &&
                   said.message.method() == "notifications/subscriptions/acknowledged";
          });
      if (was_acknowledged && !was_taken_back) return listen.event;
    }
    return nullptr;
  }

  void review_listening(Review& review, const EventPtr& exit) const {
    const EventPtr lost = lost_subscription(review, exit);
    if (lost == nullptr) {
      return review.not_exercised(kListenedAgain, "the client was not listening for anything");
    }
    EventPtr served;  // what it was told by the new process
    for (const Said& said : review.client()) {
      const bool is_request = said.message.kind() == wire::MessageKind::kRequest;
      if (said.session < first_later(review) || !is_request) continue;
      if (said.message.method() == kListenMethod) return review.held(kListenedAgain, said.event);
      const auto reply = review.reply_to(said);
      if (reply && said.message.method() == "tools/call") served = reply->event;
    }
    if (served == nullptr) {
      return review.not_exercised(kListenedAgain, "the client did not use a new server");
    }
    review.missed(kListenedAgain,
                  "the client was listening, went on with a new server, and does not listen again",
                  {lost, exit, served}, {"subscriptions/listen"});
  }

  harness::Clock::duration pace_{};  // the longest wait for its next message
  std::optional<harness::Clock::time_point> heard_;
  std::optional<harness::Clock::time_point> exited_;
  std::optional<harness::Clock::time_point> left_;
  std::size_t started_later_ = 0;  // processes, behind that
  bool listens_again_ = false;
};

const ClientScenarioRegistration kServerExits(
    {.name = "server-exits",
     .task = "listens for changes of the tools, calls test_exits, starts the server again when it "
             "has exited, listens again, and calls test_simple_text",
     .requirements = {"stdio.unexpected-exit-restart", "subscriptions.stdio-listen-again"},
     .make = make_play<ExitingPlay>,
     .transports = {harness::TransportKind::kStdio},
     .may_fail = true});

}  // namespace
}  // namespace assay::scenarios
