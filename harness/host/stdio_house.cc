// Stdio servers that the client starts itself: each is a relay (reference/transport/relay.h) whose
// streams are served here.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "harness/host/hosted.h"
#include "harness/host/house.h"
#include "harness/tap/recorder.h"
#include "reference/transport/relay.h"
#include "reference/transport/signals.h"
#include "reference/transport/stdio_self.h"

namespace assay::harness {
namespace {

// Servers that are there at once. Honest clients start one or two.
constexpr std::size_t kMostProcesses = 32;
// What a client has written before its end is read, however late.
constexpr std::chrono::milliseconds kLastWords{1000};
// A signal that a client has sent before its end is seen, however late.
constexpr std::chrono::milliseconds kLastSignal{300};

void tell(const transport::UniqueFd& event) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto ignored = ::write(event.get(), &one, sizeof one);
}

// Records what it is told, one call at a time.
class LineRecorder : public transport::Observer {
 public:
  // `on_word` is called for each line of the client's, until it is true.
  LineRecorder(std::shared_ptr<reports::Vault> vault, std::function<bool()> on_word, TakeEvent take)
      : on_word_(std::move(on_word)),
        recording_(std::move(vault), TransportKind::kStdio, std::move(take)) {}

  void observe(const transport::Observation& observation) override {
    const std::lock_guard lock(mutex_);
    const bool is_word = observation.kind == transport::Observation::Kind::kLine &&
                         observation.speaker == Party::kClient;
    if (is_word && on_word_ && on_word_()) on_word_ = nullptr;
    recording_.add(observation, Clock::now());
    is_full_ = recording_.has_ended() || !recording_.shortfall().empty();
  }
  bool is_full() const override { return is_full_; }
  // Nothing but this is told any more.
  void end(const transport::ProcessExit& exit) {
    transport::Observation end;
    end.kind = transport::Observation::Kind::kExit;
    end.lane = {transport::Lane::Kind::kProcess, 0};
    end.exit = exit;
    observe(end);
  }
  // After end().
  RecordedSession finish(std::string& shortfall) {
    if (!recording_.shortfall().empty()) shortfall = recording_.shortfall();
    return recording_.finish();
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::function<bool()> on_word_;
  Recording recording_;
  std::atomic<bool> is_full_ = false;
};

// One server that the client started: served on a thread of its own, until its input ends, a signal
// ends it, or it is gone.
class PlayedProcess {
 public:
  PlayedProcess(Hosted& hosted, transport::RelayedProcess process,
                std::shared_ptr<reports::Vault> vault, TakeEvent take)
      : hosted_(hosted),
        process_(std::move(process)),
        recorder_(
            std::move(vault), [this] { return writes_log(); }, std::move(take)),
        stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        served_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        dismissed_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        killed_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        serving_([this] { serve(); }),
        watching_([this] { watch(); }) {}
  ~PlayedProcess() { join(); }

  // It ends, whatever it waits for.
  void stop() {
    tell(stop_);
    tell(dismissed_);
  }
  // The same where the client did not end it.
  void dismiss() {
    was_dismissed_ = !is_over_;
    stop();
  }
  // False if it still is, at that time.
  bool has_ended_by(Clock::time_point deadline) const {
    while (!is_over_) {
      const auto left = deadline - Clock::now();
      if (left <= Clock::duration::zero()) return false;
      pollfd watched{served_.get(), POLLIN, 0};
      ::poll(&watched, 1,
             static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(left).count() +
                              1));
    }
    return true;
  }
  // It has ended, and nothing of it is left to be done.
  bool is_gone() const { return is_gone_; }
  // Whoever killed it before the client's end is seen to have done so.
  void look_whether_killed() const {
    pollfd watched{killed_.get(), POLLIN, 0};
    ::poll(&watched, 1, static_cast<int>(kLastSignal.count()));
  }
  RecordedSession finish(std::string& shortfall) {
    join();
    RecordedSession session = recorder_.finish(shortfall);
    // What the client would have done yet, nobody knows.
    if (was_dismissed_) session.is_whole = false;
    return session;
  }

 private:
  void serve() {
    transport::take_no_signals();
    transport::StdioSelfOptions options;
    options.input = process_.input();
    options.output = process_.output();
    options.observer = &recorder_;
    options.stop = stop_.get();
    const auto end = transport::serve_stdio(hosted_, options);
    if (hosted_.defies() && end == transport::StdioEnd::kInputEnded) hosted_.note_input_end();
    has_crashed_ = end == transport::StdioEnd::kHungUp;
    is_over_ = true;
    tell(served_);
  }
  // True if a signal comes, or the process is gone, before `other` is readable.
  bool is_signalled_before(const transport::UniqueFd& other) const {
    std::array<pollfd, 2> watched{{{process_.control(), POLLIN, 0}, {other.get(), POLLIN, 0}}};
    while (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) {
    }
    return watched[1].revents == 0;
  }
  // Of a server that defies: no other signal ends it.
  bool is_killed() {
    while (is_signalled_before(dismissed_)) {
      const int signal = process_.next_signal();
      was_killed_ = signal == 0;
      take_end_of_input();
      hosted_.note_signal(signal);
      if (!was_killed_) continue;
      tell(killed_);
      return true;
    }
    return false;
  }
  // What ended before the signal came is seen to have ended.
  void take_end_of_input() const {
    pollfd input{process_.input(), POLLIN | POLLRDHUP, 0};
    const bool has_ended =
        ::poll(&input, 1, 0) == 1 && (input.revents & (POLLHUP | POLLRDHUP)) != 0;
    if (has_ended) has_ended_by(Clock::now() + kLastWords);
  }
  // Once, and little enough for any pipe to take it at once. False while there is none.
  bool writes_log() const {
    const std::string_view log = hosted_.log();
    if (log.empty()) return false;
    [[maybe_unused]] const auto ignored = ::write(process_.errors(), log.data(), log.size());
    return true;
  }
  // Whoever sends the server a signal ends it by that.
  void watch() {
    transport::take_no_signals();
    const bool is_ended = hosted_.defies() ? is_killed() : is_signalled_before(served_);
    if (is_ended) {
      const int signal = was_killed_ ? 0 : process_.next_signal();
      exit_.signal = signal == 0 ? SIGKILL : signal;
      take_end_of_input();
      stop();
    }
    serving_.join();
    if (has_crashed_ && !exit_.signal) exit_.code = 1;
    process_.end(exit_);
    recorder_.end(exit_);
    is_gone_ = true;
  }
  void join() {
    if (watching_.joinable()) watching_.join();
  }

