// Cases over stdio: written in large pieces, so that a batch of cases costs one write and one wait.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <utility>

#include "fuzz/live/target/courtesy.h"
#include "fuzz/live/target/era.h"
#include "fuzz/live/target/sandbox.h"
#include "fuzz/live/target/stderr_tail.h"
#include "fuzz/live/target/text.h"
#include "fuzz/live/values/request_states.h"
#include "fuzz/live/wire/inbox.h"
#include "fuzz/live/wire/process_use.h"
#include "fuzz/live/wire/wire.h"
#include "reference/transport/stdio_child.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

using transport::Observation;
using Clock = std::chrono::steady_clock;

// A process whose stdout is closed is given this long to end.
constexpr std::chrono::milliseconds kEndTime{1000};
// The answer whose state a step is made of has this part of the time that an answer has, once a
// ping behind its request was answered: what was made small may ask for none.
constexpr int kStateShare = 5;
// A process that is at work for less of the time idles.
constexpr double kIdleShare = 0.1;

class LineWire : public Wire {
 public:
  LineWire(const WireSetting& setting, bool is_fresh)
      : setting_(setting),
        is_fresh_(is_fresh),
        inbox_(setting.transcript, setting.access.budget),
        link_(setting.access.connect(inbox_)),
        judge_(setting.words, !is_fresh),
        courtesy_(setting.words) {}
  ~LineWire() override { close(); }

  std::optional<transport::Failure> open() override { return link_.transport->open(); }

  bool begin() override {
    const wire::Id id = wire::Id::of_string("assay-begin");
    add_line(opening_text(setting_.words, id), 0);
    flush();
    wait_for(id, setting_.waits.start);
    if (state_ != WireState::kAlive || !judge_.is_answered(id) || has_refused_) return false;
    if (setting_.words.revision.has_handshake()) {
      add_line(wire::encode(wire::make_notification("notifications/initialized")), 0);
      if (setting_.words.sandbox != nullptr) tell_roots();
    }
    has_begun_ = true;
    return true;
  }

  void set_manners(int manners) override { manners_ = manners; }

  void post(std::span<const Case> cases, std::size_t first_number) override {
    for (std::size_t i = 0; i < cases.size() && state_ == WireState::kAlive; ++i) {
      number_ = first_number + i;
      for (const Step& step : cases[i].steps) add_step(step);
      if (!line_.empty() && !is_input_over_) add_bytes("\n");
    }
    barrier_.reset();
    if (is_input_over_) return;
    barrier_ = add_ping();
    flush();
  }

  WireState await() override {
    if (is_input_over_) return await_end();
    if (!barrier_ || state_ != WireState::kAlive) return state_;
    wait_for(*barrier_, setting_.waits.ping);
    if (judge_.is_answered(*barrier_)) judge_.pass_barrier();
    const bool is_late = state_ == WireState::kAlive && !judge_.is_answered(*barrier_);
    // Before the handshake a server may have its reasons not to answer a ping; it then shows that
    // it lives by answering the handshake.
    if (!is_late) return state_;
    if (is_fresh_ && !has_begun_ && begin_late()) return state_;
    // If the next ping is answered, it does not hang: it lost one.
    if (!ping()) fall_silent();
    return state_;
  }

  void settle() override {
    const auto start = Clock::now();
    const auto deadline = start + setting_.waits.answer;
    const std::uint64_t ticks = all_ticks();
    while (state_ == WireState::kAlive && judge_.count_open() > 0 && Clock::now() < deadline) {
      hear(deadline);
      if (is_stopped()) cut();
    }
    if (state_ == WireState::kAlive) {
      judge_.give_up_on(Clock::now());
      // Who was answered wrongly may wait for a better answer.
      if (manners_ == 0 && has_idled(start, ticks)) judge_.give_up_on_calls(Clock::now(), false);
    }
    // What is on its way already, such as an answer that comes twice.
    hear(Clock::now());
  }

