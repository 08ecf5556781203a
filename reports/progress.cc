#include "reports/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "reports/escape.h"

namespace assay::reports {
namespace {

constexpr int kProgressColumns = 20;

std::string bar(int finished, int total) {
  const int filled =
      total > 0 ? std::min(kProgressColumns, kProgressColumns * finished / total) : 0;
  return std::string(static_cast<std::size_t>(filled), '=') +
         std::string(static_cast<std::size_t>(kProgressColumns - filled), ' ');
}

}  // namespace

Progress::Progress(std::ostream& out, const ProgressOptions& options)
    : out_(out), options_(options) {}

Progress::~Progress() {
  clear();
}

void Progress::run_started(const PlanSize& plan) {
  plan_ = plan;
  finished_ = 0;
  violated_ = 0;
  current_.clear();
  drawn_at_ = started_ = std::chrono::steady_clock::now();
  draw(true);
}

void Progress::scenario_finished(const RunKey& run, const std::string& scenario, std::int64_t) {
  ++finished_;
  current_ = fmt::format("{} {}  {}", run.revision, run.transport, scenario);
  draw(finished_ == plan_.scenarios);
}

void Progress::verdict(const RunKey&, const Verdict& verdict) {
  if (verdict.outcome != Outcome::kViolated || verdict.is_expected) return;
  ++violated_;
  draw(false);
}

void Progress::run_finished(const Result&) {
  clear();
}

void Progress::draw(bool is_due) {
  if (!options_.is_terminal) return write_line();
  const auto now = std::chrono::steady_clock::now();
  if (!is_due && is_drawn_ && now - drawn_at_ < options_.interval) return;
  drawn_at_ = now;
  is_drawn_ = true;
  std::string line =
      fmt::format("[{}] {}/{}", bar(finished_, plan_.scenarios), finished_, plan_.scenarios);
  if (!options_.title.empty()) line += "  " + printable_line(options_.title);
  if (const std::string told = times(); !told.empty()) line += "  " + told;
  if (violated_ > 0) line += fmt::format("  {} {}", violated_, options_.bad);
  if (!current_.empty()) line += "  " + printable_line(current_);
  // One column stays free: a terminal that wraps at its last one would scroll.
  const auto room = static_cast<std::size_t>(std::max(options_.width - 1, 1));
  std::size_t end = 0;
  for (std::size_t column = 0; column < room && end < line.size(); ++column) {
    end += first_code_point(std::string_view(line).substr(end)).size;
  }
  out_ << "\r\x1b[K" << line.substr(0, end) << std::flush;
}

std::string Progress::times() const {
  using std::chrono::seconds;
  constexpr seconds kLongEnough{3};  // before that the rest cannot be told
  const auto passed =
      std::chrono::duration_cast<seconds>(std::chrono::steady_clock::now() - started_);
  if (passed < kLongEnough || finished_ == 0) return "";
  std::string out = fmt::format("{} s", passed.count());
  const auto left = passed.count() * (plan_.scenarios - finished_) / finished_;
  return left > 0 ? out + fmt::format(", about {} s left", left) : out;
}

void Progress::write_line() {
  const auto now = std::chrono::steady_clock::now();
  if (now - drawn_at_ < options_.line_interval) return;
  drawn_at_ = now;
  out_ << fmt::format("mcp-assay: {}{}{} of {} {} done", printable_line(options_.title),
                      options_.title.empty() ? "" : ": ", finished_, plan_.scenarios,
                      options_.items);
  if (const std::string told = times(); !told.empty()) out_ << " in " << told;
  if (violated_ > 0) out_ << fmt::format(", {} {}", violated_, options_.bad);
  out_ << std::endl;
}

void Progress::clear() {
  if (!is_drawn_) return;
  is_drawn_ = false;
  out_ << "\r\x1b[K" << std::flush;
}

}  // namespace assay::reports
