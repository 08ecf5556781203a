// Several runs of a matrix: their history, how two compare, and the parts of one that several
// machines made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reports/interop/compare_interop.h"
#include "reports/interop/interop_history.h"
#include "reports/interop/interop_json.h"
#include "reports/interop/interop_result.h"
#include "reports/interop/interop_testing.h"
#include "reports/interop/merge_interop.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(InteropHistory, ReadsBackWhatItWrote) {
  std::vector<InteropPoint> history;
  add_to_interop_history(history, testing::matrix());
  EXPECT_EQ(parse_interop_history(render_interop_history(history)), history);
}

TEST(InteropHistory, IsAFileOfTheUsers) {
  EXPECT_TRUE(parse_interop_history("hello\n[]\n{\"started\":1}\n").empty());
  EXPECT_EQ(parse_interop_history("{\"started\":\"x\",\"outcomes\":{\"a\":\"flies\"}}\n")
                .front()
                .outcomes.size(),
            0u);
}

TEST(InteropHistory, ForgetsWhatIsOld) {
  std::vector<InteropPoint> history;
  for (std::size_t i = 0; i < kMostInteropRuns + 5; ++i) {
    add_to_interop_history(history, testing::matrix());
  }
  EXPECT_EQ(history.size(), kMostInteropRuns);
}

TEST(InteropHistory, SaysWhatChangedAndWhichVersion) {
  InteropResult old = testing::matrix();
  old.servers[1].introduced_as = "notes 1";  // and now it says nothing: that is no version
  const InteropPoint before = interop_point(old);
  InteropResult now = testing::matrix();
  now.clients[0].package = "alpha@1.3.0";
  now.cells[1].acts[2].seen = ActSeen::kFailed;  // alpha reads no more
  now.cells[2].acts[1].seen = ActSeen::kWorked;  // beta calls
  settle_interop(now);
  note_changes(now, before);
  ASSERT_EQ(now.changes.size(), 2u);
  EXPECT_TRUE(now.changes[0].is_worse);
  EXPECT_EQ(now.changes[0].text,
            "alpha > notes, stdio, newest: read a resource worked, and fails now; alpha@1.2.3 is "
            "now alpha@1.3.0");
  EXPECT_EQ(now.changes[1].text, "beta > files, stdio, newest: call a tool works now");
}

TEST(InteropHistory, TellsNoChangeOfWhatWasNotTested) {
  const InteropPoint before = interop_point(testing::matrix());
  InteropResult now = testing::matrix();
  for (PairCell& cell : now.cells) cell.not_run = "the run was stopped";
  settle_interop(now);
  note_changes(now, before);
  EXPECT_TRUE(now.changes.empty());
}

TEST(InteropCompare, SaysWhatIsWorseBetterAndLost) {
  const InteropResult before = testing::matrix();
  InteropResult after = before;
  after.cells[1].acts[2].seen = ActSeen::kFailed;
  after.cells[2].acts[1].seen = ActSeen::kWorked;
  after.cells[3].acts[2].seen = ActSeen::kNotReached;
  settle_interop(after);
  const InteropComparison found = compare_interop(before, after);
  EXPECT_TRUE(found.is_worse());
  EXPECT_EQ(found.worse, std::vector<std::string>{"alpha > notes, stdio, newest: read a resource "
                                                  "worked, and fails now"});
  EXPECT_EQ(found.better,
            std::vector<std::string>{"beta > files, stdio, newest: call a tool works now"});
  EXPECT_EQ(found.lost, std::vector<std::string>{"beta > notes, stdio, newest: read a resource"});
  EXPECT_THAT(render_interop_comparison_text(found), HasSubstr("Worse (1)\n"));
  EXPECT_THAT(render_interop_comparison_markdown(found), HasSubstr("worse"));
}

// A server that learned the newest revision is none that is tested less.
TEST(InteropCompare, AgreeingOnARevisionIsNotLost) {
  InteropResult before = testing::matrix();
  before.cells[1].acts.push_back(testing::act("down", ActSeen::kWorked));
  settle_interop(before);
  InteropResult after = before;
  after.cells[1].acts.back().seen = ActSeen::kNotBegun;
  settle_interop(after);
  EXPECT_FALSE(compare_interop(before, after).is_worse());
}