  bool ping() override {
    const wire::Id id = add_ping();
    flush();
    wait_for(id, setting_.waits.ping);
    return judge_.is_answered(id);
  }

  std::optional<std::size_t> held(Oracle what) override {
    if (link_.child == nullptr || state_ != WireState::kAlive) return std::nullopt;
    return what == Oracle::kMemory ? family().resident() : family().descriptors();
  }

  void close() override {
    if (is_closed_) return;
    is_closed_ = true;
    if (link_.child != nullptr) link_.child->signal(SIGKILL);
    link_.transport->close(Clock::now() + setting_.waits.ping);
  }

  LiveJudge& judge() override { return judge_; }
  // Cases are written in large pieces, and how long each takes is not seen.
  const Delays& delays() const override { return delays_; }

 private:
  const ProcessFamily& family() {
    if (!family_) family_.emplace(link_.child->pid());
    return *family_;
  }

  std::uint64_t all_ticks() { return link_.child == nullptr ? 0 : family().ticks(); }

  // Whether the process was hardly at work since `start`, when it had used `ticks`.
  bool has_idled(Clock::time_point start, std::uint64_t ticks) {
    if (link_.child == nullptr) return false;
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const double most = kIdleShare * seconds * static_cast<double>(::sysconf(_SC_CLK_TCK));
    return static_cast<double>(all_ticks() - ticks) <= most;
  }

  bool is_stopped() const { return setting_.stop.stop_requested(); }

  // What comes from now on is not read, and what did not come may be on its way.
  void cut() {
    if (state_ == WireState::kAlive) state_ = WireState::kCut;
    judge_.drop_open();
  }

  // The same where we do not read on: that the process then ends is our doing.
  void cut_off() {
    is_cut_off_ = true;
    cut();
  }

