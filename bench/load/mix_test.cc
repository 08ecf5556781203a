// Mixes, and the bytes that become of them.
#include "bench/load/mix.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "bench/load/pending.h"
#include "bench/load/request_text.h"

namespace assay::bench {
namespace {

using testing::HasSubstr;

Mix mix_of(std::string_view yaml) {
  auto parsed = parse_mix(yaml);
  EXPECT_TRUE(std::holds_alternative<Mix>(parsed)) << std::get<std::string>(parsed);
  return std::get<Mix>(std::move(parsed));
}

std::string trouble_of(std::string_view yaml) {
  const auto parsed = parse_mix(yaml);
  return std::holds_alternative<std::string>(parsed) ? std::get<std::string>(parsed) : "";
}

// A server need offer no tools.
TEST(Mix, IsByDefaultWhatEveryServerOfTheRevisionAnswers) {
  for (const model::Revision revision : model::Revision::all()) {
    const Mix mix = default_mix(revision);
    ASSERT_EQ(mix.size(), 1u);
    EXPECT_EQ(mix[0].method, revision.has_ping() ? "ping" : "server/discover");
  }
}

TEST(Mix, ReadsMethodsParamsAndWeights) {
  const Mix mix = mix_of(
      "requests:\n"
      "  - method: ping\n"
      "    weight: 3\n"
      "  - method: tools/call\n"
      "    params: {name: search, arguments: {n: 5, text: \"5\", deep: [true, null, 1.5]}}\n");
  ASSERT_EQ(mix.size(), 2u);
  EXPECT_EQ(mix[0].method, "ping");
  EXPECT_EQ(mix[0].weight, 3u);
  EXPECT_EQ(mix[1].title(), "tools/call search");
  EXPECT_EQ(
      mix[1].params,
      Json::parse(R"({"name":"search","arguments":{"n":5,"text":"5","deep":[true,null,1.5]}})"));
}

TEST(Mix, NamesTheLineOfAMistake) {
  EXPECT_THAT(trouble_of("requests:\n  - method: ping\n    weight: 0\n"),
              HasSubstr("line 3: weight"));
  EXPECT_THAT(trouble_of("requests:\n  - method: ping\n    wieght: 1\n"),
              HasSubstr("line 3: unknown key 'wieght'"));
  EXPECT_THAT(trouble_of("requests:\n  - weight: 1\n"),
              HasSubstr("line 2: a request needs a method"));
  EXPECT_THAT(trouble_of("requests:\n  - method: \"a\\nb\"\n"),
              HasSubstr("line 2: method must be a line of text"));
  EXPECT_THAT(trouble_of("requests:\n  - method: ping\n    params: 7\n"),
              HasSubstr("line 3: params"));
  EXPECT_THAT(trouble_of("requests: [\n"), HasSubstr("line 2"));
  EXPECT_THAT(trouble_of(""), HasSubstr("requests"));
  EXPECT_THAT(trouble_of("- ping\n"), HasSubstr("requests"));
  EXPECT_THAT(trouble_of("requests: []\n"), HasSubstr("line 1: requests must be a list"));
}

// Thirty lines that come to a value with 2^30 leaves, and a few that come to gigabytes of text.
TEST(Mix, RefusesAliasesThatComeToFarMoreThanTheyAre) {
  std::string nested = "requests:\n  - method: tools/call\n    params:\n      a0: &a0 [x, x]\n";
  for (int i = 1; i < 30; ++i) {
    nested += fmt::format("      a{0}: &a{0} [*a{1}, *a{1}]\n", i, i - 1);
  }
  EXPECT_THAT(trouble_of(nested), HasSubstr("more than 10000 values"));
  std::string wide = "requests:\n  - method: tools/call\n    params:\n      long: &long " +
                     std::string(200'000, 'x') + "\n      many: [";
  for (int i = 0; i < 5000; ++i) wide += "*long, ";
  EXPECT_THAT(trouble_of(wide + "]\n"), HasSubstr("more than 1048576 bytes of text"));
}

TEST(Mix, TakesTurnsByWeightAndSpreadsThem) {
  const auto order = turns({{"a", nullptr, 4}, {"b", nullptr, 2}, {"c", nullptr, 2}});
  EXPECT_EQ(order.size(), 4u);
  EXPECT_EQ(std::count(order.begin(), order.end(), 0u), 2);
  EXPECT_EQ(std::count(order.begin(), order.end(), 1u), 1);
  EXPECT_NE(order[0], order[1]);
}

TEST(RequestText, ChangesTheIdInPlace) {
  RequestText text({"ping"}, model::Revision::v2025_11_25);
  EXPECT_EQ(text.with_id(kFirstId), R"({"jsonrpc":"2.0","id":1000000000,"method":"ping"})");
  text.wrap("HEAD ", "\n");
  EXPECT_EQ(text.with_id(kFirstId + 23),
            "HEAD {\"jsonrpc\":\"2.0\",\"id\":1000000023,\"method\":\"ping\"}\n");
}

TEST(RequestText, CarriesMetaWhereThereIsNoHandshake) {
  const MixEntry entry{"tools/call", {{"name", "tool"}}};
  RequestText text(entry, model::Revision::v2026_07_28);
  const Json message = Json::parse(text.with_id(kFirstId));
  EXPECT_EQ(message["params"]["name"], "tool");
  EXPECT_EQ(message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
  EXPECT_TRUE(message["params"]["_meta"].contains("io.modelcontextprotocol/clientCapabilities"));
}

TEST(RequestText, DeclaresTheExtensionThatAMethodIsOf) {
  constexpr const char* kCapabilities = "io.modelcontextprotocol/clientCapabilities";
  const model::Revision revision = model::Revision::v2026_07_28;
  const MixEntry entry{"tasks/get", {{"taskId", "t-1"}}};
  RequestText text(entry, revision);
  const Json message = Json::parse(text.with_id(kFirstId));
  EXPECT_TRUE(message["params"]["_meta"][kCapabilities]["extensions"].contains(
      "io.modelcontextprotocol/tasks"));
  const auto url = std::get<transport::HttpUrl>(transport::HttpUrl::parse("http://h:1/mcp"));
  const transport::Headers no_headers;
  EXPECT_THAT(post_head({&url, &no_headers, revision}, "", &entry, 7),
              HasSubstr("Mcp-Name: t-1\r\n"));
}

TEST(RequestText, HeadNamesSessionAndVersion) {
  const auto url = std::get<transport::HttpUrl>(transport::HttpUrl::parse("http://h:1/mcp"));
  const transport::Headers headers = {{"X-Own", "1"}};
  const MixEntry entry{"tools/call", {{"name", "t\xC3\xA4st"}}};
  const std::string head =
      post_head({&url, &headers, model::Revision::v2025_11_25}, "abc", &entry, 7);
  EXPECT_THAT(head, HasSubstr("POST /mcp HTTP/1.1\r\nHost: h:1\r\n"));
  EXPECT_THAT(head, HasSubstr("MCP-Session-Id: abc\r\nMCP-Protocol-Version: 2025-11-25\r\n"));
  EXPECT_THAT(head, HasSubstr("Content-Length: 7\r\n"));
  EXPECT_THAT(head, HasSubstr("X-Own: 1\r\n\r\n"));
  const std::string stateless =
      post_head({&url, &headers, model::Revision::v2026_07_28}, "", &entry, 7);
  EXPECT_THAT(stateless, HasSubstr("Mcp-Method: tools/call\r\nMcp-Name: =?base64?dMOkc3Q=?=\r\n"));
}

TEST(Pending, AnswersComeInAnyOrder) {
  Pending pending(3);
  const std::uint64_t first = pending.add({0, 10, 10});
  const std::uint64_t second = pending.add({1, 20, 20});
  EXPECT_EQ(pending.take(second)->due, 20u);
  EXPECT_FALSE(pending.take(second));  // twice
  EXPECT_FALSE(pending.take(second + 1));
  EXPECT_FALSE(pending.take(7));
  EXPECT_EQ(pending.oldest_sent(), 10u);
  EXPECT_EQ(pending.take(first)->entry, 0u);
  EXPECT_EQ(pending.count(), 0u);
}

TEST(Pending, OneThatIsNeverAnsweredDoesNotBlockTheNext) {
  Pending pending(2);
  pending.add({0, 1, 1});
  for (std::uint64_t i = 2; i < 60; ++i) {
    ASSERT_TRUE(pending.has_room()) << i;
    EXPECT_TRUE(pending.take(pending.add({0, i, i})));
  }
  EXPECT_EQ(pending.count(), 1u);
  EXPECT_EQ(pending.take_oldest()->due, 1u);
  EXPECT_TRUE(pending.has_room());
}

}  // namespace
}  // namespace assay::bench
