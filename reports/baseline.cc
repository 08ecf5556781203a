#include "reports/baseline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "reports/findings.h"

namespace assay::reports {
namespace {

using BaselineKind = BaselineChange::Kind;

constexpr std::size_t kDayBytes = 10;  // of "2026-01-31T12:00:00Z"

std::string place_of(const std::string& revisions, const std::string& transports) {
  if (transports.empty()) return revisions;
  return fmt::format("{}{}over {}", revisions, revisions.empty() ? "" : " ", transports);
}

BaselineChange change(BaselineKind kind, const Expectation& entry) {
  return {kind, entry.pattern,
          place_of(fmt::format("{}", fmt::join(entry.revisions, ", ")),
                   fmt::format("{}", fmt::join(entry.transports, ", ")))};
}

// The entry without the parts of it that hold: as many entries as it takes, with one list of
// transports each.
std::vector<Expectation> without(const Expectation& entry,
                                 const std::vector<StaleExpectation>& stale) {
  const auto holds = [&stale](const std::string& revision, const std::string& transport) {
    return std::any_of(stale.begin(), stale.end(), [&](const StaleExpectation& each) {
      return each.revision == revision && each.transport == transport;
    });
  };
  const std::vector<std::string> any = {""};
  std::map<std::vector<std::string>, std::vector<std::string>> revisions;  // by what is left there
  for (const auto& revision : entry.revisions.empty() ? any : entry.revisions) {
    std::vector<std::string> left;
    for (const auto& transport : entry.transports.empty() ? any : entry.transports) {
      if (!holds(revision, transport)) left.push_back(transport);
    }
    if (!left.empty()) revisions[left].push_back(revision);
  }
  std::vector<Expectation> out;
  for (const auto& [transports, in] : revisions) {
    Expectation part = entry;
    if (!entry.revisions.empty()) part.revisions = in;
    if (!entry.transports.empty()) part.transports = transports;
    out.push_back(std::move(part));
  }
  return out;
}

// What fails and no entry covers.
Findings unlisted(const std::vector<Expectation>& entries, const Result& result) {
  Findings out = failures(result);
  for (auto& each : out) {
    RuleFinding& finding = each.second;
    RuleFinding left;
    for (std::size_t i = 0; i < finding.runs.size(); ++i) {
      const bool is_listed = std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
        return covers(entry, *finding.runs[i], *finding.verdicts[i]);
      });
      if (is_listed) continue;
      left.runs.push_back(finding.runs[i]);
      left.verdicts.push_back(finding.verdicts[i]);
    }
    if (!left.verdicts.empty()) left.verdict = left.verdicts.back();
    finding = std::move(left);
  }
  std::erase_if(out, [](const auto& each) { return each.second.runs.empty(); });
  return out;
}

}  // namespace

Baseline renewed(ExpectedFailures before, Result result, const BaselineOptions& options) {
  clear_expected(result);
  Baseline out{std::move(before), {}};
  std::vector<Expectation>& entries = out.list.of(result.target.subject);
  std::vector<Expectation> kept;
  for (const Expectation& entry : entries) {
    const std::vector<StaleExpectation> stale = stale_parts(entry, result);
    for (const StaleExpectation& part : stale) {
      out.changes.push_back(
          {BaselineKind::kRemoved, part.pattern, place_of(part.revision, part.transport)});
    }
    for (Expectation& part : without(entry, stale)) {
      out.changes.push_back(change(BaselineKind::kKept, part));
      kept.push_back(std::move(part));
    }
  }
  const Findings satisfied = collect(result, Outcome::kSatisfied);
  const Findings failed = failures(result);
  for (const auto& [id, finding] : unlisted(kept, result)) {
    // An entry without runs would cover those that are listed already, or in which it holds.
    const bool is_partly = finding.runs.size() < failed.at(id).runs.size();
    for (Expectation& entry : entries_for(finding, is_partly || satisfied.contains(id))) {
      if (!options.reason.empty()) entry.reason = options.reason;
      entry.since = result.started.substr(0, kDayBytes);
      out.changes.push_back(
          change(options.may_grow ? BaselineKind::kAdded : BaselineKind::kLeftOut, entry));
      if (options.may_grow) kept.push_back(std::move(entry));
    }
  }
  entries = std::move(kept);
  return out;
}

}  // namespace assay::reports
