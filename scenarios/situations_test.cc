// Whatever was not exercised says why, and not in general words.
#include "harness/runner/situations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "harness/profile/ability.h"
#include "harness/runner/runner.h"
#include "harness/runner/scenario.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using harness::situation_of;

const harness::Wanted kAll = [](std::string_view) { return true; };

// "... in a --profile file (does: samples, elicits or asks-roots)".
TEST(Situations, HintsNameAbilitiesThatThereAre) {
  std::set<std::string> named;
  for (const catalogue::Requirement& requirement : catalogue::all()) {
    const std::string hint(requirement.hint);
    const std::size_t list = hint.find("(does: ");
    if (list == std::string::npos) continue;
    std::string word;
    for (const char c : hint.substr(list + 7)) {
      if (c == '-' || (c >= 'a' && c <= 'z')) {
        word += c;
        continue;
      }
      if (!word.empty() && word != "or") named.insert(word);
      word.clear();
      if (c == ')') break;
    }
  }
  EXPECT_GT(named.size(), 8u);
  for (const std::string& ability : named) {
    EXPECT_TRUE(harness::parse_ability(ability).has_value()) << ability;
  }
}

TEST(Situations, EveryRuleOfServersThatMustBeKeptHasAHint) {
  for (const catalogue::Requirement& requirement : catalogue::all()) {
    const bool must = std::any_of(
        requirement.in.begin(), requirement.in.end(), [](const catalogue::Holding& holding) {
          return reports::strength(holding.level) == reports::Strength::kMust;
        });
    if (!must || !requirement.binds_server() || !requirement.is_seen_of_server()) continue;
    EXPECT_NE(requirement.hint, "") << requirement.id;
  }
}

TEST(Situations, ARuleThatNobodyJudgesIsNotBlamedOnTheServer) {
  catalogue::Requirement nobodys = *catalogue::find("ping.answered");
  nobodys.id = "tools.made-up-for-this-test";
  EXPECT_NE(situation_of(nobodys, kAll).why.find("no check"), std::string::npos);
}

TEST(Situations, AScenarioThatWasLeftOutIsNamed) {
  const auto* rule = catalogue::find("ping.answered");
  ASSERT_NE(rule, nullptr);
  const auto situation = situation_of(*rule, [](std::string_view) { return false; });
  EXPECT_EQ(situation.hint, "run it: --scenario ping_is_answered");
}

// Nothing is known of the server, and no tool is called: there is much that cannot be exercised.
TEST(Situations, WhatIsNotExercisedIsExplained) {
  const ReferenceOverHttp reference;
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2024_11_05, model::Revision::v2025_11_25};
  options.tools.kind = harness::ToolPolicy::Kind::kNone;
  options.profiles.detects = false;
  options.accesses = {reference_over_pipe({}), reference.http()};
  NoEvents events;
  const reports::Result result = harness::certify(options, events);
  std::size_t explained = 0;
  for (const reports::Run& run : result.runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      if (verdict.outcome != reports::Outcome::kNotExercised) continue;
      ++explained;
      EXPECT_NE(verdict.detail, "") << verdict.requirement;
      EXPECT_NE(verdict.detail, "the situation did not arise") << verdict.requirement;
      const bool is_must = reports::strength(verdict.level) == reports::Strength::kMust;
      EXPECT_TRUE(!is_must || !verdict.hint.empty()) << verdict.requirement;
    }
  }
  EXPECT_GT(explained, 50u);
}

}  // namespace
}  // namespace assay::scenarios
