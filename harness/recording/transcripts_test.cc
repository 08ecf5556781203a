#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/monitors/monitor.h"
#include "harness/recording/recording_testing.h"

namespace assay::harness {
namespace {

std::string line_event(int n, const std::string& party, const std::string& bytes) {
  return "{\"n\":" + std::to_string(n) + ",\"at_ms\":1.5,\"party\":\"" + party +
         "\",\"lane\":\"stdio\",\"kind\":\"line\",\"bytes\":\"" + bytes + "\"}\n";
}

TEST(Transcripts, AreReadConnectionByConnection) {
  const ReadBack recording("{\"connection\":1,\"run\":\"2025-06-18 stdio\",\"scenario\":\"x\"}\n" +
                           line_event(1, "client", "{}") +
                           "{\"connection\":2,\"run\":\"2025-03-26 http\"}\n" +
                           line_event(1, "client", "{}") + line_event(2, "server", "{}"));
  EXPECT_EQ(recording.read.error, "");
  ASSERT_EQ(recording.conversations.size(), 2u);
  EXPECT_EQ(recording.conversations[0].transport, TransportKind::kStdio);
  EXPECT_EQ(recording.conversations[0].fallback, model::Revision::v2025_06_18);
  EXPECT_EQ(recording.conversations[0].gap, "");
  EXPECT_FALSE(recording.conversations[0].is_whole);
  EXPECT_EQ(recording.conversations[1].transport, TransportKind::kHttp);
  EXPECT_EQ(recording.conversations[1].events.size(), 2u);
}

TEST(Transcripts, AreWholeWhereTheyHaveAnEnd) {
  const std::string exit =
      R"({"n":2,"at_ms":2,"party":"server","lane":"process","kind":"exit","exit":{"code":0}})"
      "\n";
  const ReadBack recording("{\"connection\":1,\"run\":\"tap stdio\"}\n" +
                           line_event(1, "client", "{}") + exit);
  ASSERT_EQ(recording.conversations.size(), 1u);
  EXPECT_TRUE(recording.conversations[0].is_whole);
  EXPECT_EQ(recording.conversations[0].fallback, std::nullopt);
}

TEST(Transcripts, ThatLackTheirFirstEventsBeginInTheMiddle) {
  const ReadBack recording("{\"connection\":1,\"run\":\"2025-06-18 stdio\"}\n" +
                           line_event(5, "server", "{}"));
  EXPECT_NE(recording.conversations[0].gap, "");
  EXPECT_NE(ReadBack(line_event(5, "server", "{}")).conversations[0].gap, "");
}

// The numbers of a stranger's file are not trusted.
TEST(Transcripts, AreNumberedAnew) {
  const ReadBack recording(line_event(1, "client", "{}") +
                           line_event(2'000'000'000, "server", "x"));
  EXPECT_EQ(recording.conversations[0].events[1]->n, 2u);
}

TEST(Transcripts, SayThatTheyLackTheirEnd) {
  const ReadBack recording("{\"connection\":1,\"run\":\"2025-06-18 stdio\"}\n" +
                           line_event(1, "client", "{}") + "{\"left_out\":3}\n");
  EXPECT_NE(recording.read.shortfall, "");
  EXPECT_FALSE(recording.conversations[0].is_whole);
}

// How long after it had read the answer the server cancelled its request, and whether it broke the
// rule by that.
bool is_blamed_for_cancelling_after(int milliseconds) {
  std::string text = "{\"connection\":1,\"run\":\"2025-11-25 stdio\"}\n";
  int n = 0;
  const auto said = [&](int at, const char* party, const char* message) {
    text += Json{{"n", ++n},        {"at_ms", at},    {"party", party},
                 {"lane", "stdio"}, {"kind", "line"}, {"bytes", message}}
                .dump() +
            "\n";
  };
  said(1, "server", R"({"jsonrpc":"2.0","id":"a","method":"roots/list"})");
  said(2, "client", R"({"jsonrpc":"2.0","id":"a","result":{"roots":[]}})");
  said(3, "client", R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  said(4, "server", R"({"jsonrpc":"2.0","id":1,"result":{}})");
  said(4 + milliseconds, "server",
       R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}})");
  const ReadBack recording(text);
  const auto& events = recording.conversations.at(0).events;
  const Findings findings =
      watch({events, TransportKind::kStdio, Party::kServer, model::Revision::v2025_11_25});
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.kind == Finding::Kind::kBroke &&
           finding.requirement.text() == "cancellation.still-in-progress";
  });
}

TEST(Transcripts, TellByTheirTimesWhatNoLongerCrossed) {
  EXPECT_FALSE(is_blamed_for_cancelling_after(4'900));
  EXPECT_TRUE(is_blamed_for_cancelling_after(5'000));
}

}  // namespace
}  // namespace assay::harness
