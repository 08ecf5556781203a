#include "harness/runner/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "harness/runner/jobs.h"
#include "harness/runner/new_result.h"
#include "harness/runner/run.h"
#include "harness/runner/scenario_times.h"
#include "harness/runner/worker_pool.h"
#include "reports/bound.h"

namespace assay::harness {
namespace {

// Where one run could not even begin among the others, its sessions begin with fewer beside them.
constexpr int kFewerWhenLate = 4;

// The older pair of endpoints belongs to 2024-11-05 alone. Streamable HTTP came later; a server
// that offers 2024-11-05 over it is tested so where there is no other way to speak HTTP to it.
bool is_in_plan(model::Revision revision, const CertifyOptions& options,
                const TargetAccess& access) {
  if (access.kind.is_http_sse()) return revision.has_http_sse();
  if (!access.kind.is_streamable_http() || revision.has_streamable_http()) return true;
  return std::none_of(options.accesses.begin(), options.accesses.end(),
                      [](const TargetAccess& other) { return other.kind.is_http_sse(); });
}

// The first session begins alone, before all others: what it takes says how many may begin at once.
int begin_first(TargetRun& run, int wanted_jobs) {
  run.start();
  if (wanted_jobs > 0) return wanted_jobs;
  return sessions_at_once(run.start_time().value_or(std::chrono::milliseconds(0)));
}

// Runs everything that a run consists of, in tasks of one pool.
void schedule(WorkerPool& pool, TargetRun& run) {
  pool.add([&pool, &run] {
    if (!run.begin()) return;
    std::vector<const Scenario*> plan = run.plan();
    const auto quick = std::stable_partition(
        plan.begin(), plan.end(), [](const Scenario* scenario) { return scenario->is_lengthy; });
    const auto add = [&](const Scenario* scenario) {
      if (!run.plays_alone(*scenario)) return;
      const auto play = [&run, scenario] { run.run_own(*scenario); };
      scenario->is_heavy ? pool.add_exclusive(play) : pool.add(play);
    };
    std::vector<Round> rounds = run.rounds();
    const auto quick_round = std::stable_partition(
        rounds.begin(), rounds.end(), [](const Round& round) { return round.is_lengthy; });
    const auto add_round = [&](const Round& round) {
      const auto play = [&run, round] { run.run_round(round); };
      round.is_heavy ? pool.add_exclusive(play) : pool.add(play);
    };
    std::for_each(rounds.begin(), quick_round, add_round);
    std::for_each(plan.begin(), quick, add);
    std::for_each(quick_round, rounds.end(), add_round);
    std::for_each(quick, plan.end(), add);
    run.run_shared();
  });
}

// The names of --tools that no run lists; none if no run came to list its tools.
UnlistedTools unlisted_tools(const CertifyOptions& options,
                             const std::vector<std::unique_ptr<TargetRun>>& runs) {
  std::set<std::string> listed;
  bool is_known = false;
  for (const auto& run : runs) {
    const Listing* tools = run->listed_tools();
    if (tools == nullptr) continue;
    is_known = true;
    for (const Json& tool : tools->items) {
      const Json name = tool.is_object() ? tool.value("name", Json()) : Json();
      if (name.is_string()) listed.insert(name.get<std::string>());
    }
  }
  UnlistedTools out{{}, {listed.begin(), listed.end()}};
  for (const std::string& name : options.tools.names) {
    if (is_known && !listed.contains(name)) out.names.push_back(name);
  }
  return out;
}

// Tells of tools that were named and that are not there.
void check_named_tools(const CertifyOptions& options, int jobs,
                       const std::vector<std::unique_ptr<TargetRun>>& runs) {
  if (options.tools.names.empty() || !options.on_unlisted_tools) return;
  {
    WorkerPool pool(jobs);
    for (const auto& run : runs) pool.add([&run] { (void)run->begin(); });
    pool.drain();
  }
  const UnlistedTools unlisted = unlisted_tools(options, runs);
  if (!unlisted.names.empty()) options.on_unlisted_tools(unlisted);
}

void do_runs(const CertifyOptions& options, const std::vector<std::unique_ptr<TargetRun>>& runs) {
  if (runs.empty()) return;
  const int jobs = begin_first(*runs.front(), options.jobs);
  check_named_tools(options, jobs, runs);
  {
    WorkerPool pool(jobs);
    for (const auto& run : runs) schedule(pool, *run);
    pool.drain();
  }
  // A target that never answered has nothing to do with how many asked at once.
  const bool is_alive = std::any_of(runs.begin(), runs.end(),
                                    [](const auto& run) { return run->start_time().has_value(); });
  for (const auto& run : runs) {
    if (!run->is_late() || !is_alive) continue;
    run->reset();
    run->start();
    WorkerPool pool(std::max(1, jobs / kFewerWhenLate));
    schedule(pool, *run);
    pool.drain();
  }
  for (const auto& run : runs) run->confirm_timing();
}

}  // namespace

reports::Result certify(const CertifyOptions& options, reports::Events& events) {
  const auto started = Clock::now();
  reports::Result result = new_result(options.catalogue_version);
  result.target = options.target;

  std::mutex events_mutex;  // guards events and times: one call at a time
  ScenarioTimes times;
  const auto progress = [&](const reports::RunKey& run, std::string_view scenario,
                            std::int64_t ms) {
    const std::lock_guard lock(events_mutex);
    times.add(run, std::string(scenario), ms);
    events.scenario_finished(run, std::string(scenario), ms);
  };

  std::vector<std::unique_ptr<TargetRun>> runs;
  reports::PlanSize plan;
  for (const model::Revision revision : options.revisions) {
    for (const TargetAccess& access : options.accesses) {
      if (!is_in_plan(revision, options, access)) continue;
      runs.push_back(std::make_unique<TargetRun>(options, access, revision, progress));
      ++plan.runs;
      plan.scenarios += static_cast<int>(runs.back()->plan().size());
    }
  }
  events.run_started(plan);
  do_runs(options, runs);
  for (const auto& run : runs) result.runs.push_back(run->finish(result.target));
  for (reports::Run& run : result.runs) times.share_out(run);
  reports::bound(result);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const reports::Verdict& verdict : result.runs[i].verdicts) {
      events.verdict(runs[i]->key(), verdict);
    }
  }
  if (options.on_profiles) {
    std::vector<const ProfileChoice*> choices;
    for (const auto& run : runs) choices.push_back(&run->profiles());
    options.on_profiles(sum_up(choices));
  }
  result.was_interrupted = std::any_of(
      result.runs.begin(), result.runs.end(),
      [](const reports::Run& run) { return run.status == reports::RunStatus::kIncomplete; });
  result.duration_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started).count();
  events.run_finished(result);
  return result;
}

}  // namespace assay::harness
