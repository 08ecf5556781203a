#include "reference/transport/stdio_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "reference/transport/offspring.h"

namespace assay::transport {
namespace {

using Clock = Deadline::clock;

constexpr Lane kStdioLane{Lane::Kind::kStdio, 0};
constexpr Lane kStderrLane{Lane::Kind::kStderr, 0};
constexpr Lane kProcessLane{Lane::Kind::kProcess, 0};

constexpr std::size_t kReadChunkBytes = 64u << 10;
// Reads of one stream per turn, so that a flood on one cannot starve the others.
constexpr int kReadsPerTurn = 16;
// A killed process is gone well within this; it only bounds our wait for the kernel.
constexpr std::chrono::milliseconds kKillTime{2000};
// Every descendant inherits this variable; offspring that left the group is found by it.
constexpr const char* kMarkName = "MCP_ASSAY_CHILD";

std::string new_mark_value() {
  static std::atomic<std::uint64_t> counter{0};
  return fmt::format("{}-{}-{}", ::getpid(), Clock::now().time_since_epoch().count(), ++counter);
}

Observation make_observation(Observation::Kind kind, Direction direction, Lane lane,
                             std::string_view bytes) {
  Observation observation;
  observation.kind = kind;
  observation.direction = direction;
  observation.lane = lane;
  observation.bytes = bytes;
  return observation;
}

std::chrono::microseconds to_duration(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace

// One thread starts the child, writes, reads and sees it exit, until close() stops it.
class StdioChild::Impl {
 public:
  Impl(StdioOptions options, Observer& observer)
      : options_(std::move(options)),
        observer_(observer),
        sent_framer_([this](const auto& line) { observe_line(Direction::kSent, line); },
                     options_.limits.max_line_bytes),
        received_framer_([this](const auto& line) { observe_line(Direction::kReceived, line); },
                         options_.limits.max_line_bytes) {}

  std::optional<Failure> open();
  Lane send(std::string_view bytes, bool add_newline);
  void close_stdin();
  void close(Deadline deadline);
  pid_t pid() const { return pid_; }
  void signal(int number);
  std::optional<ProcessExit> wait_for_exit(Deadline deadline);
  std::optional<ResourceUsage> usage();
  std::string stderr_tail();

 private:
  void run(std::promise<std::optional<Failure>> started);
  bool turn();
  void write_queue();
  void end_stdin(std::string_view error);
  void read_stdout();
  void read_stderr();
  void take_stderr(std::string_view bytes);
  void end_stdout();
  void see_exit();
  void observe_line(Direction direction, const wire::LineFramer::Line& line);
  void observe_broken(Direction direction, std::string_view why);
  void wake();

  const StdioOptions options_;
  Observer& observer_;
  const std::string mark_value_ = new_mark_value();
  std::thread thread_;
  std::atomic<pid_t> pid_{0};
  UniqueFd wake_;

  std::mutex close_mutex_;  // guards is_open_ and is_closed_: open and close run once each
  bool is_open_ = false;
  bool is_closed_ = false;

  // Held while observing on lane kStdio, to keep it in order; guards the framers. Taken before
  // mutex_.
  std::mutex lane_mutex_;
  wire::LineFramer sent_framer_;
  wire::LineFramer received_framer_;

  std::mutex mutex_;  // guards everything down to the blank line
  std::condition_variable has_exited_;
  std::deque<std::string> unsent_;
  std::size_t unsent_bytes_ = 0;
  bool is_stdin_ending_ = false;  // no more is taken; the pipe closes when the queue is empty
  bool is_stopping_ = false;
  bool was_killed_by_us_ = false;
  std::optional<ProcessExit> exit_;
  std::optional<ResourceUsage> usage_;
  std::string stderr_tail_;

  // The thread's own.
  Spawned child_;
  std::size_t written_of_first_ = 0;
  std::size_t stdout_bytes_ = 0;
  std::size_t stderr_bytes_ = 0;
  std::array<char, kReadChunkBytes> chunk_;
};

std::optional<Failure> StdioChild::Impl::open() {
  const std::lock_guard lock(close_mutex_);
  assert(!is_open_ && !is_closed_);
  wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_.is_open()) return Failure{Failure::Kind::kOther, "too many open files"};
  adopt_orphans();
  std::promise<std::optional<Failure>> started;
  auto outcome = started.get_future();
  thread_ = std::thread([this, &started] { run(std::move(started)); });
  auto failure = outcome.get();
  if (failure) {
    thread_.join();
    return failure;
  }
  is_open_ = true;
  return std::nullopt;
}

void StdioChild::Impl::run(std::promise<std::optional<Failure>> started) {
  // Signals are for the program's own threads, and a write to a child that is gone is an error
  // value.
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  SpawnOptions spawn_options = options_.spawn;
  spawn_options.environment.emplace_back(kMarkName, mark_value_);
  auto spawned = spawn(spawn_options);
  if (auto* failure = std::get_if<Failure>(&spawned)) {
    started.set_value(std::move(*failure));
    return;
  }
  child_ = std::move(std::get<Spawned>(spawned));
  pid_ = child_.pid;
  started.set_value(std::nullopt);
  while (turn()) {
  }
  {
    const std::lock_guard lane(lane_mutex_);
    if (child_.stdin_pipe.is_open()) end_stdin({});
    if (child_.stdout_pipe.is_open()) end_stdout();
  }
  child_.stderr_pipe.reset();
}

// Waits for something to happen and deals with it. False once close() wants the thread back.
bool StdioChild::Impl::turn() {
  bool has_unsent = false;
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_) return false;
    has_unsent = !unsent_.empty() || is_stdin_ending_;
  }
  // A negative descriptor is passed over by poll().
  std::array<pollfd, 5> watched{{
      {wake_.get(), POLLIN, 0},
      {has_unsent ? child_.stdin_pipe.get() : -1, POLLOUT, 0},
      {child_.stdout_pipe.get(), POLLIN, 0},
      {child_.stderr_pipe.get(), POLLIN, 0},
      {child_.exited.get(), POLLIN, 0},
  }};
  if (::poll(watched.data(), watched.size(), -1) < 0) return errno == EINTR;
  if (watched[0].revents != 0) {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto ignored = ::read(wake_.get(), &count, sizeof count);
  }
  if (watched[1].revents != 0) write_queue();
  if (watched[2].revents != 0) read_stdout();
  if (watched[3].revents != 0) read_stderr();
  if (watched[4].revents != 0) see_exit();
  return true;
}

