#include "harness/monitors/trace.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/monitors/monitor.h"
#include "harness/monitors/traffic_testing.h"

namespace assay::harness {
namespace {

using model::Revision;

constexpr std::string_view kStateless =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":)"
    R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})";

std::optional<Revision> told(const Traffic& traffic) {
  const auto events = traffic.transcript().events();
  return revision_of(events);
}

TEST(Trace, TellsWhatWasNegotiatedAndNotWhatWasAskedFor) {
  Traffic asked;
  asked.sent(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
             R"({"protocolVersion":"2025-11-25"}})");
  EXPECT_EQ(told(asked), Revision::v2025_11_25);
  asked.came(R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26",)"
             R"("serverInfo":{"name":"s","version":"1"}}})");
  EXPECT_EQ(told(asked), Revision::v2025_03_26);
}

TEST(Trace, TellsTheRevisionThatARequestNames) {
  Traffic traffic;
  traffic.sent(kStateless);
  EXPECT_EQ(told(traffic), Revision::v2026_07_28);
}

TEST(Trace, TellsTheRevisionThatAHeaderNames) {
  transport::Observation request;
  request.kind = transport::Observation::Kind::kHttpRequest;
  request.speaker = Party::kClient;
  request.lane = {transport::Lane::Kind::kHttp, 1};
  request.http = transport::HttpHead{"GET", "/mcp", 0, {{"mcp-protocol-version", "2025-06-18"}}};
  Traffic traffic;
  traffic.saw(request);
  EXPECT_EQ(told(traffic), Revision::v2025_06_18);
}

TEST(Trace, TellsNothingOfARevisionThatIsNotKnown) {
  Traffic traffic;
  EXPECT_EQ(told(traffic), std::nullopt);
  traffic.sent(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
               R"({"protocolVersion":"1999-01-01"}})");
  EXPECT_EQ(told(traffic), std::nullopt);
}

// What monitors find where nobody said which revision is spoken.
std::set<std::string> broken(const Traffic& traffic, std::optional<Party> under_test) {
  const auto events = traffic.transcript().events();
  std::set<std::string> rules;
  for (const Finding& finding : watch({events, TransportKind::kStdio, under_test, {}})) {
    if (finding.kind == Finding::Kind::kBroke) rules.emplace(finding.requirement.text());
  }
  return rules;
}

TEST(Watch, FindsTheRevisionByItself) {
  for (const Revision revision : {Revision::v2024_11_05, Revision::v2025_11_25}) {
    Traffic traffic(revision);
    traffic.handshake().exchange("resources/list", nullptr, {{"resources", 1}});
    EXPECT_EQ(broken(traffic, Party::kServer).count("schema.resources-list-result"), 1u)
        << revision.text();
  }
  Traffic unknown;
  unknown.came("not JSON");
  EXPECT_EQ(broken(unknown, Party::kServer), std::set<std::string>());
}

TEST(Watch, ReportsOnlyWhoIsUnderTest) {
  Traffic traffic;
  traffic.handshake().came("not JSON");
  EXPECT_NE(broken(traffic, Party::kServer), std::set<std::string>());
  EXPECT_EQ(broken(traffic, Party::kClient), std::set<std::string>());
  EXPECT_EQ(broken(traffic, std::nullopt), broken(traffic, Party::kServer));
}

}  // namespace
}  // namespace assay::harness
