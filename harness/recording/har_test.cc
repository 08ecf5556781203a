#include <gtest/gtest.h>

#include <string>

#include "harness/recording/recording_testing.h"
#include "reference/wire/json.h"

namespace assay::harness {
namespace {

constexpr const char* kAsk =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
    R"("capabilities":{},"clientInfo":{"name":"c","version":"1"}}})";
constexpr const char* kAnswer =
    R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},)"
    R"("serverInfo":{"name":"s","version":"1"}}})";

// One exchange that begins in this second and takes as long.
Json entry(int second, const std::string& sent, const std::string& type, const std::string& body,
           const std::string& session = "", double milliseconds = 10) {
  const std::string start = "2025-11-25T10:00:" + std::to_string(10 + second) + ".000Z";
  Json request_fields =
      Json::array({{{"name", "Accept"}, {"value", "application/json, text/event-stream"}},
                   {{"name", "Authorization"}, {"value", "Bearer abcdefghijklmnopqrst"}}});
  if (!session.empty() && second > 0) {
    request_fields.push_back({{"name", "mcp-session-id"}, {"value", session}});
  }
  Json fields = Json::array({{{"name", "content-type"}, {"value", type}}});
  if (!session.empty() && second == 0) {
    fields.push_back({{"name", "Mcp-Session-Id"}, {"value", session}});
  }
  return {{"startedDateTime", start},
          {"time", milliseconds},
          {"request",
           {{"method", "POST"},
            {"url", "https://x.test/mcp"},
            {"headers", request_fields},
            {"postData", {{"text", sent}}}}},
          {"response",
           {{"status", body.empty() ? 202 : 200},
            {"headers", fields},
            {"content", {{"size", body.size()}, {"text", body}}}}}};
}

std::string har(const Json& entries) {
  return Json{{"log", {{"version", "1.2"}, {"entries", entries}}}}.dump(2);
}

const char* const kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
const char* const kPong = R"({"jsonrpc":"2.0","id":1,"result":{"pong":1}})";

TEST(Har, IsJudgedAsHttp) {
  const ReadBack recording(har(
      {entry(0, kAsk, "application/json", kAnswer), entry(1, kPing, "application/json", kPong)}));
  EXPECT_EQ(recording.read.error, "");
  ASSERT_EQ(recording.conversations.size(), 1u);
  EXPECT_EQ(recording.conversations[0].transport, TransportKind::kHttp);
  EXPECT_EQ(recording.conversations[0].gap, "");
  EXPECT_EQ(recording.violated(), Rules{"ping.empty-result"});
}

TEST(Har, HasTheEventsOfAStream) {
  const std::string stream = std::string("data: ") + kPong + "\n\n";
  const ReadBack recording(har(
      {entry(0, kAsk, "application/json", kAnswer), entry(1, kPing, "text/event-stream", stream)}));
  EXPECT_EQ(recording.violated(), Rules{"ping.empty-result"});
}

TEST(Har, KeepsSessionsApart) {
  const ReadBack recording(har({entry(0, kAsk, "application/json", kAnswer, "one"),
                                entry(1, kPing, "application/json", kPong, "one"),
                                entry(2, kPing, "application/json", kPong, "two")}));
  ASSERT_EQ(recording.conversations.size(), 2u);
  EXPECT_EQ(recording.conversations[0].gap, "");
  EXPECT_EQ(recording.conversations[1].gap, "the recording begins in the middle");
}

TEST(Har, DoesNotTellTheOrderOfExchangesThatOverlap) {
  const ReadBack recording(har({entry(0, kAsk, "application/json", kAnswer, "", 5000),
                                entry(1, kPing, "application/json", kPong)}));
  EXPECT_NE(recording.conversations[0].gap.find("overlap"), std::string::npos);
}

TEST(Har, HidesCredentials) {
  const ReadBack recording(har(Json::array({entry(0, kAsk, "application/json", kAnswer)})));
  ASSERT_EQ(recording.conversations.size(), 1u);
  const auto& request = *recording.conversations[0].events[0];
  EXPECT_EQ(*transport::find_header(request.observation.http()->headers, "Authorization"),
            "Bearer token#1");
}

TEST(Har, PassesOverWhatIsNotMcp) {
  Json other = entry(0, "a=b", "text/html", "<p>");
  other["request"]["url"] = "https://x.test/login";
  EXPECT_EQ(ReadBack(har(Json::array({other}))).conversations.size(), 0u);
  EXPECT_EQ(ReadBack(har(Json::array({other}))).read.remarks.size(), 1u);
  EXPECT_EQ(ReadBack(har({other, entry(1, kAsk, "application/json", kAnswer)}))
                .conversations[0]
                .events.size(),
            4u);
}

// Chrome keeps no text of an event stream, and says that it has no size.
TEST(Har, KnowsNothingOfABodyThatIsNotThere) {
  Json streamed = entry(1, kPing, "text/event-stream", "x");
  streamed["response"]["content"] = {{"size", 0}, {"mimeType", "text/event-stream"}};
  const Json begin = entry(0, kAsk, "application/json", kAnswer);
  const ReadBack answer(har({begin, streamed, entry(2, kPing, "application/json", kPong)}));
  EXPECT_NE(answer.conversations[0].gap.find("body"), std::string::npos);
  Json sent = entry(1, kPing, "application/json", kPong);
  sent["request"].erase("postData");
  const ReadBack request(har({begin, sent}));
  EXPECT_NE(request.conversations[0].gap.find("body"), std::string::npos);
  EXPECT_EQ(request.violated(Party::kClient), Rules());
  EXPECT_EQ(request.violated(), Rules());
  EXPECT_EQ(ReadBack(har({begin, entry(1, kPing, "", "")})).conversations[0].gap, "");
}

TEST(Har, PassesOverPreflights) {
  Json asks = entry(0, "", "", "");
  asks["request"]["method"] = "OPTIONS";
  const ReadBack recording(har({asks, entry(1, kAsk, "application/json", kAnswer)}));
  ASSERT_EQ(recording.conversations.size(), 1u);
  EXPECT_EQ(recording.conversations[0].events.size(), 4u);
  EXPECT_EQ(recording.conversations[0].gap, "");
}

// A gateway says in JSON of its own why it refuses.
TEST(Har, HoldsNoRefusalForAMessageThatDoesNotSayItIsOne) {
  Json refused = entry(1, kPing, "application/json", R"({"error":"forbidden"})");
  refused["response"]["status"] = 403;
  EXPECT_EQ(ReadBack(har({entry(0, kAsk, "application/json", kAnswer), refused})).violated(),
            Rules());
  refused["response"]["content"]["text"] = R"({"jsonrpc":"2.0","id":1,"error":5})";
  EXPECT_NE(ReadBack(har({entry(0, kAsk, "application/json", kAnswer), refused})).violated(),
            Rules());
}

// Types and times of a stranger's file may be anything.
TEST(Har, SurvivesNonsense) {
  for (
      const char* text :
      {R"({"log":{"entries":[1,null,{},{"request":{"url":5}},{"request":{"url":"a://b"},"response":3}]}})",
       R"({"log":{"entries":[{"startedDateTime":"9","time":"x","request":{"method":"POST","url":"a://b",)"
       R"("headers":[5,{"name":3}],"postData":{"text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"}},)"
       R"("response":{"status":99999,"content":{"size":-1,"text":7}}}]}})"}) {
    EXPECT_EQ(ReadBack(text).read.error, "") << text;
  }
}

}  // namespace
}  // namespace assay::harness
