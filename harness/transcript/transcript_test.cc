#include "harness/transcript/transcript.h"

#include <gtest/gtest.h>

#include <thread>

#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using transport::Lane;
using transport::Observation;
using transport::Party;
using Kind = Observation::Kind;

Observation line(std::string bytes, Party speaker = Party::kServer) {
  Observation observation;
  observation.kind = Kind::kLine;
  observation.speaker = speaker;
  observation.bytes = std::move(bytes);
  return observation;
}

Observation request_with(transport::Headers headers) {
  Observation observation;
  observation.kind = Kind::kHttpRequest;
  observation.speaker = Party::kClient;
  observation.lane = {Lane::Kind::kHttp, 1};
  observation.http = transport::HttpHead{"POST", "/mcp", 0, std::move(headers)};
  return observation;
}

TEST(Transcript, NumbersAndDecodesWhatItIsTold) {
  Transcript transcript;
  transcript.observe(line(R"({"jsonrpc":"2.0","id":1,"method":"ping"})", Party::kClient));
  transcript.observe(line("no json"));
  const auto events = transcript.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]->n, 1u);
  EXPECT_TRUE(events[0]->is_from_client());
  ASSERT_NE(events[0]->message(), nullptr);
  EXPECT_EQ(events[0]->message()->method(), "ping");
  EXPECT_EQ(events[1]->n, 2u);
  EXPECT_EQ(events[1]->message(), nullptr);
  EXPECT_NE(events[1]->decode_error(), nullptr);
  EXPECT_EQ(events[1]->observation.bytes(), "no json");
}

Observation refusal_with(std::string body) {
  Observation observation;
  observation.kind = Kind::kHttpBody;
  observation.lane = {Lane::Kind::kHttp, 1};
  observation.http =
      transport::HttpHead{"POST", "/mcp", 404, {{"Content-Type", "application/json"}}};
  observation.bytes = std::move(body);
  return observation;
}

// Each letter of a member's name may be escaped.
TEST(Transcript, ReadsTheMessageOfARefusalHoweverItIsWritten) {
  Transcript transcript;
  transcript.observe(refusal_with(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}})"));
  transcript.observe(
      refusal_with(R"({"\u006asonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}})"));
  transcript.observe(refusal_with(R"({"error":"\u006eot found"})"));
  const auto events = transcript.events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_NE(events[0]->message(), nullptr);
  EXPECT_NE(events[1]->message(), nullptr);
  EXPECT_FALSE(events[2]->carries_message());
}

TEST(Transcript, WaitsForAnEvent) {
  Transcript transcript;
  std::thread other([&] {
    transcript.observe(line("first"));
    transcript.observe(line("second"));
  });
  const EventPtr event = transcript.wait_for(1, Clock::now() + std::chrono::seconds(30));
  other.join();
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->n, 2u);
  EXPECT_EQ(transcript.event(1), event);
  EXPECT_EQ(transcript.event(2), nullptr);
}

TEST(Transcript, GivesUpAtTheDeadline) {
  const Transcript transcript;
  EXPECT_EQ(transcript.wait_for(0, Clock::now()), nullptr);
}

// A code that nobody has spent yet is as good as a login.
TEST(Transcript, MasksTheCodeInARedirectAndInTheBodyThatRepeatsIt) {
  Transcript transcript;
  Observation redirect;
  redirect.kind = Kind::kHttpBody;
  redirect.lane = {Lane::Kind::kHttp, 1};
  redirect.http = transport::HttpHead{
      "GET", "", 302, {{"location", "http://localhost/callback?state=s&code=aB3_short"}}};
  redirect.bytes =
      "Found. Redirecting to http://localhost/callback?state=s&code=aB3_short, "
      "<a href=\"http://localhost/callback?state=s&amp;code=aB3_short\">here</a>";
  transcript.observe(redirect);
  const auto event = transcript.event(0);
  EXPECT_EQ(event->observation.http()->headers[0].second,
            "http://localhost/callback?state=s&code=token#1");
  EXPECT_EQ(event->observation.bytes(),
            "Found. Redirecting to http://localhost/callback?state=s&code=token#1, "
            "<a href=\"http://localhost/callback?state=s&amp;code=token#1\">here</a>");
}

