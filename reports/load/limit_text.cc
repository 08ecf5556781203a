#include "reports/load/limit_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/escape.h"
#include "reports/load/load_text.h"

namespace assay::reports {
namespace {

constexpr std::size_t kMostReasonBytes = 160;

std::string reason_text(const LimitStep& step) {
  return cut(printable_line(step.reason), kMostReasonBytes);
}

// What would tell more about the server than this search could.
std::string advice(const LimitResult& result) {
  return result.setting.url.empty()
             ? "with a larger --pipeline or more --connections it may be higher"
             : "with more --connections it may be higher";
}

using LimitedBy = LimitStep::LimitedBy;

template <typename Predicate>
const LimitStep* last_at(const std::vector<LimitStep>& steps, double rate, Predicate fits) {
  const auto found = std::find_if(steps.rbegin(), steps.rend(), [&](const LimitStep& step) {
    return step.rate == rate && fits(step.limited_by);
  });
  return found == steps.rend() ? nullptr : &*found;
}

std::string ending(const LimitResult& result) {
  if (result.was_interrupted) return "the search was interrupted";
  return result.is_out_of_time ? "the search ran out of time" : "no higher rate is tried";
}

// " (the search ran out of time)", if it did not come to its own end.
std::string early_end(const LimitResult& result) {
  const bool is_early = result.was_interrupted || result.is_out_of_time;
  return is_early ? fmt::format(" ({})", ending(result)) : "";
}

std::string none_held(const LimitResult& result) {
  const LimitStep* failed = result.failed_step();
  if (!failed) return fmt::format("No rate was judged: {}.", ending(result));
  if (failed->limited_by == LimitedBy::kServer) {
    return fmt::format("The server did not hold even {}: {}{}.", rate_text(failed->rate),
                       reason_text(*failed), early_end(result));
  }
  return fmt::format("Nothing is known of the server: {} was not held because {}{}.",
                     rate_text(failed->rate), reason_text(*failed), early_end(result));
}

}  // namespace

const LimitStep* LimitResult::held_step() const {
  return last_at(steps, held, [](LimitedBy by) { return by == LimitedBy::kNothing; });
}

const LimitStep* LimitResult::failed_step() const {
  const LimitStep* ours = last_at(steps, failed, [](LimitedBy by) {
    return by == LimitedBy::kConnections || by == LimitedBy::kGenerator;
  });
  if (ours) return ours;
  return last_at(steps, failed, [](LimitedBy by) { return by == LimitedBy::kServer; });
}

std::string_view limit_name(LimitStep::LimitedBy limited_by) {
  switch (limited_by) {
    case LimitedBy::kNothing:
      return "held";
    case LimitedBy::kServer:
      return "server";
    case LimitedBy::kConnections:
      return "connections";
    case LimitedBy::kGenerator:
      return "generator";
  }
  return "";
}

std::string limit_heading(const LimitResult& result) {
  return fmt::format("{}\n{}, p99 at most {}\n\n{:>14}{:>14}{:>11}{:>11}{:>10}\n",
                     load_target_text(result.setting), load_connections_text(result.setting),
                     latency_text(result.limit), "asked", "reached", "p50", "p99", "errors");
}

std::string limit_line(const LimitStep& step) {
  std::string verdict(limit_name(step.limited_by));
  if (step.limited_by != LimitedBy::kNothing) verdict += ": " + reason_text(step);
  return fmt::format("{:>14}{:>14}{:>11}{:>11}{:>10}  {}\n", rate_text(step.rate),
                     rate_text(step.reached), latency_text(step.p50), latency_text(step.p99),
                     step.errors, verdict);
}

std::string knee_text(const LimitResult& result) {
  const LimitStep* held = result.held_step();
  if (!held) return none_held(result) + "\n";
  const LimitStep* failed = result.failed_step();
  const std::string best =
      fmt::format("{} with a p99 of {}", rate_text(held->rate), latency_text(held->p99));
  if (!failed) {
    return fmt::format("The server held every rate up to {}; {}.\n", best, ending(result));
  }
  switch (failed->limited_by) {
    case LimitedBy::kConnections:
      return fmt::format("The server held {}; at {} {}: {}.\n", best, rate_text(failed->rate),
                         reason_text(*failed), advice(result));
    case LimitedBy::kGenerator:
      return fmt::format("The server held {}; at {} {}, so the server's own limit may be higher.\n",
                         best, rate_text(failed->rate), reason_text(*failed));
    case LimitedBy::kNothing:
    case LimitedBy::kServer:
      break;
  }
  return fmt::format("The knee is between {} and {}: the server held {}, and at {} {}{}.\n",
                     rate_text(held->rate), rate_text(failed->rate), best, rate_text(failed->rate),
                     reason_text(*failed), early_end(result));
}

}  // namespace assay::reports
