#include "fuzz/live/judge/judge.h"

#include <gtest/gtest.h>

#include <string>

#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

std::string said(LiveJudge& judge) {
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
  void give_up() { judge_.give_up_on(LiveJudge::Clock::now() + std::chrono::hours(1)); }

  Vocabulary words_;
  LiveJudge judge_{words_, true};
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
    for (std::size_t i = 0; i <= LiveJudge::kMostRemembered; ++i) {
      const std::string id = std::to_string(++last);
      send(R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}");
      hear(R"({"jsonrpc":"2.0","result":{},"id":)" + id + "}");
    }
  };
  // Only of what may have been read otherwise no more is kept than that it was sent.
  send(R"({"jsonrpc":"2.0","id":"slow","method":"tools/call","params":null})");
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

// Fast servers answer so many others in between that it would be forgotten before it is late.
TEST_F(JudgeTest, NeverForgetsACallThatIsOpen) {
  words_.tools.push_back({{"name", "read"}, {"inputSchema", {{"type", "object"}}}});
  const auto call = [&](std::string_view id) {
    send(R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"read"},"id":)" +
         std::string(id) + "}");
  };
  const auto answer = [&](std::string_view id) {
    hear(R"({"jsonrpc":"2.0","result":{"content":[]},"id":)" + std::string(id) + "}");
  };
  call("\"first\"");
  answer("\"first\"");
  call("\"lost\"");
  call("\"late\"");
  for (std::size_t i = 0; i <= LiveJudge::kMostRemembered; ++i) {
    call(std::to_string(i));
    answer(std::to_string(i));
  }
  EXPECT_EQ(judge_.count_open(), 2u);
  answer("\"late\"");
  judge_.give_up_on_calls(LiveJudge::Clock::now() + std::chrono::hours(1), true);
  EXPECT_EQ(said(judge_), "missing-answer: tools/call read");
  EXPECT_EQ(judge_.count_open(), 0u);
}

// A server may hold on to every call that it is sent.
TEST_F(JudgeTest, HoldsABoundedNumberOfOpenCalls) {
  words_.tools.push_back({{"name", "read"}, {"inputSchema", {{"type", "object"}}}});
  const auto call = [&](std::size_t id) {
    send(R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"read"},"id":)" +
         std::to_string(id) + "}");
  };
  call(0);
  hear(R"({"jsonrpc":"2.0","result":{"content":[]},"id":0})");
  const std::size_t most = LiveJudge::kMostRemembered + LiveJudge::kMostHeld;
  for (std::size_t i = 1; i < most + 9; ++i) call(i);
  EXPECT_LE(judge_.count_open(), most);
  EXPECT_GE(judge_.count_open(), LiveJudge::kMostHeld);
}

TEST_F(JudgeTest, TellsOneMadeUpMethodFromNoOther) {
  send(R"({"jsonrpc":"2.0","id":1,"method":"assay-no-such-1"})");
  send(R"({"jsonrpc":"2.0","id":2,"method":"tools/assay-no-such-2"})");
  send(R"({"jsonrpc":"2.0","id":3,"method":"tools/list"})");
  give_up();
  EXPECT_EQ(said(judge_),
            "missing-answer: an unknown method, missing-answer: an unknown method, "
            "missing-answer: tools/list");
}

TEST_F(JudgeTest, MissesNoAnswerThatCameDamaged) {
  send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  hear(R"({"jsonrpc":"2.0","id":1,"error":"no","result":{}})");
  EXPECT_EQ(said(judge_).substr(0, 25), "invalid-message: malforme");
  give_up();
  EXPECT_EQ(said(judge_), "");
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

// To JSON-RPC 2.0 it is no response, and so an invalid request; to some revisions it is one.
TEST_F(JudgeTest, AllowsAnAnswerToAnErrorThatHasNoIdOfOurs) {
  const auto refusal =
      R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}})";
  send(R"({"jsonrpc":"2.0","error":{"code":0,"message":"P"}})");
  hear(refusal);
  send(R"({"jsonrpc":"2.0","id":null,"error":{"code":0,"message":"P"}})");
  hear(refusal);
  EXPECT_EQ(said(judge_), "");
  send(R"({"jsonrpc":"2.0","id":7,"error":{"code":0,"message":"P"}})");
  hear(refusal);
  hear(refusal);
  hear(refusal);
  EXPECT_NE(said(judge_), "");
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

TEST_F(JudgeTest, AllowsAnErrorWithoutIdForAnEmptyLine) {
  for (const char* line : {"", "\r", "\n", " "}) {
    send(line);
    hear(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})");
    EXPECT_EQ(said(judge_), "") << '"' << line << '"';
  }
}

