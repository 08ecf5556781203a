// The fuzzer of clients finds every planted bug of the reference client, over each transport that
// it concerns, calls it by its name and shows it with one spoilt answer; and it has nothing to say
// of the client without one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "fuzz/live/client/client_fuzzer.h"
#include "fuzz/live/target/rows_testing.h"
#include "fuzz/live/target/sandbox_testing.h"
#include "reference/client/bugs/bug.h"

namespace assay::fuzz {
namespace {

using client::Bug;
using client::SeenOver;

constexpr std::size_t kMostCases = 6000;

ClientTarget reference_client(bool is_stdio, std::string_view bug) {
  ClientTarget target;
  target.words = {ASSAY_PROGRAM, "reference-client"};
  if (!bug.empty()) target.words.insert(target.words.end(), {"--bug", std::string(bug)});
  if (is_stdio) target.words.insert(target.words.end(), {"--", "{server}"});
  target.is_stdio = is_stdio;
  target.program = ASSAY_PROGRAM;
  return target;
}

std::string told(const ClientFuzzOutcome& done) {
  std::string text;
  for (const ClientFinding& finding : done.findings) {
    text += finding.id + " " + finding.suspicion.detail + "\n" + to_jsonl(finding.recipe);
  }
  return text;
}

// What is wrong with how the bug is found; empty if nothing is.
std::string trouble_with(const Bug& bug, bool is_stdio, std::uint64_t attempt) {
  ClientFuzzOptions options;
  options.cases = kMostCases;
  options.seed = 1 + attempt;
  options.at_once = 3;
  options.wording.trials = 0;  // a launch each
  options.stops_at = parse_client_oracle(bug.shows_as);
  if (!options.stops_at) return fmt::format("no oracle is called {}", bug.shows_as);
  auto outcome = ClientFuzzer(reference_client(is_stdio, bug.id), std::move(options)).run();
  const auto* done = std::get_if<ClientFuzzOutcome>(&outcome);
  if (done == nullptr) return std::get<std::string>(outcome);
  const auto found = std::find_if(
      done->findings.begin(), done->findings.end(),
      [&](const ClientFinding& each) { return name(each.suspicion.oracle) == bug.shows_as; });
  if (found == done->findings.end()) {
    return fmt::format("not found in {} cases; {}", done->progress.cases, told(*done));
  }
  fmt::print("{:32} {:5} {:5} cases {:4} launches {:5.1f} s\n", bug.id, is_stdio ? "stdio" : "HTTP",
             done->progress.cases, done->progress.launches + done->progress.trials,
             done->progress.seconds);
  std::fflush(stdout);
  if (done->findings.size() > 1) return "more than that is found: " + told(*done);
  return found->recipe.size() == 1 ? "" : "it takes more than one: " + told(*done);
}

void expect_all_found(bool is_stdio, const std::vector<const Bug*>& bugs) {
  expect_no_trouble<Bug>(bugs, [&](const Bug& bug, std::uint64_t attempt) {
    return trouble_with(bug, is_stdio, attempt);
  });
}

TEST(PlantedClientBugs, AreFoundOverStdio) {
  std::vector<const Bug*> bugs;
  for (const Bug& bug : client::all_bugs()) {
    if (bug.seen_over != SeenOver::kHttpOnly) bugs.push_back(&bug);
  }
  expect_all_found(true, bugs);
}

// Those that show over any wire take minutes here; with ASSAY_EVERY_WIRE set they are looked for,
// too.
TEST(PlantedClientBugs, AreFoundOverHttp) {
  const bool takes_all = std::getenv("ASSAY_EVERY_WIRE") != nullptr;
  std::vector<const Bug*> bugs;
  for (const Bug& bug : client::all_bugs()) {
    const bool is_here =
        takes_all ? bug.seen_over != SeenOver::kStdioOnly : bug.seen_over == SeenOver::kHttpOnly;
    if (is_here) bugs.push_back(&bug);
  }
  expect_all_found(false, bugs);
}

// What a list with one wrong value in it said, without the list; and what passed.
TEST(PlantedClientBugs, AreShownByFewWords) {
  ClientFuzzOptions options;
  options.cases = kMostCases;
  options.stops_at = ClientOracle::kCrash;
  std::size_t events = 0;
  options.on_finding = [&](const ClientFinding& finding) {
    if (!finding.sessions.empty()) events = finding.sessions[0].events.size();
  };
  auto outcome =
      ClientFuzzer(reference_client(true, "crash-lone-surrogate"), std::move(options)).run();
  const auto* done = std::get_if<ClientFuzzOutcome>(&outcome);
  ASSERT_NE(done, nullptr) << std::get<std::string>(outcome);
  ASSERT_EQ(done->findings.size(), 1u) << told(*done);
  const ClientFinding& found = done->findings[0];
  ASSERT_EQ(found.recipe.size(), 1u);
  ASSERT_TRUE(found.recipe[0].wording);
  EXPECT_LE(text(*found.recipe[0].wording).size(), 200u);
  EXPECT_GT(events, 4u);
  EXPECT_TRUE(found.sessions.empty()) << "what is written is not kept";
}

TEST(PlantedClientBugs, AreNotLookedForWithoutEnd) {
  ClientFuzzOptions options;
  options.cases = 60;
  options.most_findings = 0;
  auto outcome =
      ClientFuzzer(reference_client(true, "crash-lone-surrogate"), std::move(options)).run();
  const auto* done = std::get_if<ClientFuzzOutcome>(&outcome);
  ASSERT_NE(done, nullptr) << std::get<std::string>(outcome);
  EXPECT_EQ(told(*done), "");
  EXPECT_EQ(done->progress.trials, 0u);
}

TEST(PlantedClientBugs, AreAtLeastTwenty) {
  EXPECT_GE(client::all_bugs().size(), 20u);
}

// Who dies when nothing is wrong is told of, and not excused by having done so before.
TEST(FaultyClient, IsNotExcusedByItsSoundLaunches) {
  ClientFuzzOptions options;
  options.cases = 1;
  ClientTarget target = reference_client(true, "");
  target.words = {"sh", "-c", "\"$0\" reference-client -- \"$@\"; kill -ABRT $$", ASSAY_PROGRAM,
                  "{server}"};
  auto outcome = ClientFuzzer(std::move(target), std::move(options)).run();
  const auto* done = std::get_if<ClientFuzzOutcome>(&outcome);
  ASSERT_NE(done, nullptr) << std::get<std::string>(outcome);
  ASSERT_EQ(done->findings.size(), 1u) << told(*done);
  EXPECT_EQ(done->findings[0].suspicion.oracle, ClientOracle::kCrash);
  EXPECT_TRUE(done->findings[0].recipe.empty());
}

// One launch of many ends by a signal: nobody knows over what, but everybody that it did.
TEST(FaultyClient, IsToldOfWhatDidNotShowAgain) {
  const ScratchFolder scratch;
  const std::string count = (scratch.path() / "launches").string();
  ClientFuzzOptions options;
  options.cases = 1;
  options.at_once = 1;
  options.minimize_trials = 2;
  ClientTarget target = reference_client(true, "");
  target.words = {"sh",
                  "-c",
                  "count=$1; shift; echo >>\"$count\"; launches=$(wc -l <\"$count\"); "
                  "\"$0\" reference-client -- \"$@\"; [ \"$launches\" -ne 5 ] || kill -SEGV $$",
                  ASSAY_PROGRAM,
                  count,
                  "{server}"};
  auto outcome = ClientFuzzer(std::move(target), std::move(options)).run();
  const auto* done = std::get_if<ClientFuzzOutcome>(&outcome);
  ASSERT_NE(done, nullptr) << std::get<std::string>(outcome);
  EXPECT_EQ(told(*done), "");
  EXPECT_EQ(done->progress.not_reproduced, 1u);
  ASSERT_EQ(done->unproved.size(), 1u);
  EXPECT_EQ(done->unproved[0].suspicion.oracle, ClientOracle::kCrash);
  EXPECT_TRUE(done->unproved[0].suspicion.is_certain);
  EXPECT_GE(done->unproved[0].tries, 1u);
  EXPECT_FALSE(done->unproved[0].sessions.empty());
}

void expect_silence(bool is_stdio, model::Revision revision) {
  ClientFuzzOptions options;
  options.cases = 300;
  options.seed = 5;
  ClientTarget target = reference_client(is_stdio, "");
  target.revision = revision;
  auto outcome = ClientFuzzer(std::move(target), std::move(options)).run();
  const auto* done = std::get_if<ClientFuzzOutcome>(&outcome);
  ASSERT_NE(done, nullptr) << std::get<std::string>(outcome);
  EXPECT_EQ(told(*done), "");
  EXPECT_GE(done->progress.cases, 300u);
}

TEST(FaultlessClient, IsNotAccusedOverStdio) {
  expect_silence(true, model::Revision::v2025_11_25);
}
TEST(FaultlessClient, IsNotAccusedOverHttp) {
  expect_silence(false, model::Revision::v2025_11_25);
}
TEST(FaultlessClient, IsNotAccusedOverStdioWithoutAHandshake) {
  expect_silence(true, model::Revision::v2026_07_28);
}
TEST(FaultlessClient, IsNotAccusedOverHttpWithoutAHandshake) {
  expect_silence(false, model::Revision::v2026_07_28);
}

}  // namespace
}  // namespace assay::fuzz
