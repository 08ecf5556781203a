#include "reports/expected.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "reports/escape.h"
#include "reports/findings.h"
#include "reports/subject.h"
#include "reports/yaml.h"

namespace assay::reports {
namespace {

constexpr std::size_t kMaxListedReasonBytes = 200;

std::string scalar(const YAML::Node& node, std::string_view name) {
  if (!node.IsScalar() || node.Scalar().empty())
    fail_at(node, fmt::format("{} must be a text", name));
  return node.Scalar();
}

// One text or a list of them.
std::vector<std::string> texts(const YAML::Node& node, std::string_view name) {
  std::vector<std::string> out;
  if (!node.IsSequence()) return {scalar(node, name)};
  for (const YAML::Node& item : node) out.push_back(scalar(item, name));
  if (out.empty()) fail_at(node, fmt::format("{} is an empty list: leave it out for all", name));
  return out;
}

// "2026-01-31", by its form.
bool is_day(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00";
  return text.size() == kForm.size() &&
         std::equal(text.begin(), text.end(), kForm.begin(), [](char c, char form) {
           return form == '-' ? c == '-' : c >= '0' && c <= '9';
         });
}

Expectation entry(const YAML::Node& node) {
  Expectation out;
  if (node.IsScalar()) {
    out.pattern = scalar(node, "an entry");
    return out;
  }
  if (!node.IsMap()) fail_at(node, "an entry is a requirement, or has the key 'requirement'");
  for (const auto& pair : node) {
    const YAML::Node& key = pair.first;
    const YAML::Node& value = pair.second;
    const std::string name = scalar(key, "a key");
    if (name == "requirement") {
      out.pattern = scalar(value, name);
    } else if (name == "revision") {
      out.revisions = texts(value, name);
    } else if (name == "transport") {
      out.transports = texts(value, name);
    } else if (name == "reason") {
      out.reason = scalar(value, name);
    } else if (name == "since") {
      out.since = scalar(value, name);
      if (!is_day(out.since)) fail_at(value, "since must be a day, such as 2026-01-31");
    } else {
      fail_at(key, fmt::format(
                       "unknown key '{}'; known: requirement, revision, transport, reason, since",
                       printable_line(cut(name, 60))));
    }
  }
  if (out.pattern.empty()) fail_at(node, "'requirement' is missing");
  return out;
}

std::vector<Expectation> entries(const YAML::Node& node) {
  std::vector<Expectation> out;
  if (node.IsNull()) return out;
  if (!node.IsSequence()) fail_at(node, "a list of requirements is expected");
  for (const YAML::Node& item : node) out.push_back(entry(item));
  return out;
}

bool holds(const std::vector<std::string>& wanted, const std::string& value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool is_matched(const Expectation& expectation, const Result& result, Outcome outcome) {
  return std::any_of(result.runs.begin(), result.runs.end(), [&](const Run& run) {
    return std::any_of(run.verdicts.begin(), run.verdicts.end(), [&](const Verdict& verdict) {
      return verdict.outcome == outcome && covers(expectation, run, verdict);
    });
  });
}

// A YAML scalar in double quotes, which is JSON's for what is printable.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable_line(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

using NameSet = std::set<std::string>;

std::vector<std::string> list_of(const NameSet& names) {
  return {names.begin(), names.end()};
}

std::string in_quotes(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& each : names) quoted.push_back(in_quotes(each));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

void write_entry(std::string& out, const Expectation& entry) {
  out += fmt::format("  - requirement: {}\n", in_quotes(entry.pattern));
  if (!entry.revisions.empty())
    out += fmt::format("    revision: {}\n", in_quotes(entry.revisions));
  if (!entry.transports.empty()) {
    out += fmt::format("    transport: {}\n", in_quotes(entry.transports));
  }
  if (!entry.reason.empty()) {
    out += fmt::format("    reason: {}\n", in_quotes(cut(entry.reason, kMaxListedReasonBytes)));
  }
  if (!entry.since.empty()) out += fmt::format("    since: {}\n", entry.since);
}

void write_list(std::string& out, std::string_view key, const std::vector<Expectation>& entries) {
  out += fmt::format("{}:{}\n", key, entries.empty() ? " []" : "");
  for (const Expectation& each : entries) write_entry(out, each);
}

std::string_view key_of(std::string_view subject) {
  if (subject == kAuthoritySubject) return "authorization";
  return subject == "client" ? "client" : "server";
}

}  // namespace

bool covers(const Expectation& expectation, const Run& run, const Verdict& verdict) {
  return holds(expectation.revisions, run.revision) &&
         holds(expectation.transports, run.transport) &&
         matches_glob(expectation.pattern, verdict.requirement);
}

std::vector<StaleExpectation> stale_parts(const Expectation& expectation, const Result& result) {
  const std::vector<std::string> any = {""};
  std::vector<StaleExpectation> out;
  for (const auto& revision : expectation.revisions.empty() ? any : expectation.revisions) {
    for (const auto& transport : expectation.transports.empty() ? any : expectation.transports) {
      Expectation part = expectation;
      if (!revision.empty()) part.revisions = {revision};
      if (!transport.empty()) part.transports = {transport};
      const bool is_stale = is_matched(part, result, Outcome::kSatisfied) &&
                            !is_matched(part, result, Outcome::kViolated);
      if (is_stale) out.push_back({expectation.pattern, revision, transport, expectation.reason});
    }
  }
  return out;
}

std::vector<Expectation> entries_for(const RuleFinding& finding, bool holds_elsewhere) {
  const Verdict& verdict = *finding.verdict;
  const std::string& why = verdict.is_expected ? verdict.expected_reason : verdict.detail;
  if (!holds_elsewhere) return {{verdict.requirement, {}, {}, why, ""}};
  std::map<std::string, NameSet> transports;
  for (const Run* run : finding.runs) transports[run->revision].insert(run->transport);
  std::map<NameSet, NameSet> revisions;
  for (const auto& [revision, over] : transports) revisions[over].insert(revision);
  std::vector<Expectation> out;
  for (const auto& [over, in] : revisions) {
    out.push_back({verdict.requirement, list_of(in), list_of(over), why, ""});
  }
  return out;
}

bool matches_glob(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t in_text = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (in_text < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      star_text = in_text;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[in_text])) {
      ++at, ++in_text;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in_text = ++star_text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

std::variant<ExpectedFailures, std::string> parse_expected(std::string_view yaml) {
  if (yaml.size() > kMaxExpectedBytes) {
    return fmt::format("larger than {} bytes", kMaxExpectedBytes);
  }
  try {
    const YAML::Node root = load_yaml(yaml);
    ExpectedFailures out;
    if (root.IsNull()) return out;
    if (!root.IsMap())
      fail_at(root, "the keys 'server', 'client' and 'authorization' are expected");
    for (const auto& pair : root) {
      const YAML::Node& key = pair.first;
      const YAML::Node& value = pair.second;
      const std::string name = scalar(key, "a key");
      if (name != "server" && name != "client" && name != "authorization") {
        fail_at(key, fmt::format("unknown key '{}'; known: server, client, authorization",
                                 printable_line(cut(name, 60))));
      }
      (name == "server"   ? out.server
       : name == "client" ? out.client
                          : out.authorization) = entries(value);
    }
    return out;
  } catch (const BadYaml& bad) {
    return bad.text;
  }
}

std::vector<std::string> apply_expected(const ExpectedFailures& expected, Result& result) {
  const std::vector<Expectation>& list = expected.of(result.target.subject);
  for (Run& run : result.runs) {
    for (Verdict& verdict : run.verdicts) {
      if (verdict.outcome != Outcome::kViolated) continue;
      const auto found = std::find_if(
          list.begin(), list.end(),
          [&](const Expectation& expectation) { return covers(expectation, run, verdict); });
      if (found == list.end()) continue;
      verdict.is_expected = true;
      verdict.expected_reason = found->reason;
    }
  }
  std::vector<std::string> unmatched;
  for (const Expectation& expectation : list) {
    const auto stale = stale_parts(expectation, result);
    result.stale_expectations.insert(result.stale_expectations.end(), stale.begin(), stale.end());
    const Expectation anywhere{expectation.pattern, {}, {}, "", ""};
    const bool has_match =
        std::any_of(std::begin(kOutcomes), std::end(kOutcomes),
                    [&](Outcome outcome) { return is_matched(anywhere, result, outcome); });
    if (!has_match) unmatched.push_back(expectation.pattern);
  }
  return unmatched;
}

void clear_expected(Result& result) {
  result.stale_expectations.clear();
  for (Run& run : result.runs) {
    for (Verdict& verdict : run.verdicts) {
      verdict.is_expected = false;
      verdict.expected_reason.clear();
    }
  }
}

const std::vector<Expectation>& ExpectedFailures::of(std::string_view subject) const {
  if (subject == kAuthoritySubject) return authorization;
  return subject == "client" ? client : server;
}

std::vector<Expectation>& ExpectedFailures::of(std::string_view subject) {
  return const_cast<std::vector<Expectation>&>(std::as_const(*this).of(subject));
}

std::string expected_entry(const Result& result, const RuleFinding& finding) {
  const std::string& id = finding.verdict->requirement;
  const bool holds_elsewhere = is_matched({id, {}, {}, "", ""}, result, Outcome::kSatisfied);
  std::string out;
  write_list(out, key_of(result.target.subject), entries_for(finding, holds_elsewhere));
  return out;
}

std::string render_list(const ExpectedFailures& list) {
  std::string out =
      "# Known violations. A listed one does not fail the run; one that no longer occurs does,\n"
      "# so that the list stays true. Give each a reason.\n";
  const std::size_t header = out.size();
  for (const std::string_view subject :
       {std::string_view("server"), std::string_view("client"), kAuthoritySubject}) {
    if (!list.of(subject).empty()) write_list(out, key_of(subject), list.of(subject));
  }
  if (out.size() == header) write_list(out, "server", {});
  return out;
}

std::string render_expected(const Result& result) {
  ExpectedFailures list;
  const Findings findings = collect(result, [&result](const Verdict& verdict) {
    return is_failure(verdict, result.is_strict) ||
           (verdict.outcome == Outcome::kViolated && verdict.is_expected);
  });
  const Findings satisfied = collect(result, Outcome::kSatisfied);
  std::vector<Expectation>& entries = list.of(result.target.subject);
  for (const auto& [id, finding] : findings) {
    const std::vector<Expectation> more = entries_for(finding, satisfied.contains(id));
    entries.insert(entries.end(), more.begin(), more.end());
  }
  return render_list(list);
}

}  // namespace assay::reports
