// The Markdown report as GitHub renders it: by cmark-gfm, where it is installed.
#include "reports/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <pugixml.hpp>
#include <string>

#include "reports/output.h"
#include "reports/result_testing.h"

namespace assay::reports {
namespace {

class RenderedMarkdown : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v cmark-gfm >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "cmark-gfm is not installed";
    }
    path_ = std::filesystem::path(ASSAY_BINARY_DIR) / "rendered_markdown_test.md";
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  // As a tree: what is not well-formed once it is rendered would spill into the page around it.
  pugi::xml_document rendered(const Result& result) const {
    EXPECT_EQ(write_file(path_, render_markdown(result)), std::nullopt);
    const std::string command =
        "cmark-gfm --unsafe -e table -e autolink -e strikethrough '" + path_ + "'";
    std::string html = "<div>";
    FILE* pipe = popen(command.c_str(), "r");
    char block[4096];
    for (std::size_t size = 0; (size = fread(block, 1, sizeof block, pipe)) > 0;) {
      html.append(block, size);
    }
    EXPECT_EQ(pclose(pipe), 0);
    html += "</div>";
    pugi::xml_document document;
    const auto parsed = document.load_string(html.c_str());
    EXPECT_TRUE(parsed) << parsed.description() << " at "
                        << html.substr(static_cast<std::size_t>(
                                           std::max<std::ptrdiff_t>(0, parsed.offset - 200)),
                                       400);
    return document;
  }

  static std::size_t count(const pugi::xml_document& document, const char* path) {
    return document.select_nodes(path).size();
  }

  std::string path_;
};

TEST_F(RenderedMarkdown, HasATableAndAFoldForEachViolation) {
  const pugi::xml_document page = rendered(testing::sample());
  EXPECT_EQ(count(page, "//table"), 1U);
  EXPECT_EQ(count(page, "//table/tbody/tr"), 3U);
  EXPECT_EQ(count(page, "//details"), 2U);
  EXPECT_EQ(count(page, "//details/pre"), 3U);  // sent, received, reproduce
  EXPECT_STREQ(page.select_node("//summary/b").node().child_value(), "MUST");
  EXPECT_STREQ(page.select_node("//details//a").node().attribute("href").value(),
               "https://modelcontextprotocol.io/specification/2025-11-25/basic/"
               "lifecycle#version-negotiation");
}

TEST_F(RenderedMarkdown, HostileTextStaysText) {
  Result result = testing::hostile();
  const std::string text = testing::hostile_utf8() +
                           "\n</details></div>\n# heading\n| a | b |\n|---|---|\n~~x~~ "
                           "https://example.org www.example.org @someone #1 <!-- \n```\n";
  result.target.name = text;
  for (auto& run : result.runs) {
    for (Verdict& verdict : run.verdicts) {
      verdict.detail = verdict.summary = verdict.reproduce = text;
      for (Evidence& evidence : verdict.evidence) evidence.text = text;
    }
  }
  const pugi::xml_document page = rendered(result);
  EXPECT_EQ(count(page, "//details"), 2U);
  EXPECT_EQ(count(page, "//table"), 1U);
  EXPECT_EQ(count(page, "//h1"), 0U);
  EXPECT_EQ(count(page, "//del"), 0U);
  EXPECT_EQ(count(page, "//img | //script | //strong | //em"), 0U);
  for (const auto& link : page.select_nodes("//a")) {
    EXPECT_THAT(link.node().attribute("href").value(),
                ::testing::StartsWith("https://modelcontextprotocol.io/"));
  }
}

TEST_F(RenderedMarkdown, IsWellFormedWhereItIsCut) {
  Result broken = testing::sample();
  for (int i = 0; i < 300; ++i) {
    broken.runs[0].verdicts.push_back(testing::violation());
    broken.runs[0].verdicts.back().requirement += std::to_string(i);
  }
  const pugi::xml_document page = rendered(broken);
  EXPECT_GT(count(page, "//details"), 20U);
}

TEST(Issue, HoldsWhatItsReaderNeeds) {
  Result result = testing::sample();
  for (Verdict& verdict : result.runs[0].verdicts) verdict.fix = "Answer with that version.";
  const Findings findings = failures(result);
  const std::string issue = render_issue(result, findings.begin()->second);
  EXPECT_THAT(issue, ::testing::HasSubstr(
                         "**MUST <code>lifecycle&#46;version&#45;supported&#45;echo</code>**"));
  EXPECT_THAT(issue, ::testing::HasSubstr("everything 2&#46;0&#46;0, judged by mcp-assay"));
  EXPECT_THAT(issue, ::testing::HasSubstr("How to fix: Answer with that version&#46;"));
  EXPECT_THAT(issue, ::testing::HasSubstr("Reproduce:"));
  EXPECT_THAT(issue, ::testing::HasSubstr("\"protocolVersion\":\"2024-11-05\""));
}

}  // namespace
}  // namespace assay::reports
