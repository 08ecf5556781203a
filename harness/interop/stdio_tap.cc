// Between a client and a server over stdio: the client starts a relay of ours, and the server that
// it stands for is started here, so that its environment, its end and its secrets are ours to keep.
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <thread>
#include <utility>
#include <variant>

#include "harness/host/house.h"
#include "harness/interop/pair_tap.h"
#include "harness/tap/recorder.h"
#include "reference/transport/offspring.h"
#include "reference/transport/pump.h"
#include "reference/transport/relay.h"
#include "reference/transport/signals.h"
#include "reference/transport/spawn.h"
#include "reference/transport/unique_fd.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

// Servers that one start of a client starts. Honest clients start one or two.
constexpr std::size_t kMostServers = 32;
// How long a server may take to end once its client is gone, and what it leaves behind.
constexpr std::chrono::milliseconds kFarewell{1000};
// What a server leaves behind may hold its output open: how long that is waited for.
constexpr int kLastOutputMs = 500;
// How often is asked for the exit, where the kernel gave us no descriptor that tells it.
constexpr int kAskForExitMs = 20;
// A pipe that is ready takes as much at once, so that nobody waits in a write.
constexpr std::size_t kErrorChunk = 4096;
constexpr std::size_t kLongestServerWords = 400;
constexpr int kNoSuchServer = 127;

transport::UniqueFd new_event() {
  return transport::UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

void set_event(const transport::UniqueFd& event) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto ignored = ::write(event.get(), &one, sizeof one);
}

// Hands on what the server writes to its standard error, and keeps the end of it.
class ErrorPassage {
 public:
  ErrorPassage(int from, int to) : from_(from), to_(to) {}

  pollfd watched() const {
    if (is_over_) return {-1, 0, 0};
    return waiting_.empty() ? pollfd{from_, POLLIN, 0} : pollfd{to_, POLLOUT, 0};
  }
  void serve(short events) {
    if (events == 0) return;
    if (waiting_.empty()) return take();
    const ssize_t count = ::write(to_, waiting_.data(), waiting_.size());
    // Who does not want to hear it is not asked again.
    waiting_.erase(0, count > 0 ? static_cast<std::size_t>(count) : waiting_.size());
  }
  // What is there by now.
  void take_rest() {
    for (int i = 0; i < 16 && !is_over_; ++i) {
      take();
      if (waiting_.empty()) return;
      pollfd reader{to_, POLLOUT, 0};
      if (::poll(&reader, 1, 0) == 1) serve(reader.revents);
      waiting_.clear();
    }
  }
  std::string last_words() const {
    std::string words = tail_;
    while (words.ends_with('\n') || words.ends_with('\r')) words.pop_back();
    const std::size_t begin =
        words.size() > kLongestServerWords ? words.size() - kLongestServerWords : 0;
    return reports::printable_line(std::string_view(words).substr(begin));
  }

 private:
  void take() {
    std::array<char, kErrorChunk> chunk;
    const ssize_t count = ::read(from_, chunk.data(), chunk.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
      is_over_ = true;
      return;
    }
    waiting_.assign(chunk.data(), static_cast<std::size_t>(count));
    tail_ += waiting_;
    if (tail_.size() > 2 * kErrorChunk) tail_.erase(0, tail_.size() - kErrorChunk);
  }

  const int from_;
  const int to_;
  std::string waiting_;
  std::string tail_;
  bool is_over_ = false;
};

// One server that the client started: everything of it is on a thread of its own, until it and all
// that it started are gone.
class TappedServer {
 public:
  TappedServer(transport::RelayedProcess process, const Launch& server, const std::string& called,
               std::shared_ptr<reports::Vault> vault)
      : process_(std::move(process)),
        server_(server),
        called_(called),
        recorder_(std::move(vault), [](const EventPtr&) {}),
        stop_(new_event()),
        stop_input_(new_event()),
        stop_output_(new_event()),
        output_done_(new_event()),
        gone_(new_event()),
        thread_([this] { run(); }) {}
  ~TappedServer() {
    stop();
    if (thread_.joinable()) thread_.join();
  }

