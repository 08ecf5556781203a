#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/catalogue/fixes.h"
#include "harness/cli/command_line_testing.h"
#include "harness/coverage.h"
#include "harness/frame/command.h"

namespace assay::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ListRequirements, PrintsThemAll) {
  const Outcome result = run_captured({"list", "requirements"});
  EXPECT_EQ(result.status, kConformant);
  EXPECT_THAT(result.out, HasSubstr("lifecycle.version-supported-echo"));
  EXPECT_THAT(result.out, HasSubstr(std::to_string(catalogue::all().size()) + " requirements"));
}

TEST(ListRequirements, KeepsToRevisionAreaSubjectAndLevel) {
  const Outcome result = run_captured({"list", "requirements", "--revision", "2025-11-25", "--area",
                                       "lifecycle", "--subject", "server", "--level", "MUST"});
  EXPECT_THAT(result.out, HasSubstr("lifecycle.version-supported-echo"));
  EXPECT_THAT(result.out, Not(HasSubstr("pagination.")));
  EXPECT_THAT(result.out, Not(HasSubstr("lifecycle.initialized-notification")));    // the client's
  EXPECT_THAT(result.out, Not(HasSubstr("lifecycle.version-unsupported-latest")));  // a SHOULD
  EXPECT_THAT(result.out, Not(HasSubstr("lifecycle.initialize-not-batched")));      // 2025-03-26
}

TEST(ListRequirements, KeepsToAnExtension) {
  const Outcome result = run_captured({"list", "requirements", "--extension", "tasks"});
  EXPECT_THAT(result.out, HasSubstr("ext-tasks.create-result-type"));
  EXPECT_THAT(result.out, Not(HasSubstr("tools.")));
  EXPECT_EQ(
      result.out,
      run_captured({"list", "requirements", "--extension", "io.modelcontextprotocol/tasks"}).out);
  const Outcome unknown = run_captured({"list", "requirements", "--extension", "tasts"});
  EXPECT_EQ(unknown.status, kUsage);
  EXPECT_THAT(unknown.err, HasSubstr("do you mean 'tasks'"));
}

TEST(ListExtensions, SaysWhatEachAdds) {
  const Outcome result = run_captured({"list", "extensions"});
  EXPECT_THAT(result.out, HasSubstr("io.modelcontextprotocol/tasks"));
  EXPECT_THAT(result.out, HasSubstr("extends 2026-07-28 and later"));
  const auto json = nlohmann::json::parse(run_captured({"list", "extensions", "--json"}).out);
  ASSERT_FALSE(json.empty());
  EXPECT_GT(json[0]["requirements"], 0);
}

TEST(ListRequirements, LeavesOutWhatIsJudgedOrCannotBeSeen) {
  const Outcome result = run_captured({"list", "requirements", "--uncovered", "--json"});
  ASSERT_EQ(result.status, kConformant);
  for (const auto& entry : nlohmann::json::parse(result.out)) {
    EXPECT_NE(entry["observe"], "no") << entry["id"];
  }
}

TEST(ListRequirements, PrintsJson) {
  const Outcome result = run_captured({"list", "requirements", "--area", "pagination", "--json"});
  const auto all = nlohmann::json::parse(result.out);
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(all[0]["revisions"].is_object());
  EXPECT_TRUE(all[0]["covered_by"].is_array());
}

TEST(ListRequirements, KeepsToWhatAVersionOfTheCatalogueHad) {
  const Outcome all = run_captured({"list", "requirements", "--area", "stdio"});
  const Outcome first =
      run_captured({"list", "requirements", "--area", "stdio", "--catalogue", "1"});
  EXPECT_THAT(all.out, HasSubstr("stdio.long-lines"));
  EXPECT_THAT(first.out, Not(HasSubstr("stdio.long-lines")));
  EXPECT_THAT(first.out, HasSubstr("stdio.stdout-only-messages"));
  EXPECT_THAT(first.out, HasSubstr("(catalogue 1)"));
  for (const char* unknown : {"0", "4711", "one", "1.0"}) {
    EXPECT_EQ(run_captured({"list", "requirements", "--catalogue", unknown}).status, kUsage)
        << unknown;
  }
}

TEST(ListRequirements, RefusesWordsThatItDoesNotKnow) {
  EXPECT_EQ(run_captured({"list", "requirements", "--revision", "2020-01-01"}).status, kUsage);
  EXPECT_EQ(run_captured({"list", "requirements", "--area", "nowhere"}).status, kUsage);
  EXPECT_EQ(run_captured({"list", "requirements", "--subject", "nobody"}).status, kUsage);
  EXPECT_EQ(run_captured({"list", "requirements", "--level", "PERHAPS"}).status, kUsage);
  EXPECT_EQ(run_captured({"list", "nothing"}).status, kUsage);
}

TEST(ListRequirements, RefusesOptionsOfAnotherTopic) {
  EXPECT_EQ(run_captured({"list", "revisions", "--area", "tools"}).status, kUsage);
  EXPECT_EQ(run_captured({"list", "coverage", "--area", "tools"}).status, kUsage);
  EXPECT_EQ(run_captured({"list", "requirements", "--format", "tsv"}).status, kUsage);
}

