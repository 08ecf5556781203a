// What was negotiated, on hand-made transcripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/monitors/traffic_testing.h"

namespace assay::harness {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

TEST(CapabilityMonitor, LetsTheNegotiatedPass) {
  Traffic traffic;
  traffic.handshake({{"prompts", {{"listChanged", true}}}, {"logging", Json::object()}},
                    {{"roots", Json::object()}});
  traffic.asked("roots/list").notified("notifications/prompts/list_changed");
  traffic.notified("notifications/message", {{"level", "info"}, {"data", 1}});
  EXPECT_THAT(traffic.broken("capability_monitor"), IsEmpty());
  EXPECT_THAT(traffic.held("capability_monitor"), Contains("prompts.negotiation-respected"));
}

TEST(CapabilityMonitor, SeesWhatWasNotNegotiated) {
  Traffic traffic;
  traffic.handshake(Json::object(), {{"elicitation", {{"form", Json::object()}}}});
  traffic.asked("roots/list").notified("notifications/prompts/list_changed");
  traffic.notified("notifications/message", {{"level", "info"}, {"data", 1}});
  traffic.asked("elicitation/create", {{"mode", "url"}});
  EXPECT_EQ(traffic.broken("capability_monitor"),
            (Rules{"lifecycle.uses-negotiated-capabilities", "roots.capability-checked",
                   "prompts.negotiation-respected", "logging.capability-declared",
                   "elicitation.undeclared-mode-not-sent"}));
}

// As through a bridge that has opened a session before its client does.
TEST(CapabilityMonitor, TakesWhatAFurtherHandshakeDeclaresForNegotiatedIfItIsAccepted) {
  const Json further = {{"protocolVersion", "2025-11-25"},
                        {"capabilities", {{"roots", Json::object()}}},
                        {"clientInfo", {{"name", "c"}, {"version", "1"}}}};
  Traffic accepted;
  accepted.handshake().exchange("initialize", further,
                                {{"protocolVersion", "2025-11-25"},
                                 {"capabilities", Json::object()},
                                 {"serverInfo", {{"name", "s"}, {"version", "1"}}}});
  accepted.asked("roots/list");
  EXPECT_THAT(accepted.broken("capability_monitor"), IsEmpty());
  Traffic refused;
  refused.handshake().refused("initialize", further, -32600);
  refused.asked("roots/list");
  EXPECT_THAT(refused.broken("capability_monitor"), Contains("roots.capability-checked"));
}

TEST(CapabilityMonitor, SeesThatADeclaredMethodIsUnknown) {
  const Json declared = {{"resources", {{"subscribe", true}}}, {"tools", Json::object()}};
  Traffic traffic;
  traffic.handshake(declared).refused("resources/subscribe", {{"uri", "a:b"}},
                                      wire::kMethodNotFound);
  EXPECT_EQ(traffic.broken("capability_monitor"), Rules{"lifecycle.declared-capabilities-served"});
}

TEST(CapabilityMonitor, LetsOtherRefusalsPass) {
  const Json declared = {{"resources", Json::object()}, {"tools", Json::object()}};
  Traffic traffic;
  traffic.refused("tools/list", nullptr, wire::kMethodNotFound);  // not begun
  traffic.handshake(declared);
  traffic.refused("resources/subscribe", {{"uri", "a:b"}}, wire::kMethodNotFound);
  traffic.refused("prompts/list", nullptr, wire::kMethodNotFound);
  traffic.refused("tools/list", nullptr, wire::kInternalError);
  traffic.refused("tools/list", {{"cursor", "c"}}, wire::kMethodNotFound);
  traffic.refused("tools/call", {{"name", "no-such-tool"}}, wire::kMethodNotFound);
  EXPECT_THAT(traffic.broken("capability_monitor"), IsEmpty());
}

}  // namespace
}  // namespace assay::harness
