#include "harness/runner/confirmation.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::harness {
namespace {

Judgement breach(catalogue::RequirementId requirement, const Proof& proof,
                 std::string from = "3 scenario") {
  Finding finding(requirement, Finding::Kind::kBroke, "scenario", "it was broken");
  finding.proof = proof;
  return {std::move(finding), std::move(from), {}};
}

const Proof kSilence = Proof::absence({"the answer", {}, nullptr, true});

const Finding* find(const Judgements& judgements, std::string_view requirement,
                    Finding::Kind kind) {
  for (const Judgement& each : judgements) {
    if (each.finding.requirement.text() == requirement && each.finding.kind == kind) {
      return &each.finding;
    }
  }
  return nullptr;
}

TEST(Confirmation, AnAbsenceThatShowsAgainStands) {
  const Judgements both =
      confirmed({breach("ping.answered", kSilence)}, {breach("ping.answered", kSilence)});
  ASSERT_NE(find(both, "ping.answered", Finding::Kind::kBroke), nullptr);
  EXPECT_EQ(both.front().history.front().what, "confirmed");
}

TEST(Confirmation, TwoRulesThatWereLateOnceEachAreBothUnclear) {
  const Judgements both = confirmed({breach("ping.answered", kSilence)},
                                    {breach("tools.list-changed-notified", kSilence)});
  EXPECT_NE(find(both, "ping.answered", Finding::Kind::kUnclear), nullptr);
  EXPECT_NE(find(both, "tools.list-changed-notified", Finding::Kind::kUnclear), nullptr);
  EXPECT_EQ(find(both, "ping.answered", Finding::Kind::kBroke), nullptr);
  EXPECT_EQ(find(both, "tools.list-changed-notified", Finding::Kind::kBroke), nullptr);
}

TEST(Confirmation, WhatWasSeenInTheFirstLookIsNotErased) {
  const Judgements both = confirmed(
      {breach("ping.answered", kSilence), breach("jsonrpc.response-id", Proof::seen())}, {});
  EXPECT_NE(find(both, "jsonrpc.response-id", Finding::Kind::kBroke), nullptr);
  EXPECT_NE(find(both, "ping.answered", Finding::Kind::kUnclear), nullptr);
}

TEST(Confirmation, WhatIsSeenInTheSecondLookCounts) {
  const Judgements both = confirmed({breach("ping.answered", kSilence)},
                                    {breach("jsonrpc.response-id", Proof::seen())});
  EXPECT_NE(find(both, "jsonrpc.response-id", Finding::Kind::kBroke), nullptr);
}

TEST(Confirmation, AnOrderStandsWithoutASecondLookIfTwoSessionsShowIt) {
  Judgements one = {breach("cancellation.still-in-progress", Proof::order(false), "3 a")};
  settle_without_second_look(one, "seen once");
  EXPECT_EQ(one.front().finding.kind, Finding::Kind::kUnclear);
  EXPECT_EQ(one.front().finding.detail, "seen once: it was broken");
  Judgements two = {breach("cancellation.still-in-progress", Proof::order(false), "3 a"),
                    breach("cancellation.still-in-progress", Proof::order(false), "3 b")};
  settle_without_second_look(two, "seen once");
  EXPECT_EQ(two.front().finding.kind, Finding::Kind::kBroke);
}

TEST(Confirmation, AnAbsenceWithoutASecondLookIsUnclearHoweverOftenItWasSeen) {
  Judgements two = {breach("ping.answered", kSilence, "3 a"),
                    breach("ping.answered", kSilence, "3 b")};
  settle_without_second_look(two, "the run was interrupted");
  EXPECT_EQ(two.front().finding.kind, Finding::Kind::kUnclear);
  EXPECT_EQ(two.back().finding.kind, Finding::Kind::kUnclear);
}

}  // namespace
}  // namespace assay::harness
