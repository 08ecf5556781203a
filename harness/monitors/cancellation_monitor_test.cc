// Cancellations of own requests, of those of others, and of those that are over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/monitors/http_traffic_testing.h"
#include "harness/monitors/traffic_testing.h"

namespace assay::harness {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

TEST(CancellationMonitor, LetsTheCancellationOfAnOwnRequestPass) {
  Traffic traffic;
  traffic.came(R"({"jsonrpc":"2.0","id":"a","method":"roots/list"})");
  traffic.notified("notifications/cancelled", {{"requestId", "a"}});
  EXPECT_THAT(traffic.broken("cancellation_monitor"), IsEmpty());
  EXPECT_THAT(traffic.held("cancellation_monitor"), Contains("cancellation.same-direction"));
}

TEST(CancellationMonitor, SeesTheCancellationOfWhatWasNeverAsked) {
  Traffic never;
  never.notified("notifications/cancelled", {{"requestId", "a"}});
  EXPECT_EQ(never.broken("cancellation_monitor"), Rules{"cancellation.same-direction"});
}

bool is_unclear(const Traffic& traffic, std::string_view rule) {
  const Findings findings = traffic.findings();
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.kind == Finding::Kind::kUnclear && finding.requirement.text() == rule;
  });
}

// Another thread may have given up before the answer was read, and been kept from saying so.
TEST(CancellationMonitor, AccusesOfCancellingWhatIsAnsweredOnceThatIsNoChance) {
  constexpr std::string_view kRule = "cancellation.still-in-progress";
  Traffic late;
  late.came(R"({"jsonrpc":"2.0","id":"a","method":"roots/list"})");
  late.sent(R"({"jsonrpc":"2.0","id":"a","result":{"roots":[]}})");
  late.exchange("ping", nullptr, Json::object());
  late.notified("notifications/cancelled", {{"requestId", "a"}});
  EXPECT_THAT(late.broken("cancellation_monitor"), IsEmpty());
  EXPECT_TRUE(is_unclear(late, kRule));
  late.notified("notifications/cancelled", {{"requestId", "a"}});
  EXPECT_EQ(late.broken("cancellation_monitor"), Rules{std::string(kRule)});
}

TEST(CancellationMonitor, TakesWhatIsGivenUpAtOnceForOneChance) {
  Traffic traffic;
  const auto ask = [&](const std::string& id) {
    traffic.came(R"({"jsonrpc":"2.0","id":")" + id + R"(","method":"roots/list"})");
    traffic.sent(R"({"jsonrpc":"2.0","id":")" + id + R"(","result":{"roots":[]}})");
  };
  ask("a");
  ask("b");
  traffic.exchange("ping", nullptr, Json::object());
  traffic.notified("notifications/cancelled", {{"requestId", "a"}});
  traffic.notified("notifications/cancelled", {{"requestId", "b"}});
  EXPECT_THAT(traffic.broken("cancellation_monitor"), IsEmpty());
  ask("c");
  traffic.exchange("ping", nullptr, Json::object());
  traffic.notified("notifications/cancelled", {{"requestId", "c"}});
  EXPECT_EQ(traffic.broken("cancellation_monitor"), Rules{"cancellation.still-in-progress"});
}

TEST(CancellationMonitor, SeesAClientThatCancelsWhatNobodyAsked) {
  Traffic traffic;
  traffic.of_client().handshake();
  traffic.sent(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}})");
  EXPECT_EQ(traffic.broken("cancellation_monitor"), Rules{"cancellation.same-direction"});
  for (const Finding& finding : traffic.findings()) {
    if (finding.kind != Finding::Kind::kBroke) continue;
    EXPECT_EQ(finding.detail, "the client cancelled a request that it had not sent");
  }
}

// A message that the client sends over HTTP, on a lane of its own.
void post(Traffic& traffic, std::uint64_t lane, std::string_view message) {
  transport::Observation observation;
  observation.kind = transport::Observation::Kind::kHttpRequest;
  observation.speaker = transport::Party::kClient;
  observation.lane = {transport::Lane::Kind::kHttp, lane};
  observation.http = transport::HttpHead{"POST", "/mcp", 0, {}};
  observation.bytes = message;
  traffic.saw(observation);
}

constexpr const char* kGivesUp =
    R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}})";

TEST(CancellationMonitor, KnowsThatOverHttpTheRequestMayComeLater) {
  Traffic traffic(model::Revision::v2025_11_25, TransportKind::kHttp);
  post(traffic.of_client(), 1, kGivesUp);
  EXPECT_EQ(traffic.broken("cancellation_monitor"), Rules{"cancellation.same-direction"});
  post(traffic, 2, R"({"jsonrpc":"2.0","id":9,"method":"ping"})");
  EXPECT_THAT(traffic.broken("cancellation_monitor"), IsEmpty());
  EXPECT_THAT(traffic.held("cancellation_monitor"), Contains("cancellation.same-direction"));
}

// A server that drops what no stream can carry cancels it later, on the next stream.
TEST(CancellationMonitor, KnowsThatARequestOfAServerMayBeDroppedWhereNoStreamIsOpen) {
  const auto told_on_lane_of = [](const char* method) {
    Traffic traffic(model::Revision::v2025_11_25, TransportKind::kHttp);
    HttpExchange exchange(traffic, 1);
    exchange.request(method, "").head(200, HttpExchange::kEvents);
    exchange.event(kGivesUp);
    return traffic.broken("cancellation_monitor");
  };
  EXPECT_THAT(told_on_lane_of("GET"), IsEmpty());
  EXPECT_EQ(told_on_lane_of("POST"), Rules{"cancellation.same-direction"});
}

}  // namespace
}  // namespace assay::harness