void StdioChild::Impl::write_queue() {
  while (child_.stdin_pipe.is_open()) {
    std::unique_lock lock(mutex_);
    if (unsent_.empty()) {
      const bool is_ending = is_stdin_ending_;
      lock.unlock();
      if (!is_ending) return;
      const std::lock_guard lane(lane_mutex_);
      return end_stdin({});
    }
    // Only this thread takes from the queue, and a deque keeps its elements where they are.
    const std::string& first = unsent_.front();
    lock.unlock();
    const ssize_t count = ::write(child_.stdin_pipe.get(), first.data() + written_of_first_,
                                  first.size() - written_of_first_);
    if (count < 0) {
      if (errno == EAGAIN || errno == EINTR) return;
      const std::lock_guard lane(lane_mutex_);
      return end_stdin(errno == EPIPE ? "the child has closed its stdin" : std::strerror(errno));
    }
    written_of_first_ += static_cast<std::size_t>(count);
    if (written_of_first_ < first.size()) continue;
    written_of_first_ = 0;
    lock.lock();
    unsent_bytes_ -= first.size();
    unsent_.pop_front();
  }
}

// Closes our end of stdin; `error` is empty if we wanted to. The caller holds lane_mutex_.
void StdioChild::Impl::end_stdin(std::string_view error) {
  child_.stdin_pipe.reset();
  {
    const std::lock_guard lock(mutex_);
    is_stdin_ending_ = true;
    unsent_.clear();
    unsent_bytes_ = 0;
  }
  sent_framer_.finish();
  if (error.empty()) {
    observer_.observe(make_observation(Observation::Kind::kClosed, Direction::kSent, kStdioLane,
                                       "we closed the child's stdin"));
  } else {
    observe_broken(Direction::kSent, error);
  }
}

