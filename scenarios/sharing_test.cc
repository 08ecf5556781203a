// What scenarios find on a session that they share is what each of them finds alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/runner.h"
#include "harness/runner/scenario.h"
#include "harness/runner/worker_pool.h"
#include "harness/script/json_member.h"
#include "reference/server/faults/departure.h"
#include "reference/server/faults/fault.h"
#include "reference/wire/message.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using harness::Scenario;
using Wants = std::function<bool(std::string_view)>;

reports::Run certify(const harness::TargetAccess& access, model::Revision revision, Wants wants) {
  harness::CertifyOptions options;
  options.revisions = {revision};
  options.patience.request = std::chrono::milliseconds(400);
  options.patience.start = std::chrono::milliseconds(2000);
  options.jobs = 4;
  options.accesses = {access};
  options.wants = std::move(wants);
  NoEvents events;
  return harness::certify(options, events).runs.at(0);
}

// The rules that were seen to be kept or broken, with the word for it.
std::set<std::string> seen_in(const reports::Run& run) {
  std::set<std::string> seen;
  for (const reports::Verdict& verdict : run.verdicts) {
    const bool is_seen = verdict.outcome == reports::Outcome::kViolated ||
                         verdict.outcome == reports::Outcome::kSatisfied;
    if (is_seen) seen.insert(fmt::format("{} {}", verdict.requirement, name(verdict.outcome)));
  }
  return seen;
}

// The same of runs each of which plays one of the scenarios that take turns, or all of those that
// share the first session. What one of them saw broken the others did not see kept.
std::set<std::string> seen_alone(const harness::TargetAccess& access, model::Revision revision) {
  std::set<std::string> seen;
  std::mutex mutex;  // guards seen
  harness::WorkerPool pool(4);
  const auto add = [&](Wants wants) {
    pool.add([&, wants] {
      const auto more = seen_in(certify(access, revision, wants));
      const std::lock_guard lock(mutex);
      seen.insert(more.begin(), more.end());
    });
  };
  std::set<std::string_view> others;
  for (const Scenario& scenario : harness::scenarios()) {
    if (!scenario.applies_to(revision, access.kind)) continue;
    if (scenario.session_use == Scenario::SessionUse::kTurn) {
      add([one = scenario.name](std::string_view name) { return name == one; });
    } else {
      others.insert(scenario.name);
    }
  }
  add([&](std::string_view name) { return others.contains(name); });
  pool.drain();
  std::set<std::string> broken;
  for (const std::string& each : seen) {
    if (each.ends_with(" violated")) broken.insert(each.substr(0, each.find(' ')) + " satisfied");
  }
  for (const std::string& each : broken) seen.erase(each);
  return seen;
}

// What only one of both has seen; empty if there is no difference.
std::string difference_of(const harness::TargetAccess& access, model::Revision revision) {
  const auto shared = seen_in(certify(access, revision, [](std::string_view) { return true; }));
  const auto alone = seen_alone(access, revision);
  EXPECT_GT(shared.size(), 50U);
  std::string out;
  for (const std::string& each : shared) {
    if (!alone.contains(each)) out += fmt::format("shared only: {}\n", each);
  }
  for (const std::string& each : alone) {
    if (!shared.contains(each)) out += fmt::format("alone only: {}\n", each);
  }
  return out;
}

TEST(Sharing, SeesOfASoundServerWhatIsSeenAlone) {
  for (const model::Revision revision : model::Revision::all()) {
    EXPECT_EQ(difference_of(reference_over_pipe({}), revision), "") << revision.text();
  }
}

// Servers that end, and that are wrong about what a session keeps.
TEST(Sharing, SeesOfAFaultWhatIsSeenAlone) {
  constexpr std::string_view kFaults[] = {"ends-at-unknown-method", "ends-at-bad-message",
                                          "unknown-version-echoed", "asks-before-initialized",
                                          "task-by-metadata",       "client-task-polled-once"};
  int count = 0;
  for (const server::Fault& fault : server::all_faults()) {
    if (std::find(std::begin(kFaults), std::end(kFaults), fault.id) == std::end(kFaults)) continue;
    ++count;
    const auto access = reference_over_pipe({}, {&fault});
    EXPECT_EQ(difference_of(access, model::Revision::v2025_11_25), "") << fault.id;
  }
  EXPECT_EQ(count, static_cast<int>(std::size(kFaults)));
}

// Has no answer to a second initialize but an error; and none at all.
const server::Fault kBeginsOnce[] = {
    {.id = "second-initialize-refused",
     .description = "Knows no initialize once it has answered one",
     .breaks = {},
     .intake =
         [](Json& message, server::FaultMemory& memory) {
           if (harness::text_member(message, "method") != "initialize") return;
           if (memory.of_connection.contains("has_begun")) message["method"] = "assay/none";
           memory.of_connection["has_begun"] = true;
         }},
    {.id = "second-initialize-ignored",
     .description = "Answers one initialize, and no other",
     .breaks = {},
     .recollection =
         [](server::Departure& departure, server::FaultMemory& memory) {
           if (!departure.answers("initialize")) return;
           if (memory.of_connection.contains("has_begun")) departure.drop();
           memory.of_connection["has_begun"] = true;
         }},
};

TEST(Sharing, LetsAServerBeginOnce) {
  for (const server::Fault& behaviour : kBeginsOnce) {
    const auto run =
        certify(reference_over_pipe({}, {&behaviour}), model::Revision::v2025_11_25,
                [](std::string_view name) { return name.starts_with("lifecycle_offers"); });
    const auto seen = seen_in(run);
    EXPECT_TRUE(seen.contains("lifecycle.version-unsupported-other satisfied")) << behaviour.id;
    for (const std::string& each : seen) {
      EXPECT_FALSE(each.ends_with(" violated")) << behaviour.id << ": " << each;
    }
    EXPECT_EQ(run.cost.sessions, 5) << behaviour.id;  // with the survey and the exploration
  }
}

// Takes any date later than this year for a version, and answers each later initialize as the
// first.
const server::Fault kKeepsItsFirstAnswer = {
    .id = "later-version-echoed-first",
    .description = "Echoes versions of later years, and repeats its first answer to initialize",
    .breaks = {"lifecycle.version-unsupported-other"},
    .recollection =
        [](server::Departure& departure, server::FaultMemory& memory) {
          if (!departure.answers("initialize")) return;
          Json& first = memory.of_connection["first_answer"];
          if (first.is_null()) {
            const std::string asked = departure.request()->params()["protocolVersion"];
            if (asked > "2090-01-01") departure.result()["protocolVersion"] = asked;
            first = departure.result();
          }
          departure.result() = first;
        },
};

TEST(Sharing, TakesNoFirstAnswerForALaterOne) {
  const auto run =
      certify(reference_over_pipe({}, {&kKeepsItsFirstAnswer}), model::Revision::v2025_11_25,
              [](std::string_view name) { return name.starts_with("lifecycle_offers"); });
  EXPECT_TRUE(seen_in(run).contains("lifecycle.version-unsupported-other violated"));
}

// How many sessions a run costs: over stdio each is a process.
TEST(Sharing, CostsFewSessions) {
  constexpr std::int64_t kMost = 20;
  for (const model::Revision revision : model::Revision::all()) {
    const auto run =
        certify(reference_over_pipe({}), revision, [](std::string_view) { return true; });
    EXPECT_LE(run.cost.sessions, kMost) << revision.text();
  }
}

}  // namespace
}  // namespace assay::scenarios
