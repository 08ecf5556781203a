// report, compare and merge, as users call them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/cli/command_line_testing.h"
#include "harness/frame/command.h"
#include "reports/interop/interop_json.h"
#include "reports/interop/interop_testing.h"
#include "reports/json.h"
#include "reports/output.h"
#include "reports/result_testing.h"

namespace assay::cli {
namespace {

using reports::testing::sample;
using ::testing::HasSubstr;

class ReportCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(ASSAY_BINARY_DIR) / "cli_report_test";
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string save(const std::string& name, const reports::Result& result) const {
    EXPECT_EQ(reports::write_file(path(name), reports::render_json(result)), std::nullopt);
    return path(name);
  }
  std::string text(const std::string& name) const { return reports::read_file(path(name)).text; }

  // Runs, and returns what went to standard error.
  static std::string error_of(const std::vector<std::string>& words, int status) {
    const Outcome outcome = run_captured(words);
    EXPECT_EQ(outcome.status, status);
    return outcome.err;
  }
  static std::string output_of(const std::vector<std::string>& words, int status) {
    const Outcome outcome = run_captured(words);
    EXPECT_EQ(outcome.status, status);
    return outcome.out;
  }

  static reports::Result clean() {
    reports::Result result = sample();
    for (auto& run : result.runs) {
      for (reports::Verdict& verdict : run.verdicts) {
        verdict.outcome = reports::Outcome::kSatisfied;
        verdict.is_expected = false;
      }
    }
    return result;
  }

