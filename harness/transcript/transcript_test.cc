#include "harness/transcript/transcript.h"

#include <gtest/gtest.h>

#include <thread>

namespace assay::harness {
namespace {

using transport::Direction;
using transport::Lane;
using transport::Observation;
using Kind = Observation::Kind;

Observation line(std::string bytes, Direction direction = Direction::kReceived) {
  Observation observation;
  observation.kind = Kind::kLine;
  observation.direction = direction;
  observation.bytes = std::move(bytes);
  return observation;
}

Observation request_with(transport::Headers headers) {
  Observation observation;
  observation.kind = Kind::kHttpRequest;
  observation.direction = Direction::kSent;
  observation.lane = {Lane::Kind::kHttp, 1};
  observation.http = transport::HttpHead{"POST", "/mcp", 0, std::move(headers)};
  return observation;
}

TEST(Transcript, NumbersAndDecodesWhatItIsTold) {
  Transcript transcript;
  transcript.observe(line(R"({"jsonrpc":"2.0","id":1,"method":"ping"})", Direction::kSent));
  transcript.observe(line("no json"));
  const auto events = transcript.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]->n, 1u);
  EXPECT_TRUE(events[0]->is_sent());
  ASSERT_NE(events[0]->message(), nullptr);
  EXPECT_EQ(events[0]->message()->method(), "ping");
  EXPECT_EQ(events[1]->n, 2u);
  EXPECT_EQ(events[1]->message(), nullptr);
  EXPECT_NE(events[1]->decode_error(), nullptr);
  EXPECT_EQ(events[1]->observation.bytes(), "no json");
}

TEST(Transcript, WaitsForAnEventThatFits) {
  Transcript transcript;
  std::thread other([&] {
    transcript.observe(line("first"));
    transcript.observe(line("second"));
  });
  const EventPtr event = transcript.wait_for(
      0, [](const Event& candidate) { return candidate.observation.bytes() == "second"; },
      Clock::now() + std::chrono::seconds(30));
  other.join();
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->n, 2u);
}

TEST(Transcript, GivesUpAtTheDeadline) {
  const Transcript transcript;
  EXPECT_EQ(transcript.wait_for(
                0, [](const Event&) { return true; }, Clock::now()),
            nullptr);
}

TEST(Transcript, MasksCredentialsAndWhatItIsToldToMask) {
  Transcript transcript({"X-Customer"});
  transcript.observe(request_with({{"Authorization", "Bearer abc"},
                                   {"x-customer", "ada"},
                                   {"X-Refresh-Token", "t"},
                                   {"Accept", "application/json"}}));
  const auto events = transcript.events();
  const transport::Headers& kept = events[0]->observation.http()->headers;
  EXPECT_EQ(transport::find_header(kept, "authorization"), "Bearer token#1");
  EXPECT_EQ(transport::find_header(kept, "x-customer"), "token#2");
  EXPECT_EQ(transport::find_header(kept, "x-refresh-token"), "token#3");
  EXPECT_EQ(transport::find_header(kept, "accept"), "application/json");
}

TEST(Transcript, TellsEqualCredentialsFromDifferentOnesAcrossConnections) {
  const auto vault = std::make_shared<reports::Vault>();
  Transcript first({}, vault);
  Transcript second({}, vault);
  first.observe(request_with({{"Authorization", "Bearer abc"}}));
  second.observe(request_with({{"Authorization", "Bearer xyz"}, {"X-Token", "abc"}}));
  const transport::Headers& kept = second.events()[0]->observation.http()->headers;
  EXPECT_EQ(transport::find_header(kept, "authorization"), "Bearer token#2");
  EXPECT_EQ(transport::find_header(kept, "x-token"), "token#1");
}

TEST(Transcript, AFloodIsForgottenButItsEndIsKept) {
  Transcript transcript;
  const std::string megabyte(1u << 20, 'x');
  for (int i = 0; i < 64; ++i) transcript.observe(line(megabyte));
  EXPECT_TRUE(transcript.is_flooded());
  const std::size_t kept = transcript.size();
  EXPECT_LT(kept, 64u);
  Observation end;
  end.kind = Kind::kClosed;
  transcript.observe(end);
  EXPECT_EQ(transcript.size(), kept + 1);
}

}  // namespace
}  // namespace assay::harness