Lane StdioChild::Impl::send(std::string_view bytes, bool add_newline) {
  const std::lock_guard lane(lane_mutex_);
  const std::size_t size = bytes.size() + (add_newline ? 1 : 0);
  std::string refusal;
  {
    const std::lock_guard lock(mutex_);
    if (pid_ == 0 || is_stopping_) return kStdioLane;
    if (is_stdin_ending_) {
      refusal = "not sent: the child's stdin is closed";
    } else if (unsent_bytes_ + size > options_.limits.max_unsent_bytes) {
      refusal =
          fmt::format("not sent: the child has left {} bytes of its stdin unread", unsent_bytes_);
    }
  }
  if (!refusal.empty()) {
    observe_broken(Direction::kSent, refusal);
    return kStdioLane;
  }
  std::string copy;
  copy.reserve(size);
  copy.append(bytes);
  if (add_newline) copy.push_back('\n');
  sent_framer_.feed(copy);
  {
    const std::lock_guard lock(mutex_);
    unsent_bytes_ += size;
    unsent_.push_back(std::move(copy));
  }
  wake();
  return kStdioLane;
}

void StdioChild::Impl::close_stdin() {
  {
    const std::lock_guard lock(mutex_);
    is_stdin_ending_ = true;
  }
  wake();
}

