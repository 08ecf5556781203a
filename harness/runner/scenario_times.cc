#include "harness/runner/scenario_times.h"

namespace assay::harness {

void ScenarioTimes::add(const reports::RunKey& run, const std::string& scenario,
                        std::int64_t milliseconds) {
  times_[{run.revision, run.transport, scenario}] += milliseconds;
}

void ScenarioTimes::share_out(reports::Run& run) const {
  std::map<std::string, std::int64_t> verdicts;
  for (const reports::Verdict& verdict : run.verdicts) ++verdicts[verdict.scenario];
  const auto share = [&](reports::Verdict& verdict) {
    const auto time = times_.find({run.revision, run.transport, verdict.scenario});
    if (time == times_.end()) return;
    const auto found = verdicts.find(verdict.scenario);
    verdict.duration_ms = found == verdicts.end() ? time->second : time->second / found->second;
  };
  for (reports::Verdict& verdict : run.verdicts) share(verdict);
  for (reports::Candidate& candidate : run.candidates) share(candidate.verdict);
}

}  // namespace assay::harness
