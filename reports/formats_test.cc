// Markdown, SARIF, TAP, badge, statement and output files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "reports/badge.h"
#include "reports/digest.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/output.h"
#include "reports/result_testing.h"
#include "reports/sarif.h"
#include "reports/statement.h"
#include "reports/tap.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Result conformant() {
  Result result = testing::sample();
  result.runs.resize(1);
  result.runs[0].status = RunStatus::kConformant;
  result.runs[0].verdicts = {testing::verdict("a.x", Level::kMust, Outcome::kSatisfied)};
  return result;
}

TEST(Markdown, TellsAViolationWithItsEvidence) {
  const std::string text = render_markdown(testing::sample());
  EXPECT_THAT(text, HasSubstr("### MCP conformance: 1 requirement violated"));
  EXPECT_THAT(text, HasSubstr("<b>MUST</b>"));
  EXPECT_THAT(text, HasSubstr("\"protocolVersion\":\"2024-11-05\""));
  EXPECT_THAT(text, HasSubstr("offending part: <code>/result/protocolVersion</code>"));
}

TEST(Markdown, StaysBelowGithubsLimitWhateverTheRun) {
  Result broken = testing::sample();
  for (int i = 0; i < 300; ++i) {
    broken.runs[0].verdicts.push_back(testing::violation());
    broken.runs[0].verdicts.back().requirement += std::to_string(i);
  }
  const std::string full = render_markdown(broken);
  EXPECT_LT(full.size(), kMaxMarkdownBytes);
  EXPECT_THAT(full, HasSubstr("left out here"));
  EXPECT_LT(render_markdown(testing::hostile()).size(), kMaxMarkdownBytes);
  Result many = testing::sample();
  for (int i = 0; i < 3000; ++i) {
    many.runs.push_back(many.runs.back());
    many.runs.back().status = RunStatus::kFailed;
    many.runs.back().reason = std::string(100, '#');
    many.stale_expectations.push_back({"a.*", "2025-11-25", "stdio", ""});
  }
  EXPECT_LT(render_markdown(many).size(), kMaxMarkdownBytes);
}

TEST(Formats, TellOfATestedRunWhyItWasNotJudgedWhole) {
  Result result = testing::sample();
  result.runs[0].reason = "no answer\nnot ok 1";
  EXPECT_THAT(render_markdown(result),
              HasSubstr("Noted in 2025&#45;11&#45;25 over stdio:\n\n```text\nno answer\n"));
  EXPECT_THAT(render_tap(result), HasSubstr("# 2025-11-25 stdio: no answer"));
  EXPECT_THAT(render_tap(result), Not(HasSubstr("\nnot ok 1\n")));
  EXPECT_THAT(render_junit(result), HasSubstr("name=\"remark\""));
}

TEST(Markdown, TakesAllMeaningFromUntrustedText) {
  const std::string text = markdown_text("<b>@you [x](http://y) `c` **s** | # https://z");
  for (const char c : std::string("<>`*|[]():")) {
    EXPECT_EQ(text.find(c), std::string::npos) << c;
  }
}

TEST(Markdown, NothingEndsItsBlocks) {
  EXPECT_EQ(markdown_block("a\n````\nb"), "`````text\na\n````\nb\n`````\n");
}

