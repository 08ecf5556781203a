#include "harness/script/limit.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay::harness {
namespace {

std::vector<EventPtr> answer(const std::string& text) {
  transport::Observation line;
  line.kind = transport::Observation::Kind::kLine;
  line.speaker = Party::kServer;
  line.bytes = text;
  Transcript transcript;
  transcript.observe(line);
  return transcript.events();
}

std::vector<EventPtr> response(int status, transport::Headers headers) {
  transport::HttpHead head;
  head.status = status;
  head.headers = std::move(headers);
  transport::Observation observation;
  observation.kind = transport::Observation::Kind::kHttpResponse;
  observation.speaker = Party::kServer;
  observation.http = head;
  Transcript transcript;
  transcript.observe(observation);
  return transcript.events();
}

std::string error(const std::string& code, const std::string& words) {
  return R"({"jsonrpc":"2.0","id":1,"error":{"code":)" + code + R"(,"message":")" + words +
         R"("}})";
}

TEST(Limit, IsSeenInTheStatusOfAResponse) {
  EXPECT_EQ(limit_in(response(429, {}))->said, "HTTP 429");
  EXPECT_TRUE(limit_in(response(503, {})));
  EXPECT_FALSE(limit_in(response(400, {})));
  EXPECT_FALSE(limit_in(response(200, {{"Retry-After", "1"}})));
}

TEST(Limit, SaysHowLongTheServerAsksToWait) {
  EXPECT_EQ(limit_in(response(429, {{"Retry-After", "2"}}))->retry_after,
            std::chrono::milliseconds(2000));
  EXPECT_FALSE(limit_in(response(429, {}))->retry_after.has_value());
  EXPECT_EQ(limit_in(response(429, {{"retry-after", "99999999999999"}}))->retry_after,
            std::chrono::milliseconds(3'600'000));
  EXPECT_TRUE(limit_in(response(403, {{"Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"}})));
}

TEST(Limit, IsNoToolOfThatName) {
  EXPECT_FALSE(speaks_of_a_limit("Invalid arguments for tool get_quota: age must be a number"));
  EXPECT_FALSE(speaks_of_a_limit("Invalid arguments for tool quota: age must be a number"));
  EXPECT_FALSE(speaks_of_a_limit("api.check_rate_limit failed"));
  EXPECT_TRUE(speaks_of_a_limit("rate_limit_exceeded"));
  EXPECT_TRUE(speaks_of_a_limit("Error: RATE_LIMITED, come back later"));
  EXPECT_TRUE(speaks_of_a_limit("You are out of quota"));
  // What a result gives beside its texts is no word of the failure.
  EXPECT_FALSE(limit_in(answer(R"({"jsonrpc":"2.0","id":1,"result":{"isError":true,"_meta":)"
                               R"({"x/rate_limit":1},"content":[{"type":"text","text":"no"}]}})")));
}

TEST(Limit, IsSeenInTheWordsOfAnError) {
  EXPECT_TRUE(limit_in(answer(error("-32000", "Rate limit exceeded"))));
  EXPECT_TRUE(limit_in(answer(error("-32603", "Too many requests, slow down"))));
  EXPECT_FALSE(limit_in(answer(error("-32602", "Too many arguments"))));
  EXPECT_FALSE(limit_in(answer(error("-32000", "Too many arguments"))));
  EXPECT_FALSE(limit_in(answer(error("-32602", "Unknown tool: rate limit"))));
}

TEST(Limit, IsNotSeenInAResultThatSucceeded) {
  const std::string content = R"("content":[{"type":"text","text":"rate limit"}]}})";
  EXPECT_FALSE(limit_in(answer(R"({"jsonrpc":"2.0","id":1,"result":{)" + content)));
  EXPECT_TRUE(limit_in(answer(R"({"jsonrpc":"2.0","id":1,"result":{"isError":true,)" + content)));
}

}  // namespace
}  // namespace assay::harness
