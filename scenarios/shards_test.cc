// A run in shards ends in the verdicts of the whole run, also where one fault takes much else with
// it: what explains a breach may have been seen in another shard.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/runner/runner.h"
#include "harness/runner/worker_pool.h"
#include "reference/server/faults/fault.h"
#include "reports/json.h"
#include "reports/merge.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using reports::Result;

constexpr int kShards = 3;

Result certify_shard(const harness::TargetAccess& access, model::Revision revision,
                     reports::Shard shard) {
  harness::CertifyOptions options;
  options.revisions = {revision};
  options.patience.request = std::chrono::milliseconds(400);
  options.patience.start = std::chrono::milliseconds(1000);
  options.jobs = 8;
  options.accesses = {access};
  options.shard = shard;
  NoEvents events;
  return harness::certify(options, events);
}

// As text, as it goes from machine to machine.
Result sent(const Result& result) {
  return std::get<Result>(reports::parse_json(reports::render_json(result)));
}

// One line for each verdict: what it says, and not when it was found.
std::set<std::string> told(const Result& result) {
  std::set<std::string> lines;
  for (const reports::Run& run : result.runs) {
    lines.insert(fmt::format("{} {} {}", run.revision, name(run.status), run.reason));
    for (const reports::Verdict& verdict : run.verdicts) {
      lines.insert(fmt::format("{} {}: {} by '{}' because of '{}': {} ({})", run.revision,
                               verdict.requirement, name(verdict.outcome), verdict.scenario,
                               verdict.caused_by, verdict.detail, verdict.hint));
    }
  }
  return lines;
}

// What a stranger would see of the difference; empty if there is none.
std::string difference(const server::Fault& fault, model::Revision revision) {
  const harness::TargetAccess access = reference_over_pipe({}, {&fault});
  std::vector<Result> parts;
  for (int index = kShards; index >= 1; --index) {
    parts.push_back(sent(certify_shard(access, revision, {index, kShards})));
  }
  const auto merged = reports::merge(parts);
  if (const auto* problem = std::get_if<std::string>(&merged)) return *problem;
  const std::set<std::string> whole = told(certify_shard(access, revision, {}));
  const std::set<std::string> joined = told(std::get<Result>(merged));
  std::string out;
  for (const std::string& line : whole) {
    if (!joined.contains(line)) out += fmt::format("whole:  {}\n", line);
  }
  for (const std::string& line : joined) {
    if (!whole.contains(line)) out += fmt::format("merged: {}\n", line);
  }
  return out;
}

// Servers that end, fall silent, cannot be understood, or are only wrong.
constexpr std::string_view kFaults[] = {"ends-at-ping",
                                        "ends-at-tool-call",
                                        "ends-at-list",
                                        "ends-at-unknown-method",
                                        "ends-at-bad-message",
                                        "ends-after-initialize",
                                        "mute-after-initialize",
                                        "initialize-unknown",
                                        "ping-unanswered",
                                        "id-of-other-type",
                                        "no-jsonrpc-member",
                                        "newline-in-message",
                                        "stdout-noise",
                                        "empty-id-lost",
                                        "later-lines-lost",
                                        "neither-result-nor-error",
                                        "invalid-cursor-unanswered",
                                        "ping-with-content"};
constexpr std::string_view kBatchFaults[] = {"ends-at-batch", "batches-ignored"};

TEST(Shards, MergeIntoTheVerdictsOfTheWholeRun) {
  std::mutex mutex;  // guards differences
  std::map<std::string_view, std::string> differences;
  {
    // Most of the time is spent waiting for what a fault keeps back.
    harness::WorkerPool pool(8);
    const auto add = [&](std::string_view id, model::Revision revision) {
      pool.add([&, id, revision] {
        const server::Fault* fault = server::find_fault(id);
        std::string found = fault == nullptr ? "no such fault" : difference(*fault, revision);
        const std::lock_guard lock(mutex);
        if (!found.empty()) differences.emplace(id, std::move(found));
      });
    };
    for (const auto id : kFaults) add(id, model::Revision::v2025_11_25);
    for (const auto id : kBatchFaults) add(id, model::Revision::v2025_03_26);
  }
  for (const auto& [id, found] : differences) ADD_FAILURE() << id << "\n" << found;
}

}  // namespace
}  // namespace assay::scenarios