  std::filesystem::path folder_;
};

TEST_F(ReportCommands, RendersAReportAgain) {
  const std::string file = save("one.json", sample());
  output_of({"report", file, "--report", "html=" + path("x/one.html"), "--report",
             "json=" + path("again.json")},
            kConformant);
  EXPECT_THAT(text("x/one.html"), HasSubstr("<!DOCTYPE html>"));
  EXPECT_EQ(text("again.json"), text("one.json"));
}

TEST_F(ReportCommands, ShowsTextWhenNothingIsToBeWritten) {
  EXPECT_THAT(output_of({"report", save("one.json", sample())}, kConformant),
              HasSubstr("MUST  lifecycle.version-supported-echo"));
}

TEST_F(ReportCommands, LinksAnOverviewToThePages) {
  const std::string one = save("one.json", sample());
  const std::string two = save("two.json", clean());
  output_of({"report", one, two, "--report", "html=" + path("pages/{name}.html"), "--overview",
             path("index.html")},
            kConformant);
  EXPECT_THAT(text("index.html"), HasSubstr("href=\"pages/one.html\""));
  EXPECT_THAT(text("index.html"), HasSubstr("href=\"pages/two.html\""));
  EXPECT_FALSE(text("pages/two.html").empty());
}

TEST_F(ReportCommands, RefusesToWriteManyReportsIntoOneFile) {
  EXPECT_THAT(error_of({"report", save("a.json", sample()), save("b.json", sample()), "--report",
                        "html=" + path("x.html")},
                       kUsage),
              HasSubstr("put {name} into its path"));
}

TEST_F(ReportCommands, LooksIntoTheFoldersOfAFolder) {
  save("all/one.json", sample());
  save("all/linux/one.json", clean());
  save("all/mac/deep/two.json", clean());
  reports::write_file(path("all/package.json"), R"({"name": "x"})");
  const std::string said =
      error_of({"report", path("all"), "--report", "html=" + path("pages/{name}.html"),
                "--overview", path("index.html")},
               kConformant);
  EXPECT_THAT(said, HasSubstr("left out: "));
  EXPECT_THAT(said, HasSubstr("package.json"));
  for (const char* page : {"pages/one.html", "pages/linux-one.html", "pages/two.html"}) {
    const bool is_there = !text(page).empty();
    EXPECT_TRUE(is_there) << page;
  }
  reports::write_file(path("none/package.json"), "{}");
  EXPECT_THAT(error_of({"report", path("none")}, kUsage), HasSubstr("holds no report"));
}

TEST_F(ReportCommands, NamesTheFileThatIsNoReport) {
  reports::write_file(path("bad.json"), "{}");
  EXPECT_THAT(error_of({"report", path("bad.json")}, kUsage), HasSubstr("not a report"));
  EXPECT_THAT(error_of({"report", path("none.json")}, kUsage), HasSubstr("No such file"));
}

TEST_F(ReportCommands, WritesAndAppliesExpectedFailures) {
  const std::string file = save("one.json", sample());
  output_of({"report", file, "--write-expected", path("known.yaml")}, kConformant);
  EXPECT_THAT(text("known.yaml"), HasSubstr("lifecycle.version-supported-echo"));
  EXPECT_THAT(output_of({"report", file, "--expected-failures", path("known.yaml")}, kConformant),
              HasSubstr("No unexpected violation;"));
}

TEST_F(ReportCommands, CompareFailsWhenItIsWorse) {
  const std::string good = save("good.json", clean());
  const std::string bad = save("bad.json", sample());
  EXPECT_THAT(output_of({"compare", good, bad}, kViolations), HasSubstr("Worse (1)"));
  EXPECT_THAT(output_of({"compare", bad, good, "--markdown"}, kConformant), HasSubstr("not worse"));
  EXPECT_THAT(output_of({"compare", good, good}, kConformant), HasSubstr("Nothing changed."));
}

TEST_F(ReportCommands, CompareFailsWhenLessIsJudgedUnlessAllowed) {
  const std::string whole = save("whole.json", clean());
  reports::Result part = clean();
  part.runs.erase(part.runs.begin());
  const std::string less = save("less.json", part);
  EXPECT_THAT(output_of({"compare", whole, less}, kViolations), HasSubstr("No longer judged"));
  output_of({"compare", whole, less, "--allow-missing"}, kConformant);
}

TEST_F(ReportCommands, ReadMatricesOfInteropToo) {
  reports::InteropResult matrix = reports::testing::matrix();
  const auto keep = [&](const char* name) {
    reports::write_file(path(name), reports::render_interop_json(matrix));
    return path(name);
  };
  const std::string old = keep("old.json");
  matrix.cells[1].acts[2].seen = reports::ActSeen::kFailed;
  reports::settle_interop(matrix);
  const std::string now = keep("now.json");
  EXPECT_THAT(output_of({"show", old}, kConformant), HasSubstr("3 of 4 cells fail"));
  EXPECT_THAT(output_of({"compare", old, now}, kViolations), HasSubstr("Worse (1)"));
  EXPECT_THAT(output_of({"compare", now, old, "--markdown"}, kConformant), HasSubstr("not worse"));
  output_of({"merge", now, "--history", path("runs"), "-o", path("x.json")}, kViolations);
  EXPECT_THAT(text("runs/mcp-interop-history.jsonl"), HasSubstr("\"outcomes\""));
  const std::string report = save("report.json", sample());
  EXPECT_THAT(error_of({"compare", old, report}, kUsage), HasSubstr("is no matrix of 'interop'"));
  EXPECT_THAT(error_of({"compare", old, now, "--html", path("x.html")}, kUsage),
              HasSubstr("not for matrices"));
  EXPECT_THAT(error_of({"baseline", old, "--file", path("known.yaml")}, kUsage),
              HasSubstr("is a matrix of 'interop'"));
  EXPECT_THAT(error_of({"merge", report, "--history", path("runs")}, kUsage),
              HasSubstr("--history is for the parts of a matrix"));
}

TEST_F(ReportCommands, MergesWithTheExitStatusOfTheWhole) {
  const std::string good = save("good.json", clean());
  const std::string bad = save("bad.json", sample());
  output_of({"merge", good, bad, "-o", path("all.json")}, kViolations);
  EXPECT_THAT(text("all.json"), HasSubstr("\"violated\""));
  reports::Result part = clean();
  part.runs.pop_back();
  output_of({"merge", good, save("part.json", part), "-o", path("all.json")}, kConformant);
  output_of({"merge", good, "-o", path("all.json")}, kConformant);
  EXPECT_THAT(error_of({"merge", good, good, "-o", path("all.json")}, kUsage),
              HasSubstr("is given twice"));
  reports::Result other = clean();
  other.target.name = "other";
  EXPECT_THAT(error_of({"merge", good, save("other.json", other)}, kUsage),
              HasSubstr("not of one target"));
}

}  // namespace
}  // namespace assay::cli
