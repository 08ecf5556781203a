#include "harness/coverage_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace assay::harness {
namespace {

using catalogue::Holding;
using catalogue::Level;
using catalogue::Observation;
using catalogue::Requirement;
using catalogue::Subject;
using catalogue::Transport;
using model::Revision;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::array kInBoth = {
    Holding{Revision::v2025_06_18, Level::kShould, "page", "top", "", Subject::kServer},
    Holding{Revision::v2025_11_25, Level::kMust, "page", "top", "", Subject::kServer}};
const std::array kByBothSides = {
    Holding{Revision::v2025_11_25, Level::kMustNot, "page", "top", "", Subject::kBoth}};
const std::array kByHosts = {
    Holding{Revision::v2025_11_25, Level::kMay, "page", "top", "", Subject::kHost}};

Requirement requirement(std::string_view id, Subject subject, std::span<const Holding> in,
                        Observation observe = Observation::kActive) {
  return {id, "A rule holds.", subject, Transport::kAny, "", observe, "", 1, false, in};
}

const std::vector<Requirement> kRequirements = {
    requirement("demo.both", Subject::kBoth, kByBothSides),
    requirement("demo.host", Subject::kHost, kByHosts, Observation::kNo),
    requirement("demo.server", Subject::kServer, kInBoth)};

Coverage judge(std::string id, Coverage::Kind kind, std::vector<Revision> revisions) {
  return {std::move(id),        kind, "judge",
          std::move(revisions), true, kind == Coverage::Kind::kPassive};
}

CoverageMap some_coverage() {
  return {{judge("demo.both", Coverage::Kind::kActive, {Revision::v2025_11_25}),
           judge("demo.both", Coverage::Kind::kPassive, {Revision::v2025_11_25}),
           judge("demo.server", Coverage::Kind::kActive, {Revision::v2025_11_25})},
          {}};
}

TEST(CoverageTable, CountsWhatNobodyCanSeeForThatSideOnly) {
  Requirement half_seen = requirement("demo.half", Subject::kBoth, kByBothSides);
  half_seen.unseen_of_server = "it is out of sight";
  using reports::Strength;
  const Revision november = Revision::v2025_11_25;
  EXPECT_THAT(count_coverage(std::array{half_seen}, {}),
              ElementsAre(CoverageRow{november, Side::kServer, Strength::kMust, 0, 0, 0, 1},
                          CoverageRow{november, Side::kClient, Strength::kMust, 0, 0, 1, 0}));
}

TEST(CoverageTable, CountsEachStatementOnceForEachSideThatItBinds) {
  const CoverageTable table = count_coverage(kRequirements, some_coverage());
  using reports::Strength;
  const Revision june = Revision::v2025_06_18;
  const Revision november = Revision::v2025_11_25;
  EXPECT_THAT(table,
              ElementsAre(CoverageRow{june, Side::kServer, Strength::kShould, 0, 0, 1, 0},
                          CoverageRow{november, Side::kServer, Strength::kMust, 2, 0, 0, 0},
                          CoverageRow{november, Side::kClient, Strength::kMust, 0, 1, 0, 0},
                          CoverageRow{november, Side::kThirdParty, Strength::kMay, 0, 0, 0, 1}));
}

// No command puts a client under test, so that no statement about clients is judged.
TEST(CoverageTable, CountsNoClientAsJudgedYet) {
  for (const CoverageRow& row : count_coverage(catalogue::all(), collect_coverage())) {
    if (row.side != Side::kClient) continue;
    EXPECT_EQ(row.covered(), 0) << row.revision.text() << " " << reports::name(row.strength);
  }
}

TEST(CoverageTable, CountsApartWhatIsJudgedOnlyInPart) {
  Requirement half = requirement("demo.server", Subject::kServer, kInBoth);
  half.part_judged = "the first half only";
  const CoverageTable table = count_coverage(std::array{half}, some_coverage());
  using reports::Strength;
  // Nobody judges it in June, so no part of it either.
  EXPECT_THAT(
      table,
      ElementsAre(
          CoverageRow{Revision::v2025_06_18, Side::kServer, Strength::kShould, 0, 0, 1, 0, 0},
          CoverageRow{Revision::v2025_11_25, Side::kServer, Strength::kMust, 1, 0, 0, 0, 1}));
  EXPECT_EQ(table.back().whole(), 0);
  const Requirement whole = requirement("demo.server", Subject::kServer, kInBoth);
  EXPECT_THAT(fallen(to_tsv(count_coverage(std::array{whole}, some_coverage())), table),
              ElementsAre("2025-11-25 server must: 0 statements judged whole, 1 were recorded"));
}

TEST(CoverageTable, CountsExtensionsApart) {
  Requirement extended = requirement("demo.server", Subject::kServer, kInBoth);
  extended.extension = "tasks";
  const Requirement core = requirement("demo.both", Subject::kServer, kInBoth);
  const CoverageTable table = count_coverage(std::array{core, extended}, some_coverage());
  std::vector<std::string> labels;
  for (const CoverageRow& row : table) labels.push_back(row.label());
  EXPECT_THAT(labels,
              ElementsAre("2025-06-18", "2025-11-25", "2025-06-18 + tasks", "2025-11-25 + tasks"));
  EXPECT_THAT(fallen(to_tsv(table), table), IsEmpty());
}

TEST(CoverageTable, IsNotBelowItself) {
  const CoverageTable table = count_coverage(kRequirements, some_coverage());
  EXPECT_THAT(fallen(to_tsv(table), table), IsEmpty());
}

TEST(CoverageTable, NamesEveryNumberThatFell) {
  const CoverageTable before = count_coverage(kRequirements, some_coverage());
  CoverageMap less = some_coverage();
  less.judges.erase(less.judges.begin() + 1);
  EXPECT_THAT(fallen(to_tsv(before), count_coverage(kRequirements, less)),
              ElementsAre("2025-11-25 client must: 0 statements covered, 1 were recorded",
                          "2025-11-25 client must: 0 statements judged whole, 1 were recorded"));
  EXPECT_THAT(fallen(to_tsv(before), count_coverage(kRequirements, {})).size(), 5u);
}

TEST(CoverageTable, MayRise) {
  const std::string recorded = to_tsv(count_coverage(kRequirements, {}));
  EXPECT_THAT(fallen(recorded, count_coverage(kRequirements, some_coverage())), IsEmpty());
}

TEST(CoverageTable, RefusesTextThatIsNoTable) {
  EXPECT_EQ(fallen("nonsense", {}).size(), 1u);
  EXPECT_EQ(fallen(to_tsv({}) + "2025-11-25\tserver\tmust\tmany\n", {}).size(), 1u);
}

TEST(CoverageTable, ReplacesOnlyWhatStandsBetweenItsMarks) {
  const std::string document = "a\n<!-- coverage -->\nold\n<!-- /coverage -->\nb\n";
  EXPECT_EQ(with_table(document, "new\n"),
            "a\n<!-- coverage -->\n\nnew\n\n<!-- /coverage -->\nb\n");
  EXPECT_EQ(with_table("no marks", "new\n"), "no marks");
}

TEST(Coverage, FindsWhoJudgesARequirement) {
  const CoverageMap coverage = some_coverage();
  EXPECT_EQ(coverage.of("demo.both").size(), 2u);
  EXPECT_EQ(coverage.of("demo.server").size(), 1u);
  EXPECT_TRUE(coverage.of("demo.absent").empty());
  EXPECT_TRUE(coverage.of("zzz").empty());
}

TEST(Coverage, FaultsBreakRequirementsThatExist) {
  const CoverageMap coverage = collect_coverage();
  EXPECT_FALSE(coverage.faults.empty());
  for (const FaultProof& proof : coverage.faults) {
    EXPECT_NE(catalogue::find(proof.requirement), nullptr)
        << proof.fault << " breaks " << proof.requirement;
    const auto faults = proof.is_of_authority ? coverage.authority_faults_of(proof.requirement)
                        : proof.is_of_client  ? coverage.client_faults_of(proof.requirement)
                                              : coverage.faults_of(proof.requirement);
    EXPECT_FALSE(faults.empty());
  }
}

}  // namespace
}  // namespace assay::harness
