#include "reports/load/load_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/escape.h"

namespace assay::reports {
namespace {

constexpr std::size_t kBarColumns = 40;
constexpr std::size_t kMostRows = 24;  // of the histogram
constexpr std::size_t kMostNameBytes = 60;

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string many(std::uint64_t number, std::string_view word) {
  return fmt::format("{} {}{}", grouped(number), word, number == 1 ? "" : "s");
}

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string row(std::string_view name, const Percentiles& p) {
  return fmt::format("  {:<12}{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", name,
                     latency_text(p.shortest), latency_text(p.p50), latency_text(p.p90),
                     latency_text(p.p99), latency_text(p.p999), latency_text(p.p9999),
                     latency_text(p.longest));
}

std::string latency_lines(const LoadResult& result) {
  std::string text = fmt::format("\n  {:<12}{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "", "min",
                                 "p50", "p90", "p99", "p99.9", "p99.99", "max");
  text += row("latency", percentiles_of(result.latency));
  if (result.service) text += row("once sent", *result.service);
  return text;
}

std::string methods(const LoadResult& result) {
  if (result.methods.size() < 2) return "";
  std::string text = fmt::format("\n  {:<36}{:>12}{:>8}{:>11}{:>11}\n", "request", "answers",
                                 "errors", "p50", "p99");
  for (const LoadMethod& method : result.methods) {
    text += fmt::format("  {:<36}{:>12}{:>8}{:>11}{:>11}\n", cut(printable_line(method.name), 35),
                        grouped(method.answers), grouped(method.errors),
                        latency_text(method.latency.p50), latency_text(method.latency.p99));
  }
  return text;
}

std::string cost(const LoadResult& result) {
  std::string text;
  const auto share = [&](double cpu) {
    return result.seconds > 0 ? 100 * cpu / result.seconds : 0;
  };
  if (result.server_cpu_seconds) {
    text += fmt::format("  server      {:.0f}% of a core", share(*result.server_cpu_seconds));
    if (result.server_peak_bytes) text += ", at most " + megabytes(*result.server_peak_bytes);
    text += "\n";
  }
  text += fmt::format("  generator   {:.0f}% of a core\n", share(result.own_cpu_seconds));
  return text;
}

std::string histogram(const LoadResult& result) {
  unsigned per_doubling = 8;
  std::vector<Histogram::Bucket> rows = result.latency.buckets(per_doubling);
  while (rows.size() > kMostRows && per_doubling > 1) {
    rows = result.latency.buckets(per_doubling /= 2);
  }
  std::uint64_t most = 1;
  for (const Histogram::Bucket& bucket : rows) most = std::max(most, bucket.count);
  std::string text = rows.empty() ? "" : "\n";
  for (const Histogram::Bucket& bucket : rows) {
    const auto columns = static_cast<std::size_t>(
        std::ceil(static_cast<double>(bucket.count) * kBarColumns / static_cast<double>(most)));
    text += fmt::format("  to {:>9} {:>12} {}\n", latency_text(static_cast<double>(bucket.to)),
                        grouped(bucket.count), std::string(columns, '#'));
  }
  return text;
}

}  // namespace

std::string load_target_text(const LoadResult& result) {
  std::string target = result.url;
  for (const std::string& word : result.command) {
    target += (target.empty() ? "" : " ") + shell_word(word);
  }
  std::string text = cut(printable_line(target), 200);
  if (!result.server_name.empty()) {
    text += fmt::format(" ({})", cut(printable_line(result.server_name), kMostNameBytes));
  }
  return text;
}

std::string load_connections_text(const LoadResult& result) {
  std::string text = fmt::format("over {}, {}", result.url.empty() ? "stdio" : "HTTP",
                                 many(result.connections, "connection"));
  if (result.sessions != result.connections && !result.is_plain) {
    text += ", " + many(result.sessions, "session");
  }
  text += result.pipeline == 1 ? ", one request at a time"
                               : fmt::format(", {} requests at a time", grouped(result.pipeline));
  if (result.is_plain) text += ", answers not read";
  return text;
}

std::string latency_text(double nanoseconds) {
  const auto with_unit = [](double value, std::string_view unit) {
    return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, unit);
  };
  if (nanoseconds < 999.5) return fmt::format("{:.0f} ns", nanoseconds);
  if (nanoseconds < 999.5e3) return with_unit(nanoseconds / 1e3, "us");
  if (nanoseconds < 999.5e6) return with_unit(nanoseconds / 1e6, "ms");
  return with_unit(nanoseconds / 1e9, "s");
}

std::string rate_text(double per_second) {
  if (per_second < 100) return fmt::format("{:.1f}/s", per_second);
  return grouped(static_cast<std::uint64_t>(std::llround(per_second))) + "/s";
}

std::string load_text(const LoadResult& result) {
  std::string text = load_target_text(result) + "\n" + load_connections_text(result);
  text += result.rate > 0 ? fmt::format(", {} due", rate_text(result.rate))
                          : std::string(", as fast as answers come");
  text += "\n\n";
  text += fmt::format("  throughput  {}: {} in {:.2f} s{}\n", rate_text(result.throughput()),
                      many(result.answers, "answer"), result.seconds,
                      result.was_interrupted ? " (interrupted)" : "");
  text += fmt::format("  traffic     {} sent, {} received\n", megabytes(result.bytes_sent),
                      megabytes(result.bytes_received));
  text += fmt::format("  errors      {}\n", grouped(result.error_count()));
  for (const auto& [what, times] : result.errors) {
    text += fmt::format("              {} {}\n", grouped(times), cut(printable_line(what), 160));
  }
  if (result.unsent > 0) {
    text += fmt::format("  unsent      {} were due and found no free connection\n",
                        many(result.unsent, "request"));
  }
  return text + cost(result) + latency_lines(result) + methods(result) + histogram(result);
}

}  // namespace assay::reports
