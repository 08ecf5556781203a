#include "bench/load/limit_run.h"

#include <chrono>
#include <optional>
#include <utility>

#include "bench/load/find_limit.h"

namespace assay::bench {
namespace {

using reports::LimitResult;
using reports::LimitStep;
using std::chrono::steady_clock;

// Starts of the server and last answers take time besides the steps.
constexpr double kTimeForSteps = 1.25;

// It answered before, and then nothing at this rate.
LimitStep failed_step(double rate, const transport::Failure& failure) {
  LimitStep step;
  step.rate = rate;
  step.limited_by = LimitStep::LimitedBy::kServer;
  step.reason = failure.detail;
  return step;
}

class LimitRun {
 public:
  LimitRun(const LoadOptions& options, double limit, const std::stop_token& stop,
           const LimitCallbacks& callbacks)
      : limit_(limit),
        stop_(stop),
        callbacks_(callbacks),
        series_(options, stop, callbacks.progress),
        deadline_(steady_clock::now() +
                  std::chrono::duration_cast<steady_clock::duration>(
                      (options.warm_up + options.time) *
                      (kTimeForSteps * static_cast<double>(SearchBounds{}.most_steps)))) {
    result_.limit = limit;
    result_.step_seconds = std::chrono::duration<double>(options.time).count();
  }

  std::variant<LimitResult, transport::Failure> run() {
    const Knee knee = find_limit([this](double rate) { return measure(rate); });
    if (result_.steps.empty() && failure_) return *failure_;
    result_.held = knee.held;
    result_.failed = knee.failed;
    result_.was_interrupted = stop_.stop_requested();
    result_.is_out_of_time = !knee.is_complete && !result_.was_interrupted;
    return std::move(result_);
  }

 private:
  std::optional<bool> measure(double rate) {
    if (stop_.stop_requested() || steady_clock::now() >= deadline_) return std::nullopt;
    auto outcome = series_.measure(rate);
    if (stop_.stop_requested()) {
      keep_failure(outcome);
      return std::nullopt;
    }
    const bool has_failed = keep_failure(outcome);
    if (has_failed && result_.steps.empty()) return std::nullopt;
    if (has_failed) {
      result_.steps.push_back(failed_step(rate, *failure_));
    } else {
      auto& measured = std::get<reports::LoadResult>(outcome);
      result_.steps.push_back(judge_step(measured, limit_));
      if (result_.steps.size() == 1) {
        measured.rate = 0;
        result_.setting = std::move(measured);
      }
    }
    LimitStep& step = result_.steps.back();
    if (series_.lacks_sockets()) {
      step.limited_by = LimitStep::LimitedBy::kGenerator;
      step.reason = "this machine had no socket left for us";
    }
    callbacks_.step_done(result_);
    return step.limited_by == LimitStep::LimitedBy::kNothing;
  }

  bool keep_failure(const std::variant<reports::LoadResult, transport::Failure>& outcome) {
    const auto* failure = std::get_if<transport::Failure>(&outcome);
    if (failure) failure_ = *failure;
    return failure != nullptr;
  }

  const double limit_;
  const std::stop_token& stop_;
  const LimitCallbacks& callbacks_;
  LoadSeries series_;
  const steady_clock::time_point deadline_;
  LimitResult result_;
  std::optional<transport::Failure> failure_;
};

}  // namespace

std::variant<LimitResult, transport::Failure> run_find_limit(const LoadOptions& options,
                                                             double limit,
                                                             const std::stop_token& stop,
                                                             const LimitCallbacks& callbacks) {
  return LimitRun(options, limit, stop, callbacks).run();
}

}  // namespace assay::bench
