#include "harness/host/guest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include "reference/transport/signals.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How often is looked whether something else ends the wait; the client's exit ends it at once.
constexpr milliseconds kGlance{50};
constexpr milliseconds kClosingTime{3000};
constexpr milliseconds kHastyClosingTime{600};
constexpr std::size_t kMostLastWords = 400;

transport::StdioOptions guest_options(std::vector<std::string> command,
                                      std::vector<std::pair<std::string, std::string>> environment,
                                      const std::string& directory) {
  transport::StdioOptions options =
      transport::deaf_command(std::move(command), std::move(environment));
  options.spawn.directory = directory;
  options.limits.max_stdout_bytes = Guest::kMostOutput;
  options.limits.max_stderr_observed_bytes = 0;
  return options;
}

std::string last_of(std::string words) {
  while (words.ends_with('\n') || words.ends_with('\r')) words.pop_back();
  const std::size_t begin = words.size() > kMostLastWords ? words.size() - kMostLastWords : 0;
  return reports::printable_line(std::string_view(words).substr(begin));
}

}  // namespace

bool GuestEnd::is_crash() const {
  constexpr std::array kOfItsOwn = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
  return kind == Kind::kExited && exit.signal &&
         std::find(kOfItsOwn.begin(), kOfItsOwn.end(), *exit.signal) != kOfItsOwn.end();
}

std::string GuestEnd::text() const {
  switch (kind) {
    case Kind::kExited:
      return exit.signal ? fmt::format("it was ended by {}", transport::signal_words(*exit.signal))
                         : fmt::format("it exited with status {}", exit.code);
    case Kind::kNotStarted:
      return fmt::format("it could not be started: {}", detail);
    case Kind::kLate:
      return "it did not end in time (--timeout)";
    case Kind::kFlooded:
      return fmt::format("it flooded its standard output: {}", detail);
    case Kind::kStopped:
      return "the run was stopped";
    case Kind::kDismissed:
      return "it was ended";
  }
  return "";
}

Guest::Guest(std::vector<std::string> command,
             std::vector<std::pair<std::string, std::string>> environment,
             const std::string& directory)
    : child_(guest_options(std::move(command), std::move(environment), directory), watch_) {}

GuestEnd Guest::run(milliseconds limit, const std::stop_token& stop,
                    const std::function<void()>& on_end, const Watcher& watcher) {
  GuestEnd end;
  if (const auto failure = child_.open()) {
    end.kind = GuestEnd::Kind::kNotStarted;
    end.detail = reports::printable_line(failure->detail);
    return end;
  }
  const Clock::time_point deadline = Clock::now() + limit;
  while (true) {
    const auto exit = child_.wait_for_exit(std::min(deadline, Clock::now() + kGlance));
    if (exit) end.exit = *exit;
    // It may end because nobody reads on.
    if (watch_.has_flooded) {
      end.kind = GuestEnd::Kind::kFlooded;
      end.detail = watch_.how;
      break;
    }
    if (exit) break;
    if (stop.stop_requested()) {
      end.kind = GuestEnd::Kind::kStopped;
      break;
    }
    if (Clock::now() >= deadline) {
      end.kind = GuestEnd::Kind::kLate;
      break;
    }
    if (watcher && !watcher(child_.pid())) {
      end.kind = GuestEnd::Kind::kDismissed;
      break;
    }
  }
  if (on_end) on_end();
  // Who waits for the end of the run does not wait long.
  const bool is_stopped = end.kind == GuestEnd::Kind::kStopped;
  child_.close(Clock::now() + (is_stopped ? kHastyClosingTime : kClosingTime));
  end.errors = child_.stderr_tail();
  end.last_words = last_of(end.errors);
  return end;
}

}  // namespace assay::harness
