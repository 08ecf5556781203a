#include "reports/event_lines.h"

#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "reports/escape.h"
#include "reports/findings.h"
#include "reports/json.h"
#include "reports/terminal.h"

namespace assay::reports {
namespace {

using nlohmann::ordered_json;

constexpr int kTextColumns = 100;

std::string line_of(const ordered_json& event) {
  return safe_json(event.dump(-1, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

ordered_json failure_json(const RuleFinding& finding, const Result& result,
                          const TerminalOptions& options) {
  const Verdict& verdict = *finding.verdict;
  ordered_json runs = ordered_json::array();
  for (const Run* run : finding.runs) runs.push_back(run->revision + " " + run->transport);
  return {{"requirement", verdict.requirement},
          {"level", name(verdict.level)},
          {"summary", verdict.summary},
          {"detail", verdict.detail},
          {"fix", verdict.fix},
          {"spec", verdict.spec},
          {"runs", std::move(runs)},
          {"text", render_violation(result, finding, options)}};
}

}  // namespace

void EventLines::run_started(const PlanSize& plan) {
  out_ << line_of({{"event", "started"},
                   {"schema", "mcp-assay-events/1"},
                   {"runs", plan.runs},
                   {"scenarios", plan.scenarios}})
       << std::flush;
  next_.run_started(plan);
}

void EventLines::scenario_finished(const RunKey& run, const std::string& scenario,
                                   std::int64_t duration_ms) {
  out_ << line_of({{"event", "scenario"},
                   {"revision", run.revision},
                   {"transport", run.transport},
                   {"scenario", scenario},
                   {"duration_ms", duration_ms}})
       << std::flush;
  next_.scenario_finished(run, scenario, duration_ms);
}

void EventLines::verdict(const RunKey& run, const Verdict& verdict) {
  out_ << line_of({{"event", "verdict"},
                   {"revision", run.revision},
                   {"transport", run.transport},
                   {"requirement", verdict.requirement},
                   {"level", name(verdict.level)},
                   {"outcome", name(verdict.outcome)}});
  next_.verdict(run, verdict);
}

std::string finished_line(const Result& result, int exit_status) {
  TerminalOptions options;
  options.width = kTextColumns;
  options.next_step = false;
  const Findings failed = failures(result);
  ordered_json list = ordered_json::array();
  for (const RuleFinding* finding : by_weight(failed, result.is_strict)) {
    list.push_back(failure_json(*finding, result, options));
  }
  return line_of({{"event", "finished"},
                  {"conformant", exit_status == 0},
                  {"exit_status", exit_status},
                  {"failures", std::move(list)},
                  {"text", render_terminal(result, options)},
                  {"report", ordered_json::parse(render_json(result))}});
}

}  // namespace assay::reports
