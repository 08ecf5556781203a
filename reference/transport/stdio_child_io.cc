// The thread of a StdioChild: it starts the child, writes, reads, and sees it exit.
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "reference/transport/signals.h"
#include "reference/transport/stdio_child_impl.h"

namespace assay::transport {
namespace {

constexpr Lane kStderrLane{Lane::Kind::kStderr, 0};
constexpr Lane kProcessLane{Lane::Kind::kProcess, 0};

// Reads of one stream per turn, so that a flood on one cannot starve the others.
constexpr int kReadsPerTurn = 16;
// How often we ask whether the child has exited, where no descriptor tells it.
constexpr std::chrono::milliseconds kAskingInterval{20};
constexpr int kForever = -1;

Observation make_observation(Observation::Kind kind, Party speaker, Lane lane,
                             std::string_view bytes) {
  Observation observation;
  observation.kind = kind;
  observation.speaker = speaker;
  observation.lane = lane;
  observation.bytes = bytes;
  return observation;
}

std::chrono::microseconds to_duration(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace

void StdioChild::Impl::run(std::promise<std::optional<Failure>> started) {
  take_no_signals();
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
  const int timeout = must_ask_for_exit() ? static_cast<int>(kAskingInterval.count()) : kForever;
  if (::poll(watched.data(), watched.size(), timeout) < 0) return errno == EINTR;
  if (watched[0].revents != 0) {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto ignored = ::read(wake_.get(), &count, sizeof count);
  }
  if (watched[1].revents != 0) write_queue();
  if (watched[2].revents != 0) read_stdout();
  if (watched[3].revents != 0) read_stderr();
  if (watched[4].revents != 0 || must_ask_for_exit()) see_exit();
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
    unsent_share_.resize(unsent_bytes_);
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
    unsent_share_.resize(0);
  }
  sent_framer_.finish();
  if (error.empty()) {
    observer_.observe(make_observation(Observation::Kind::kClosed, Party::kClient, kStdioLane,
                                       "the client closed the server's input"));
  } else {
    observe_broken(Party::kClient, error);
  }
}

void StdioChild::Impl::read_stdout() {
  for (int i = 0; i < kReadsPerTurn && child_.stdout_pipe.is_open(); ++i) {
    const ssize_t count = ::read(child_.stdout_pipe.get(), chunk_.data(), chunk_.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    const std::lock_guard lane(lane_mutex_);
    if (count <= 0) return end_stdout();
    stdout_bytes_ += static_cast<std::size_t>(count);
    received_framer_.feed({chunk_.data(), static_cast<std::size_t>(count)});
    if (received_framer_.is_cutting()) received_framer_.finish();  // observe_line() says the rest
    if (stdout_bytes_ > options_.limits.max_stdout_bytes) {
      cut_off(fmt::format("the child wrote more than {} bytes to its stdout",
                          options_.limits.max_stdout_bytes));
    }
    if (is_cut_off_ || observer_.is_full()) {
      is_cut_off_ = true;
      child_.stdout_pipe.reset();
    }
  }
}

// Whoever was killed by us after we wanted its stdin closed has not ended before that, though this
// thread comes to see both late and at once. The caller holds lane_mutex_.
void StdioChild::Impl::end_stdin_if_killed() {
  if (!child_.stdin_pipe.is_open()) return;
  {
    const std::lock_guard lock(mutex_);
    if (!is_stdin_ending_ || !was_killed_by_us_) return;
  }
  end_stdin({});
}

// The child's stdout has ended, or we stop reading it. The caller holds lane_mutex_.
void StdioChild::Impl::end_stdout() {
  end_stdin_if_killed();
  child_.stdout_pipe.reset();
  received_framer_.finish();
  observer_.observe(make_observation(Observation::Kind::kClosed, Party::kServer, kStdioLane,
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
        make_observation(Observation::Kind::kStderr, Party::kServer, kStderrLane, visible));
  }
  if (was_below && stderr_bytes_ > limit) {
    observer_.observe(make_observation(
        Observation::Kind::kBroken, Party::kServer, kStderrLane,
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
  has_seen_exit_ = true;
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
      make_observation(Observation::Kind::kExit, Party::kServer, kProcessLane, {});
  observation.exit = exit;
  observer_.observe(observation);
  const std::lock_guard lock(mutex_);
  exit_ = exit;
  has_exited_.notify_all();
}

void StdioChild::Impl::observe_line(Party speaker, const wire::LineFramer::Line& line) {
  if (is_cut_off_) return;
  const bool is_too_large = line.is_truncated && speaker == Party::kServer;
  const std::size_t shown = is_too_large ? kShownOfTooLarge : line.bytes.size();
  Observation observation =
      make_observation(Observation::Kind::kLine, speaker, kStdioLane, line.bytes.substr(0, shown));
  observation.is_truncated = line.is_truncated;
  observation.is_unterminated = line.is_unterminated;
  observation.has_carriage_return = line.has_carriage_return;
  observer_.observe(observation);
  if (!is_too_large) return;
  cut_off(line.bytes.size() < options_.limits.max_line_bytes
              ? "a line of the child's stdout is longer than there is memory left for"
              : fmt::format("a line of the child's stdout is longer than {} bytes",
                            options_.limits.max_line_bytes));
}

// The caller holds lane_mutex_.
void StdioChild::Impl::cut_off(std::string_view why) {
  if (is_cut_off_) return;
  observer_.observe(make_observation(Observation::Kind::kCutOff, Party::kServer, kStdioLane, why));
  is_cut_off_ = true;
}

void StdioChild::Impl::observe_broken(Party speaker, std::string_view why) {
  observer_.observe(make_observation(Observation::Kind::kBroken, speaker, kStdioLane, why));
}

}  // namespace assay::transport