TEST(Transcript, LeavesALabelInARedirectAsItIs) {
  const auto vault = std::make_shared<reports::Vault>();
  Transcript transcript({}, vault);
  EXPECT_EQ(vault->mask_value("a-code-of-some-length"), "token#1");
  Observation redirect;
  redirect.kind = Kind::kHttpResponse;
  redirect.lane = {Lane::Kind::kHttp, 1};
  redirect.http = transport::HttpHead{"GET", "", 302, {{"Location", "/callback?code=token#1"}}};
  transcript.observe(redirect);
  EXPECT_EQ(transcript.event(0)->observation.http()->headers[0].second, "/callback?code=token#1");
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

Observation exit_of_child() {
  Observation observation;
  observation.kind = Kind::kExit;
  observation.lane = {Lane::Kind::kProcess, 0};
  observation.exit = transport::ProcessExit{};
  return observation;
}

TEST(Transcript, EndsWithAnEventThatSaysWhyWhenThereIsTooMuch) {
  Transcript transcript;
  const std::string megabyte(1u << 20, 'x');
  for (int i = 0; i < 64; ++i) transcript.observe(line(megabyte));
  EXPECT_TRUE(transcript.is_full());
  ASSERT_NE(transcript.cut_off(), nullptr);
  EXPECT_EQ(transcript.end(), transcript.cut_off());
  EXPECT_EQ(transcript.cut_off()->n, transcript.size());
  EXPECT_EQ(transcript.cut_off()->observation.bytes(),
            "more came over one connection than 48 MiB hold");
}

TEST(Transcript, KeepsNothingBehindTheCutButTheExit) {
  Transcript transcript;
  Observation cut;
  cut.kind = Kind::kCutOff;
  transcript.observe(cut);
  transcript.observe(line("late"));
  Observation closed;
  closed.kind = Kind::kClosed;
  transcript.observe(closed);
  transcript.observe(exit_of_child());
  ASSERT_EQ(transcript.size(), 2u);
  EXPECT_EQ(transcript.event(1)->observation.kind, Kind::kExit);
}

TEST(Transcript, CountsAMessageAsWhatItCanBecome) {
  Transcript transcript;
  std::string text = R"({"jsonrpc":"2.0","method":"a","params":{"a":[)";
  while (text.size() < (1u << 20)) text += "[],";
  text += "0]}}";
  for (int i = 0; i < 4; ++i) transcript.observe(line(text));
  EXPECT_TRUE(transcript.is_full());
}

TEST(Transcript, CountsHeaders) {
  Transcript transcript;
  const transport::Headers fields(1000, {"X-Field", std::string(1000, 'x')});
  for (int i = 0; i < 64; ++i) transcript.observe(request_with(fields));
  EXPECT_TRUE(transcript.is_full());
}

TEST(Transcript, TakesFromABudgetForAsLongAsAnEventIsHeld) {
  const wire::BudgetPtr budget(new wire::Budget(7u << 20));
  EventPtr held;
  {
    Transcript one({}, nullptr, budget);
    Transcript other({}, nullptr, budget);
    one.observe(line(std::string(2u << 20, 'x')));
    other.observe(line(std::string(2u << 20, 'x')));
    EXPECT_FALSE(one.is_full());
    ASSERT_NE(other.cut_off(), nullptr);
    EXPECT_EQ(other.cut_off()->observation.bytes(),
              "more came than 7 MiB hold, over all connections together");
    held = one.event(0);
  }
  EXPECT_GE(budget->taken(), 2u << 20);
  held = nullptr;
  EXPECT_EQ(budget->taken(), 0u);
}

TEST(Transcript, KnowsTheEventThatEndedTheWire) {
  Transcript transcript;
  transcript.observe(line("first"));
  EXPECT_EQ(transcript.end(), nullptr);
  transcript.observe(exit_of_child());
  ASSERT_NE(transcript.end(), nullptr);
  EXPECT_EQ(transcript.end()->n, 2u);
}

}  // namespace
}  // namespace assay::harness
