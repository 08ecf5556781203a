#include "reference/transport/passage.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "reference/transport/guardian.h"
#include "reference/transport/pump.h"
#include "reference/transport/signals.h"
#include "reference/transport/spawn.h"
#include "reference/transport/unique_fd.h"

namespace assay::transport {
namespace {

constexpr int kWithoutEnd = -1;
constexpr pid_t kNoGroup = 0;
// What the server leaves behind may hold its output open: how long that is waited for.
constexpr int kLastWordsMs = 500;
// How often is asked for the exit, where the kernel gave us no descriptor that tells it.
constexpr int kAskEveryMs = 20;

// Signals that somebody sends to a server, and that are not for the program itself.
constexpr std::array kPassedOn = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                                  SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};

// With which somebody asks it to end.
bool asks_to_end(int signal) {
  return signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM;
}

sigset_t passed_on() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kPassedOn) sigaddset(&set, signal);
  return set;
}

// Does nothing but interrupt a call that waits.
void interrupt_call(int /*signal*/) {}
constexpr int kInterruption = SIGURG;

// A standard stream of ours ends for whoever is at its other end; its number stays taken.
void end_standard_stream(int fd) {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) {
    ::close(fd);
    return;
  }
  ::dup2(nowhere, fd);
  ::close(nowhere);
}

}  // namespace

class Passage::Impl {
 public:
  explicit Impl(PassageWatcher& watcher) : watcher_(watcher) {}

  std::optional<Failure> open(std::vector<std::string> command) {
    const sigset_t set = passed_on();
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    SpawnOptions options;
    options.command = std::move(command);
    options.shares_stderr = true;
    auto spawned = spawn(options);
    if (auto* failure = std::get_if<Failure>(&spawned)) return std::move(*failure);
    child_ = std::move(std::get<Spawned>(spawned));
    guardian_.guard(child_.pid);
    // What the server says there is its own; of ours nothing goes there any more.
    end_standard_stream(STDERR_FILENO);
    std::signal(SIGPIPE, SIG_IGN);
    struct sigaction interruption {};
    interruption.sa_handler = interrupt_call;
    ::sigaction(kInterruption, &interruption, nullptr);
    signals_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    stop_input_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    stop_output_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    output_done_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    input_pump_ = std::make_unique<Pump>(STDIN_FILENO, child_.stdin_pipe.get(), Party::kClient,
                                         stop_input_.get(), watcher_);
    output_pump_ = std::make_unique<Pump>(child_.stdout_pipe.get(), STDOUT_FILENO, Party::kServer,
                                          stop_output_.get(), watcher_);
    input_ = std::thread([this] { pass_input(); });
    output_ = std::thread([this] { pass_output(); });
    return std::nullopt;
  }

  ~Impl() {
    if (input_.joinable()) wait();
  }

  ProcessExit wait() {
    while (!has_exited()) {
      std::array<pollfd, 2> watched{
          {{child_.exited.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}}};
      ::poll(watched.data(), watched.size(), child_.exited.is_open() ? kWithoutEnd : kAskEveryMs);
      pass_signals();
    }
    tell(stop_input_);
    input_.join();
    await_last_words();
    output_.join();
    // What it leaves behind in its group ends with it; until it is reaped the group is its own.
    ::kill(-child_.pid, SIGKILL);
    while (::waitpid(child_.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    guardian_.guard(kNoGroup);
    return exit_;
  }

 private:
  static void tell(const UniqueFd& event) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto ignored = ::write(event.get(), &one, sizeof one);
  }

  void pass_input() {
    take_no_signals();
    input_pump_->run();
    child_.stdin_pipe.reset();
    end_standard_stream(STDIN_FILENO);
  }

  void pass_output() {
    take_no_signals();
    sigset_t interruption;
    sigemptyset(&interruption);
    sigaddset(&interruption, kInterruption);
    ::pthread_sigmask(SIG_UNBLOCK, &interruption, nullptr);
    output_pump_->run();
    child_.stdout_pipe.reset();
    end_standard_stream(STDOUT_FILENO);
    tell(output_done_);
  }

  // The server stays a zombie until all is done, so that its number is nobody else's.
  bool has_exited() {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child_.pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      return errno == ECHILD;  // somebody else has heard how
    }
    if (info.si_pid == 0) return false;
    if (info.si_code == CLD_EXITED) {
      exit_.code = info.si_status;
    } else {
      exit_.signal = info.si_status;
    }
    exit_.was_killed_by_us = was_asked_to_end_ || (exit_.signal && passed_.contains(*exit_.signal));
    return true;
  }

  void pass_signals() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
      const int signal = static_cast<int>(info.ssi_signo);
      was_asked_to_end_ = was_asked_to_end_ || asks_to_end(signal);
      passed_.insert(signal);
      ::kill(child_.pid, signal);
    }
  }

  // What it wrote before it died is still in the pipe. That may wait for a client that does not
  // read, as the server itself would have; signals mean us by now. A server that was asked to end
  // would not have waited either: it is waited for as long as its client reads on.
  void await_last_words() {
    int patience = kLastWordsMs;
    std::optional<std::size_t> passed;  // at the last look
    while (true) {
      std::array<pollfd, 2> watched{{{output_done_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}}};
      const int ready = ::poll(watched.data(), watched.size(), patience);
      if (watched[0].revents != 0) return;
      if (watched[1].revents != 0) break;
      if (ready != 0) continue;
      const std::size_t now = output_pump_->passed();
      if (was_asked_to_end_ && passed == now) break;
      passed = now;
      // Whoever is left of its group may hold its output open, and write to it.
      ::kill(-child_.pid, SIGKILL);
      tell(stop_output_);
      patience = was_asked_to_end_ ? kLastWordsMs : kWithoutEnd;
    }
    give_up_output();
  }

  void give_up_output() {
    output_pump_->give_up();
    tell(stop_output_);
    pollfd done{output_done_.get(), POLLIN, 0};
    do {
      ::pthread_kill(output_.native_handle(), kInterruption);
    } while (::poll(&done, 1, kAskEveryMs) <= 0);
  }

  PassageWatcher& watcher_;
  Guardian guardian_;
  Spawned child_;
  UniqueFd signals_;
  UniqueFd stop_input_;
  UniqueFd stop_output_;
  UniqueFd output_done_;
  std::unique_ptr<Pump> input_pump_;
  std::unique_ptr<Pump> output_pump_;
  std::thread input_;
  std::thread output_;
  ProcessExit exit_;
  bool was_asked_to_end_ = false;
  std::set<int> passed_;  // signals
};

Passage::Passage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Passage::~Passage() = default;

std::variant<std::unique_ptr<Passage>, Failure> Passage::open(std::vector<std::string> command,
                                                              PassageWatcher& watcher) {
  auto impl = std::make_unique<Impl>(watcher);
  if (auto failure = impl->open(std::move(command))) return *std::move(failure);
  return std::unique_ptr<Passage>(new Passage(std::move(impl)));
}

ProcessExit Passage::wait() {
  return impl_->wait();
}

void end_like(const ProcessExit& exit) {
  if (exit.signal) {
    // The server has left its core; ours tells nobody anything.
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    std::signal(*exit.signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, *exit.signal);
    ::kill(::getpid(), *exit.signal);
    ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    ::_exit(128 + *exit.signal);
  }
  ::_exit(exit.code);
}

}  // namespace assay::transport
