// Errors without an id: those that can only be about one sound request, and those that may be about
// something else; and what the JSON-RPC monitor leaves to others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/monitors/http_traffic_testing.h"
#include "harness/monitors/traffic_testing.h"

namespace assay::harness {
namespace {

using model::Revision;
using ::testing::IsEmpty;

constexpr const char* kMessages = "json_rpc_monitor";
constexpr const char* kPlainPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
constexpr const char* kNameless =
    R"({"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"No"}})";
const Rules kWithoutId = {"jsonrpc.response-id", "jsonrpc.error-response-id"};

TEST(NamelessErrors, TheOnlyOpenRequestIsTheOneThatIsAnswered) {
  Traffic traffic;
  traffic.sent(kPlainPing);
  traffic.came(kNameless);
  EXPECT_EQ(traffic.broken(kMessages), kWithoutId);
}

TEST(NamelessErrors, ARequestThatIsAnsweredLaterHadAnotherAnswer) {
  Traffic traffic;
  traffic.sent(kPlainPing);
  traffic.came(kNameless);
  traffic.came(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_THAT(traffic.broken(kMessages), IsEmpty());
}

TEST(NamelessErrors, OfTwoOpenRequestsNobodyKnowsWhich) {
  Traffic traffic;
  traffic.sent(kPlainPing);
  traffic.sent(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  traffic.came(kNameless);
  EXPECT_THAT(traffic.broken(kMessages), IsEmpty());
}

TEST(NamelessErrors, WhatWasSentBehindTheRequestMayBeMeant) {
  Traffic traffic;
  traffic.sent(kPlainPing);
  traffic.sent(R"({"jsonrpc":"2.0","method":"notifications/assay"})");
  traffic.came(kNameless);
  EXPECT_THAT(traffic.broken(kMessages), IsEmpty());
}

TEST(NamelessErrors, AfterWhatCannotBeReadTheErrorMayBeAboutThat) {
  Traffic traffic;
  traffic.sent("{");
  traffic.sent(kPlainPing);
  traffic.came(kNameless);
  EXPECT_THAT(traffic.broken(kMessages), IsEmpty());
}

constexpr const char* kTwoRequests = R"([{"jsonrpc":"2.0","id":1,"method":"ping"},
    {"jsonrpc":"2.0","id":2,"method":"assay/no-such-method"}])";
constexpr const char* kNamelessBatch =
    R"([{"jsonrpc":"2.0","id":1,"result":{}},
        {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"No"}}])";

TEST(NamelessErrors, OfAnArrayThatIsSoundEachRequestIsNamed) {
  Traffic traffic(Revision::v2025_03_26);
  traffic.sent(kTwoRequests);
  traffic.came(kNamelessBatch);
  EXPECT_EQ(traffic.broken(kMessages), kWithoutId);
}

TEST(NamelessErrors, OfAnArrayWithABadMemberNobodyKnowsWhich) {
  Traffic traffic(Revision::v2025_03_26);
  traffic.sent(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":{}},
                   {"jsonrpc":"2.0","id":2,"method":"ping"}])");
  traffic.came(kNamelessBatch);
  EXPECT_THAT(traffic.broken(kMessages), IsEmpty());
}

TEST(NamelessErrors, InItsOwnExchangeARequestIsAnswered) {
  Traffic traffic(Revision::v2025_11_25, TransportKind::kHttp);
  HttpExchange(traffic, 1)
      .request("POST", kPlainPing)
      .head(200, HttpExchange::kJson)
      .body(kNameless);
  EXPECT_EQ(traffic.broken(kMessages), kWithoutId);
}

TEST(NamelessErrors, ARefusalByStatusMaySayWhyWithoutAnId) {
  Traffic traffic(Revision::v2025_11_25, TransportKind::kHttp);
  HttpExchange(traffic, 1)
      .request("POST", kPlainPing)
      .head(400, HttpExchange::kJson)
      .body(kNameless);
  EXPECT_THAT(traffic.broken(kMessages), IsEmpty());
}

TEST(JsonRpcMonitor, ABodyThatAnswersANotificationIsAnotherRulesMatter) {
  Traffic traffic(Revision::v2025_11_25, TransportKind::kHttp);
  HttpExchange(traffic, 1)
      .request("POST", R"({"jsonrpc":"2.0","method":"notifications/assay"})")
      .head(202, HttpExchange::kJson)
      .body("null");
  EXPECT_THAT(traffic.broken(kMessages), IsEmpty());
}

TEST(JsonRpcMonitor, AnErrorMayNameTheIdOfAResponseThatNobodyAskedFor) {
  Traffic traffic;
  traffic.sent(R"({"jsonrpc":"2.0","id":"never-asked","result":{}})");
  traffic.came(
      R"({"jsonrpc":"2.0","id":"never-asked","error":{"code":-32600,"message":"Not asked"}})");
  EXPECT_THAT(traffic.broken(kMessages), IsEmpty());
}

TEST(JsonRpcMonitor, AnArrayMayAnswerAnArray) {
  Traffic traffic(Revision::v2025_06_18);
  traffic.sent(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])");
  traffic.came(R"([{"jsonrpc":"2.0","id":1,"result":{}}])");
  EXPECT_THAT(traffic.broken(kMessages), IsEmpty());
}

}  // namespace
}  // namespace assay::harness
