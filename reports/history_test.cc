#include "reports/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/overview.h"
#include "reports/result_testing.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(History, IsReadAsItIsWritten) {
  History history;
  add_to_history(history, testing::sample());
  Result later = testing::sample();
  later.started = "2027-01-01T00:00:00Z";
  add_to_history(history, later);
  EXPECT_EQ(parse_history(render_history(history)), history);
  ASSERT_EQ(history.size(), 1u);
  EXPECT_EQ(history.begin()->second.size(), 2u);
  EXPECT_EQ(history.begin()->second.back().started, "2027-01-01T00:00:00Z");
  EXPECT_EQ(history.begin()->second.back().violated, 1);
}

TEST(History, KeepsTheLastFewOfEachTarget) {
  History history;
  for (std::size_t i = 0; i < 2 * kMostHistory; ++i) add_to_history(history, testing::sample());
  EXPECT_EQ(history.begin()->second.size(), kMostHistory);
}

TEST(History, LeavesOutWhatCannotBeRead) {
  const History history = parse_history(
      "nonsense\n{\"target\":7}\n[]\n\n{\"target\":\"server x\",\"violated\":-3,\"tested\":1}\n"
      "{\"target\":\"server \\u001b[2J\",\"violated\":2,\"tested\":true}");
  ASSERT_EQ(history.size(), 2u);
  EXPECT_EQ(history.at("server x").front().violated, 0);
  EXPECT_FALSE(history.at("server x").front().was_tested);
  EXPECT_EQ(history.at("server <U+001B>[2J").front().violated, 2);
}

TEST(History, ShowsATrendInTheOverview) {
  const Result result = testing::sample();
  OverviewEntry entry{&result, ""};
  EXPECT_THAT(render_overview({&entry, 1}), Not(HasSubstr("Trend")));
  entry.history = {{"", 3, 10, 20, true}, {"", 0, 0, 0, false}, {"", 1, 10, 20, true}};
  const std::string page = render_overview({&entry, 1});
  EXPECT_THAT(page, HasSubstr("Violated rules, the oldest first: 3, 1"));
  EXPECT_THAT(page, HasSubstr("better"));
}

}  // namespace
}  // namespace assay::reports