TEST(Sarif, HasARuleForEachRequirementAndAResultForEachRun) {
  const auto sarif = nlohmann::json::parse(render_sarif(testing::sample()));
  EXPECT_EQ(sarif["version"], "2.1.0");
  const auto& run = sarif["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 3U);
  EXPECT_EQ(run["results"].size(), 6U);
  for (const auto& result : run["results"]) {
    const std::size_t index = result["ruleIndex"];
    EXPECT_EQ(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    EXPECT_EQ(result["locations"].size(), 1U);
    EXPECT_TRUE(result["locations"][0].contains("logicalLocations"));
    EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
    EXPECT_THAT((std::vector<std::string>{"error", "warning", "note"}),
                ::testing::Contains(result["level"].get<std::string>()));
  }
}

TEST(Sarif, FingerprintsAreStableAndDistinct) {
  Result later = testing::sample();
  for (auto& run : later.runs) {
    for (Verdict& verdict : run.verdicts) verdict.detail += " at another time";
  }
  const auto fingerprints = [](const Result& result) {
    const auto sarif = nlohmann::json::parse(render_sarif(result));
    std::set<std::string> out;
    for (const auto& each : sarif["runs"][0]["results"])
      out.insert(each["partialFingerprints"].dump());
    return out;
  };
  EXPECT_EQ(fingerprints(testing::sample()), fingerprints(later));
  EXPECT_EQ(fingerprints(later).size(), 6U);
}

TEST(Sarif, SuppressesExpectedFailures) {
  const auto sarif = nlohmann::json::parse(render_sarif(testing::sample()));
  for (const auto& result : sarif["runs"][0]["results"]) {
    EXPECT_EQ(result.contains("suppressions"), result["ruleId"] == "ping.answered");
  }
}

TEST(Tap, HasAPointForEachVerdict) {
  const std::string text = render_tap(testing::sample());
  EXPECT_THAT(text, ::testing::StartsWith("TAP version 13\n1..15\n"));
  EXPECT_THAT(text, HasSubstr("not ok 2 - 2025-11-25 stdio: lifecycle.version-supported-echo\n"));
  EXPECT_THAT(text, HasSubstr("# TODO expected failure: reported upstream"));
  EXPECT_THAT(text, HasSubstr("# SKIP not applicable"));
}

TEST(Tap, HostileTextForgesNoPoint) {
  const std::string text = render_tap(testing::hostile());
  std::size_t points = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    points += line.starts_with("ok ") || line.starts_with("not ok ") ? 1 : 0;
  }
  EXPECT_EQ(points, 15U);
}

TEST(Badge, SaysTheWorstOfARevision) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(render_badge(testing::sample()).c_str()));
  EXPECT_STREQ(document.child("svg").child_value("title"),
               "MCP 2024-11-05: not supported, MCP 2025-11-25: 1 violated");
  EXPECT_THAT(render_badge(conformant()), HasSubstr("conformant"));
  EXPECT_THAT(render_badge(testing::hostile()), Not(HasSubstr("script")));
}

TEST(Statement, NamesLevelsCoverageAndDigest) {
  const Result result = testing::sample();
  const auto statement = nlohmann::json::parse(render_statement_json(result));
  EXPECT_EQ(statement["report"], "sha256:" + sha256_hex(render_json(result)));
  EXPECT_EQ(statement["runs"][0]["must"]["violated"], 2);
  EXPECT_EQ(statement["runs"][0]["must"]["expected"], 1);
  EXPECT_EQ(statement["runs"][0]["must"]["applicable"], 5);
  const std::string text = render_statement_text(result);
  EXPECT_THAT(text, HasSubstr("2025-11-25 over stdio: violations"));
  EXPECT_THAT(text, HasSubstr("3 of 5 applicable requirements exercised, 1 satisfied, 2 violated"));
  EXPECT_THAT(text, HasSubstr(sha256_hex(render_json(result))));
}

TEST(Digest, IsSha256) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_base64(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

class Output : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(ASSAY_BINARY_DIR) / "reports_output_test";
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(Output, ParsesARequest) {
  const auto request = std::get<ReportRequest>(parse_report_request("json=a=b.json"));
  EXPECT_EQ(request.format->name, "json");
  EXPECT_EQ(request.path, "a=b.json");
  EXPECT_THAT(std::get<std::string>(parse_report_request("pdf=x")), HasSubstr("known: badge"));
  EXPECT_THAT(std::get<std::string>(parse_report_request("json")), HasSubstr("json=PATH"));
}

TEST_F(Output, MakesFoldersAndWrites) {
  const std::string path = folder_ / "a/b.json";
  EXPECT_EQ(check_writable(path), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(write_report({find_format("json"), path}, testing::sample()), std::nullopt);
  EXPECT_EQ(read_file(path).text, render_json(testing::sample()));
}

TEST_F(Output, WritesAFileForEachRevision) {
  const std::string path = folder_ / "badge-{revision}.svg";
  EXPECT_EQ(write_report({find_format("badge"), path}, testing::sample()), std::nullopt);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "badge-2025-11-25.svg"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "badge-2024-11-05.svg"));
}

TEST_F(Output, ARevisionNeverLeavesTheFolder) {
  Result result = testing::sample();
  result.runs[0].revision = "../../x";
  EXPECT_THAT(write_report({find_format("badge"), folder_ / "{revision}.svg"}, result).value_or(""),
              HasSubstr("cannot be part of a file name"));
}

TEST_F(Output, SaysWhatStandsInTheWay) {
  EXPECT_THAT(check_writable("/proc/nowhere/x").value_or(""), HasSubstr("cannot write"));
  std::filesystem::create_directories(folder_);
  EXPECT_THAT(check_writable(folder_).value_or(""), HasSubstr("cannot write"));
  EXPECT_THAT(read_file(folder_).error, HasSubstr("folder"));
  EXPECT_THAT(read_file(folder_ / "none").error, HasSubstr("No such file"));
}

}  // namespace
}  // namespace assay::reports
