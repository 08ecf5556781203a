// What monitors are shown of a session without a handshake: what stands inside of results, what
// each request declares, and nothing of another era.
#include "harness/monitors/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/monitors/session_view.h"
#include "harness/monitors/traffic_testing.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using model::Revision;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

const Json kSecretForm = {
    {"method", "elicitation/create"},
    {"params",
     {{"message", "Who are you?"},
      {"requestedSchema",
       {{"type", "object"}, {"properties", {{"password", {{"type", "string"}}}}}}}}}};
const Json kRoots = {{"method", "roots/list"}};

Traffic stateless() {
  return Traffic(Revision::v2026_07_28);
}

TEST(Inputs, StandAsRequestsForMonitors) {
  Traffic traffic = stateless();
  traffic.declares({{"elicitation", Json::object()}})
      .exchange("tools/call", {{"name", "a"}}, input_required({{"a/b", kSecretForm}}));
  const Findings findings = traffic.findings();
  const auto found = std::find_if(findings.begin(), findings.end(), [](const Finding& each) {
    return each.requirement.text() == "elicitation.no-sensitive-information";
  });
  ASSERT_NE(found, findings.end());
  EXPECT_EQ(found->kind, Finding::Kind::kBroke);
  EXPECT_EQ(found->pointer,
            "/result/inputRequests/a~1b/params/requestedSchema/properties/password");
  EXPECT_TRUE(found->events.back()->message()->json().contains(Json::json_pointer(found->pointer)));
}

TEST(Inputs, AreAnsweredByTheNextAttempt) {
  Inputs inputs;
  const auto sighting = [](const Json& json, Party speaker) {
    transport::Observation observation;
    observation.kind = transport::Observation::Kind::kLine;
    observation.speaker = speaker;
    const std::string line = wire::encode(json);
    observation.bytes = line;
    Transcript transcript;
    transcript.observe(observation);
    const EventPtr event = transcript.event(0);
    return Sighting{event, *event->message(), false, false, nullptr};
  };
  const auto asked = inputs.take(
      sighting(wire::make_result(wire::Id::of(1), input_required({{"r", kRoots}, {"x", 1}})),
               Party::kServer));
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked.front().message.method(), "roots/list");
  const auto answered = inputs.take(sighting(
      wire::make_request(wire::Id::of(2), "tools/call",
                         {{"inputResponses", {{"r", {{"roots", Json::array()}}}, {"s", 1}}}}),
      Party::kClient));
  ASSERT_EQ(answered.size(), 2u);
  ASSERT_TRUE(answered.front().answers.has_value());
  EXPECT_EQ(answered.front().answers->request.method(), "roots/list");
  EXPECT_EQ(answered.front().pointer, "/params/inputResponses/r");
  EXPECT_FALSE(answered.back().answers.has_value());
}

// Two calls at a time may be asked for different things under the same key.
TEST(Inputs, BelongToTheCallThatIsTriedAgain) {
  const auto told_of = [](const Json& response) {
    Traffic traffic = stateless();
    traffic.of_client();
    const Json roots = input_required({{"asked", kRoots}});
    const Json form = input_required({{"asked", kSecretForm}});
    traffic.exchange("tools/call", {{"name", "a"}}, roots);
    traffic.exchange("tools/call", {{"name", "b"}}, form);
    traffic.exchange("tools/call", {{"name", "a"}, {"inputResponses", {{"asked", response}}}},
                     complete());
    return traffic.broken("client_schema_monitor");
  };
  EXPECT_THAT(told_of({{"roots", Json::array()}}), IsEmpty());
  EXPECT_EQ(told_of({{"action", "decline"}}), Rules{"schema.client-results"});
}

TEST(Inputs, AreBounded) {
  Json many = Json::object();
  for (int i = 0; i < 1000; ++i) many[std::to_string(i)] = kSecretForm;
  Traffic traffic = stateless();
  traffic.exchange("tools/call", {{"name", "a"}}, input_required(many));
  for (const Finding& finding : traffic.findings()) {
    if (finding.judge != "elicitation_monitor") continue;
    EXPECT_LE(finding.more_events.size(), Inputs::kMostInputs) << finding.requirement.text();
  }
}

TEST(SessionView, TakesWhatEachRequestDeclaresForItself) {
  Traffic traffic = stateless();
  traffic.declares({{"roots", Json::object()}})
      .exchange("tools/call", {{"name", "a"}}, input_required({{"r", kRoots}}));
  EXPECT_THAT(traffic.broken("capability_monitor"), IsEmpty());
  EXPECT_THAT(traffic.held("capability_monitor"), Contains("roots.capability-checked"));
  traffic.declares(Json::object())
      .exchange("tools/call", {{"name", "a"}}, input_required({{"r", kRoots}}));
  EXPECT_EQ(traffic.broken("capability_monitor"), Rules{"roots.capability-checked"});
}

TEST(SessionView, KnowsWhatTheServerDeclaresOnceItIsDiscovered) {
  const Json message = {{"level", "info"}, {"data", "x"}};
  Traffic traffic = stateless();
  traffic.notified("notifications/message", message);
  EXPECT_THAT(traffic.broken("capability_monitor"), IsEmpty());
  traffic.exchange("server/discover", nullptr, discovered())
      .notified("notifications/message", message);
  EXPECT_EQ(traffic.broken("capability_monitor"), Rules{"logging.capability-declared"});
}

TEST(EraWatch, LeavesOutWhatIsSaidToClientsOfAnotherEra) {
  Traffic traffic = stateless();
  traffic
      .sent(R"({"jsonrpc":"2.0","id":"i","method":"initialize",)"
            R"("params":{"protocolVersion":"2025-11-25"}})")
      .came(R"({"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25",)"
            R"("capabilities":{},"serverInfo":{"name":"s","version":"1"}}})")
      .sent(R"({"jsonrpc":"2.0","id":"t","method":"tools/list"})")
      .came(R"({"jsonrpc":"2.0","id":"t","result":{"tools":[]}})")
      .asked("roots/list");
  EXPECT_THAT(traffic.broken(), IsEmpty());
  // It goes on to serve the new one.
  traffic.exchange("tools/list", nullptr, cacheable({{"tools", 1}}));
  EXPECT_EQ(traffic.broken(), Rules{"schema.tools-list-result"});
}

TEST(Watch, FindsNothingThatTheRevisionDoesNotRule) {
  Traffic traffic = stateless();
  traffic.exchange("server/discover", nullptr, discovered())
      .asked("sampling/createMessage", Json::object());
  EXPECT_THAT(traffic.broken(), Not(Contains("lifecycle.uses-negotiated-capabilities")));
}

}  // namespace
}  // namespace assay::harness
