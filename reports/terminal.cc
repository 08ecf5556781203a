#include "reports/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "reports/escape.h"
#include "reports/excerpt.h"
#include "reports/findings.h"
#include "reports/terminal_paint.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

constexpr std::size_t kEvidenceBytes = 700;
constexpr std::size_t kVerboseEvidenceBytes = 8000;
constexpr std::size_t kMaxShownEvidence = 4;
constexpr int kMinimumWidth = 40;
constexpr int kLabelColumns = 10;

constexpr std::size_t kSaidBytes = 2000;
// Of what happened, in a line that a person takes in at once.
constexpr std::size_t kQuietBytes = 300;

// One line of what somebody else says.
std::string said(std::string_view text, std::size_t max_bytes = kSaidBytes) {
  return printable_line(cut(text, max_bytes));
}

class Page {
 public:
  Page(const Result& result, const TerminalOptions& options)
      : result_(result),
        options_(options),
        paint_(options.color, std::max(options.width, kMinimumWidth)) {}

  std::string render() {
    if (!options_.quiet) {
      header();
      violations();
      expected();
      if (options_.verbose) unjudged();
      reasons();
      stale();
      table();
    } else {
      one_liners();
    }
    conclusion();
    if (!options_.quiet && options_.next_step) next_step();
    if (options_.quiet) paint_.reports(options_.kept);
    return paint_.take();
  }

  std::string render(const RuleFinding& finding) {
    violation(finding, nullptr);
    return paint_.take();
  }

 private:
  void header() {
    paint_.line(0, Style::kStrong,
                fmt::format("{} {}", result_.target.subject, target_title(result_.target)));
    if (!result_.target.name.empty())
      paint_.line(0, Style::kFaint, target_location(result_.target));
    paint_.line(0, Style::kFaint,
                fmt::format("mcp-assay {}, catalogue {}, {}", said(result_.tool_version),
                            said(result_.catalogue_version), duration_text(result_.duration_ms)));
  }

  void violations() {
    const Findings findings = collect(result_, [](const Verdict& verdict) {
      return verdict.outcome == Outcome::kViolated && !verdict.is_expected;
    });
    for (const FindingGroup& group : grouped(findings, result_.is_strict)) {
      paint_.blank();
      violation(*group.first, nullptr);
      for (const RuleFinding* finding : group.rest) {
        paint_.blank();
        violation(*finding, group.first);
      }
    }
  }

  // `shown`: of the same exchange, which stands there already.
  void violation(const RuleFinding& finding, const RuleFinding* shown) {
    const Verdict& verdict = *finding.verdict;
    const bool fails = is_failure(verdict, result_.is_strict);
    paint_.line(0, fails ? Style::kBad : Style::kWarning,
                fmt::format("{} {}  {}", fails ? "✗" : "!", name(verdict.level),
                            printable_line(verdict.requirement)));
    if (!verdict.detail.empty()) paint_.line(4, Style::kStrong, said(verdict.detail));
    paint_.labelled("rule", kLabelColumns, Style::kPlain, said(verdict.summary));
    if (!verdict.fix.empty()) {
      paint_.labelled("fix", kLabelColumns, Style::kPlain, said(verdict.fix));
    }
    paint_.labelled("seen", kLabelColumns, Style::kFaint, runs_text(finding, result_));
    if (!verdict.spec.empty()) {
      paint_.labelled("spec", kLabelColumns, Style::kFaint, said(verdict.spec));
    }
    if (shown != nullptr) {
      paint_.labelled("exchange", kLabelColumns, Style::kFaint,
                      "the same as of " + printable_line(shown->verdict->requirement));
      return;
    }
    evidence(verdict);
    if (options_.verbose) history(verdict);
    if (const std::string command = command_text(verdict); !command.empty()) {
      paint_.line(4, Style::kFaint, "reproduce");
      paint_.unwrapped(4, Style::kPlain, command);
    }
  }

  // Why the verdict is what it is.
  void history(const Verdict& verdict) {
    std::string_view label = "history";
    for (const Step& step : verdict.history) {
      paint_.labelled(std::exchange(label, ""), kLabelColumns, Style::kFaint, words_of(step));
    }
  }

