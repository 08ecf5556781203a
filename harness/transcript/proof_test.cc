#include "harness/transcript/proof.h"

#include <gtest/gtest.h>

#include "harness/transcript/transcript.h"

namespace assay::harness {
namespace {

EventPtr event_of(Party party) {
  transport::Observation line;
  line.kind = transport::Observation::Kind::kLine;
  line.speaker = party;
  line.bytes = R"({"jsonrpc":"2.0","method":"x"})";
  Transcript transcript;
  transcript.observe(line);
  return transcript.event(0);
}

TEST(Proof, IsSeenWhereThePartySaidSomething) {
  const Proof proof =
      Proof::of({event_of(Party::kClient), event_of(Party::kServer)}, Party::kServer);
  EXPECT_EQ(proof.kind(), Proof::Kind::kSeen);
  EXPECT_FALSE(proof.needs_second_look());
}

TEST(Proof, IsAnAbsenceWhereOnlyTheOtherPartySpoke) {
  const Proof proof = Proof::of({event_of(Party::kClient)}, Party::kServer);
  EXPECT_EQ(proof.kind(), Proof::Kind::kAbsence);
  EXPECT_TRUE(proof.needs_second_look());
}

TEST(Proof, OfAnAbsenceSaysWhatWasWaitedFor) {
  const Proof proof = Proof::absence(
      {"the answer to ping", std::chrono::milliseconds(1500), event_of(Party::kServer), true});
  EXPECT_EQ(proof.words(), "waited 1.5 s for the answer to ping; event 1 came later");
  EXPECT_TRUE(proof.lacks_answer());
  EXPECT_TRUE(proof.needs_second_look());
}

TEST(Proof, OfAnOrderIsCertainOnlyWhereTheTransportKeepsIt) {
  EXPECT_FALSE(Proof::order(true).needs_second_look());
  EXPECT_TRUE(Proof::order(false).needs_second_look());
}

TEST(Proof, OfAClientsCrashNeedsAContrast) {
  const Proof proof = Proof::crash("it was ended by signal 11").with_contrast();
  EXPECT_TRUE(proof.needs_contrast());
  EXPECT_TRUE(proof.needs_second_look());
  EXPECT_FALSE(Proof::crash("the server ended with exit status 1").needs_second_look());
}

}  // namespace
}  // namespace assay::harness
