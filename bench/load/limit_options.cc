#include "bench/load/limit_options.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <variant>

#include "bench/load/limit_run.h"
#include "bench/load/progress_line.h"
#include "harness/frame/interrupt.h"
#include "harness/frame/output_paths.h"
#include "reports/escape.h"
#include "reports/load/limit_svg.h"
#include "reports/load/limit_text.h"
#include "reports/load/load_json.h"
#include "reports/load/load_text.h"
#include "reports/output.h"

namespace assay::bench {
namespace {

using cli::UsageError;

constexpr double kDefaultLimit = 10;  // milliseconds
constexpr double kShortestLimit = 0.001;
constexpr double kLongestLimit = 60'000;
// Enough requests under way that a slow server shows, and not a lack of connections; and no more
// connections than most servers take.
constexpr std::size_t kHttpConnections = 64;
constexpr std::size_t kStdioPipeline = 1024;

}  // namespace

void FindLimitOptions::declare(cli::Arguments& arguments) {
  arguments.group("The highest rate");
  arguments.flag(
      "--find-limit", is_wanted_,
      "Raise the rate until p99 is above a limit, and find the highest rate below it, in "
      "about a minute. Other defaults then hold: --time 2 and --warm-up 0.5 for each "
      "rate, and --connections 64 over HTTP or --pipeline 1024 over stdio");
  arguments.text("--limit", limit_, "MS",
                 "With --find-limit: the limit of p99 in milliseconds (default: 10)");
  arguments.text("--plot", plot_, "PATH", "With --find-limit: draw p99 over the rate as SVG");
}

LoadDefaults FindLimitOptions::defaults(bool is_http) const {
  if (!is_wanted_) return {};
  return {.connections = is_http ? kHttpConnections : 1,
          .pipeline = is_http ? 1 : kStdioPipeline,
          .warm_up = 0.5,
          .time = 2};
}

double FindLimitOptions::limit() const {
  if (limit_.empty()) return kDefaultLimit * 1e6;
  char* end = nullptr;
  const double milliseconds = std::strtod(limit_.c_str(), &end);
  if (end != limit_.c_str() + limit_.size() || !(milliseconds >= kShortestLimit) ||
      milliseconds > kLongestLimit) {
    throw UsageError(fmt::format("--limit takes milliseconds from {} to {}, not '{}'",
                                 kShortestLimit, kLongestLimit, reports::printable_line(limit_)));
  }
  return milliseconds * 1e6;
}

void FindLimitOptions::check(const LoadOptions& options, const std::string& report) const {
  if (!is_wanted_) {
    if (!limit_.empty()) throw UsageError("--limit is for --find-limit");
    if (!plot_.empty()) throw UsageError("--plot is for --find-limit");
    return;
  }
  if (options.rate > 0) throw UsageError("--find-limit chooses the rates: leave out --rate");
  // Otherwise a server within the limit could still be short of answers when measuring begins.
  if (const auto warm_up = static_cast<double>(options.warm_up.count()); limit() > warm_up) {
    throw UsageError(fmt::format("--limit is {}: give at least that time to --warm-up, which is {}",
                                 reports::latency_text(limit()), reports::latency_text(warm_up)));
  }
  if (plot_.empty()) return;
  if (plot_ == "-" && report == "-") {
    throw UsageError("only one of --report and --plot can go to standard output ('-')");
  }
  cli::OutputPaths paths;
  if (!report.empty()) paths.claim(report);
  paths.claim(plot_);
}

int FindLimitOptions::run(const LoadOptions& options, const Output& output) const {
  const cli::Interrupt interrupt;
  const bool is_silent = output.report == "-" || plot_ == "-";
  std::variant<reports::LimitResult, transport::Failure> outcome;
  {
    ProgressLine line(output.quiet, options.time);
    const auto print_step = [&](const reports::LimitResult& result) {
      if (is_silent) return;
      line.clear();
      if (result.steps.size() == 1) fmt::print("{}", reports::limit_heading(result));
      fmt::print("{}", reports::limit_line(result.steps.back()));
      std::fflush(stdout);
    };
    outcome =
        run_find_limit(options, limit(), interrupt.token(),
                       {.progress = [&line](const LoadProgress& progress) { line.show(progress); },
                        .step_done = print_step});
  }
  if (const auto* failure = std::get_if<transport::Failure>(&outcome)) {
    fmt::print(stderr, "mcp-assay bench: {}\n", reports::printable_line(failure->detail));
    return interrupt.was_requested() ? cli::kInterrupted : cli::kNotTested;
  }
  auto& result = std::get<reports::LimitResult>(outcome);
  result.setting.started = output.started;
  return finish(result, output, is_silent);
}

int FindLimitOptions::finish(const reports::LimitResult& result, const Output& output,
                             bool is_silent) const {
  if (!is_silent) fmt::print("\n{}", reports::knee_text(result));
  const auto write = [](const std::string& path, const std::string& text) {
    const auto trouble = path.empty() ? std::nullopt : reports::write_file(path, text);
    if (trouble) fmt::print(stderr, "mcp-assay bench: {}\n", *trouble);
    return !trouble;
  };
  const bool has_report = write(output.report, reports::limit_json(result));
  const bool has_plot = write(plot_, reports::limit_svg(result));
  if (!has_report || !has_plot) return cli::kUsage;
  if (result.was_interrupted) return cli::kInterrupted;
  return result.held > 0 ? cli::kConformant : cli::kViolations;
}

}  // namespace assay::bench
