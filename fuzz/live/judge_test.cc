#include "fuzz/live/judge.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::fuzz {
namespace {

std::string said(Judge& judge) {
  std::string all;
  for (const Suspicion& suspicion : judge.take_suspicions()) {
    all += (all.empty() ? "" : ", ") + suspicion.signature();
  }
  return all;
}

class JudgeTest : public testing::Test {
 protected:
  void send(std::string_view line) { judge_.sent(line, 1); }
  void hear(std::string_view line) { judge_.heard(line); }
  void give_up() { judge_.give_up_on(Judge::Clock::now() + std::chrono::hours(1)); }

  Vocabulary words_;
  Judge judge_{words_, true};
};

TEST_F(JudgeTest, IsContentWithAnAnsweredRequest) {
  send(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  hear(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  give_up();
  EXPECT_EQ(said(judge_), "");
  EXPECT_EQ(judge_.take_shapes().size(), 1u);
}

// A tool takes as long as it likes, and much else is asked in the meantime.
TEST_F(JudgeTest, TakesAnAnswerThatComesLate) {
  const auto call = R"({"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"a"}})";
  const auto answer = R"({"jsonrpc":"2.0","id":"slow","result":{"content":[]}})";
  std::size_t last = 0;
  const auto ask_much = [&] {
    for (std::size_t i = 0; i <= Judge::kMostRemembered; ++i) {
      const std::string id = std::to_string(++last);
      send(R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}");
      hear(R"({"jsonrpc":"2.0","result":{},"id":)" + id + "}");
    }
  };
  send(call);
  ask_much();
  hear(answer);
  EXPECT_EQ(said(judge_), "");
  hear(answer);
  EXPECT_EQ(said(judge_), "misdirected-answer: result to an unknown id");
  send(call);
  ask_much();
  send(call);
  hear(answer);
  hear(answer);
  EXPECT_EQ(said(judge_), "");
  hear(answer);
  EXPECT_EQ(said(judge_), "doubled-answer: ");
}

TEST_F(JudgeTest, ForgetsWhatItWasTold) {
  send(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  judge_.forget();
  give_up();
  EXPECT_EQ(said(judge_), "");
  send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  give_up();
  EXPECT_EQ(said(judge_), "missing-answer: tools/list");
}

TEST_F(JudgeTest, MissesAnAnswerOnce) {
  send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  give_up();
  EXPECT_EQ(said(judge_), "missing-answer: tools/list");
  give_up();
  EXPECT_EQ(said(judge_), "");
}

TEST_F(JudgeTest, DoesNotMissWhatWasCancelled) {
  send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  give_up();
  EXPECT_EQ(said(judge_), "");
}

TEST_F(JudgeTest, DoesNotMissWhatParsersMayReadOtherwise) {
  send(R"({"jsonrpc":"2.0","id":9007199254740993,"method":"ping"})");
  send(R"({"jsonrpc":"2.0","id":"\ud800","method":"ping"})");
  send(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})");
  send(R"({"jsonrpc":"2.0","id":3,"method":"ping","params":null})");
  send(R"({"jsonrpc":"2.0","id":4,"method":"pi)");
  give_up();
  EXPECT_EQ(said(judge_), "");
}

