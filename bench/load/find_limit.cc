#include "bench/load/find_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "reports/load/load_text.h"

namespace assay::bench {
namespace {

using reports::LimitStep;
using reports::LoadResult;
using LimitedBy = LimitStep::LimitedBy;

// More errors than this, and they are above the 99th percentile.
constexpr double kMostErrorShare = 0.01;
// Of the requests that were due. A few are always under way at the beginning and at the end.
constexpr double kMostMissingShare = 0.05;
constexpr double kFewMissing = 3;
constexpr double kSaturatedShare = 0.95;  // of a core: the generator had hardly a moment to spare
constexpr double kLateShare = 0.25;       // of the limit: as late as this, we spoil what we measure

std::string share_text(double share) {
  return fmt::format("{:.{}f}%", 100 * share, share < 0.0995 ? 1 : 0);
}

std::string most_frequent_error(const LoadResult& result) {
  const auto most = std::max_element(
      result.errors.begin(), result.errors.end(),
      [](const auto& left, const auto& right) { return left.second < right.second; });
  return most == result.errors.end() ? "" : ": " + most->first;
}

LimitStep figures_of_step(const LoadResult& result) {
  LimitStep step;
  step.rate = result.rate;
  step.reached = result.throughput();
  step.p50 = static_cast<double>(result.latency.percentile(50));
  step.p99 = static_cast<double>(result.latency.percentile(99));
  step.once_sent_p99 = result.service ? result.service->p99 : 0;
  step.sender_late_p99 = result.sender_late ? result.sender_late->p99 : 0;
  if (result.seconds > 0) {
    step.generator_share = (result.own_cpu_seconds + result.own_run_queue_seconds) / result.seconds;
  }
  step.answers = result.answers;
  step.errors = result.error_count();
  step.unsent = result.unsent;
  return step;
}

// Of the requests that were due, how many more have no answer than can be under way.
bool keeps_up(const LimitStep& step, double seconds) {
  const double due = step.rate * seconds;
  const double found = static_cast<double>(step.answers + step.errors);
  return due - found <= std::max(kFewMissing, due * kMostMissingShare);
}

struct Reason {
  LimitedBy limited_by = LimitedBy::kNothing;
  std::string text;
};

// Why a step whose latency or pace was not good enough was not.
Reason blame(const LimitStep& step, double limit, bool is_keeping_up) {
  const bool is_slow = step.once_sent_p99 > limit;
  // Without what the server took, p99 is what requests waited before they left.
  const double waited = step.p99 - step.once_sent_p99;
  const bool is_late =
      step.sender_late_p99 > kLateShare * limit ||
      (step.p99 > limit && !is_slow && step.unsent == 0 && 2 * step.sender_late_p99 > waited);
  if (is_late) {
    return {LimitedBy::kGenerator,
            fmt::format("our generator sent requests {} late (p99) on this busy machine",
                        reports::latency_text(step.sender_late_p99))};
  }
  if (is_slow) {
    return {
        LimitedBy::kServer,
        fmt::format("p99 was {}", reports::latency_text(std::max(step.p99, step.once_sent_p99)))};
  }
  if (step.p99 > limit || step.unsent > 0) {
    return {LimitedBy::kConnections, "requests waited for a free connection"};
  }
  if (!is_keeping_up) {
    return {LimitedBy::kServer,
            fmt::format("only {} were answered", reports::rate_text(step.reached))};
  }
  return {};
}

// Three digits are enough, and pleasant to read.
double round_rate(double rate) {
  const double unit = std::pow(10, std::floor(std::log10(rate)) - 2);
  return std::round(rate / unit) * unit;
}

class Search {
 public:
  Search(const MeasureRate& measure, const SearchBounds& bounds)
      : measure_(measure), bounds_(bounds) {}

  Knee run() {
    knee_.is_complete = climb() && bisect();
    return knee_;
  }

 private:
  // Nothing when the search has to end.
  std::optional<bool> holds(double rate) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (steps_++ >= bounds_.most_steps) return std::nullopt;
      const std::optional<bool> is_held = measure_(rate);
      if (!is_held || *is_held) return is_held;
    }
    return false;
  }

  bool take(double rate) {
    const std::optional<bool> is_held = holds(rate);
    if (!is_held) return false;
    (*is_held ? knee_.held : knee_.failed) = rate;
    return true;
  }

  // Until there is a rate on both sides, or on one side nothing more to try.
  bool climb() {
    double rate = bounds_.first;
    while (true) {
      if (!take(rate)) return false;
      if (knee_.held > 0 && knee_.failed > 0) return true;
      if (knee_.held > 0) {
        if (rate >= bounds_.highest) return true;
        rate = std::min(2 * rate, bounds_.highest);
      } else {
        if (rate <= bounds_.lowest) return true;
        rate = std::max(rate / 2, bounds_.lowest);
      }
    }
  }

  bool bisect() {
    while (knee_.held > 0 && knee_.failed > knee_.held * bounds_.precision) {
      const double rate = round_rate(std::sqrt(knee_.held * knee_.failed));
      if (rate <= knee_.held || rate >= knee_.failed) return true;
      if (!take(rate)) return false;
    }
    return true;
  }

  const MeasureRate& measure_;
  const SearchBounds& bounds_;
  Knee knee_;
  std::size_t steps_ = 0;
};

}  // namespace

LimitStep judge_step(const LoadResult& result, double limit) {
  LimitStep step = figures_of_step(result);
  const double error_share = static_cast<double>(step.errors) /
                             std::max(1.0, static_cast<double>(step.errors + step.answers));
  const bool is_keeping_up = keeps_up(step, result.seconds);
  const bool is_good = result.lost_connections == 0 && error_share <= kMostErrorShare &&
                       step.p99 <= limit && is_keeping_up;
  if (!is_good && step.generator_share >= kSaturatedShare) {
    // Answers that came in time may be read too late, and connections may end for it.
    step.limited_by = LimitedBy::kGenerator;
    step.reason =
        fmt::format("our generator needed {} of a core", share_text(step.generator_share));
  } else if (result.lost_connections > 0) {
    step.limited_by = LimitedBy::kServer;
    step.reason = "connections were lost" + most_frequent_error(result);
  } else if (error_share > kMostErrorShare) {
    step.limited_by = LimitedBy::kServer;
    step.reason = fmt::format("{} of the answers were errors{}", share_text(error_share),
                              most_frequent_error(result));
  } else if (!is_good) {
    Reason reason = blame(step, limit, is_keeping_up);
    step.limited_by = reason.limited_by;
    step.reason = std::move(reason.text);
  }
  return step;
}

Knee find_limit(const MeasureRate& measure, const SearchBounds& bounds) {
  return Search(measure, bounds).run();
}

}  // namespace assay::bench
