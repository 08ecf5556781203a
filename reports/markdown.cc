#include "reports/markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/escape.h"
#include "reports/excerpt.h"
#include "reports/findings.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

constexpr std::size_t kMarkdownEvidenceBytes = 1200;
constexpr std::size_t kMaxDetailBytes = 1000;
constexpr std::size_t kMaxRuns = 60;
// Kept for what stands at the end, and for the notice.
constexpr std::size_t kReservedBytes = 3000;

std::size_t longest_run(std::string_view text, char c) {
  std::size_t longest = 0;
  std::size_t current = 0;
  for (const char each : text) {
    current = each == c ? current + 1 : 0;
    longest = std::max(longest, current);
  }
  return longest;
}

std::string table(const Result& result) {
  std::string out =
      "| revision | transport | status | satisfied | violated | advisory | expected | not "
      "exercised |"
      " inconclusive |\n|---|---|---|--:|--:|--:|--:|--:|--:|\n";
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    if (i == kMaxRuns) return out + "\nMore runs are left out here.\n";
    const Run& run = result.runs[i];
    const RunFigures figures = figures_of(run, result.is_strict);
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                       markdown_text(cut(run.revision, 40)), markdown_text(cut(run.transport, 40)),
                       name(run.status), figures.satisfied, figures.violated, figures.advisory,
                       figures.expected, figures.not_exercised, figures.inconclusive);
  }
  return out;
}

// Where it stands, why it is wrong, what to do, the proof and the command.
std::string account(const RuleFinding& finding, const Result& result, std::size_t most_events) {
  const Verdict& verdict = *finding.verdict;
  std::string out;
  if (verdict.spec.starts_with("https://")) {
    out += fmt::format("[specification](<{}>), {}\n\n", markdown_text(cut(verdict.spec, 300)),
                       markdown_text(runs_text(finding, result)));
  } else {
    out += markdown_text(runs_text(finding, result)) + "\n\n";
  }
  if (!verdict.detail.empty()) {
    out +=
        fmt::format("What is wrong: {}\n\n", markdown_text(cut(verdict.detail, kMaxDetailBytes)));
  }
  if (!verdict.fix.empty()) {
    out += fmt::format("How to fix: {}\n\n", markdown_text(cut(verdict.fix, kMaxDetailBytes)));
  }
  const auto proofs = static_cast<std::size_t>(
      std::count_if(verdict.evidence.begin(), verdict.evidence.end(),
                    [](const Evidence& evidence) { return !evidence.is_context; }));
  // The last ones tell most: what was asked last, and what came.
  std::size_t left_out = proofs - std::min(proofs, most_events);
  for (const Evidence& evidence : verdict.evidence) {
    if (evidence.is_context) continue;
    if (left_out > 0) {
      --left_out;
      continue;
    }
    const Excerpt part = excerpt(evidence, kMarkdownEvidenceBytes);
    out += fmt::format("{} (event {}, {}):\n\n{}", speaker_words(evidence), evidence.n,
                       markdown_text(cut(evidence.lane, 40)),
                       markdown_block(part.before + part.marked + part.after));
    if (!evidence.pointer.empty()) {
      out +=
          fmt::format("\n{}: {}\n", pointer_word(part), markdown_code(cut(evidence.pointer, 200)));
    }
    out += "\n";
  }
  if (const std::string command = command_text(verdict); !command.empty()) {
    out += "Reproduce:\n\n" + markdown_block(command) + "\n";
  }
  return out;
}

std::string violation(const RuleFinding& finding, const Result& result) {
  const Verdict& verdict = *finding.verdict;
  return fmt::format(
      "\n<details><summary><b>{}</b> <code>{}</code></summary>\n\n{}\n\n{}</details>\n",
      name(verdict.level), markdown_text(cut(verdict.requirement, 200)),
      markdown_text(cut(verdict.summary, kMaxDetailBytes)),
      account(finding, result, verdict.evidence.size()));
}