TEST_F(JudgeTest, SeesADoubledAnswer) {
  send(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  hear(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  hear(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(said(judge_), "doubled-answer: ping");
}

TEST_F(JudgeTest, SeesAnAnswerToNobody) {
  send(R"({"jsonrpc":"2.0","id":"1","method":"ping"})");
  hear(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(said(judge_), "misdirected-answer: result to an unknown id");
}

TEST_F(JudgeTest, TakesANearbyNumberForTheSameId) {
  send(R"({"jsonrpc":"2.0","id":9007199254740993,"method":"ping"})");
  hear(R"({"jsonrpc":"2.0","id":9007199254740992,"result":{}})");
  send(R"({"jsonrpc":"2.0","id":-0,"method":"ping"})");
  hear(R"({"jsonrpc":"2.0","id":0,"result":{}})");
  EXPECT_EQ(said(judge_), "");
}

TEST_F(JudgeTest, AllowsAnErrorWithoutIdForEachUnreadableLine) {
  send("{");
  hear(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})");
  EXPECT_EQ(said(judge_), "");
  hear(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})");
  EXPECT_EQ(said(judge_), "misdirected-answer: error without id");
}

TEST_F(JudgeTest, AllowsALenientParserToAnswerTwoMessagesOnALine) {
  send(R"({"jsonrpc":"2.0","id":5,"method":"ping"}{"jsonrpc":"2.0","id":6,"method":"ping"})");
  hear(R"({"jsonrpc":"2.0","id":5,"result":{}})");
  hear(R"({"jsonrpc":"2.0","id":6,"result":{}})");
  EXPECT_EQ(said(judge_), "");
}

TEST_F(JudgeTest, SeesNoise) {
  hear("Server started");
  EXPECT_EQ(said(judge_), "noise: invalid-json");
}

TEST_F(JudgeTest, SeesAnAnswerOfTheWrongForm) {
  send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":7}]}})");
  EXPECT_NE(said(judge_).find("invalid-message: tools/list result"), std::string::npos);
}

TEST_F(JudgeTest, AsksNoSchemaBeforeTheHandshake) {
  Judge early(words_, false);
  early.sent(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", 1);
  early.heard(R"({"jsonrpc":"2.0","id":1,"result":{"tools":7}})");
  EXPECT_EQ(said(early), "");
}

TEST_F(JudgeTest, SeesUndueSuccess) {
  send(R"({"jsonrpc":"2.0","id":1,"method":"assay-no-such-method"})");
  hear(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  send(R"({"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"assay-no-such-1"}})");
  hear(R"({"jsonrpc":"2.0","id":2,"result":{"tools":[]}})");
  send(R"({"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":7}})");
  hear(R"({"jsonrpc":"2.0","id":3,"result":{}})");
  EXPECT_EQ(said(judge_),
            "accepted: unknown method, accepted: unknown cursor tools/list, "
            "accepted: logging/setLevel without a proper level");
}

TEST_F(JudgeTest, TakesAToolsOwnErrorForARefusal) {
  words_.tools.push_back({{"name", "echo"},
                          {"inputSchema",
                           {{"type", "object"},
                            {"properties", {{"text", {{"type", "string"}}}}},
                            {"required", {"text"}}}}});
  send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}})");
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}})");
  EXPECT_EQ(said(judge_), "");
  send(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}})");
  hear(R"({"jsonrpc":"2.0","id":2,"result":{"content":[]}})");
  EXPECT_EQ(said(judge_).substr(0, 24), "accepted: arguments echo");
}

TEST_F(JudgeTest, SeesAnAnswerInAnotherSession) {
  judge_.sent(R"({"jsonrpc":"2.0","id":1,"method":"ping"})", 1, lane_key(4, 0));
  judge_.heard(R"({"jsonrpc":"2.0","id":1,"result":{}})", lane_key(4, 1));
  EXPECT_EQ(said(judge_), "other-session: answer to ping");
}

TEST(ToolSafety, NeverLetsAForbiddenToolBeCalled) {
  Vocabulary words;
  words.forbidden_tools = {"delete", "write \"all\""};
  EXPECT_TRUE(words.is_safe(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_not"}})"));
  EXPECT_FALSE(words.is_safe(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}})"));
  EXPECT_FALSE(words.is_safe(
      R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"d\u0065lete"}}])"));
  EXPECT_FALSE(
      words.is_safe(R"({"method":"tools/call","params":{"name":"read","name":"delete"}})"));
  EXPECT_FALSE(words.is_safe(R"({"method":"tools/call","params":{"name":"delete"},)"));
}

}  // namespace
}  // namespace assay::fuzz
