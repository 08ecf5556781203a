#include <gtest/gtest.h>

#include <string>

#include "harness/monitors/trace.h"
#include "harness/recording/recording_testing.h"

namespace assay::harness {
namespace {

constexpr const char* kInitializeLine =
    R"({"from":"client","message":{"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
    R"({"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}})"
    "\n"
    R"({"from":"server","message":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18",)"
    R"("capabilities":{},"serverInfo":{"name":"s","version":"1"}}}})"
    "\n"
    R"({"from":"client","message":{"jsonrpc":"2.0","method":"notifications/initialized"}})"
    "\n";
// An answer to what nobody has asked.
constexpr const char* kStrayLine =
    R"({"from":"server","message":{"jsonrpc":"2.0","id":7,"result":{}}})"
    "\n";
constexpr const char* kPingLine =
    R"({"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"ping"}})"
    "\n";
constexpr const char* kFullPingLine =
    R"({"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"pong":true}}})"
    "\n";

TEST(MessageLines, TellTheRevisionAndWhatIsBroken) {
  const ReadBack recording(std::string(kInitializeLine) + kPingLine + kFullPingLine);
  EXPECT_EQ(recording.read.error, "");
  ASSERT_EQ(recording.conversations.size(), 1u);
  EXPECT_EQ(revision_of(recording.conversations[0].events), model::Revision::v2025_06_18);
  EXPECT_EQ(recording.violated(), Rules{"ping.empty-result"});
}

TEST(MessageLines, BeginASessionWithEachInitialize) {
  EXPECT_EQ(ReadBack(std::string(kInitializeLine) + kInitializeLine).conversations.size(), 2u);
  EXPECT_EQ(ReadBack(std::string(kInitializeLine) + kPingLine).conversations.size(), 1u);
}

TEST(MessageLines, KeepSessionsApartThatHaveNames) {
  const ReadBack recording(R"({"from":"client","session":"a","message":"x"})"
                           "\n"
                           R"({"from":"client","session":"b","message":"x"})"
                           "\n"
                           R"({"from":"server","session":"a","message":"y"})"
                           "\n");
  ASSERT_EQ(recording.conversations.size(), 2u);
  EXPECT_EQ(recording.conversations[0].events.size(), 2u);
}

TEST(MessageLines, JudgeAStringByItsBytes) {
  const ReadBack recording(std::string(kInitializeLine) +
                           R"({"from":"server","message":"no JSON"})" + "\n" + kPingLine);
  EXPECT_TRUE(recording.conversations[0].gap.empty());
  const ReadBack other(std::string(kInitializeLine) +
                       R"({"from":"server","message":"{\"jsonrpc\":\"1\",\"id\":0}"})" + "\n");
  EXPECT_EQ(other.violated().count("jsonrpc.version-2-messages"), 1u);
}

// What came before may have asked for it.
TEST(MessageLines, AccuseNobodyOfWhatMayHaveBegunBefore) {
  const std::string middle = std::string(kPingLine) + kStrayLine;
  const ReadBack recording(middle);
  EXPECT_EQ(recording.conversations[0].gap, "the recording begins in the middle");
  PassiveJudge judge(Party::kServer);
  RecordedSession conversation = recording.conversations[0];
  EXPECT_FALSE(judge.add(conversation));
  conversation.fallback = model::Revision::v2025_06_18;
  ASSERT_TRUE(judge.add(conversation));
  Rules inconclusive;
  const reports::Result result = judge.finish({});
  for (const reports::Verdict& verdict : result.runs[0].verdicts) {
    EXPECT_NE(verdict.outcome, reports::Outcome::kViolated) << verdict.requirement;
    if (verdict.outcome == reports::Outcome::kInconclusive)
      inconclusive.insert(verdict.requirement);
  }
  EXPECT_EQ(inconclusive.count("jsonrpc.response-id"), 1u);
  EXPECT_EQ(inconclusive.count("lifecycle.initialize-first"), 1u);
  EXPECT_EQ(ReadBack(kInitializeLine + middle).violated().count("jsonrpc.response-id"), 1u);
}

TEST(MessageLines, AreHeldAgainstTheServerWhereAMessageSpeaksForItself) {
  const ReadBack recording(std::string(kPingLine) + kFullPingLine);
  PassiveJudge judge(Party::kServer);
  RecordedSession conversation = recording.conversations[0];
  conversation.fallback = model::Revision::v2025_06_18;
  ASSERT_TRUE(judge.add(conversation));
  Rules violated;
  const reports::Result result = judge.finish({});
  for (const reports::Verdict& verdict : result.runs[0].verdicts) {
    if (verdict.outcome == reports::Outcome::kViolated) violated.insert(verdict.requirement);
  }
  EXPECT_EQ(violated, Rules{"ping.empty-result"});
}

TEST(MessageLines, DoNotTellTheOrderOfStreams) {
  const ReadBack recording(
      R"({"from":"client","transport":"http","message":{"jsonrpc":"2.0","id":1,"method":"ping"}})"
      "\n");
  EXPECT_EQ(recording.conversations[0].transport, TransportKind::kHttp);
  EXPECT_NE(recording.conversations[0].gap, "");
}

TEST(MessageLines, SayWhatIsWrongWithALine) {
  EXPECT_EQ(ReadBack(std::string(kPingLine) + "{\"from\":\"me\",\"message\":1}\n").read.error,
            "line 2: \"from\" is neither client nor server");
  EXPECT_EQ(ReadBack(std::string(kPingLine) + "nonsense\n").read.error,
            "line 2: it is no JSON object");
  EXPECT_NE(ReadBack("nonsense\n").read.error, "");
  EXPECT_EQ(ReadBack("").read.error, "it is empty: there is nothing to judge");
}