  Hosted& hosted_;
  transport::RelayedProcess process_;
  LineRecorder recorder_;
  const transport::UniqueFd stop_;
  const transport::UniqueFd served_;
  const transport::UniqueFd dismissed_;
  const transport::UniqueFd killed_;
  std::atomic<bool> is_over_ = false;
  std::atomic<bool> is_gone_ = false;
  std::atomic<bool> has_crashed_ = false;
  bool was_dismissed_ = false;
  bool was_killed_ = false;      // watch()'s
  transport::ProcessExit exit_;  // watch()'s, until it is joined
  std::thread serving_;
  std::thread watching_;
};

class StdioHouse : public House {
 public:
  StdioHouse(Hosted& hosted, HouseOptions options)
      : hosted_(hosted),
        options_(std::move(options)),
        stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~StdioHouse() override { end(); }

  std::optional<std::string> start() override {
    if (!folder_.make()) return "no folder for the server's socket can be made";
    const std::string path = socket_path();
    listener_ = listen_at(path);
    if (!listener_.is_open()) return fmt::format("cannot listen at {}", path);
    folder_.write_config(
        {{"type", "stdio"}, {"command", options_.relay_program}, {"args", {"relay", path}}});
    accepting_ = std::thread([this] { accept_all(); });
    return std::nullopt;
  }

  std::vector<std::string> told(std::vector<std::string> words) const override {
    return told_of_relay(std::move(words), relay(), folder_.config_path());
  }

  void take_client_end() override {
    if (!hosted_.defies()) return;
    stop_accepting();
    for (const auto& process : processes_) process->look_whether_killed();
  }
  void hang_up() override {
    stop_accepting();
    for (const auto& process : processes_) process->stop();
  }

  Recorded close() override {
    end();
    Recorded out;
    out.was_reached = count_ > 0;
    out.shortfall = shortfall_;
    for (const auto& process : processes_) {
      out.sessions.push_back(process->finish(out.shortfall));
    }
    return out;
  }

 private:
  std::string socket_path() const { return folder_.path_of("server"); }
  std::vector<std::string> relay() const {
    return {options_.relay_program, "relay", socket_path()};
  }

  void accept_all() {
    transport::take_no_signals();
    while (true) {
      std::array<pollfd, 2> watched{{{listener_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
      if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
      if (watched[1].revents != 0) return;
      transport::UniqueFd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (options_.on_session) hand_over_ended();
      if (!connection.is_open() || processes_.size() >= kMostProcesses) continue;
      // Who connects and says nothing keeps nobody waiting for long.
      const timeval patience{1, 0};
      ::setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
      auto process = transport::RelayedProcess::accept(std::move(connection));
      if (!process) continue;
      processes_.push_back(std::make_unique<PlayedProcess>(
          hosted_, *std::move(process), options_.vault,
          [this, number = ++count_](const EventPtr& event) { tell_of(number, event); }));
    }
  }
  void tell_of(int process, const EventPtr& event) {
    if (!options_.on_event) return;
    const std::lock_guard lock(telling_);
    options_.on_event(process, event);
  }
  void hand_over_ended() {
    std::erase_if(processes_, [this](const std::unique_ptr<PlayedProcess>& process) {
      if (!process->is_gone()) return false;
      options_.on_session(process->finish(shortfall_));
      return true;
    });
  }
  void stop_accepting() {
    tell(stop_);
    if (accepting_.joinable()) accepting_.join();
  }
  void end() {
    stop_accepting();
    const Clock::time_point deadline = Clock::now() + kLastWords;
    for (const auto& process : processes_) {
      process->has_ended_by(deadline);
      process->dismiss();
    }
  }

  Hosted& hosted_;
  const HouseOptions options_;
  const transport::UniqueFd stop_;
  std::mutex telling_;  // one call of on_event at a time
  ServerFolder folder_;
  transport::UniqueFd listener_;
  std::thread accepting_;
  // accepting_'s own, until it is joined.
  std::vector<std::unique_ptr<PlayedProcess>> processes_;
  int count_ = 0;  // that came
  std::string shortfall_;
};

}  // namespace

std::unique_ptr<House> make_stdio_house(Hosted& hosted, HouseOptions options) {
  return std::make_unique<StdioHouse>(hosted, std::move(options));
}

}  // namespace assay::harness
