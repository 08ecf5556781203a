// What of several findings causes which other ones.
#include "harness/runner/causes.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "harness/transcript/transcript.h"

namespace assay::harness {
namespace {

Judgement judgement(catalogue::RequirementId requirement, std::string judge) {
  return {
      Finding(requirement, Finding::Kind::kBroke, std::move(judge), "it was broken"), "3 x", {}};
}

TEST(Causes, ABreachOfFramingExplainsSilence) {
  Judgements judgements = {judgement("jsonrpc.response-id", "monitor"),
                           judgement("pagination.invalid-cursor", "scenario")};
  judgements[0].finding.is_passive = true;
  name_causes(judgements);
  EXPECT_TRUE(judgements[0].explains_silence);
  EXPECT_FALSE(judgements[1].explains_silence);
  EXPECT_EQ(judgements[1].finding.kind, Finding::Kind::kBroke);
}

TEST(Causes, SilenceExplainsNothingUnlessAPingIsUnanswered) {
  Judgements judgements = {judgement("jsonrpc.response-id", "a"), judgement("ping.answered", "b")};
  for (Judgement& each : judgements)
    each.finding.proof = Proof::absence({"an answer", {}, nullptr, true});
  name_causes(judgements);
  EXPECT_FALSE(judgements[0].explains_silence);
  EXPECT_TRUE(judgements[1].explains_silence);
}

TEST(Causes, WhatRestsOnABrokenMessageAccusesNobody) {
  Transcript transcript;
  transport::Observation line;
  line.kind = transport::Observation::Kind::kLine;
  line.speaker = transport::Party::kServer;
  line.bytes = "{}";
  transcript.observe(line);
  Judgements judgements = {judgement("jsonrpc.response-id", "monitor"),
                           judgement("pagination.invalid-cursor", "scenario")};
  for (Judgement& each : judgements) each.finding.events = transcript.events();
  name_causes(judgements);
  EXPECT_EQ(judgements[0].explained_by, "");
  EXPECT_EQ(judgements[1].explained_by, "jsonrpc.response-id");
}

// A wrong status hinders nobody from reading the answer beside it.
TEST(Causes, WhatIsAboutTheStatusAloneExplainsNothing) {
  Transcript transcript;
  transport::Observation line;
  line.kind = transport::Observation::Kind::kLine;
  line.speaker = transport::Party::kServer;
  line.bytes = "{}";
  transcript.observe(line);
  Judgements judgements = {judgement("http.header-failure-400", "monitor"),
                           judgement("pagination.invalid-cursor", "scenario")};
  for (Judgement& each : judgements) each.finding.events = transcript.events();
  name_causes(judgements);
  EXPECT_EQ(judgements[1].explained_by, "");
}

}  // namespace
}  // namespace assay::harness