TEST_F(JudgeTest, OwesNoErrorWithoutIdForEver) {
  send("{");
  judge_.pass_barrier();
  judge_.pass_barrier();
  hear(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})");
  EXPECT_EQ(said(judge_), "misdirected-answer: error without id");
}

TEST_F(JudgeTest, SeesAnArrayThatNothingAsksFor) {
  const auto ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  const auto array = R"([{"jsonrpc":"2.0","id":1,"result":{}}])";
  send(ping);
  hear(array);
  EXPECT_EQ(said(judge_), "invalid-message: array of messages");
  send("[" + std::string(ping) + "]");
  hear(array);
  EXPECT_EQ(said(judge_), "");
  hear("[]");
  EXPECT_EQ(said(judge_), "invalid-message: empty array");
}

TEST_F(JudgeTest, LetsARevisionWithBatchesSendThem) {
  words_.revision = model::Revision::v2025_03_26;
  hear(R"([{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}])");
  EXPECT_EQ(said(judge_), "");
}

TEST_F(JudgeTest, AccusesNobodyOfValuesThatWereOurs) {
  send(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})");
  hear(R"({"jsonrpc":"2.0","id":1.5,"result":{}})");
  send(
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","arguments":{"resourceUri":"a"}}})");
  const auto echo =
      R"("result":{"content":[{"type":"resource","resource":{"uri":"a","text":"x"}}]}})";
  hear(R"({"jsonrpc":"2.0","id":2,)" + std::string(echo));
  hear(
      R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1.5,"progress":1}})");
  EXPECT_EQ(said(judge_), "");
  // What is forgiven once is not forgiven where nothing like it was sent.
  judge_.forget();
  send(R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"b","arguments":{}}})");
  hear(R"({"jsonrpc":"2.0","id":3,)" + std::string(echo));
  EXPECT_EQ(said(judge_).substr(0, 34), "invalid-message: tools/call result");
}

TEST_F(JudgeTest, AccusesNobodyOfAValueThatIsKeptFromEarlier) {
  send(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"not a uri"}})");
  hear(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  hear(
      R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"not a uri"}})");
  EXPECT_EQ(said(judge_), "");
  hear(
      R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"nor is this"}})");
  EXPECT_NE(said(judge_), "");
}

// A server may not have our numbers and characters, or writes them in its own way.
TEST_F(JudgeTest, AccusesNobodyOfValuesThatCameBackChanged) {
  const auto call = [&](int id, std::string_view uri) {
    send(R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"a","arguments":{"u":")" +
         std::string(uri) + R"("}},"id":)" + std::to_string(id) + "}");
  };
  const auto echo = [&](int id, std::string_view uri) {
    hear(R"({"jsonrpc":"2.0","result":{"content":[{"type":"resource","resource":{"uri":")" +
         std::string(uri) + R"(","text":"x"}}]},"id":)" + std::to_string(id) + "}");
  };
  call(1, "not a \xC3\xA9");
  echo(1, "not%20a%20%C3%A9");
  call(2, "\\ud800 and more");
  echo(2, "\xEF\xBF\xBD and more");
  EXPECT_EQ(said(judge_), "");
  send(
      R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","arguments":{"n":1.5}}})");
  hear(
      R"({"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"maxTokens":1.5,"messages":[]}})");
  hear(R"({"jsonrpc":"2.0","id":3,"result":{"content":[]}})");
  EXPECT_EQ(said(judge_), "");
  // What we did not send is its own.
  hear(
      R"({"jsonrpc":"2.0","id":"s2","method":"sampling/createMessage","params":{"maxTokens":2.5,"messages":[]}})");
  EXPECT_EQ(said(judge_).substr(0, 15), "invalid-message");
  judge_.forget();
  call(4, "something");
  echo(4, "no%20address");
  EXPECT_EQ(said(judge_).substr(0, 15), "invalid-message");
}