TEST(MessageLines, ForgiveALastLineThatIsCutOff) {
  const ReadBack recording(std::string(kPingLine) + "{\"from\":\"cl");
  EXPECT_EQ(recording.read.error, "");
  EXPECT_EQ(recording.read.shortfall, "the last line is cut off");
  EXPECT_EQ(recording.conversations.size(), 1u);
}

std::string named(const std::string& session, const std::string& message) {
  return "{\"from\":\"client\",\"session\":\"" + session + "\",\"message\":" + message + "}\n";
}

// A named session's `initialize` says nothing of the one without a name.
TEST(MessageLines, BeginASessionOnlyWithItsOwnInitialize) {
  const std::string begin = R"({"jsonrpc":"2.0","id":0,"method":"initialize"})";
  const std::string unnamed = "{\"from\":\"client\",\"message\":" + begin + "}\n";
  const std::string ping = "{\"from\":\"client\",\"message\":{}}\n";
  EXPECT_EQ(ReadBack(ping + named("a", begin) + unnamed).conversations.size(), 2u);
}

TEST(MessageLines, NestedWithoutEndAreRefused) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  const ReadBack line(kPingLine + named("a", deep));
  EXPECT_NE(line.read.error.find("line 2: nested deeper"), std::string::npos) << line.read.error;
  EXPECT_NE(ReadBack(deep).read.error.find("nested deeper"), std::string::npos);
  EXPECT_NE(ReadBack("{\n\"log\":" + deep + "}").read.error.find("nested deeper"),
            std::string::npos);
  // As bytes it is what one of them said, and cannot be read.
  const std::string nested = std::string(10'000, '[') + std::string(10'000, ']');
  const ReadBack bytes(named("a", "\"" + nested + "\""));
  EXPECT_EQ(bytes.read.error, "");
  EXPECT_NE(bytes.conversations[0].events[0]->decode_error(), nullptr);
}

TEST(MessageLines, AreRefusedWhereTheirTreeIsTooLarge) {
  std::string wide = "[[]";
  while (wide.size() < (16u << 20)) wide += ",[],[],[],[],[],[],[],[]";
  const ReadBack recording("{\n\"log\":" + wide + "]}");
  EXPECT_NE(recording.read.error.find("MiB of memory"), std::string::npos) << recording.read.error;
}

// One message that is small as text, and large as a tree.
TEST(MessageLines, EndASessionThatHoldsTooMuch) {
  std::string wide = "[[]";
  while (wide.size() < (2u << 20)) wide += ",[],[],[],[],[],[],[],[]";
  std::string bare = kInitializeLine;
  bare += "{\"from\":\"client\",\"at_ms\":7,\"message\":{\"params\":" + wide + "]}}\n";
  const ReadBack recording(bare);
  const EventPtr& end = recording.conversations[0].events.back();
  EXPECT_EQ(end->observation.kind, transport::Observation::Kind::kCutOff);
  EXPECT_EQ(end->at, std::chrono::milliseconds(7));
  PassiveJudge judge(Party::kServer);
  ASSERT_TRUE(judge.add(recording.conversations[0]));
  EXPECT_EQ(judge.finish({}).runs[0].status, reports::RunStatus::kIncomplete);
}

TEST(MessageLines, OfManySessionsHoldNoMoreThanABound) {
  const std::string text(6u << 20, 'x');
  std::string lines;
  for (int i = 0; i < 30; ++i) lines += named(std::to_string(i), "\"" + text + "\"");
  const ReadBack recording(lines);
  EXPECT_EQ(recording.conversations.size(), 30u);
  EXPECT_NE(recording.read.shortfall, "");
}

// Where every request names the revision, that one does it tells nothing.
TEST(MessageLines, OfARevisionWithoutHandshakeMayBeginInTheMiddle) {
  const auto request = [](const std::string& method) {
    return R"({"from":"client","message":{"jsonrpc":"2.0","id":1,"method":")" + method +
           R"(","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}})" +
           "\n";
  };
  EXPECT_NE(ReadBack(request("tools/list")).conversations[0].gap, "");
  EXPECT_EQ(ReadBack(request("server/discover")).conversations[0].gap, "");
}

// Which of two requests is answered, nobody can tell: the server is to blame for nothing.
TEST(MessageLines, ExcuseAServerWhoseClientUsesAnIdTwice) {
  const std::string list =
      R"({"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"tools/list"}})"
      "\n";
  const std::string answer = R"({"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{}}})"
                             "\n";
  const ReadBack recording(kInitializeLine + list + kPingLine + answer + answer);
  EXPECT_EQ(recording.violated(), Rules());
}

TEST(MessageLines, ExcuseAServerWhoseClientUsesAProgressTokenTwice) {
  std::string lines = kInitializeLine;
  for (const char* id : {"1", "2"}) {
    lines += std::string(R"({"from":"client","message":{"jsonrpc":"2.0","id":)") + id +
             R"(,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":5}}}})" + "\n";
  }
  for (const char* progress : {"1", "2", "1"}) {
    lines += std::string(R"({"from":"server","message":{"jsonrpc":"2.0","method":)") +
             R"("notifications/progress","params":{"progressToken":5,"progress":)" + progress +
             "}}}\n";
  }
  EXPECT_EQ(ReadBack(lines).violated(), Rules());
}

}  // namespace
}  // namespace assay::harness
