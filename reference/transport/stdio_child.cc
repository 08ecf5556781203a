#include "reference/transport/stdio_child.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <csignal>
#include <cstdint>
#include <vector>

#include "reference/transport/offspring.h"
#include "reference/transport/stdio_child_impl.h"

namespace assay::transport {
namespace {

using Clock = Deadline::clock;

// A killed process is gone well within this; it only bounds our wait for the kernel.
constexpr std::chrono::milliseconds kKillTime{2000};

}  // namespace

std::string StdioChild::Impl::new_mark_value() {
  static std::atomic<std::uint64_t> counter{0};
  return fmt::format("{}-{}-{}", ::getpid(), Clock::now().time_since_epoch().count(), ++counter);
}

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

Lane StdioChild::Impl::send(std::string_view bytes, bool add_newline) {
  const std::lock_guard lane(lane_mutex_);
  const std::size_t size = bytes.size() + (add_newline ? 1 : 0);
  bool is_ending = false;
  std::string no_room;
  {
    const std::lock_guard lock(mutex_);
    if (pid_ == 0 || is_stopping_ || is_cut_off_) return kStdioLane;
    is_ending = is_stdin_ending_;
    if (!is_ending && unsent_bytes_ + size > options_.limits.max_unsent_bytes) {
      no_room = fmt::format("the child has left {} bytes of its stdin unread", unsent_bytes_);
    } else if (!is_ending && !unsent_share_.resize(unsent_bytes_ + size)) {
      no_room = fmt::format("there is no memory left for {} bytes to be sent", size);
    }
  }
  // What is not sent for want of room is never answered: that is no end which the child made.
  if (!no_room.empty()) cut_off(no_room);
  if (is_ending) observe_broken(Party::kClient, "not sent: the child's stdin is closed");
  if (is_ending || !no_room.empty()) return kStdioLane;
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

void StdioChild::Impl::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto ignored = ::write(wake_.get(), &one, sizeof one);
}

StdioOptions deaf_command(std::vector<std::string> command,
                          std::vector<std::pair<std::string, std::string>> environment) {
  StdioOptions options;
  options.spawn.command = std::move(command);
  options.spawn.environment = std::move(environment);
  options.exit_grace = std::chrono::milliseconds(0);
  return options;
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
