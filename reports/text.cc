#include "reports/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>
#include <vector>

#include "reports/bound.h"
#include "reports/escape.h"
#include "reports/findings.h"

namespace assay::reports {
namespace {

constexpr std::size_t kMaxTargetNameBytes = 80;
constexpr std::size_t kMaxLocationBytes = 1000;

std::string passed_text(const Result& result) {
  if (is_of_fuzzer(result)) return "nothing found";
  const int conformant = count_runs(result, RunStatus::kConformant);
  // What is expected to fail is no violation, but it is not conformant either.
  if (count_runs(result, RunStatus::kViolations) > 0) return "no unexpected violation";
  return fmt::format("conformant in {}", plural(conformant, "run"));
}

std::string untested_text(const Result& result) {
  const bool is_unsupported = !result.runs.empty() && count_runs(result, RunStatus::kUnsupported) ==
                                                          static_cast<int>(result.runs.size());
  return is_unsupported ? "the target speaks no revision that was asked for"
                        : "the target could not be tested";
}

}  // namespace

std::string target_title(const Target& target) {
  const std::string label = printable_line(cut(target.label, kMaxTargetNameBytes));
  if (target.name.empty()) return label.empty() ? target_location(target) : label;
  std::string title = printable_line(cut(target.name, kMaxTargetNameBytes));
  if (!target.version.empty())
    title += " " + printable_line(cut(target.version, kMaxTargetNameBytes));
  return label.empty() || label == target.name ? title : fmt::format("{} ({})", label, title);
}

std::string target_location(const Target& target) {
  if (!target.url.empty()) return printable_line(cut(target.url, kMaxLocationBytes));
  std::string out;
  for (const std::string& word : target.command) {
    if (!out.empty()) out += ' ';
    out += shell_word(word);
  }
  return printable_line(cut(out, kMaxLocationBytes));
}

std::string_view speaker_word(const Evidence& evidence) {
  if (evidence.lane == "stderr") return "standard error";
  return evidence.party == "client" ? "client" : "server";
}

std::string speaker_words(const Evidence& evidence) {
  return std::string(speaker_word(evidence)) +
         (evidence.is_deliberate ? " (wrong on purpose)" : "");
}

std::string_view outcome_words(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSatisfied:
      return "satisfied";
    case Outcome::kViolated:
      return "violated";
    case Outcome::kNotExercised:
      return "not exercised";
    case Outcome::kNotApplicable:
      return "not applicable";
    case Outcome::kInconclusive:
      return "inconclusive";
  }
  return "";
}

std::string web_address(std::string_view address) {
  constexpr std::size_t kLongestAddress = 2000;
  const bool is_web = address.starts_with("https://") || address.starts_with("http://");
  return is_web && address.size() <= kLongestAddress ? printable_line(address) : std::string();
}

std::string rule_address(std::string_view rules_url, std::string_view requirement) {
  const std::string base = web_address(rules_url);
  if (base.empty()) return base;
  const bool is_plain = std::all_of(requirement.begin(), requirement.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.';
  });
  if (!is_plain) return "";
  return fmt::format("{}{}{}.html", base, base.ends_with('/') ? "" : "/", requirement);
}

std::string command_text(const Verdict& verdict) {
  const std::string& command = verdict.reproduce;
  return command.size() <= kLongestCommand && printable_line(command) == command ? command : "";
}

std::string why_not_counted(const Verdict& verdict) {
  std::string out(outcome_words(verdict.outcome));
  if (verdict.outcome == Outcome::kViolated) {
    out =
        verdict.is_expected ? "expected failure" : fmt::format("{} violated", name(verdict.level));
  }
  const std::string& why = verdict.is_expected ? verdict.expected_reason : verdict.detail;
  if (!why.empty()) out += ": " + why;
  if (!verdict.caused_by.empty()) out += fmt::format(" (because of {})", verdict.caused_by);
  if (!verdict.hint.empty()) out += fmt::format(" ({})", verdict.hint);
  return out;
}

std::string stale_title(const StaleExpectation& stale) {
  std::string out = printable_line(stale.pattern);
  if (!stale.revision.empty()) out += " in " + printable_line(stale.revision);
  if (!stale.transport.empty()) out += " over " + printable_line(stale.transport);
  return out;
}