void violations(std::string& out, const Result& result, const Findings& findings,
                std::string_view title) {
  if (findings.empty()) return;
  out += fmt::format("\n#### {}\n", title);
  std::size_t left_out = 0;
  for (const RuleFinding* finding : by_weight(findings, result.is_strict)) {
    const std::string text = violation(*finding, result);
    if (left_out > 0 || out.size() + text.size() > kMaxMarkdownBytes - kReservedBytes) {
      ++left_out;
    } else {
      out += text;
    }
  }
  if (left_out > 0) {
    out += fmt::format("\n{} left out here: see the HTML or JSON report.\n",
                       plural(static_cast<int>(left_out), "more requirement"));
  }
}

std::string_view reason_words(RunStatus status) {
  if (status == RunStatus::kFailed) return "Could not be tested";
  return status == RunStatus::kIncomplete ? "Incomplete" : "Noted";
}

std::string reasons(const Result& result) {
  std::string out;
  for (const Run& run : result.runs) {
    const bool is_told =
        run.status == RunStatus::kFailed || run.status == RunStatus::kIncomplete || has_remark(run);
    if (!is_told || out.size() > 4 * kMaxDetailBytes) continue;
    out += fmt::format("\n{} in {} over {}:\n\n{}", reason_words(run.status),
                       markdown_text(cut(run.revision, 40)), markdown_text(cut(run.transport, 40)),
                       markdown_block(cut(run.reason, kMaxDetailBytes)));
  }
  return out;
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : printable_line(text)) {
    if (std::string_view("\\`*_{}[]()#+-.!|~>=^$").find(c) != std::string_view::npos) {
      // A backslash would show within HTML tags, an entity never does.
      out += fmt::format("&#{};", static_cast<int>(c));
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '@') {
      out += "@\xE2\x81\xA0";  // a word joiner: nobody is mentioned
    } else if (c == ':') {
      out += "&#58;";  // no address becomes a link by itself
    } else {
      out += c;
    }
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  return "<code>" + markdown_text(text) + "</code>";
}

std::string markdown_block(std::string_view text) {
  const std::string printable = printable_text(text);
  const std::string fence(std::max<std::size_t>(3, longest_run(printable, '`') + 1), '`');
  return fmt::format("{}text\n{}\n{}\n", fence, printable, fence);
}

std::string render_issue(const Result& result, const RuleFinding& finding) {
  constexpr std::size_t kMostEvents = 4;
  const Verdict& verdict = *finding.verdict;
  return fmt::format("**{} {}**: {}\n\n{}, judged by mcp-assay {}, catalogue {}\n\n{}",
                     name(verdict.level), markdown_code(cut(verdict.requirement, 200)),
                     markdown_text(cut(verdict.summary, kMaxDetailBytes)),
                     markdown_text(cut(target_title(result.target), 300)),
                     markdown_text(cut(result.tool_version, 40)),
                     markdown_text(cut(result.catalogue_version, 40)),
                     account(finding, result, kMostEvents));
}

std::string render_markdown(const Result& result) {
  std::string out =
      fmt::format("### MCP conformance: {}\n\nThe {} {}, judged by mcp-assay {}, catalogue {}\n\n",
                  markdown_text(conclusion(result)), markdown_text(result.target.subject),
                  markdown_text(cut(target_title(result.target), 300)),
                  markdown_text(cut(result.tool_version, 40)),
                  markdown_text(cut(result.catalogue_version, 40)));
  if (result.was_interrupted) out += "The run was interrupted and is incomplete.\n\n";
  out += table(result);
  if (const std::string extensions = extensions_text(result); !extensions.empty()) {
    out += fmt::format("\nExtensions: {}\n", markdown_text(extensions));
  }
  out += reasons(result);
  for (const StaleExpectation& stale : result.stale_expectations) {
    if (out.size() > kMaxMarkdownBytes / 2) break;
    out += fmt::format("\n- stale expectation, nothing fails any more: {}",
                       markdown_code(cut(stale_title(stale), 200)));
  }
  if (!result.stale_expectations.empty()) out += "\n";
  violations(out, result, failures(result), "Violations");
  const Findings advisory = collect(result, [&result](const Verdict& verdict) {
    return verdict.outcome == Outcome::kViolated && !verdict.is_expected &&
           !is_failure(verdict, result.is_strict);
  });
  violations(out, result, advisory, "Advice that is not followed");
  return out;
}

}  // namespace assay::reports
