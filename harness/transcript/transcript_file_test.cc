#include "harness/transcript/transcript_file.h"

#include <gtest/gtest.h>

#include "reference/wire/base64.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using transport::Lane;
using transport::Observation;
using transport::Party;
using Kind = Observation::Kind;

// What to_json_line() writes of an observation, read back.
EventPtr round_trip(const Observation& observation) {
  Transcript transcript;
  transcript.observe(observation);
  const auto read = from_json_line(to_json_line(*transcript.events()[0]));
  const auto* event = std::get_if<EventPtr>(&read);
  EXPECT_NE(event, nullptr) << std::get<std::string>(read);
  return event == nullptr ? transcript.events()[0] : *event;
}

TEST(TranscriptFile, KeepsALine) {
  Observation line;
  line.kind = Kind::kLine;
  line.speaker = Party::kClient;
  line.bytes = R"({"jsonrpc":"2.0","method":"x"})";
  line.has_carriage_return = true;
  const EventPtr event = round_trip(line);
  const KeptObservation& read = event->observation;
  EXPECT_EQ(read.bytes(), line.bytes);
  EXPECT_EQ(read.speaker, Party::kClient);
  EXPECT_TRUE(read.has_carriage_return);
  EXPECT_EQ(read.lane, line.lane);
}

TEST(TranscriptFile, KeepsBytesThatAreNoUtf8) {
  Observation line;
  line.kind = Kind::kLine;
  line.bytes = std::string("\xff\x00\xfe", 3);
  EXPECT_EQ(round_trip(line)->observation.bytes(), line.bytes);
}

TEST(TranscriptFile, KeepsHttpAndSseAndExits) {
  Observation head;
  head.kind = Kind::kHttpResponse;
  head.lane = {Lane::Kind::kHttp, 12};
  head.http = transport::HttpHead{"", "", 404, {{"A", "1"}, {"A", "2"}}};
  EXPECT_EQ(round_trip(head)->observation.http()->status, 404);
  EXPECT_EQ(round_trip(head)->observation.http()->headers, head.http->headers);
  EXPECT_EQ(round_trip(head)->observation.lane, head.lane);

  Observation event;
  event.kind = Kind::kSseEvent;
  event.event = wire::SseEvent{"7", "message", "{}", true, 100, false, "id: 7\ndata: {}\n\n"};
  EXPECT_EQ(*round_trip(event)->observation.event(), *event.event);

  Observation exit;
  exit.kind = Kind::kExit;
  exit.lane = {Lane::Kind::kProcess, 0};
  exit.exit = transport::ProcessExit{0, 9, true};
  EXPECT_EQ(round_trip(exit)->observation.exit()->signal, 9);
  EXPECT_TRUE(round_trip(exit)->observation.exit()->was_killed_by_us);
}

TEST(TranscriptFile, SaysWhatIsWrongWithALine) {
  const char* const bad[] = {
      "",
      "[]",
      "{}",
      R"({"n":1e300,"at_ms":0,"party":"client","lane":"stdio","kind":"line"})",
      R"({"n":-1,"at_ms":0,"party":"client","lane":"stdio","kind":"line"})",
      R"({"n":1,"at_ms":0,"party":"server","lane":"process","kind":"exit","exit":{"code":1e9}})",
      R"({"n":1,"at_ms":-1,"party":"client","lane":"stdio","kind":"line"})",
      R"({"n":1,"at_ms":0,"party":"up","lane":"stdio","kind":"line"})",
      R"({"n":1,"at_ms":0,"party":"client","lane":"moon","kind":"line"})",
      R"({"n":1,"at_ms":0,"party":"client","lane":"stdio","kind":"song"})",
      R"({"n":1,"at_ms":0,"party":"client","lane":"http/1","kind":"http-request"})",
      R"({"n":1,"at_ms":0,"party":"client","lane":"stdio","kind":"line","bytes_base64":"?"})",
  };
  for (const char* line : bad) {
    EXPECT_TRUE(std::holds_alternative<std::string>(from_json_line(line))) << line;
  }
}

TEST(TranscriptFile, RefusesALineThatIsNestedWithoutEnd) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  const auto read = from_json_line(
      R"({"n":1,"at_ms":0,"party":"client","lane":"http/1","kind":"http-request","http":{"headers":)" +
      deep + "}}");
  EXPECT_NE(std::get<std::string>(read).find("nested deeper"), std::string::npos);
}

