// Which exchange of a faultless server is shown beside one of a faulty server.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/rules/rule_examples.h"

namespace assay::cli {
namespace {

using reports::Evidence;

Evidence said(const char* party, std::string text, bool is_context = false,
              const char* lane = "stdio") {
  static std::uint64_t number = 0;
  return {++number, 0, party, lane, std::move(text), "", false, is_context};
}
Evidence from_suite(std::string text, bool is_context = false, const char* lane = "stdio") {
  return said("client", std::move(text), is_context, lane);
}
Evidence came_back(std::string text, const char* lane = "stdio") {
  return said("server", std::move(text), false, lane);
}

std::vector<std::string> texts_of(const std::vector<Evidence>& events) {
  std::vector<std::string> out;
  for (const Evidence& event : events) {
    if (!event.is_context) out.push_back(event.text);
  }
  return out;
}

const char* const kAsked = R"({"jsonrpc":"2.0","id":3,"method":"ping"})";
const char* const kPong = R"({"jsonrpc":"2.0","id":3,"result":{}})";

TEST(MatchingExchange, IsTheSameRequestAndItsAnswerWhateverTheId) {
  const std::vector<RecordedSession> sessions = {
      {"other", {from_suite(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})")}},
      {"ping_is_answered",
       {from_suite(kAsked), came_back(R"({"jsonrpc":"2.0","method":"notifications/message"})"),
        came_back(kPong)}}};
  const std::vector<Evidence> wrong = {
      from_suite(R"({"jsonrpc":"2.0","id":9,"method":"ping"})"),
      came_back(R"({"jsonrpc":"2.0","id":9,"result":{"content":[]}})")};
  EXPECT_EQ(texts_of(matching_exchange(sessions, "ping_is_answered", wrong)),
            (std::vector<std::string>{kAsked, kPong}));
}

TEST(MatchingExchange, PrefersTheScenarioThatJudged) {
  const std::vector<RecordedSession> sessions = {
      {"elsewhere", {from_suite(kAsked), came_back("first")}},
      {"here", {from_suite(kAsked), came_back(kPong)}}};
  const std::vector<Evidence> wrong = {from_suite(kAsked)};
  EXPECT_EQ(texts_of(matching_exchange(sessions, "here", wrong)).back(), kPong);
}

TEST(MatchingExchange, TakesTheMethodWhereNoRequestIsTheSame) {
  const char* const call =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}})";
  const std::vector<RecordedSession> sessions = {{"x", {from_suite(call)}}};
  const std::vector<Evidence> wrong = {
      from_suite(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"b"}})")};
  EXPECT_EQ(texts_of(matching_exchange(sessions, "x", wrong)), std::vector<std::string>{call});
}

TEST(MatchingExchange, ShowsEverythingThatAnHttpExchangeBrought) {
  const std::string post = std::string("POST /mcp\nmcp-session-id: a\n\n") + kAsked;
  const std::vector<RecordedSession> sessions = {
      {"x",
       {from_suite(post, false, "http/4"), came_back("HTTP 200\n", "http/4"),
        came_back("elsewhere", "http/5"), came_back(kPong, "http/4"),
        came_back("later", "http/4")}}};
  const std::vector<Evidence> wrong = {
      from_suite(std::string("POST /mcp\nmcp-session-id: b\n\n") + kAsked, false, "http/2")};
  EXPECT_EQ(texts_of(matching_exchange(sessions, "x", wrong)),
            (std::vector<std::string>{post, "HTTP 200\n", kPong}));
}

TEST(MatchingExchange, LooksNotBehindWhatIsWrong) {
  const std::string note = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
  const std::string list = R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})";
  const std::vector<RecordedSession> sessions = {
      {"x",
       {from_suite(note, false, "http/1"), came_back("HTTP 202\n", "http/1"),
        from_suite(list, false, "http/2"), came_back("HTTP 200\n", "http/2")}}};
  const std::vector<Evidence> wrong = {
      from_suite(list, true, "http/0"), from_suite(note, true, "http/1"),
      came_back("HTTP 200\n", "http/1"), from_suite(list, true, "http/2")};
  EXPECT_EQ(texts_of(matching_exchange(sessions, "x", wrong)),
            (std::vector<std::string>{note, "HTTP 202\n"}));
}

TEST(MatchingExchange, TakesWhatTheServerSaysByItself) {
  const char* const log =
      R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}})";
  const std::vector<RecordedSession> sessions = {{"x", {came_back("noise"), came_back(log)}}};
  const std::vector<Evidence> wrong = {
      came_back(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud"}})")};
  EXPECT_EQ(texts_of(matching_exchange(sessions, "y", wrong)), std::vector<std::string>{log});
}

TEST(MatchingExchange, IsEmptyWhereNothingIsLikeIt) {
  const std::vector<RecordedSession> sessions = {{"x", {came_back("noise")}}};
  EXPECT_TRUE(matching_exchange(sessions, "x", std::vector{came_back("garbage")}).empty());
  EXPECT_TRUE(matching_exchange({}, "x", std::vector{from_suite(kAsked)}).empty());
}

}  // namespace
}  // namespace assay::cli
