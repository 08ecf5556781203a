#include "reports/load/load_compare.h"

#include <fmt/format.h>

#include <utility>

#include "reports/escape.h"
#include "reports/load/load_text.h"

namespace assay::reports {
namespace {

using Judgement = LoadDifference::Judgement;

constexpr double kSignificant = 0.01;
constexpr double kRelevant = 0.02;
constexpr std::size_t kBlocks = 20;
// Below it even the clearest difference of ranks happens by chance more often than kSignificant.
constexpr std::size_t kFewestBlocks = 8;

std::vector<double> throughputs(const LoadResult& result) {
  std::vector<double> values;
  for (const LoadSample& sample : result.samples) {
    values.push_back(static_cast<double>(sample.answers) / result.sample_seconds);
  }
  return values;
}

std::vector<double> latencies(const LoadResult& result) {
  std::vector<double> values;
  for (const LoadSample& sample : result.samples) {
    if (sample.answers > 0) values.push_back(sample.mean_latency_ns);
  }
  return values;
}

LoadDifference differ(std::string what, const std::vector<double>& before,
                      const std::vector<double>& after, bool more_is_better) {
  const std::vector<double> left = block_means(before, kBlocks);
  const std::vector<double> right = block_means(after, kBlocks);
  LoadDifference found;
  found.what = std::move(what);
  found.before = median(left);
  found.after = median(right);
  found.ratio = found.before > 0 ? found.after / found.before : 1;
  found.confidence = ratio_interval(left, right);
  found.probability = mann_whitney(left, right);
  if (left.size() < kFewestBlocks || right.size() < kFewestBlocks) {
    found.judgement = Judgement::kTooFewSamples;
  } else if (found.probability < kSignificant &&
             (found.ratio > 1 + kRelevant || found.ratio < 1 - kRelevant)) {
    const bool is_more = found.ratio > 1;
    found.judgement = is_more == more_is_better ? Judgement::kBetter : Judgement::kWorse;
  }
  return found;
}

std::vector<std::string> caveats_of(const LoadResult& before, const LoadResult& after) {
  std::vector<std::string> caveats;
  const auto differs = [&](const char* what, const auto& old_value, const auto& new_value) {
    if (old_value == new_value) return;
    caveats.push_back(fmt::format("{}: {} before, {} after", what, old_value, new_value));
  };
  differs("connections", before.connections, after.connections);
  differs("sessions", before.sessions, after.sessions);
  differs("requests under way on a connection", before.pipeline, after.pipeline);
  differs("rate", before.rate, after.rate);
  differs("revision", printable_line(before.revision), printable_line(after.revision));
  differs("transport", before.url.empty() ? "stdio" : "http", after.url.empty() ? "stdio" : "http");
  if (before.rate > 0 && after.rate > 0) {
    caveats.emplace_back("at a fixed rate the throughput is the rate: look at the latency");
  }
  return caveats;
}

std::string_view words(Judgement judgement) {
  switch (judgement) {
    case Judgement::kNoDifference:
      return "no difference that chance or noise would not explain";
    case Judgement::kBetter:
      return "better";
    case Judgement::kWorse:
      return "WORSE";
    case Judgement::kTooFewSamples:
      return "too short a run to tell: measure at least one second";
  }
  return {};
}

std::string line(const LoadDifference& found, const std::string& before, const std::string& after) {
  return fmt::format("  {:<11}{:>12} -> {:<12} x {:.3f} [{:.3f}, {:.3f}]  p = {:.2g}   {}\n",
                     found.what, before, after, found.ratio, found.confidence.low,
                     found.confidence.high, found.probability, words(found.judgement));
}

}  // namespace

bool LoadComparison::is_worse() const {
  return throughput.judgement == Judgement::kWorse || latency.judgement == Judgement::kWorse ||
         (errors_before == 0 && errors_after > 0);
}

LoadComparison compare_loads(const LoadResult& before, const LoadResult& after) {
  return {.throughput = differ("throughput", throughputs(before), throughputs(after), true),
          .latency = differ("latency", latencies(before), latencies(after), false),
          .tail_before = static_cast<double>(before.latency.percentile(99)),
          .tail_after = static_cast<double>(after.latency.percentile(99)),
          .errors_before = before.error_count(),
          .errors_after = after.error_count(),
          .caveats = caveats_of(before, after)};
}

std::string render_load_comparison(const LoadComparison& comparison) {
  const LoadDifference& throughput = comparison.throughput;
  const LoadDifference& latency = comparison.latency;
  std::string text =
      line(throughput, rate_text(throughput.before), rate_text(throughput.after)) +
      line(latency, latency_text(latency.before), latency_text(latency.after)) +
      fmt::format("  {:<11}{:>12} -> {:<12} shown, not judged\n", "p99",
                  latency_text(comparison.tail_before), latency_text(comparison.tail_after)) +
      fmt::format("  {:<11}{:>12} -> {}\n", "errors", comparison.errors_before,
                  comparison.errors_after);
  for (const std::string& caveat : comparison.caveats) text += "  note: " + caveat + "\n";
  text += comparison.is_worse() ? "\nWorse.\n" : "\nNot worse.\n";
  return text;
}

}  // namespace assay::reports