  void evidence(const Verdict& verdict) {
    std::vector<const Evidence*> told;
    for (const Evidence& event : verdict.evidence) {
      if (options_.verbose || !event.is_context) told.push_back(&event);
    }
    // How it began and how it ended: the offending part is in the last.
    const bool is_long = !options_.verbose && told.size() > kMaxShownEvidence;
    const std::size_t left_out = is_long ? told.size() - kMaxShownEvidence : 0;
    for (std::size_t i = 0; i < told.size(); ++i) {
      if (is_long && i == kMaxShownEvidence / 2) {
        paint_.line(4 + kLabelColumns, Style::kFaint,
                    fmt::format("{} not shown", plural(static_cast<int>(left_out), "event")));
        i += left_out;
      }
      const Evidence& event = *told[i];
      const Excerpt part =
          excerpt(event, options_.verbose ? kVerboseEvidenceBytes : kEvidenceBytes);
      paint_.labelled(speaker_word(event), kLabelColumns, Style::kFaint,
                      fmt::format("event {} on {}{}", event.n, said(event.lane),
                                  event.is_deliberate ? ", wrong on purpose" : ""));
      paint_.quoted(4 + kLabelColumns, part);
    }
  }

  void expected() {
    const Findings findings = collect(result_, [](const Verdict& verdict) {
      return verdict.outcome == Outcome::kViolated && verdict.is_expected;
    });
    if (findings.empty()) return;
    paint_.blank();
    paint_.line(0, Style::kStrong, "expected failures");
    for (const auto& [id, finding] : findings) {
      paint_.line(2, Style::kFaint,
                  fmt::format("- {}  {}", printable_line(id), runs_text(finding, result_)));
      if (!finding.verdict->expected_reason.empty()) {
        paint_.line(4, Style::kFaint, said(finding.verdict->expected_reason));
      }
    }
  }

  void unjudged() {
    for (const Outcome outcome : {Outcome::kInconclusive, Outcome::kNotExercised}) {
      const Findings findings = collect(result_, outcome);
      if (findings.empty()) continue;
      paint_.blank();
      paint_.line(0, Style::kStrong, outcome_words(outcome));
      for (const auto& [id, finding] : findings) {
        const Verdict& verdict = *finding.verdict;
        paint_.line(2, Style::kPlain,
                    fmt::format("- {} {}  {}", name(verdict.level), printable_line(id),
                                runs_text(finding, result_)));
        if (!verdict.detail.empty()) {
          paint_.line(4, Style::kFaint, printable_line(cut(verdict.detail, 500)));
        }
        if (!verdict.caused_by.empty()) {
          paint_.line(4, Style::kFaint, "because of " + said(verdict.caused_by));
        }
        if (!verdict.hint.empty()) paint_.line(4, Style::kFaint, said(verdict.hint));
        for (const Step& step : verdict.history) paint_.line(4, Style::kFaint, words_of(step));
      }
    }
  }

  // Several revisions often have one reason: it is told once.
  void reasons() {
    std::map<std::pair<std::string_view, std::string_view>, RuleFinding> reasons;
    for (const Run& run : result_.runs) {
      if (!was_tested(run) || has_remark(run)) {
        reasons[{reason_words(run.status), run.reason}].runs.push_back(&run);
      }
    }
    for (const auto& [key, finding] : reasons) {
      const bool is_bad =
          !was_tested(*finding.runs[0]) && finding.runs[0]->status != RunStatus::kUnsupported;
      paint_.blank();
      paint_.line(0, is_bad ? Style::kBad : Style::kStrong,
                  fmt::format("{} {}", key.first, runs_text(finding, result_)));
      paint_.quoted(2, Excerpt{printable_text(cut(key.second, 4000)), "", "", "", ""});
    }
  }

  static std::string_view reason_words(RunStatus status) {
    if (status == RunStatus::kIncomplete) return "incomplete";
    if (status == RunStatus::kFailed) return "could not be tested";
    return status == RunStatus::kUnsupported ? "not supported" : "noted";
  }

  void stale() {
    if (result_.stale_expectations.empty()) return;
    paint_.blank();
    paint_.line(0, Style::kBad, "listed as expected failures, but nothing fails: remove them");
    for (const StaleExpectation& entry : result_.stale_expectations) {
      paint_.line(2, Style::kPlain, "- " + stale_title(entry));
    }
  }