// Every place where one of the two may have said something.
TEST(TranscriptFile, HoldsNoValueOnceTheyAreRemoved) {
  constexpr std::string_view kCanary = "ca nary";
  const std::string q = "\"ca nary\"";
  const std::vector<std::string> messages = {
      R"({"jsonrpc":"2.0","id":)" + q + R"(,"method":)" + q + R"(,"params":)" + q + "}",
      R"({"jsonrpc":)" + q + R"(,"method":"x","params":{"uri":)" + q + R"(,"_meta":{"a":)" + q +
          R"(,"b":{"type":"canary","name":"canary"}}}})",
      R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":)" + q +
          R"(,"type":)" + q + R"(,"status":)" + q + "}}}",
      R"({"jsonrpc":"2.0","id":1,"result":{"roots":[{"name":)" + q + R"(,"uri":)" + q + "}]}}",
      R"({"jsonrpc":"2.0","id":1,"result":{"resources":[{"name":)" + q + R"(,"mimeType":)" + q +
          "}]}}",
      R"({"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":)" + q + R"(,"description":)" + q +
          R"(,"inputSchema":{"title":)" + q + R"(,"properties":{"p":{"default":)" + q +
          R"(,"enum":[)" + q + R"(],"const":)" + q + R"(,"examples":[)" + q +
          R"(],"oneOf":[{"const":)" + q + R"(,"title":)" + q + R"(}],"pattern":)" + q +
          R"(,"x-own":{"y":)" + q + "}}}}}]}}",
      R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":)" + q +
          R"(,"requestedSchema":{"properties":{"p":{"enumNames":[)" + q + "]}}}}}",
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"experimental":{"x":)" +
          q + R"(}},"clientInfo":{"name":)" + q + "}}}",
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":)" + q + R"(,"data":)" + q + "}}",
      R"([{"jsonrpc":"2.0","id":)" + q + R"(,"result":{"x":[)" + q + "]}}]",
      "no JSON: ca nary",
  };
  std::vector<Observation> all;
  for (const std::string& message : messages) {
    Observation& line = all.emplace_back();
    line.kind = Kind::kLine;
    line.bytes = message;
    const bool is_json = std::holds_alternative<wire::Message>(wire::decode(message));
    EXPECT_EQ(is_json, !message.starts_with("no")) << message;
    Observation& sse = all.emplace_back();
    sse.kind = Kind::kSseEvent;
    sse.event = wire::SseEvent{"ca nary", "message", message, true, 100, false, message};
  }
  Observation& request = all.emplace_back();
  request.kind = Kind::kHttpRequest;
  request.http = transport::HttpHead{
      "POST", "/ca nary/mcp?key=ca nary", 0, {{"X-Own", "ca nary"}, {"Mcp-Session-Id", "ca nary"}}};
  request.bytes = "ca nary";
  Observation& endpoint = all.emplace_back();
  endpoint.kind = Kind::kSseEvent;
  endpoint.event = wire::SseEvent{{}, "endpoint", "/ca nary?s=ca nary", true, {}, false, "ca nary"};
  Observation& named = all.emplace_back();
  named.kind = Kind::kSseEvent;
  named.event = wire::SseEvent{{}, "ca nary", "ca nary", true, {}, false, "ca nary"};
  Observation& errors = all.emplace_back();
  errors.kind = Kind::kStderr;
  errors.bytes = "ca nary";
  ValueRemover remover;
  for (const Observation& each : all) {
    const std::string line = to_json_line(Event(KeptObservation(each)), nullptr, &remover);
    EXPECT_EQ(line.find(kCanary), std::string::npos) << line;
    EXPECT_EQ(line.find("canary"), std::string::npos) << line;
    EXPECT_TRUE(std::holds_alternative<EventPtr>(from_json_line(line))) << line;
  }
}

TEST(TranscriptFile, SaysItInPrintableWords) {
  const auto refused = from_json_line("{\"n\":1,\x7f\xC3\xA9");
  const auto* why = std::get_if<std::string>(&refused);
  ASSERT_NE(why, nullptr);
  for (const char c : *why) EXPECT_TRUE(c >= ' ' && c <= '~') << *why;
}

TEST(Base64, RoundTripsEveryLength) {
  for (std::size_t length = 0; length < 20; ++length) {
    const std::string bytes(length, '\xa5');
    EXPECT_EQ(wire::decode_base64(wire::encode_base64(bytes)), bytes);
  }
}

}  // namespace
}  // namespace assay::harness