TEST(List, PrintsEveryTopicAsJson) {
  for (const char* topic :
       {"requirements", "coverage", "scenarios", "monitors", "profiles", "faults", "revisions"}) {
    const Outcome result = run_captured({"list", topic, "--json"});
    EXPECT_EQ(result.status, kConformant) << topic;
    const auto json = nlohmann::json::parse(result.out, nullptr, false);
    ASSERT_TRUE(json.is_array()) << topic;
    EXPECT_FALSE(json.empty()) << topic;
  }
  const auto faults = nlohmann::json::parse(run_captured({"list", "faults", "--json"}).out);
  EXPECT_TRUE(faults[0]["breaks"].is_array());
}

TEST(ListCoverage, PrintsARowForEachRevision) {
  const Outcome result = run_captured({"list", "coverage"});
  EXPECT_EQ(result.status, kConformant);
  EXPECT_THAT(result.out, HasSubstr("2024-11-05          server"));
  EXPECT_THAT(result.out, HasSubstr("2026-07-28          client"));
}

TEST(ListCoverage, FailsOnAFileThatIsNoRecord) {
  EXPECT_EQ(run_captured({"list", "coverage", "--check", "/nowhere/coverage.tsv"}).status, kUsage);
  const Outcome result =
      run_captured({"list", "coverage", "--check", ASSAY_SOURCE_DIR "/README.md"});
  EXPECT_EQ(result.status, kViolations);
  EXPECT_THAT(result.err, HasSubstr("no coverage table"));
}

TEST(Explain, PrintsARequirementInFull) {
  const Outcome result = run_captured({"explain", "lifecycle.respects-negotiated-version"});
  EXPECT_EQ(result.status, kConformant);
  EXPECT_THAT(result.out, HasSubstr("2025-03-26  SHOULD "));
  EXPECT_THAT(result.out, HasSubstr("2025-11-25  MUST "));
  EXPECT_THAT(result.out, HasSubstr("specification/2025-11-25/basic/lifecycle#operation"));
}

TEST(Explain, NamesWhoJudgesIt) {
  const Outcome result = run_captured({"explain", "pagination.invalid-cursor", "--json"});
  const auto entry = nlohmann::json::parse(result.out);
  EXPECT_FALSE(entry["covered_by"].empty());
}

TEST(Explain, SaysWhichPartOfARuleIsJudged) {
  EXPECT_THAT(run_captured({"explain", "tasks.ttl-reported"}).out,
              HasSubstr("only in part: that a ttl"));
  EXPECT_THAT(run_captured({"explain", "ping.empty-result"}).out, Not(HasSubstr("in part")));
  const auto part =
      nlohmann::json::parse(run_captured({"explain", "tasks.ttl-reported", "--json"}).out);
  EXPECT_EQ(part["judged"], "part");
  const auto whole =
      nlohmann::json::parse(run_captured({"explain", "ping.empty-result", "--json"}).out);
  EXPECT_EQ(whole["judged"], "whole");
  EXPECT_THAT(run_captured({"list", "requirements", "--area", "tasks"}).out,
              HasSubstr("active (part)"));
}

TEST(Explain, SuggestsWhatAnUnknownNameMayMean) {
  const Outcome result = run_captured({"explain", "paging.invalid-cursor"});
  EXPECT_EQ(result.status, kUsage);
  EXPECT_THAT(result.err, HasSubstr("pagination.invalid-cursor"));
}

TEST(Explain, SuggestsTheAreaThatWasMeantFirst) {
  const auto first = [](const std::string& asked) {
    const std::string said = run_captured({"explain", asked}).err;
    const std::size_t begin = said.find("do you mean ") + 12;
    return said.substr(begin, said.find_first_of(",?", begin) - begin);
  };
  EXPECT_EQ(first("pagination.invalid-cursr"), "pagination.invalid-cursor");
  EXPECT_EQ(first("pagintion.invalid-cursor"), "pagination.invalid-cursor");
  EXPECT_THAT(first("ping"), ::testing::StartsWith("ping."));
  EXPECT_THAT(first("tools.nonsense-of-some-length"), ::testing::StartsWith("tools."));
  EXPECT_THAT(run_captured({"explain", "qqqqqqqqqqqqqqqqqqqqqq"}).err,
              HasSubstr("list requirements"));
}

TEST(Explain, NamesTheExtension) {
  EXPECT_THAT(run_captured({"explain", "ext-tasks.create-result-type"}).out,
              HasSubstr("extension   io.modelcontextprotocol/tasks, Tasks 2026-07-28"));
  const auto json = nlohmann::json::parse(
      run_captured({"explain", "ext-tasks.create-result-type", "--json"}).out);
  EXPECT_EQ(json["extension"], "io.modelcontextprotocol/tasks");
}

TEST(Explain, SaysHowToFixItAndWhereItsPageIs) {
  const Outcome result =
      run_captured({"explain", "ping.empty-result", "--rules-url", "https://example.com/rules"});
  EXPECT_THAT(result.out, HasSubstr("how to fix: Answer ping with"));
  EXPECT_THAT(result.out, HasSubstr("https://example.com/rules/ping.empty-result.html"));
  EXPECT_EQ(run_captured({"explain", "ping.empty-result", "--rules-url", "rules"}).status, kUsage);
  const auto json =
      nlohmann::json::parse(run_captured({"explain", "ping.empty-result", "--json"}).out);
  EXPECT_THAT(json["fix"], HasSubstr("Answer ping"));
}

// Whoever is accused is told what to do.
TEST(Fixes, AreThereForWhateverAFaultBreaks) {
  for (const harness::FaultProof& proof : harness::collect_coverage().faults) {
    EXPECT_FALSE(catalogue::fix_of(proof.requirement).empty()) << proof.requirement;
  }
}

}  // namespace
}  // namespace assay::cli
