#include "harness/host/certify_client.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>

#include "harness/host/client_run.h"
#include "harness/runner/new_result.h"
#include "harness/runner/worker_pool.h"
#include "reports/bound.h"

namespace assay::harness {
namespace {

using std::chrono::milliseconds;

bool is_of_draft(const std::vector<const ClientScenario*>& row) {
  const model::Extension* const extension = model::find_extension(row.front()->extension);
  return extension != nullptr && extension->is_draft;
}

// Plays all rows of all runs, several at once.
class Certification {
 public:
  Certification(const CertifyClientOptions& options, reports::Events& events)
      : options_(options), events_(events) {
    reports::PlanSize size;
    for (const model::Revision revision : options.revisions) {
      Part& part = parts_.emplace_back(options, revision, company_);
      part.rows = part.run.rows();
      part.rows_left = static_cast<int>(part.rows.size());
      ++size.runs;
      for (const auto& row : part.rows) size.scenarios += static_cast<int>(row.size());
    }
    events_.run_started(size);
  }

  void run(reports::Result& result) {
    result.runs.resize(parts_.size());
    WorkerPool pool(std::max(1, options_.jobs));
    // Drafts come last: by then it is known whether the client declares them.
    for (const bool is_draft : {false, true}) {
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        for (const auto& row : parts_[i].rows) {
          if (is_of_draft(row) != is_draft) continue;
          pool.add([this, &row, &result, i] {
            play_row(parts_[i], row);
            if (--parts_[i].rows_left == 0) finish(parts_[i], result.runs[i], result.target);
          });
        }
        if (parts_[i].rows.empty() && !is_draft) finish(parts_[i], result.runs[i], result.target);
      }
      pool.drain();
    }
  }

 private:
  struct Part {
    Part(const CertifyClientOptions& options, model::Revision revision, Company& company)
        : run(options, revision, company) {}

    ClientRun run;
    std::vector<std::vector<const ClientScenario*>> rows;
    std::atomic<int> rows_left = 0;
    std::atomic<bool> is_over = false;  // nothing more can be played
  };

  void play_row(Part& part, const std::vector<const ClientScenario*>& row) {
    for (const ClientScenario* scenario : row) {
      if (part.is_over || options_.stop.stop_requested()) return;
      const Clock::time_point start = Clock::now();
      if (!part.run.play(*scenario)) {
        part.is_over = true;
        return;
      }
      const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
      const std::lock_guard lock(telling_);
      events_.scenario_finished(part.run.key(), std::string(scenario->name), took.count());
    }
  }

  void finish(Part& part, reports::Run& run, reports::Target& target) {
    const std::lock_guard lock(telling_);
    run = part.run.finish(target);
    for (const reports::Verdict& verdict : run.verdicts) events_.verdict(part.run.key(), verdict);
  }

  const CertifyClientOptions& options_;
  reports::Events& events_;
  Company company_;
  std::deque<Part> parts_;
  std::mutex telling_;  // guards events_ and the result
};

}  // namespace

reports::Result certify_client(const CertifyClientOptions& options, reports::Events& events) {
  const Clock::time_point began = Clock::now();
  reports::Result result = new_result(options.catalogue_version);
  result.target = options.target;
  result.target.subject = "client";
  Certification(options, events).run(result);
  result.was_interrupted = options.stop.stop_requested();
  result.duration_ms = std::chrono::duration_cast<milliseconds>(Clock::now() - began).count();
  reports::bound(result);
  events.run_finished(result);
  return result;
}

}  // namespace assay::harness
