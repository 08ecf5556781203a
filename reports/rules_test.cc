#include "reports/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <string>
#include <vector>

#include "reports/result_testing.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RulePage page(const std::string& id) {
  RulePage out;
  out.id = id;
  out.summary = "No two tools share a name.";
  out.transport = "any";
  out.capability = "tools";
  out.judged = "mcp-assay judges the whole of it.";
  out.judges = {"the monitor tool_names"};
  out.fix = "Rename one of them.";
  out.in = {{"2024-11-05", "SHOULD", "https://example.com/old", "", "server"},
            {"2025-11-25", "MUST", "https://example.com/new", "stronger than before", "server"}};
  return out;
}

RulePage page_with_example() {
  RulePage out = page("tools.name-unique");
  const Verdict verdict = testing::violation();
  out.fault = "Lists a tool twice";
  out.wrong = {"mcp-assay reference-server --fault tool-listed-twice", "2025-11-25 over stdio",
               "two tools are called 'a'", verdict.evidence};
  out.right = {"mcp-assay reference-server", "2025-11-25 over stdio", "", verdict.evidence};
  return out;
}

TEST(RulePages, SayWhereTheRuleStandsNewestFirst) {
  const std::string text = render_rule(page("tools.name-unique"), {});
  EXPECT_THAT(text, HasSubstr("No two tools share a name."));
  EXPECT_THAT(text, HasSubstr("Rename one of them."));
  EXPECT_THAT(text, HasSubstr("stronger than before"));
  EXPECT_THAT(text, HasSubstr("the monitor tool_names"));
  EXPECT_LT(text.find("https://example.com/new"), text.find("https://example.com/old"));
  EXPECT_THAT(text, Not(HasSubstr("How it looks")));
}

TEST(RulePages, ShowWhatIsRightAndWhatIsWrong) {
  const std::string text = render_rule(page_with_example(), {});
  EXPECT_LT(text.find("How it looks when it is right"), text.find("How it looks when it is wrong"));
  EXPECT_THAT(text, HasSubstr("two tools are called &apos;a&apos;"));
  EXPECT_THAT(text, HasSubstr("--fault tool-listed-twice"));
}

TEST(RulePages, HaveNoScriptAndNoRequest) {
  const std::string text = render_rule(page_with_example(), {});
  EXPECT_THAT(text, HasSubstr("default-src 'none'"));
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, Not(HasSubstr(" src=")));
}

// Each link within the folder leads to a file of it, and each fragment to a place on that page.
TEST(RulePages, LinkToNothingThatIsNotThere) {
  const std::vector<RulePage> pages = {page("ping.answered"), page("ping.empty-result"),
                                       page_with_example()};
  std::vector<std::string> ids;
  std::map<std::string, std::string> files = {{"index.html", render_rule_index(pages)}};
  for (const RulePage& each : pages) ids.push_back(each.id);
  for (const RulePage& each : pages) files[rule_file(each.id)] = render_rule(each, ids);
  const std::regex link("href=\"([^\"]*)\"");
  int checked = 0;
  for (const auto& [name, text] : files) {
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
      const std::string goal = (*it)[1];
      if (goal.starts_with("https://")) continue;
      const std::string file = goal.substr(0, goal.find('#'));
      const auto found = files.find(file.empty() ? name : file);
      ASSERT_NE(found, files.end()) << name << " links to " << goal;
      if (goal.find('#') != std::string::npos) {
        const std::string place = "id=\"" + goal.substr(goal.find('#') + 1) + "\"";
        EXPECT_THAT(found->second, HasSubstr(place)) << name << " links to " << goal;
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 8);
}

}  // namespace
}  // namespace assay::reports