std::string conclusion(const Result& result) {
  const int runs = static_cast<int>(result.runs.size());
  const int violated = static_cast<int>(failures(result).size());
  const int stale = static_cast<int>(result.stale_expectations.size());
  const int untested = count_runs(result, RunStatus::kFailed);
  const int incomplete = count_runs(result, RunStatus::kIncomplete);
  const bool is_none_tested = is_complete(result) && !was_tested(result);
  std::vector<std::string> parts;
  if (is_none_tested) parts.push_back(untested_text(result));
  if (violated > 0 && is_of_fuzzer(result)) {
    parts.push_back(plural(violated, "finding"));
  } else if (violated > 0) {
    parts.push_back(plural(violated, "requirement") + " violated");
  }
  if (stale > 0 && !is_none_tested) parts.push_back(plural(stale, "stale expectation"));
  if (parts.empty() && is_complete(result)) parts.push_back(passed_text(result));
  if (untested > 0 && !is_none_tested) {
    parts.push_back(fmt::format("{} of {} could not be tested", untested, plural(runs, "run")));
  }
  if (incomplete > 0) {
    parts.push_back(
        fmt::format("interrupted: {} of {} incomplete", incomplete, plural(runs, "run")));
  } else if (result.was_interrupted) {
    parts.emplace_back("interrupted");
  }
  if (was_tested(result) && !is_of_fuzzer(result))
    parts.push_back(exercised_text(exercised_in(result)) + " exercised");
  std::string out = fmt::format("{}", fmt::join(parts, "; "));
  out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out;
}

std::string duration_text(std::int64_t milliseconds) {
  if (milliseconds < 100) return fmt::format("{} ms", milliseconds);
  return fmt::format("{:.1f} s", static_cast<double>(milliseconds) / 1000);
}

std::string cost_text(const Cost& cost) {
  if (cost == Cost{}) return "";
  const auto number = [](std::int64_t count, std::string_view word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
  };
  const auto bytes =
      static_cast<double>(cost.bytes_sent) + static_cast<double>(cost.bytes_received);
  const std::string size =
      bytes < 1e6 ? fmt::format("{:.1f} kB", bytes / 1e3) : fmt::format("{:.1f} MB", bytes / 1e6);
  return fmt::format("{}, {}, {}", number(cost.sessions, "session"),
                     number(cost.requests, "request"), size);
}

std::string waits_text(const Cost& cost) {
  constexpr std::int64_t kWorthTelling = 100;
  std::vector<std::pair<std::int64_t, std::string>> waits;
  for (const auto& [scenario, ms] : cost.waits) {
    if (ms >= kWorthTelling) waits.emplace_back(-ms, scenario);
  }
  if (waits.empty()) return "";
  std::sort(waits.begin(), waits.end());
  std::vector<std::string> words;
  for (const auto& [ms, scenario] : waits) {
    words.push_back(fmt::format("{} {}", printable_line(cut(scenario, 100)), duration_text(-ms)));
  }
  return fmt::format("{} for what did not come: {}", duration_text(cost.waited_ms()),
                     fmt::join(words, ", "));
}

namespace {

std::string extension_text(const JudgedExtension& extension) {
  return fmt::format("{} ({})", printable_line(cut(extension.id, 100)),
                     extension.is_declared ? "declared" : "asked for");
}

}  // namespace

std::string extensions_text(const Run& run) {
  std::string out;
  for (const JudgedExtension& extension : run.extensions) {
    out += (out.empty() ? "" : ", ") + extension_text(extension);
  }
  return out;
}

std::string extensions_text(const Result& result) {
  std::map<std::string, std::vector<std::string>> revisions;
  for (const Run& run : result.runs) {
    const std::string revision = printable_line(cut(run.revision, 40));
    for (const JudgedExtension& extension : run.extensions) {
      std::vector<std::string>& told = revisions[extension_text(extension)];
      if (std::find(told.begin(), told.end(), revision) == told.end()) told.push_back(revision);
    }
  }
  std::string out;
  for (const auto& [extension, in] : revisions) {
    out += fmt::format("{}{} in {}", out.empty() ? "" : "; ", extension, fmt::join(in, ", "));
  }
  return out;
}

std::string timestamp(std::string_view iso8601) {
  if (iso8601.ends_with('Z')) iso8601.remove_suffix(1);
  return std::string(iso8601);
}

std::string words_of(const Step& step) {
  return printable_line(fmt::format("{} by {}: {}", step.what, step.by, step.detail));
}

std::string plural(int number, std::string_view word) {
  return fmt::format("{} {}{}", number, word, number == 1 ? "" : "s");
}

}  // namespace assay::reports