  void table() {
    paint_.blank();
    std::vector<RunFigures> figures;
    for (const Run& run : result_.runs) figures.push_back(figures_of(run, result_.is_strict));
    const auto has = [&figures](int RunFigures::*member) {
      return std::any_of(figures.begin(), figures.end(),
                         [member](const RunFigures& each) { return each.*member > 0; });
    };
    const bool has_advisory = has(&RunFigures::advisory);
    const bool has_expected = has(&RunFigures::expected);
    std::vector<TableRow> rows = {{Style::kFaint, {"run", "status", "exercised", "violated"}}};
    std::vector<std::string>& heading = rows.front().cells;
    if (has_advisory) heading.emplace_back("advice");
    if (has_expected) heading.emplace_back("expected");
    heading.insert(heading.end(), {"unclear", "time"});
    for (std::size_t i = 0; i < figures.size(); ++i) {
      rows.push_back(table_row(result_.runs[i], figures[i], has_advisory, has_expected));
    }
    paint_.table(rows, 2);
    if (const std::string extensions = extensions_text(result_); !extensions.empty()) {
      paint_.line(0, Style::kFaint, "extensions: " + extensions);
    }
    if (const std::string cost = cost_text(cost_of(result_)); !cost.empty()) {
      paint_.line(0, Style::kFaint, "cost: " + cost);
    }
    if (!options_.verbose) return;
    if (const std::string waits = waits_text(cost_of(result_)); !waits.empty()) {
      paint_.line(0, Style::kFaint, "waits: " + waits);
    }
  }

  TableRow table_row(const Run& run, const RunFigures& figures, bool has_advisory,
                     bool has_expected) const {
    const bool is_good = run.status == RunStatus::kConformant;
    const bool is_bad = !is_good && run.status != RunStatus::kUnsupported;
    const auto number = [&run](int value) {
      return run.verdicts.empty() ? std::string("-") : std::to_string(value);
    };
    const Exercised exercised = exercised_in(run);
    TableRow row{
        is_good ? Style::kGood : (is_bad ? Style::kBad : Style::kFaint),
        {fmt::format("{} {}", printable_line(run.revision), printable_line(run.transport)),
         std::string(name(run.status)),
         run.verdicts.empty() ? "-"
                              : fmt::format("{} of {}", exercised.exercised, exercised.applicable),
         number(figures.violated)}};
    if (has_advisory) row.cells.push_back(number(figures.advisory));
    if (has_expected) row.cells.push_back(number(figures.expected));
    row.cells.insert(row.cells.end(),
                     {number(figures.inconclusive), duration_text(run.duration_ms)});
    return row;
  }

  void one_liners() {
    const Findings failed = failures(result_);
    for (const RuleFinding* finding : by_weight(failed, result_.is_strict)) {
      const Verdict& verdict = *finding->verdict;
      paint_.unwrapped(
          0, Style::kBad,
          fmt::format("✗ {}  {}: {} ({})", name(verdict.level), printable_line(verdict.requirement),
                      said(verdict.detail.empty() ? verdict.summary : verdict.detail, kQuietBytes),
                      runs_text(*finding, result_)));
    }
    reasons();
    stale();
  }

  void conclusion() {
    if (!options_.quiet) paint_.blank();
    paint_.line(0, has_passed(result_) ? Style::kGood : Style::kBad,
                reports::conclusion(result_) + ".");
  }

  // What to do first, and where the rest is.
  void next_step() {
    const Findings violated = collect(result_, [](const Verdict& verdict) {
      return verdict.outcome == Outcome::kViolated && !verdict.is_expected;
    });
    if (!violated.empty()) {
      const Verdict& first = *by_weight(violated, result_.is_strict).front()->verdict;
      const std::string id = printable_line(first.requirement);
      if (!first.fix.empty()) {
        paint_.line(0, Style::kPlain, fmt::format("First, {}: {}", id, said(first.fix)));
      }
      paint_.line(0, Style::kFaint,
                  fmt::format("Run 'mcp-assay explain {}' for the rule and how it is judged.", id));
    }
    const bool has_gaps = std::any_of(result_.runs.begin(), result_.runs.end(), [](const Run& run) {
      return std::any_of(run.verdicts.begin(), run.verdicts.end(), [](const Verdict& verdict) {
        return verdict.outcome == Outcome::kNotExercised ||
               verdict.outcome == Outcome::kInconclusive;
      });
    });
    if (!options_.verbose && (has_gaps || !violated.empty())) {
      paint_.line(0, Style::kFaint,
                  has_gaps ? "Run with --verbose to see what was not exercised, and every exchange."
                           : "Run with --verbose to see every exchange.");
    }
    paint_.reports(options_.kept);
  }

  const Result& result_;
  const TerminalOptions& options_;
  Paint paint_;
};

}  // namespace

std::string render_terminal(const Result& result, const TerminalOptions& options) {
  return Page(result, options).render();
}

std::string render_violation(const Result& result, const RuleFinding& finding,
                             const TerminalOptions& options) {
  return Page(result, options).render(finding);
}

}  // namespace assay::reports
