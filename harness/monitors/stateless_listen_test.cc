// The monitor of subscriptions on hand-made transcripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/monitors/http_traffic_testing.h"
#include "reference/wire/compose.h"

namespace assay::harness {
namespace {

using model::Revision;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

constexpr std::string_view kListens = "listen_monitor";
constexpr std::string_view kAck = "notifications/subscriptions/acknowledged";
constexpr std::string_view kTools = "notifications/tools/list_changed";
constexpr std::string_view kPrompts = "notifications/prompts/list_changed";

const Json kWantsTools = {{"toolsListChanged", true}};

Json tagged(Json id, Json params = Json::object()) {
  params["_meta"] = {{"io.modelcontextprotocol/subscriptionId", std::move(id)}};
  return params;
}

class Listening : public ::testing::Test {
 protected:
  // The id is 1.
  Listening() { traffic_.asks("subscriptions/listen", {{"notifications", kWantsTools}}); }
  Traffic& acknowledged(Json id = 1) {
    return traffic_.notified(kAck, tagged(std::move(id), {{"notifications", kWantsTools}}));
  }
  Traffic traffic_{Revision::v2026_07_28};
};

TEST_F(Listening, LetsSoundStreamsPass) {
  acknowledged().notified(kTools, tagged(1)).notified(kTools, tagged(1));
  traffic_.came(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",)"
                R"("_meta":{"io.modelcontextprotocol/subscriptionId":1}}})");
  EXPECT_THAT(traffic_.broken(), IsEmpty());
  EXPECT_THAT(traffic_.held(kListens),
              IsSupersetOf(Rules{"subscriptions.acknowledged-first",
                                 "subscriptions.nothing-before-acknowledgment",
                                 "subscriptions.only-requested", "subscriptions.graceful-end",
                                 "subscriptions.id-on-every-notification"}));
}

TEST_F(Listening, WantsTheAcknowledgmentFirst) {
  traffic_.notified(kTools, tagged(1));
  acknowledged();
  EXPECT_EQ(traffic_.broken(), (Rules{"subscriptions.acknowledged-first",
                                      "subscriptions.nothing-before-acknowledgment"}));
}

TEST_F(Listening, WantsAnAcknowledgmentBeforeTheEnd) {
  traffic_.came(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",)"
                R"("_meta":{"io.modelcontextprotocol/subscriptionId":1}}})");
  EXPECT_EQ(traffic_.broken(), Rules{"subscriptions.acknowledged-first"});
}

TEST_F(Listening, TellsTheIdByItsType) {
  acknowledged().notified(kTools, tagged("1"));
  EXPECT_EQ(traffic_.broken(), Rules{"subscriptions.id-on-every-notification"});
}

TEST_F(Listening, WantsTheIdOnEveryNotification) {
  acknowledged().notified(kTools, Json::object());
  EXPECT_EQ(traffic_.broken(), Rules{"subscriptions.id-on-every-notification"});
}

TEST_F(Listening, TellsWhatNobodyAskedFor) {
  acknowledged().notified(kPrompts, tagged(1));
  EXPECT_EQ(traffic_.broken(), Rules{"subscriptions.only-requested"});
}

TEST_F(Listening, TellsWhatNobodyListensFor) {
  acknowledged().notified(kPrompts);
  EXPECT_EQ(traffic_.broken(), Rules{"subscriptions.only-requested"});
}

TEST_F(Listening, KnowsTwoStreamsApart) {
  traffic_.asks("subscriptions/listen", {{"notifications", {{"promptsListChanged", true}}}});
  traffic_.notified(kAck, tagged(2, {{"notifications", Json::object()}}));
  acknowledged().notified(kPrompts, tagged(2));
  EXPECT_THAT(traffic_.broken(), IsEmpty());
  EXPECT_THAT(traffic_.held(kListens), Contains("subscriptions.stdio-interleaving"));
  traffic_.notified(kPrompts, tagged(1));
  EXPECT_EQ(traffic_.broken(), Rules{"subscriptions.only-requested"});
}

TEST_F(Listening, LetsAServerCancelNothingElse) {
  acknowledged().notified("notifications/cancelled", {{"requestId", 1}});
  EXPECT_THAT(traffic_.broken(), IsEmpty());
  EXPECT_THAT(traffic_.held(kListens), Contains("cancellation.server-ends-subscription"));
  traffic_.asks("tools/call", {{"name", "a"}});
  traffic_.notified("notifications/cancelled", {{"requestId", 2}});
  EXPECT_EQ(traffic_.broken(),
            (Rules{"cancellation.server-names-listen", "cancellation.server-no-other-purpose"}));
}

class ListeningOverHttp : public ::testing::Test {
 protected:
  static std::string note(std::string_view method, Json params) {
    return wire::encode(wire::make_notification(method, std::move(params)));
  }
  HttpExchange listen() {
    HttpExchange one(traffic_, 1);
    one.request("POST", wire::encode(wire::make_request(
                            wire::Id::of(1), "subscriptions/listen",
                            Traffic::stateless({{"notifications", kWantsTools}}))))
        .head(200, HttpExchange::kEvents, {{"X-Accel-Buffering", "no"}});
    return one;
  }
  Traffic traffic_{Revision::v2026_07_28, TransportKind::kHttp};
};

TEST_F(ListeningOverHttp, TellsTheStreamByItsLane) {
  HttpExchange stream = listen();
  stream.event(note(kAck, tagged(1, {{"notifications", kWantsTools}})))
      .event(note(kTools, tagged(1)));
  EXPECT_THAT(traffic_.broken(kListens), IsEmpty());
  stream.event(note(kTools, Json::object()));
  EXPECT_EQ(traffic_.broken(kListens), Rules{"subscriptions.id-on-every-notification"});
}

TEST_F(ListeningOverHttp, WantsNothingBeforeTheAcknowledgment) {
  listen()
      .event(note(kTools, Json::object()))
      .event(note(kAck, tagged(1, {{"notifications", kWantsTools}})));
  EXPECT_EQ(traffic_.broken(kListens), (Rules{"subscriptions.nothing-before-acknowledgment",
                                              "subscriptions.id-on-every-notification"}));
}

}  // namespace
}  // namespace assay::harness
