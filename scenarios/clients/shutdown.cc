// A server's process, beside its messages: what it logs, and how it is ended.
//
// Specification: basic/lifecycle, "Shutdown", stdio; basic/transports, "stdio"; 2024-11-05 to
// 2025-11-25; basic/transports/stdio, "Shutdown", of 2026-07-28.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "reference/transport/signals.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

using Observed = transport::Observation::Kind;

// Who leaves sooner has not waited.
constexpr std::chrono::milliseconds kShortestWait{500};
// In less time no server can be seen to go on: two steps of a shutdown are one.
constexpr std::chrono::milliseconds kOneBreath{25};

// Neither the end of its input ends this server nor any signal but SIGKILL.
class DefiantPlay : public Play {
 public:
  bool defies() const override { return true; }
  void on_input_end() override {
    if (!has_left_) closed_ = harness::Clock::now();
  }
  void on_signal(int signal) override {
    if (has_left_) return;
    is_premature_ = is_premature_ || !closed_;
    signals_.push_back({signal == 0 ? SIGKILL : signal, harness::Clock::now()});
  }
  void on_client_end() override {
    has_left_ = true;
    const Time left = harness::Clock::now();
    has_waited_ = closed_ && left - *closed_ > kShortestWait;
    has_outlived_ = !signals_.empty() && left - signals_.front().at > kShortestWait;
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }
  void review(Review& review) override {
    // Of two servers nobody could say which one a signal was for; and whoever dies sends none.
    if (review.sessions().size() != 1 || !review.crash().empty()) return;
    EventPtr closed;
    EventPtr exit;
    for (const EventPtr& event : review.sessions().front().events) {
      const Observed kind = event->observation.kind;
      if (kind == Observed::kClosed && event->is_from_client()) closed = event;
      if (kind == Observed::kExit) exit = event;
    }
    if (exit == nullptr) return;
    if (review.revision().has_sessions()) {
      review_shutdown(review, closed, exit);
    } else {
      review_forced_end(review, closed, exit);
    }
  }

 private:
  using Time = harness::Clock::time_point;
  struct Signal {
    int number;
    Time at;
  };

  // When it came first; nothing if it never did.
  std::optional<Time> sent(int signal) const {
    const auto found = std::find_if(signals_.begin(), signals_.end(),
                                    [&](const Signal& each) { return each.number == signal; });
    return found == signals_.end() ? std::nullopt : std::optional<Time>(found->at);
  }
  bool was_sent(int signal) const { return sent(signal).has_value(); }
  // A client that is killed takes its server along; who lives on has ended it by itself.
  bool was_ended_by_client() const { return was_sent(SIGTERM) || has_outlived_; }

  void review_shutdown(Review& review, const EventPtr& closed, const EventPtr& exit) const {
    const RequirementId closes("lifecycle.shutdown-closes-stdin");
    if (is_premature_) {
      if (was_ended_by_client()) review_premature(review, closes, closed, exit);
      return;
    }
    if (closed == nullptr) return;
    review.held(closes, closed);
    const RequirementId terminates("lifecycle.shutdown-sigterm");
    const RequirementId kills("lifecycle.shutdown-sigkill");
    check_step(review, terminates, "its standard input had ended", closed_, sent(SIGTERM),
               "the server went on when its standard input ended, and was sent no SIGTERM", closed,
               exit);
    check(review, "lifecycle.handles-shutdown-timeout", !signals_.empty(),
          "the server went on when its standard input ended, and the client left it running",
          closed, exit);
    check_step(review, kills, "it was sent SIGTERM", sent(SIGTERM), sent(SIGKILL),
               "the server went on when its standard input ended, and was not killed", closed,
               exit);
  }

  void review_forced_end(Review& review, const EventPtr& closed, const EventPtr& exit) const {
    const RequirementId closes("stdio.shutdown-closes-stdin");
    if (is_premature_) {
      if (was_ended_by_client()) review_premature(review, closes, closed, exit);
      return;
    }
    if (closed == nullptr) return;
    review.held(closes, closed);
    const RequirementId waits("stdio.shutdown-waits");
    if (signals_.empty()) {
      check(review, waits, has_waited_,
            "the client left at once when it had closed the server's input, and the server still "
            "ran",
            closed, exit);
    } else {
      check_pace(review, waits, "its standard input had ended", *closed_, signals_.front().at,
                 closed, exit);
    }
    check(review, "stdio.shutdown-forced", was_sent(SIGKILL),
          "the server went on when its standard input ended, and was not ended by force", closed,
          exit);
  }

