// What the browser test (html/test) does not see: sizes, and the text of the file.
#include "reports/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <regex>
#include <set>

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
  EXPECT_THAT(page, HasSubstr("<mark>\"protocolVersion\":\"2024-11-05\"</mark>"));
  EXPECT_THAT(page, HasSubstr("basic/lifecycle#version-negotiation"));
  EXPECT_THAT(page, HasSubstr("asked for 2025-11-25, was answered 2024-11-05"));
  EXPECT_THAT(page, HasSubstr("| node x.js</pre>"));
  EXPECT_THAT(page, HasSubstr("name a tool that samples in a --profile file"));
}

// What somebody came for stands first: violations, then what they mean, then everything else.
TEST(Html, TellsFailuresFirst) {
  const std::string page = render_html(testing::sample());
  const char* const in_order[] = {"class=\"headline bad\"",
                                  "<ol class=\"brief\"",
                                  "href=\"#finding-lifecycle.version-supported-echo\"",
                                  "class=\"cards\"",
                                  "id=\"violations\"",
                                  "id=\"finding-lifecycle.version-supported-echo\"",
                                  "id=\"advice\"",
                                  "id=\"matrix\"",
                                  "id=\"requirements\"",
                                  "id=\"filter\"",
                                  "id=\"figures\""};
  std::size_t place = 0;
  for (const char* each : in_order) {
    const std::size_t found = page.find(each, place);
    ASSERT_NE(found, std::string::npos) << each;
    place = found;
  }
}

TEST(Html, FoldsAListOfManyViolations) {
  const std::string page = render_html(testing::full(1000));
  EXPECT_THAT(page, HasSubstr("<details class=\"more\"><summary>13 more</summary>"));
}

// A matrix cell, a cell of a rule and a list entry each lead to a place that exists.
TEST(Html, EveryLinkWithinThePageHasAGoal) {
  for (const Result& result : {testing::sample(), testing::full(60)}) {
    const std::string page = render_html(result);
    std::set<std::string> places;
    const std::regex id(" id=\"([^\"]*)\"");
    for (std::sregex_iterator it(page.begin(), page.end(), id), end; it != end; ++it) {
      const bool is_new = places.insert((*it)[1]).second;
      EXPECT_TRUE(is_new) << (*it)[1];
    }
    const std::regex link("href=\"#([^\"]*)\"");
    for (std::sregex_iterator it(page.begin(), page.end(), link), end; it != end; ++it) {
      EXPECT_TRUE(places.contains((*it)[1])) << (*it)[1];
    }
  }
  EXPECT_THAT(render_html(testing::sample()),
              HasSubstr("<td class=\"bad\"><a href=\"#finding-lifecycle.version-supported-echo."
                        "2025-11-25.http\""));
}

TEST(Html, ShowsTheNewestRevisionFirstAndTheOthersInTabs) {
  Result result = testing::sample();
  result.runs.insert(result.runs.begin(), testing::run("2024-11-05", "stdio"));
  // What is the same in two runs would have one tab.
  for (auto& run : result.runs) {
    for (Verdict& verdict : run.verdicts) verdict.detail = run.revision + " over " + run.transport;
  }
  const std::string page = render_html(result);
  const std::string tab = "id=\"finding-lifecycle.version-supported-echo.";
  const std::size_t newest = page.find(tab + "2025-11-25.stdio\" checked");
  const std::size_t http = page.find(tab + "2025-11-25.http\">");
  const std::size_t oldest = page.find(tab + "2024-11-05.stdio\">");
  ASSERT_NE(newest, std::string::npos);
  EXPECT_LT(newest, http);
  EXPECT_LT(http, oldest);
}

TEST(Html, SaysWhatToDoAboutAFinding) {
  Result result = testing::sample();
  for (auto& run : result.runs) {
    for (Verdict& verdict : run.verdicts) verdict.fix = "Answer with the version asked for.";
  }
  result.rules_url = "https://example.com/rules/";
  const std::string page = render_html(result);
  EXPECT_THAT(page, HasSubstr("<b>How to fix:</b> Answer with the version asked for."));
  EXPECT_THAT(page, HasSubstr("https://example.com/rules/lifecycle.version-supported-echo.html"));
  EXPECT_THAT(page, HasSubstr("Copy as an issue"));
  EXPECT_THAT(page, HasSubstr("  - requirement: &quot;lifecycle.version-supported-echo&quot;"));
}

TEST(Html, LinksToNoPageOfRulesThatIsNoAddress) {
  Result result = testing::sample();
  result.rules_url = "javascript:alert(1)";
  EXPECT_THAT(render_html(result), Not(HasSubstr("javascript:")));
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

TEST(Html, TellsOfATestedRunWhyItWasNotJudgedWhole) {
  Result result = testing::sample();
  EXPECT_THAT(render_html(result), Not(HasSubstr("remarks")));
  result.runs[0].reason = "no answer to <initialize>";
  const std::string page = render_html(result);
  EXPECT_THAT(page, HasSubstr("href=\"#remarks\""));
  EXPECT_THAT(page, HasSubstr("no answer to &lt;initialize&gt;"));
  result.runs[1].reason = result.runs[0].reason;
  EXPECT_THAT(render_html(result), HasSubstr("2025-11-25 stdio, 2025-11-25 http: violations"));
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

TEST(Overview, ShowsWhatFailsFirst) {
  Result passing = testing::sample();
  passing.target.name = "passing";
  for (auto& run : passing.runs) {
    for (Verdict& verdict : run.verdicts) verdict.outcome = Outcome::kSatisfied;
    run.status = RunStatus::kConformant;
  }
  const Result failing = testing::sample();
  const OverviewEntry entries[] = {{&passing, ""}, {&failing, ""}};
  for (const std::string& page : {render_overview(entries), render_overview_text(entries)}) {
    EXPECT_LT(page.find("everything 2.0.0"), page.find("passing 2.0.0"));
  }
}

TEST(Overview, HasATableForEachKindOfTarget) {
  const Result server = testing::sample();
  Result client = testing::sample();
  client.target.subject = "client";
  Result pair = testing::sample();
  pair.target.subject = "pair";
  const OverviewEntry entries[] = {{&client, "c.html"}, {&pair, ""}, {&server, ""}};
  const std::string page = render_overview(entries);
  const std::size_t servers = page.find("<h2 id=\"server\">Servers");
  const std::size_t clients = page.find("<h2 id=\"client\">Clients");
  ASSERT_NE(servers, std::string::npos);
  ASSERT_NE(clients, std::string::npos);
  EXPECT_LT(servers, clients);
  EXPECT_LT(clients, page.find("<h2 id=\"pair\">Pairs"));
  EXPECT_THAT(page, HasSubstr("<td class=\"bad\" data-rank=\"10001\"><a href=\"c.html\">"));
  const OverviewEntry servers_only[] = {{&server, ""}};
  EXPECT_THAT(render_overview(servers_only), Not(HasSubstr("Clients")));
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
