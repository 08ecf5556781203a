#include "bench/load/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "harness/frame/terminal_width.h"
#include "reports/load/load_text.h"

namespace assay::bench {

ProgressLine::ProgressLine(bool is_quiet, std::chrono::nanoseconds measured)
    : is_shown_(!is_quiet && cli::is_capable_terminal(STDERR_FILENO)),
      seconds_(std::chrono::duration<double>(measured).count()) {}

void ProgressLine::show(const LoadProgress& progress) {
  if (!is_shown_) return;
  is_drawn_ = true;
  fmt::print(stderr, "\r\033[K{}", text(progress));
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (std::exchange(is_drawn_, false)) fmt::print(stderr, "\r\033[K");
}

std::string ProgressLine::text(const LoadProgress& progress) const {
  using Phase = LoadProgress::Phase;
  switch (progress.phase) {
    case Phase::kStarting:
      return "starting";
    case Phase::kWarmingUp:
      return "warming up";
    case Phase::kMeasuring:
      return fmt::format(
          "{:.0f} of {:.0f} s  {}  {} errors", progress.seconds, seconds_,
          reports::rate_text(
              progress.seconds > 0 ? static_cast<double>(progress.answers) / progress.seconds : 0),
          progress.errors);
    case Phase::kEnding:
      return "waiting for the last answers";
  }
  return {};
}

}  // namespace assay::bench