void StdioChild::Impl::read_stdout() {
  for (int i = 0; i < kReadsPerTurn && child_.stdout_pipe.is_open(); ++i) {
    const ssize_t count = ::read(child_.stdout_pipe.get(), chunk_.data(), chunk_.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    const std::lock_guard lane(lane_mutex_);
    if (count <= 0) return end_stdout();
    stdout_bytes_ += static_cast<std::size_t>(count);
    received_framer_.feed({chunk_.data(), static_cast<std::size_t>(count)});
    if (stdout_bytes_ > options_.limits.max_stdout_bytes) {
      child_.stdout_pipe.reset();
      observe_broken(
          Direction::kReceived,
          fmt::format("the child wrote more than {} bytes to its stdout; no more is read",
                      options_.limits.max_stdout_bytes));
    }
  }
}

// The child's stdout has ended, or we stop reading it. The caller holds lane_mutex_.
void StdioChild::Impl::end_stdout() {
  child_.stdout_pipe.reset();
  received_framer_.finish();
  observer_.observe(make_observation(Observation::Kind::kClosed, Direction::kReceived, kStdioLane,
                                     "the child's stdout ended"));
}

void StdioChild::Impl::read_stderr() {
  for (int i = 0; i < kReadsPerTurn && child_.stderr_pipe.is_open(); ++i) {
    const ssize_t count = ::read(child_.stderr_pipe.get(), chunk_.data(), chunk_.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return child_.stderr_pipe.reset();
    take_stderr({chunk_.data(), static_cast<std::size_t>(count)});
  }
}

void StdioChild::Impl::take_stderr(std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    stderr_tail_.append(bytes);
    const std::size_t limit = options_.limits.max_stderr_tail_bytes;
    if (stderr_tail_.size() > limit) stderr_tail_.erase(0, stderr_tail_.size() - limit);
  }
  const std::size_t limit = options_.limits.max_stderr_observed_bytes;
  const bool was_below = stderr_bytes_ < limit;
  const std::string_view visible = bytes.substr(0, was_below ? limit - stderr_bytes_ : 0);
  stderr_bytes_ += bytes.size();
  if (!visible.empty()) {
    observer_.observe(
        make_observation(Observation::Kind::kStderr, Direction::kReceived, kStderrLane, visible));
  }
  if (was_below && stderr_bytes_ > limit) {
    observer_.observe(make_observation(
        Observation::Kind::kBroken, Direction::kReceived, kStderrLane,
        fmt::format("the child wrote more than {} bytes to its stderr; no more is kept", limit)));
  }
}

void StdioChild::Impl::see_exit() {
  // It stays a zombie until close(), so that neither its id nor its group's can be given to
  // another.
  siginfo_t info{};
  rusage used{};
  if (::syscall(SYS_waitid, P_PID, child_.pid, &info, WEXITED | WNOHANG | WNOWAIT, &used) != 0 ||
      info.si_pid == 0) {
    return;
  }
  child_.exited.reset();
  // What it wrote before it died is still in the pipes.
  read_stdout();
  read_stderr();
  ProcessExit exit;
  if (info.si_code == CLD_EXITED) {
    exit.code = info.si_status;
  } else {
    exit.signal = info.si_status;
  }
  {
    const std::lock_guard lock(mutex_);
    exit.was_killed_by_us = was_killed_by_us_;
    usage_ = ResourceUsage{to_duration(used.ru_utime), to_duration(used.ru_stime),
                           static_cast<std::size_t>(used.ru_maxrss) * 1024};
  }
  Observation observation =
      make_observation(Observation::Kind::kExit, Direction::kReceived, kProcessLane, {});
  observation.exit = exit;
  observer_.observe(observation);
  const std::lock_guard lock(mutex_);
  exit_ = exit;
  has_exited_.notify_all();
}

void StdioChild::Impl::signal(int number) {
  const std::lock_guard lock(mutex_);
  if (pid_ == 0 || exit_) return;
  if (number == SIGTERM || number == SIGKILL) was_killed_by_us_ = true;
  ::kill(-pid_, number);
}

std::optional<ProcessExit> StdioChild::Impl::wait_for_exit(Deadline deadline) {
  std::unique_lock lock(mutex_);
  has_exited_.wait_until(lock, deadline, [this] { return exit_.has_value(); });
  return exit_;
}

std::optional<ResourceUsage> StdioChild::Impl::usage() {
  const std::lock_guard lock(mutex_);
  return exit_ ? usage_ : std::nullopt;
}

std::string StdioChild::Impl::stderr_tail() {
  const std::lock_guard lock(mutex_);
  return stderr_tail_;
}

void StdioChild::Impl::close(Deadline deadline) {
  const std::lock_guard lock(close_mutex_);
  if (!is_open_ || std::exchange(is_closed_, true)) return;
  const Deadline start = Clock::now();
  // The last tenth of the time is for what follows SIGKILL.
  const Deadline kill_at = start + (deadline - start) * 9 / 10;
  // Seen while their parents live: later only the group and the mark tell whose they are.
  const std::vector<ProcessIdentity> descendants = descendants_of(pid_);
  close_stdin();
  if (!wait_for_exit(std::min(start + options_.exit_grace, start + (kill_at - start) / 2))) {
    signal(SIGTERM);
    if (!wait_for_exit(std::min(Clock::now() + options_.terminate_grace, kill_at))) {
      signal(SIGKILL);
      wait_for_exit(Clock::now() + kKillTime);
    }
  }
  {
    const std::lock_guard state(mutex_);
    is_stopping_ = true;
  }
  wake();
  thread_.join();
  const std::string mark = fmt::format("{}={}", kMarkName, mark_value_);
  end_offspring(pid_, descendants, mark, std::max(deadline, Clock::now() + kKillTime));
  ::waitpid(pid_, nullptr, WNOHANG);
}

void StdioChild::Impl::observe_line(Direction direction, const wire::LineFramer::Line& line) {
  Observation observation =
      make_observation(Observation::Kind::kLine, direction, kStdioLane, line.bytes);
  observation.is_truncated = line.is_truncated;
  observation.is_unterminated = line.is_unterminated;
  observation.has_carriage_return = line.has_carriage_return;
  observer_.observe(observation);
}

void StdioChild::Impl::observe_broken(Direction direction, std::string_view why) {
  observer_.observe(make_observation(Observation::Kind::kBroken, direction, kStdioLane, why));
}

void StdioChild::Impl::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto ignored = ::write(wake_.get(), &one, sizeof one);
}

StdioChild::StdioChild(StdioOptions options, Observer& observer)
    : impl_(std::make_unique<Impl>(std::move(options), observer)) {}
StdioChild::~StdioChild() {
  impl_->close(Clock::now());
}
std::optional<Failure> StdioChild::open() {
  return impl_->open();
}
Lane StdioChild::send(std::string_view message) {
  return impl_->send(message, true);
}
Lane StdioChild::send_raw(std::string_view bytes) {
  return impl_->send(bytes, false);
}
void StdioChild::close(Deadline deadline) {
  impl_->close(deadline);
}
void StdioChild::close_stdin() {
  impl_->close_stdin();
}
pid_t StdioChild::pid() const {
  return impl_->pid();
}
void StdioChild::signal(int number) {
  impl_->signal(number);
}
std::optional<ProcessExit> StdioChild::wait_for_exit(Deadline deadline) {
  return impl_->wait_for_exit(deadline);
}
std::optional<ProcessExit> StdioChild::exit() const {
  return impl_->wait_for_exit(Deadline::min());
}
std::optional<ResourceUsage> StdioChild::usage() const {
  return impl_->usage();
}
std::string StdioChild::stderr_tail() const {
  return impl_->stderr_tail();
}

}  // namespace assay::transport
