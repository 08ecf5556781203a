#include "harness/cli/rerun_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/frame/load_report.h"
#include "harness/runner/scenario.h"
#include "reports/escape.h"
#include "reports/findings.h"
#include "reports/text.h"

namespace assay::cli {
namespace {

using harness::Scenario;

bool judges_a_must(const Scenario& scenario, model::Revision revision) {
  return std::any_of(
      scenario.requirements.begin(), scenario.requirements.end(), [&](const auto& id) {
        const catalogue::Requirement* requirement = catalogue::find(id.text());
        const auto level = requirement == nullptr ? std::nullopt : requirement->level_in(revision);
        return level && reports::strength(*level) == reports::Strength::kMust;
      });
}

const Scenario* find_scenario(std::string_view name) {
  for (const Scenario& scenario : harness::scenarios()) {
    if (scenario.name == name) return &scenario;
  }
  return nullptr;
}

// What shows a violated rule again: its scenario, or that in whose session a monitor saw it; what
// was seen in the session that polite scenarios share, those.
void add_scenarios(const reports::Verdict& verdict, std::set<std::string_view>& names) {
  if (const Scenario* scenario = find_scenario(verdict.scenario)) {
    names.insert(scenario->name);
    return;
  }
  for (const reports::Step& step : verdict.history) {
    const Scenario* scenario = find_scenario(step.by);
    if (scenario == nullptr) continue;
    names.insert(scenario->name);
    return;
  }
  for (const Scenario& scenario : harness::scenarios()) {
    if (scenario.session_use == Scenario::SessionUse::kShared) names.insert(scenario.name);
  }
}

bool fails(const reports::Run& run, bool is_strict) {
  return run.status == reports::RunStatus::kFailed ||
         std::any_of(run.verdicts.begin(), run.verdicts.end(),
                     [&](const auto& verdict) { return reports::is_failure(verdict, is_strict); });
}

}  // namespace

void RerunOption::declare(Arguments& arguments) {
  arguments.flag("--quick", is_quick_,
                 "Test only MUST rules, in the newest revision that the server speaks, for at "
                 "most 5 s");
  arguments.text("--failed", failed_, "REPORT", "Test again only what fails in this JSON report");
}

void RerunOption::prepare() {
  if (failed_.empty()) return;
  earlier_ = load_report(failed_);
  const bool any_fails =
      std::any_of(earlier_.runs.begin(), earlier_.runs.end(),
                  [this](const auto& run) { return fails(run, earlier_.is_strict); });
  if (any_fails) return;
  throw UsageError(
      fmt::format("--failed: nothing fails in '{}'", reports::printable_line(failed_)));
}

void RerunOption::narrow(harness::CertifyOptions& options) const {
  if (failed_.empty()) return;
  std::set<std::string_view> names;
  std::set<std::string_view> revisions;
  for (const reports::Run& run : earlier_.runs) {
    if (!fails(run, earlier_.is_strict)) continue;
    revisions.insert(run.revision);
    for (const reports::Verdict& verdict : run.verdicts) {
      if (reports::is_failure(verdict, earlier_.is_strict)) add_scenarios(verdict, names);
    }
  }
  std::erase_if(options.revisions,
                [&](model::Revision each) { return !revisions.contains(each.text()); });
  options.wants = [names, wants = options.wants](std::string_view scenario) {
    return names.contains(scenario) && wants(scenario);
  };
}

reports::Result RerunOption::certify(harness::CertifyOptions options,
                                     reports::Events& events) const {
  if (!is_quick_) return harness::certify(options, events);
  const std::vector<model::Revision> revisions = std::exchange(options.revisions, {});
  const auto wants = options.wants;
  reports::Result result;
  for (auto each = revisions.rbegin(); each != revisions.rend(); ++each) {
    options.revisions = {*each};
    options.wants = [&wants, revision = *each](std::string_view name) {
      const Scenario* scenario = find_scenario(name);
      return wants(name) && scenario != nullptr && !scenario->is_lengthy &&
             judges_a_must(*scenario, revision);
    };
    result = harness::certify(options, events);
    const bool is_unsupported = reports::count_runs(result, reports::RunStatus::kUnsupported) ==
                                static_cast<int>(result.runs.size());
    if (!is_unsupported || options.stop.stop_requested()) break;
  }
  for (reports::Run& run : result.runs) {
    std::erase_if(run.verdicts, [](const reports::Verdict& verdict) {
      return reports::strength(verdict.level) != reports::Strength::kMust;
    });
  }
  return result;
}

void RerunOption::end_of_time(reports::Result& result, double seconds) const {
  if (!is_quick_) {
    fmt::print(stderr, "mcp-assay: stopped after {} s (--max-time): the result is incomplete\n",
               seconds);
    return;
  }
  result.was_interrupted = false;
  for (reports::Run& run : result.runs) {
    if (run.status != reports::RunStatus::kIncomplete) continue;
    if (reports::exercised_in(run).exercised == 0) {
      run.status = reports::RunStatus::kFailed;
      run.reason = fmt::format("nothing could be judged within {} s: leave out --quick", seconds);
      continue;
    }
    run.status =
        fails(run, false) ? reports::RunStatus::kViolations : reports::RunStatus::kConformant;
    run.reason = fmt::format("a quick look ends after {} s: the rest was not exercised", seconds);
  }
}

std::string RerunOption::told() const {
  if (is_quick_) {
    return "--quick tested only MUST rules, in one revision. Leave it out to test everything.";
  }
  if (failed_.empty()) return "";
  return fmt::format("Only what fails in '{}' was tested again. Leave out --failed for all.",
                     reports::printable_line(failed_));
}

}  // namespace assay::cli