  // Its answer is not awaited any more.
  void stop() { set_event(stop_); }
  // Waits until it is gone, no longer than that.
  void wait(Clock::time_point deadline) const {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd watched{gone_.get(), POLLIN, 0};
    ::poll(&watched, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
  }
  void finish(Tapped& out) {
    stop();
    thread_.join();
    out.sessions.push_back(recorder_.finish(exit_));
    if (out.shortfall.empty()) out.shortfall = recorder_.shortfall();
    const bool is_bad = !exit_.was_killed_by_us && (exit_.signal || exit_.code != 0);
    if (!is_bad) return;
    out.server_end =
        exit_.signal
            ? fmt::format("the {} was ended by {}", called_, transport::signal_words(*exit_.signal))
            : fmt::format("the {} exited with status {}", called_, exit_.code);
    if (!words_.empty()) out.server_end += "; its last words: " + words_;
  }

 private:
  void run() {
    transport::take_no_signals();
    auto spawned = transport::spawn({server_.words, server_.directory, server_.environment});
    if (const auto* failure = std::get_if<transport::Failure>(&spawned)) {
      words_ = reports::printable_line(failure->detail);
      exit_.code = kNoSuchServer;
    } else {
      child_ = std::move(std::get<transport::Spawned>(spawned));
      pass();
    }
    process_.end(exit_);
    set_event(gone_);
  }

  void pass() {
    transport::Pump input(process_.input(), child_.stdin_pipe.get(), Party::kClient,
                          stop_input_.get(), recorder_);
    transport::Pump output(child_.stdout_pipe.get(), process_.output(), Party::kServer,
                           stop_output_.get(), recorder_);
    std::thread in([&] {
      transport::take_no_signals();
      input.run();
      child_.stdin_pipe.reset();
    });
    std::thread out([&] {
      transport::take_no_signals();
      output.run();
      child_.stdout_pipe.reset();
      set_event(output_done_);
    });
    ErrorPassage errors(child_.stderr_pipe.get(), process_.errors());
    attend(errors);
    set_event(stop_input_);
    in.join();
    await_output(output);
    out.join();
    errors.take_rest();
    words_ = errors.last_words();
    transport::end_offspring(child_.pid, {}, "", Clock::now() + kFarewell);
    while (::waitpid(child_.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  // Until the server has exited.
  void attend(ErrorPassage& errors) {
    bool is_stopping = false;
    bool is_relay_gone = false;
    Clock::time_point patience_ends{};
    while (!has_exited()) {
      std::array<pollfd, 4> watched{{{child_.exited.get(), POLLIN, 0},
                                     {is_relay_gone ? -1 : process_.control(), POLLIN, 0},
                                     {is_stopping ? -1 : stop_.get(), POLLIN, 0},
                                     errors.watched()}};
      const bool asks = !child_.exited.is_open() || is_stopping;
      ::poll(watched.data(), watched.size(), asks ? kAskForExitMs : -1);
      errors.serve(watched[3].revents);
      if (watched[1].revents != 0) is_relay_gone = !pass_signal();
      if (watched[2].revents != 0) {
        is_stopping = true;
        // Its client is gone: it sees the end of its input, as it would without us.
        set_event(stop_input_);
        patience_ends = Clock::now() + kFarewell;
      }
      if (is_stopping && Clock::now() >= patience_ends) kill_group(SIGKILL);
    }
  }

  // Whoever kills the relay has killed the server. False if that is what happened.
  bool pass_signal() {
    const int signal = process_.next_signal();
    if (signal == 0) {
      kill_group(SIGKILL);
      return false;
    }
    was_signalled_ = true;
    ::kill(child_.pid, signal);
    return true;
  }
  void kill_group(int signal) {
    was_signalled_ = true;
    ::kill(-child_.pid, signal);
  }

  // The server stays a zombie until all is done, so that its number is nobody else's.
  bool has_exited() {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child_.pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      return errno == ECHILD;
    }
    if (info.si_pid == 0) return false;
    if (info.si_code == CLD_EXITED) {
      exit_.code = info.si_status;
    } else {
      exit_.signal = info.si_status;
    }
    exit_.was_killed_by_us = was_signalled_;
    return true;
  }

  // What it wrote before it ended is still in the pipe. Its client reads on, or is gone soon.
  void await_output(transport::Pump& output) {
    pollfd done{output_done_.get(), POLLIN, 0};
    if (::poll(&done, 1, kLastOutputMs) == 1) return;
    ::kill(-child_.pid, SIGKILL);
    set_event(stop_output_);
    std::array<pollfd, 2> watched{{{output_done_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), -1);
    output.give_up();
  }

  transport::RelayedProcess process_;
  const Launch& server_;
  const std::string& called_;
  Recorder recorder_;
  const transport::UniqueFd stop_;
  const transport::UniqueFd stop_input_;
  const transport::UniqueFd stop_output_;
  const transport::UniqueFd output_done_;
  const transport::UniqueFd gone_;
  transport::Spawned child_;
  transport::ProcessExit exit_;  // the thread's, until it is joined, as the two below
  std::string words_;
  bool was_signalled_ = false;
  std::thread thread_;  // the last: it uses all of the above
};

class StdioTap : public PairTap {
 public:
  StdioTap(Launch server, std::string relay_program, std::shared_ptr<reports::Vault> vault,
           std::string called)
      : server_(std::move(server)),
        called_(std::move(called)),
        relay_program_(std::move(relay_program)),
        vault_(std::move(vault)),
        stop_(new_event()) {}
  ~StdioTap() override { stop_accepting(); }

  std::optional<std::string> start() override {
    if (!folder_.make()) return "no folder for the server's socket can be made";
    listener_ = listen_at(socket_path());
    if (!listener_.is_open()) return fmt::format("cannot listen at {}", socket_path());
    folder_.write_config(
        {{"type", "stdio"}, {"command", relay_program_}, {"args", {"relay", socket_path()}}});
    accepting_ = std::thread([this] { accept_all(); });
    return std::nullopt;
  }

  std::vector<std::string> told(std::vector<std::string> words) const override {
    return told_of_relay(std::move(words), {relay_program_, "relay", socket_path()},
                         folder_.config_path());
  }

  void take_client_end() override {
    stop_accepting();
    const Clock::time_point deadline = Clock::now() + kFarewell;
    for (const auto& server : servers_) server->wait(deadline);
  }

  Tapped finish() override {
    stop_accepting();
    for (const auto& server : servers_) server->stop();
    Tapped out;
    for (const auto& server : servers_) server->finish(out);
    return out;
  }

 private:
  std::string socket_path() const { return folder_.path_of("server"); }

  void accept_all() {
    transport::take_no_signals();
    while (true) {
      std::array<pollfd, 2> watched{{{listener_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
      if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
      if (watched[1].revents != 0) return;
      transport::UniqueFd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!connection.is_open() || servers_.size() >= kMostServers) continue;
      // Who connects and says nothing keeps nobody waiting for long.
      const timeval patience{1, 0};
      ::setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
      auto process = transport::RelayedProcess::accept(std::move(connection));
      if (!process) continue;
      servers_.push_back(
          std::make_unique<TappedServer>(*std::move(process), server_, called_, vault_));
    }
  }
  void stop_accepting() {
    set_event(stop_);
    if (accepting_.joinable()) accepting_.join();
  }

  const Launch server_;
  const std::string called_;
  const std::string relay_program_;
  const std::shared_ptr<reports::Vault> vault_;
  const transport::UniqueFd stop_;
  ServerFolder folder_;
  transport::UniqueFd listener_;
  std::thread accepting_;
  // accepting_'s own, until it is joined.
  std::vector<std::unique_ptr<TappedServer>> servers_;
};

}  // namespace

std::unique_ptr<PairTap> tap_stdio(Launch server, std::string relay_program,
                                   std::shared_ptr<reports::Vault> vault, std::string called) {
  return std::make_unique<StdioTap>(std::move(server), std::move(relay_program), std::move(vault),
                                    std::move(called));
}

}  // namespace assay::harness
