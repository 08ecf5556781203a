#include "reports/tap.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/escape.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

constexpr std::size_t kMaxTapTextBytes = 300;

// '#' begins a directive, and a backslash escapes it.
std::string tap_text(std::string_view text) {
  std::string out;
  for (const char c : printable_line(cut(text, kMaxTapTextBytes))) {
    if (c == '#' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

class Lines {
 public:
  void add(bool is_ok, const std::string& what, const std::string& directive = "") {
    text_ += fmt::format("{} {} - {}{}\n", is_ok ? "ok" : "not ok", ++number_, tap_text(what),
                         directive);
  }
  void comment(std::string_view text) { text_ += "  # " + tap_text(text) + "\n"; }
  std::string take() const { return fmt::format("TAP version 13\n1..{}\n{}", number_, text_); }

 private:
  int number_ = 0;
  std::string text_;
};

void add_verdict(Lines& lines, const Run& run, const Verdict& verdict, bool is_strict) {
  const std::string what =
      fmt::format("{} {}: {}", run.revision, run.transport, verdict.requirement);
  if (verdict.outcome == Outcome::kSatisfied) return lines.add(true, what);
  if (is_failure(verdict, is_strict)) {
    lines.add(false, what);
    if (!verdict.detail.empty()) lines.comment(verdict.detail);
    return;
  }
  const bool is_violated = verdict.outcome == Outcome::kViolated;
  lines.add(
      !is_violated, what,
      fmt::format(" # {} {}", is_violated ? "TODO" : "SKIP", tap_text(why_not_counted(verdict))));
}

}  // namespace

std::string render_tap(const Result& result) {
  Lines lines;
  for (const Run& run : result.runs) {
    const std::string what = fmt::format("{} {}", run.revision, run.transport);
    if (run.status == RunStatus::kFailed) {
      lines.add(false, what + ": could be tested");
      lines.comment(run.reason);
    }
    if (run.status == RunStatus::kIncomplete) {
      lines.add(false, what + ": was done to its end");
      lines.comment(run.reason);
    }
    if (has_remark(run)) lines.comment(what + ": " + run.reason);
    if (run.status == RunStatus::kUnsupported) lines.add(true, what, " # SKIP not supported");
    for (const Verdict& verdict : run.verdicts) {
      add_verdict(lines, run, verdict, result.is_strict);
    }
  }
  for (const StaleExpectation& stale : result.stale_expectations) {
    lines.add(false, "stale expectation: " + stale_title(stale));
  }
  return lines.take() + "# " + tap_text(conclusion(result)) + "\n";
}

}  // namespace assay::reports