  // A signal may overtake the end of the input, which was closed before it.
  void review_premature(Review& review, RequirementId rule, const EventPtr& closed,
                        const EventPtr& exit) const {
    const bool may_have_crossed =
        closed != nullptr && closed_ && *closed_ - signals_.front().at < kShortestWait;
    if (may_have_crossed) {
      review.unclear(rule, "the signal may have overtaken the end of the standard input",
                     {closed, exit});
    } else {
      review.missed(rule,
                    fmt::format("the server was sent {}, and its standard input was still open",
                                transport::signal_words(signals_.front().number)),
                    {exit}, {"the end of the standard input"});
    }
  }

  static void check(Review& review, RequirementId rule, bool did_hold, const char* detail,
                    const EventPtr& closed, const EventPtr& exit) {
    if (did_hold) {
      review.held(rule, exit);
    } else {
      review.missed(rule, detail, {closed, exit}, {"the next step of the shutdown"});
    }
  }

  // A step that came, and left the server time to exit after the one before, if that came too.
  static void check_step(Review& review, RequirementId rule, const char* what,
                         std::optional<Time> before, std::optional<Time> step, const char* detail,
                         const EventPtr& closed, const EventPtr& exit) {
    if (before && step) {
      check_pace(review, rule, what, *before, *step, closed, exit);
    } else {
      check(review, rule, step.has_value(), detail, closed, exit);
    }
  }
  static void check_pace(Review& review, RequirementId rule, const char* what, Time before,
                         Time step, const EventPtr& closed, const EventPtr& exit) {
    if (step - before >= kOneBreath) return review.held(rule, exit);
    review.crossed(
        rule,
        fmt::format("the next signal came {} ms after {}: the server had no time to exit",
                    std::chrono::duration_cast<std::chrono::milliseconds>(step - before).count(),
                    what),
        {closed, exit});
  }

  std::vector<Signal> signals_;  // that came before the client's end
  std::optional<Time> closed_;
  bool is_premature_ = false;  // a signal came while the input was open
  bool has_left_ = false;
  bool has_waited_ = false;    // for the server, once its input was closed
  bool has_outlived_ = false;  // the server, which was sent a signal
};

const ClientScenarioRegistration kDefiant(
    {.name = "server-lingers",
     .task = "lists the tools, leaves, and ends a server that neither exits nor heeds SIGTERM",
     .requirements = {"lifecycle.shutdown-closes-stdin", "lifecycle.shutdown-sigterm",
                      "lifecycle.shutdown-sigkill", "lifecycle.handles-shutdown-timeout",
                      "stdio.shutdown-closes-stdin", "stdio.shutdown-waits",
                      "stdio.shutdown-forced"},
     .make = make_play<DefiantPlay>,
     .transports = {harness::TransportKind::kStdio}});

class LoggingPlay : public Play {
 public:
  std::string_view log() const override {
    return "ERROR: the configuration has no colour\nTraceback (most recent call last):\n"
           "\x1b[31mfatal\x1b[0m: not really \xff\xfe\n";
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }
  void review(Review& review) override {
    const catalogue::RequirementId rule("stdio.stderr-is-no-error");
    for (const harness::Said& asked : review.requests("initialize")) {
      const auto reply = review.reply_to(asked);
      if (!reply || reply->message.kind() != wire::MessageKind::kResult) continue;
      const auto& said = review.client();
      const auto next = std::find_if(said.begin(), said.end(), [&](const harness::Said& each) {
        return each.session == reply->session && each.event->n > reply->event->n;
      });
      if (next != said.end()) {
        review.held(rule, next->event);
      } else {
        review.fell_silent(rule, "the server wrote to its standard error, and nothing more came",
                           {reply->event});
      }
      return;
    }
    review.not_exercised(rule, "the client did not initialize");
  }
};

const ClientScenarioRegistration kLogging(
    {.name = "server-logs",
     .task = "lists the tools of a server that writes to its standard error",
     .requirements = {"stdio.stderr-is-no-error"},
     .make = make_play<LoggingPlay>,
     .concerns = &model::Revision::has_sessions,
     .transports = {harness::TransportKind::kStdio}});

}  // namespace
}  // namespace assay::scenarios