TEST(InteropCompare, LessThanBeforeIsWorseUnlessItIsAllowed) {
  const InteropResult before = testing::matrix();
  InteropResult after = before;
  after.cells.erase(after.cells.begin());
  EXPECT_TRUE(compare_interop(before, after).is_worse());
  CompareOptions options;
  options.allow_missing = true;
  EXPECT_FALSE(compare_interop(before, after, options).is_worse());
  EXPECT_FALSE(compare_interop(before, before).is_worse());
  EXPECT_TRUE(compare_interop(InteropResult(), InteropResult(), options).is_worse());
}

// Each part has the trials of its own cells.
std::vector<InteropResult> in_two_parts() {
  std::vector<InteropResult> parts(2, testing::matrix());
  for (std::size_t i = 0; i < 2; ++i) {
    parts[i].shard = {static_cast<int>(i) + 1, 2};
    std::vector<PairCell> cells;
    for (std::size_t j = 0; j < parts[i].cells.size(); ++j) {
      if (j % 2 == i || j >= 4) cells.push_back(parts[i].cells[j]);
    }
    parts[i].cells = std::move(cells);
  }
  return parts;
}

TEST(InteropMerge, PartsGiveTheWhole) {
  const auto merged = merge_interop(in_two_parts());
  ASSERT_TRUE(std::holds_alternative<InteropResult>(merged)) << std::get<std::string>(merged);
  const auto& whole = std::get<InteropResult>(merged);
  EXPECT_EQ(whole.cells.size(), testing::matrix().cells.size());
  EXPECT_EQ(count(whole), count(testing::matrix()));
  EXPECT_FALSE(whole.shard.is_part());
}

TEST(InteropMerge, OrderIsThatOfTheWhole) {
  std::vector<InteropResult> parts = in_two_parts();
  std::swap(parts[0], parts[1]);
  const auto merged = merge_interop(parts);
  InteropResult whole = testing::matrix();
  order_cells(whole);
  EXPECT_EQ(std::get<InteropResult>(merged).cells, whole.cells);
}

// A part that had nothing to do explains nothing of the whole.
TEST(InteropMerge, ForgetsWhyAPartHadNoCell) {
  std::vector<InteropResult> parts = in_two_parts();
  std::erase_if(parts[0].cells, [&](const PairCell& each) { return !is_trial(parts[0], each); });
  parts[0].no_cells = "part 1/2 has none";
  EXPECT_EQ(std::get<InteropResult>(merge_interop(parts)).no_cells, "");
}

TEST(InteropMerge, KeepsTheChangesOfAllParts) {
  std::vector<InteropResult> parts = in_two_parts();
  parts[0].changed_since = "2026-01-30T12:00:00Z";
  parts[1].changed_since = "2026-01-29T12:00:00Z";
  parts[0].changes = {{false, 1, "works now"}};
  parts[1].changes = {{true, 0, "fails now"}};
  const std::string better = parts[0].cells[1].title();
  const std::string worse = parts[1].cells[0].title();
  const auto merged = merge_interop(parts);
  const auto& whole = std::get<InteropResult>(merged);
  EXPECT_EQ(whole.changed_since, "2026-01-29T12:00:00Z");
  ASSERT_EQ(whole.changes.size(), 2u);
  EXPECT_EQ(whole.changes[0].text, "fails now");
  EXPECT_EQ(whole.cells[whole.changes[0].cell].title(), worse);
  EXPECT_EQ(whole.cells[whole.changes[1].cell].title(), better);
}

TEST(InteropMerge, SaysWhatIsMissing) {
  std::vector<InteropResult> parts = in_two_parts();
  const auto error = [](std::span<const InteropResult> some) {
    return std::get<std::string>(merge_interop(some));
  };
  EXPECT_EQ(error(std::span(parts).first(1)), "shard 2/2 is missing");
  parts[1].shard.index = 1;
  EXPECT_EQ(error(parts), "shard 1/2 is given twice");
  parts = in_two_parts();
  parts[1].catalogue_digest = "sha256:01";
  EXPECT_EQ(error(parts), "the parts were judged by different catalogues");
}

// What one machine had no time for, another may have done.
TEST(InteropMerge, CellThatWasRunOutweighsOneThatWasNot) {
  std::vector<InteropResult> parts(2, testing::matrix());
  parts[0].cells[1].not_run = "the run was stopped";
  const auto merged = merge_interop(parts);
  for (const PairCell& each : std::get<InteropResult>(merged).cells) EXPECT_EQ(each.not_run, "");
}

}  // namespace
}  // namespace assay::reports
