// What a report shows around a breach.
#include "harness/runner/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay::harness {
namespace {

using ::testing::ElementsAre;

std::vector<EventPtr> session(int events) {
  Transcript transcript;
  for (int i = 1; i <= events; ++i) {
    transport::Observation line;
    line.kind = transport::Observation::Kind::kLine;
    line.speaker = i % 2 == 1 ? transport::Party::kClient : transport::Party::kServer;
    line.bytes = "event " + std::to_string(i);
    transcript.observe(line);
  }
  return transcript.events();
}

// "5! 6 7": numbers, with a mark behind those that prove something.
std::string told(const std::vector<reports::Evidence>& evidence) {
  std::string out;
  for (const auto& each : evidence) {
    out += (out.empty() ? "" : " ") + std::to_string(each.n) + (each.is_context ? "" : "!");
  }
  return out;
}

TEST(Evidence, ShowsWhatStandsAroundTheProof) {
  const auto events = session(20);
  const auto evidence =
      make_evidence(events, std::vector<EventPtr>{events[9], events[11]}, "/result");
  EXPECT_EQ(told(evidence), "6 7 8 9 10! 11 12! 13 14 15");
  EXPECT_EQ(evidence[6].pointer, "/result");
  EXPECT_EQ(evidence[6].text, "event 12");
  EXPECT_EQ(evidence[4].pointer, "");
}

TEST(Evidence, EndsWhereTheSessionEnds) {
  const auto events = session(3);
  EXPECT_EQ(told(make_evidence(events, std::vector<EventPtr>{events[0]}, "")), "1! 2 3");
  EXPECT_EQ(told(make_evidence(events, std::vector<EventPtr>{events[2]}, "")), "1 2 3!");
}

TEST(Evidence, LeavesOutWhatLiesFarBetween) {
  const auto events = session(100);
  EXPECT_EQ(told(make_evidence(events, std::vector<EventPtr>{events[49], events[1]}, "")),
            "1 2! 50! 51 52 53");
}

TEST(Evidence, OfManyProofsTheLastAreShown) {
  const auto events = session(30);
  EXPECT_EQ(told(make_evidence(events, events, "")), "19 20 21 22 23! 24! 25! 26! 27! 28! 29! 30!");
  EXPECT_EQ(told(make_evidence(events, "")), "23! 24! 25! 26! 27! 28! 29! 30!");
}

TEST(Evidence, ProofFromAnotherSessionStaysInItsPlace) {
  const auto other = session(9);
  const auto events = session(9);
  EXPECT_EQ(told(make_evidence(events, std::vector<EventPtr>{other[7], events[1]}, "")),
            "8! 1 2! 3 4 5");
}

TEST(Evidence, ContextIsCutShorterThanProof) {
  Transcript transcript;
  transport::Observation line;
  line.kind = transport::Observation::Kind::kLine;
  line.bytes = std::string(10'000, 'x');
  transcript.observe(line);
  transcript.observe(line);
  const auto events = transcript.events();
  const auto evidence = make_evidence(events, std::vector<EventPtr>{events[0]}, "");
  EXPECT_EQ(evidence.at(0).text.size(), 4000u);
  EXPECT_EQ(evidence.at(1).text.size(), 1000u);
  EXPECT_TRUE(evidence.at(1).is_cut);
}

std::vector<EventPtr> session_of(const std::vector<std::pair<bool, std::string>>& lines) {
  Transcript transcript;
  for (const auto& [is_sent, text] : lines) {
    transport::Observation line;
    line.kind = transport::Observation::Kind::kLine;
    line.speaker = is_sent ? transport::Party::kClient : transport::Party::kServer;
    line.bytes = text;
    transcript.observe(line);
  }
  return transcript.events();
}

// A list of ten thousand tools is evidence of many things: what is cut off takes no memory.
TEST(Evidence, WhatIsCutOffIsNotKept) {
  Transcript transcript;
  transport::Observation line;
  line.kind = transport::Observation::Kind::kLine;
  line.bytes = std::string(1u << 20, 'x');
  transcript.observe(line);
  const auto events = transcript.events();
  const auto evidence = make_evidence(events, events, "");
  ASSERT_EQ(evidence.size(), 1u);
  EXPECT_TRUE(evidence[0].is_cut);
  EXPECT_LE(evidence[0].text.capacity(), 8'000u);
}

TEST(Evidence, AnAnswerIsShownWithItsRequest) {
  const auto events = session_of({{true, R"({"jsonrpc":"2.0","id":1,"method":"ping"})"},
                                  {true, R"({"jsonrpc":"2.0","id":"1","method":"tools/list"})"},
                                  {false, R"({"jsonrpc":"2.0","id":1,"method":"roots/list"})"},
                                  {false, R"({"jsonrpc":"2.0","id":1,"result":{}})"}});
  const auto proof = [&](std::vector<EventPtr> of) { return with_requests(events, of); };
  EXPECT_THAT(proof({events[3]}), ElementsAre(events[0], events[3]));
  EXPECT_THAT(proof({events[0], events[3]}), ElementsAre(events[0], events[3]));
  EXPECT_THAT(proof({events[2]}), ElementsAre(events[2]));  // a request itself
  EXPECT_THAT(proof({session(4)[3]}), testing::SizeIs(1));  // of another session
}

TEST(Evidence, AMarkFarBehindTheBeginningIsKept) {
  const std::string many(9'000, 'x');
  const std::string text =
      R"({"id":1,"result":{"text":")" + many + R"(","wrong":7,"more":")" + many + R"("}})";
  const auto events = session_of({{false, text}});
  const auto evidence = make_evidence(events, events, "/result/wrong");
  EXPECT_THAT(evidence.at(0).text, testing::EndsWith(R"("wrong":7)"));
  EXPECT_TRUE(evidence.at(0).is_cut);
  EXPECT_EQ(make_evidence(events, events, "/id").at(0).text.size(), 4'000u);
  const auto endless =
      session_of({{false, R"({"a":")" + std::string(100'000, 'x') + R"(","wrong":7})"}});
  EXPECT_EQ(make_evidence(endless, endless, "/wrong").at(0).text.size(), 32'000u);
}

}  // namespace
}  // namespace assay::harness