// A tool that answers others and waits for nothing.
TEST_F(JudgeTest, MissesACallWhereOthersOfItsToolWereAnswered) {
  const auto tool = [](std::string_view name, const Json& properties) {
    return Json{{"name", name}, {"inputSchema", {{"type", "object"}, {"properties", properties}}}};
  };
  words_.tools.push_back(tool("read", {{"path", {{"type", "string"}}}}));
  words_.tools.push_back(tool("pause", {{"seconds", {{"type", "string"}}}}));
  const auto call = [&](int id, std::string_view name) {
    send(R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":")" + std::string(name) +
         R"("},"id":)" + std::to_string(id) + "}");
  };
  const auto late = LiveJudge::Clock::now() + std::chrono::hours(1);
  call(1, "read");
  judge_.give_up_on_calls(late, false);
  EXPECT_EQ(said(judge_), "") << "none was answered";
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  call(2, "read");
  EXPECT_EQ(judge_.count_open(), 1u);
  call(3, "pause");
  judge_.give_up_on_calls(late, false);
  EXPECT_EQ(said(judge_), "") << "a slow one may keep it waiting";
  hear(R"({"jsonrpc":"2.0","id":3,"result":{"content":[]}})");
  judge_.give_up_on_calls(late, false);
  EXPECT_EQ(said(judge_), "missing-answer: tools/call read");
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
  LiveJudge early(words_, false);
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

TEST_F(JudgeTest, SeesAStackTraceInAnError) {
  send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  hear(
      R"j({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"TypeError: x\n    at f (/srv/a.js:3:7)"}})j");
  EXPECT_EQ(said(judge_), "trace: stack trace in the answer to tools/list");
  // What a tool returns is its own affair, where it does not fail.
  send(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"log"}})");
  hear(
      R"j({"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x\n    at f (/srv/a.js:3:7)"}]}})j");
  EXPECT_EQ(said(judge_), "");
}

TEST_F(JudgeTest, SeesAPingThatIsAnsweredWithMore) {
  send(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"_meta":{},"uptime":7}})");
  EXPECT_EQ(said(judge_), "invalid-message: ping result is not empty");
}

TEST_F(JudgeTest, HoldsStructuredContentAgainstTheToolsOwnSchema) {
  words_.tools.push_back(
      {{"name", "count"},
       {"inputSchema", {{"type", "object"}}},
       {"outputSchema", {{"type", "object"}, {"properties", {{"n", {{"type", "integer"}}}}}}}});
  const auto call = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count")";
  const auto answer =
      R"({"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"n":"many"}}})";
  send(call + std::string(R"(,"arguments":{"n":"many"}}})"));
  hear(answer);
  EXPECT_EQ(said(judge_), "") << "a value of ours";
  judge_.forget();
  send(call + std::string("}}"));
  hear(answer);
  EXPECT_EQ(said(judge_), "structured-output: count /n");
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

// Who does one thing after the other is at work on the call, and not on what was asked after it.
TEST_F(JudgeTest, LaysAnEndToTheFirstThatWasNotAnswered) {
  words_.tools.push_back({{"name", "read"}, {"inputSchema", {{"type", "object"}}}});
  judge_.sent(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}})", 1);
  judge_.sent(R"({"jsonrpc":"2.0","id":2,"method":"ping"})", 2);
  judge_.sent(R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read"}})", 3);
  judge_.sent(R"({"jsonrpc":"2.0","id":4,"method":"ping"})", 4);
  EXPECT_EQ(judge_.first_unanswered_case(), 1u);
  hear(R"({"jsonrpc":"2.0","id":2,"result":{}})");
  EXPECT_EQ(judge_.first_unanswered_case(), 3u);
  EXPECT_EQ(judge_.newest_answered_case(), 2u);
  EXPECT_EQ(judge_.oldest_open_case(), 4u);
  hear(R"({"jsonrpc":"2.0","id":4,"result":{}})");
  EXPECT_EQ(judge_.first_unanswered_case(), std::nullopt);
}

TEST_F(JudgeTest, SeesThatAnArgumentWasComputed) {
  words_.tools.push_back({{"name", "greet"}, {"inputSchema", {{"type", "object"}}}});
  words_.tools.push_back({{"name", "calculate"}, {"inputSchema", {{"type", "object"}}}});
  const auto ask = [&](std::string_view tool, std::string_view text) {
    judge_.forget();
    send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + std::string(tool) +
         R"(","arguments":{"name":")" + std::string(text) + R"("}}})");
  };
  const auto answer = [&](std::string_view text) {
    hear(R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":")" +
         std::string(text) + R"("}]}})");
  };
  ask("greet", "{{7919*7907}}");
  answer("Hello {{7919*7907}}");
  EXPECT_EQ(said(judge_), "") << "it came back";
  ask("calculate", "{{7919*7907}}");
  answer("That is 62615533");
  EXPECT_EQ(said(judge_), "") << "it is there to compute";
  ask("greet", "{{7919*7907}}");
  answer("Hello 62615533");
  EXPECT_EQ(said(judge_), "injection: tools/call greet");
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