  // Queues bytes, and tells the judge of each line that they complete.
  void add_bytes(std::string_view bytes) {
    unsent_ += bytes;
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      line_ += bytes.substr(0, end);
      if (end == std::string_view::npos) return;
      judge_.sent(line_, number_);
      line_.clear();
      bytes.remove_prefix(end + 1);
    }
  }

  void add_line(std::string_view line, std::size_t number) {
    number_ = number == 0 ? number_ : number;
    add_bytes(line);
    add_bytes("\n");
  }

  wire::Id add_ping() {
    const wire::Id id = wire::Id::of_string(fmt::format("assay-ping-{}", ++pings_));
    add_line(fence_text(setting_.words, id), 0);
    return id;
  }

  // Fills in the states that answers brought, when they are there.
  std::string filled(const std::string& text) {
    const Sandbox* sandbox = setting_.words.sandbox;
    std::string bytes = sandbox == nullptr ? text : sandbox->told(text);
    const auto ids = state_places(bytes);
    if (ids.empty()) return bytes;
    flush();
    for (const std::uint64_t number : ids) {
      const wire::Id id = wire::Id::from_json_text(std::to_string(number));
      if (!judge_.case_of(id) || judge_.is_answered(id)) continue;
      if (line_.empty()) (void)ping();
      wait_for(id, setting_.waits.answer / kStateShare);
    }
    return states_.fill(std::move(bytes));
  }

  // No server has to end: who does not is only ended.
  WireState await_end() {
    const auto deadline = Clock::now() + std::min(setting_.waits.answer, kEndTime);
    while (state_ == WireState::kAlive && Clock::now() < deadline) {
      hear(deadline);
      if (is_stopped()) cut();
    }
    if (state_ == WireState::kAlive) cut();
    return state_;
  }

  void end_input(const std::string& bytes) {
    add_bytes(bytes);
    // Half a line may be read as a whole one when nothing more comes.
    if (!line_.empty()) judge_.sent_loosely(line_, number_);
    flush();
    if (link_.child == nullptr) return;
    is_input_over_ = true;
    said_before_end_ = stderr_without_secrets(link_.child, setting_.access.vault.get());
    link_.child->close_stdin();
  }

  void add_step(const Step& step) {
    if (state_ != WireState::kAlive || is_input_over_) return;
    const std::string bytes = filled(step.bytes);
    if (step.end == Step::End::kHalfClose) return end_input(bytes);
    if (!step.waits) {
      add_bytes(bytes);
      return;
    }
    const bool ends_in_line = !bytes.empty() && bytes.back() != '\n';
    if (!line_.empty() && ends_in_line) {  // no ping fits in
      add_bytes(bytes);
      flush();
      return;
    }
    std::optional<wire::Id> id;
    if (ends_in_line) id = add_ping();
    add_bytes(bytes);
    if (!ends_in_line) id = add_ping();
    flush();
    wait_for(*id, setting_.waits.ping);
    if (judge_.is_answered(*id)) judge_.pass_barrier();
    const bool is_late = state_ == WireState::kAlive && !judge_.is_answered(*id);
    if (is_late && !(is_fresh_ && !has_begun_)) fall_silent();
  }

  void flush() {
    if (!unsent_.empty()) link_.transport->send_raw(unsent_);
    unsent_.clear();
  }

  // Goes on until the target knows what our roots are, if it asks for them as soon as it may.
  void tell_roots() {
    const auto deadline = Clock::now() + setting_.waits.answer;
    const bool asks = setting_.words.asks_for_roots;
    if (!ping()) {
      if (asks || roots_told_ > 0) judge_.overlook_escapes();
      return;
    }
    if (!asks && roots_told_ == 0) return;
    while (state_ == WireState::kAlive && roots_told_ == 0 && Clock::now() < deadline) {
      hear(deadline);
      if (is_stopped()) cut();
    }
    if (roots_told_ == 0) judge_.overlook_escapes();
    const auto settled = Clock::now() + kRootsTime;
    bool is_answered = ping();
    while (state_ == WireState::kAlive && is_answered && Clock::now() < settled) {
      rest(kRootsPingEvery);
      is_answered = ping();
    }
    if (!is_answered) judge_.overlook_escapes();
  }

  // Takes what comes within the time.
  void rest(std::chrono::milliseconds time) {
    const auto deadline = Clock::now() + time;
    while (state_ == WireState::kAlive && Clock::now() < deadline) {
      hear(deadline);
      if (is_stopped()) cut();
    }
  }

  void wait_for(const wire::Id& id, std::chrono::milliseconds patience) {
    const auto deadline = Clock::now() + patience;
    while (state_ == WireState::kAlive && !judge_.is_answered(id) && Clock::now() < deadline) {
      hear(deadline);
      if (is_stopped() && !judge_.is_answered(id)) cut();
    }
  }

  // Takes what has come; waits for something until `deadline`.
  void hear(Clock::time_point deadline) {
    for (const Observation& observation : inbox_.take(deadline, setting_.stop)) {
      // However much has come: of what was said, nothing is judged any more.
      if (is_stopped() && observation.kind == Observation::Kind::kLine) {
        cut();
        continue;
      }
      switch (observation.kind) {
        case Observation::Kind::kLine:
          if (!observation.is_unterminated) hear_line(observation.bytes);
          break;
        case Observation::Kind::kExit:
          exit_ = observation.exit;
          end();
          break;
        case Observation::Kind::kClosed:
          if (observation.speaker == transport::Party::kServer) end();
          break;
        case Observation::Kind::kBroken:  // more than we read of one process
          if (observation.speaker == transport::Party::kServer) cut_off();
          break;
        case Observation::Kind::kCutOff:  // more than we can hold
          cut_off();
          break;
        case Observation::Kind::kStderr:
        case Observation::Kind::kHttpRequest:
        case Observation::Kind::kHttpResponse:
        case Observation::Kind::kHttpBody:
        case Observation::Kind::kSseEvent:
          break;
      }
    }
  }

  void hear_line(const std::string& line) {
    states_.note(line);
    const auto request = judge_.heard(line);
    if (!has_begun_ && line.find("assay-begin") != std::string::npos) {
      has_refused_ = line.find("\"result\"") == std::string::npos;
    }
    if (!request || !request->id()) return;
    // In the middle of a line of ours an answer would be part of it.
    if (line_.empty()) {
      add_line(courtesy_.answer(*request, manners_), 0);
      flush();
      if (request->method() == kRootsMethod) ++roots_told_;
    }
  }

  void end() {
    if (state_ == WireState::kGone || is_closed_ || is_cut_off_) return;
    state_ = WireState::kGone;
    if (link_.child != nullptr && !exit_) {
      exit_ = link_.child->wait_for_exit(Clock::now() + kEndTime);
    }
    const Ending ending = ending_of(exit_);
    const std::string tail = stderr_without_secrets(link_.child, setting_.access.vault.get());
    const std::string cause = cause_of_death(tail);
    // Its input is at its end: it may end as it likes, but for a fault. To end over an exception is
    // bad manners; to have logged one before is not, nor to log one that was dealt with.
    const bool goes_on = tail.starts_with(said_before_end_);
    const Thrown thrown = thrown_in(goes_on ? tail.substr(said_before_end_.size()) : tail);
    const bool is_thrown = exit_ && exit_->code != 0 && !thrown.exception.empty() &&
                           !thrown.place.empty();
    const bool is_fault = exit_ && (is_ended_by_fault(*exit_) || is_thrown);
    if (is_input_over_ && !is_fault) return;
    judge_.suspect(
        {Oracle::kCrash, cause.empty() ? ending.how : ending.how + ", " + cause,
         fmt::format("It crashed{}: {}{}", is_input_over_ ? " at the end of its input" : "",
                     ending.words, last_words(tail)),
         "", is_input_over_ && !exit_->signal, judge_.first_unanswered_case().value_or(number_), false,
         judge_.newest_answered_case()});
  }

  void fall_silent() {
    state_ = WireState::kSilent;
    judge_.suspect(
        {Oracle::kHang, "no answer to a ping",
         fmt::format("It did not answer a ping within {} ms", setting_.waits.ping.count()), "",
         false, judge_.first_unanswered_case().value_or(number_), false,
         judge_.newest_answered_case()});
  }

  bool begin_late() {
    has_refused_ = false;
    const wire::Id id = wire::Id::of_string("assay-begin");
    add_line(opening_text(setting_.words, id), 0);
    flush();
    wait_for(id, setting_.waits.ping);
    return judge_.is_answered(id);
  }

  const WireSetting setting_;
  const bool is_fresh_;
  Inbox inbox_;
  harness::Link link_;
  LiveJudge judge_;
  Courtesy courtesy_;
  RequestStates states_;
  const Delays delays_;
  WireState state_ = WireState::kAlive;
  std::string unsent_;  // queued
  std::string line_;    // the line that the next bytes continue
  int manners_ = 0;
  std::size_t roots_told_ = 0;  // how often
  std::size_t number_ = 0;
  std::size_t pings_ = 0;
  std::optional<wire::Id> barrier_;
  std::optional<transport::ProcessExit> exit_;
  std::optional<ProcessFamily> family_;
  bool has_begun_ = false;
  bool has_refused_ = false;  // `initialize` was answered with an error
  bool is_input_over_ = false;
  std::string said_before_end_;  // on standard error, when its input ended
  bool is_closed_ = false;
  bool is_cut_off_ = false;
};

}  // namespace

std::unique_ptr<Wire> make_line_wire(const WireSetting& setting, bool is_fresh) {
  return std::make_unique<LineWire>(setting, is_fresh);
}

}  // namespace assay::fuzz
