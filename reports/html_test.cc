// What the browser test (html/test) does not see: sizes, and the text of the file.
#include "reports/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "reports/overview.h"
#include "reports/result_testing.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Html, IsOneFileWithoutRequests) {
  const std::string page = render_html(testing::sample());
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr(" src=")));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
}

TEST(Html, TellsTheWholeStoryOfAViolation) {
  const std::string page = render_html(testing::sample());
  EXPECT_THAT(page, HasSubstr("1 requirement violated"));
  EXPECT_THAT(page, HasSubstr("<mark>&quot;protocolVersion&quot;:&quot;2024-11-05&quot;</mark>"));
  EXPECT_THAT(page, HasSubstr("basic/lifecycle#version-negotiation"));
  EXPECT_THAT(page, HasSubstr("asked for 2025-11-25, was answered 2024-11-05"));
  EXPECT_THAT(page, HasSubstr("| node x.js</pre>"));
  EXPECT_THAT(page, HasSubstr("name a tool that samples in a --profile file"));
}

TEST(Html, EscapesHostileText) {
  const std::string page = render_html(testing::hostile());
  EXPECT_THAT(page, Not(HasSubstr("<script>window.pwned")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("{{name}}"));
  EXPECT_LT(page.size(), 1'000'000U);
}

TEST(Html, LinksOnlyToTheWeb) {
  Result result = testing::sample();
  for (auto& run : result.runs) {
    for (Verdict& verdict : run.verdicts) verdict.spec = "javascript:alert(1)";
  }
  EXPECT_THAT(render_html(result), Not(HasSubstr("javascript:")));
}

// Every revision over two transports, each with more requirements than the catalogue has for one.
TEST(Html, AFullRunStaysSmallAndIsWrittenAtOnce) {
  const Result result = testing::full(400);
  ASSERT_EQ(result.runs.size(), 10u);
  // Of the processor: what else the machine does is not counted.
  std::clock_t quickest = std::numeric_limits<std::clock_t>::max();
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    EXPECT_LT(render_html(result).size(), 3'000'000U);
    quickest = std::min(quickest, std::clock() - start);
  }
  const auto milliseconds = static_cast<int>(quickest * 1000 / CLOCKS_PER_SEC);
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(milliseconds, 300);
#endif
  RecordProperty("ms", milliseconds);
}

TEST(Html, EvidenceWithoutBoundStaysSmall) {
  Result result = testing::full(60);
  for (auto& run : result.runs) {
    for (Verdict& verdict : run.verdicts) {
      verdict.outcome = Outcome::kViolated;
      verdict.evidence.assign(50,
                              {1, 1, "server", "stdio", std::string(9000, '<'), "", false, false});
    }
  }
  EXPECT_LT(render_html(result).size(), 3'000'000U);
}

TEST(Html, NamesRunsThatCouldNotBeTested) {
  Result result = testing::sample();
  result.runs.back().status = RunStatus::kFailed;
  result.runs.back().reason = "cannot start\nno such file";
  EXPECT_THAT(render_html(result), HasSubstr("cannot start\nno such file"));
  result.runs.erase(result.runs.begin(), result.runs.end() - 1);
  EXPECT_THAT(render_html(result), HasSubstr("The target could not be tested"));
}

TEST(Html, ListsStaleExpectations) {
  Result result = testing::sample();
  result.stale_expectations = {{"tools.*", "2025-11-25", "", "fixed?"}};
  EXPECT_THAT(render_html(result), HasSubstr("tools.* in 2025-11-25"));
}

TEST(Html, FoldsWhatStandsAroundAViolation) {
  Result result = testing::sample();
  for (Verdict& verdict : result.runs[0].verdicts) {
    if (verdict.evidence.empty()) continue;
    Evidence before = verdict.evidence[0];
    before.is_context = true;
    verdict.evidence.insert(verdict.evidence.begin(), 2, before);
  }
  const std::string page = render_html(result);
  EXPECT_THAT(page, HasSubstr(">2 events before<"));
  EXPECT_THAT(page, HasSubstr(">1 event after<"));
}

TEST(Overview, ShowsTheWorstOfARevision) {
  const Result sample = testing::sample();
  const OverviewEntry entries[] = {{&sample, "a&b.html"}};
  const std::string page = render_overview(entries);
  EXPECT_THAT(page, HasSubstr("1 target"));
  EXPECT_THAT(page, HasSubstr("1 violated"));
  EXPECT_THAT(page, HasSubstr("not supported"));
  EXPECT_THAT(page, HasSubstr("a&amp;b.html"));
}

TEST(Overview, GrowsWithTargets) {
  const Result first = testing::sample();
  Result second = testing::sample();
  second.target.name = "other";
  second.runs[0].revision = "2026-07-28";
  const OverviewEntry entries[] = {{&first, ""}, {&second, ""}};
  const std::string page = render_overview(entries);
  EXPECT_THAT(page, HasSubstr("2026-07-28"));
  EXPECT_THAT(page, HasSubstr("other 2.0.0"));
  EXPECT_THAT(page, HasSubstr("not run"));
}

}  // namespace
}  // namespace assay::reports
