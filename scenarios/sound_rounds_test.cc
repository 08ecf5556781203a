// What is said of clients that send a request again, or for the first time, when they were given a
// state.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "scenarios/sound_clients_testing.h"

namespace assay::scenarios {
namespace {

using harness::Finding;
using model::Revision;

constexpr const char* kScenario = "sep-2322-client-request-state";

// A tool whose result has a state, and asks for nothing, is called, and then so.
std::set<std::string> told_of_next_call(const Json& more, Finding::Kind kind) {
  harness::Traffic traffic(Revision::v2026_07_28);
  Json call = {{"name", "test_mrtr_state_only"}, {"arguments", Json::object()}};
  traffic.exchange("tools/call", call, {{"resultType", "input_required"}, {"requestState", "s"}});
  call.update(more);
  traffic.exchange("tools/call", call, {{"resultType", "complete"}});
  return told(kScenario, Revision::v2026_07_28, traffic, kind);
}

// The model may choose to call the tool again.
TEST(SoundRounds, MayBeginAgainWithoutTheState) {
  const std::set<std::string> rule = {"mrtr.state-echoed"};
  EXPECT_EQ(told_of_next_call(Json::object(), Finding::Kind::kBroke), std::set<std::string>());
  EXPECT_EQ(told_of_next_call(Json::object(), Finding::Kind::kUnclear), rule);
}

TEST(SoundRounds, GiveTheStateBackAsItWas) {
  const std::set<std::string> rules = {"mrtr.state-echoed", "mrtr.state-opaque"};
  EXPECT_EQ(told_of_next_call({{"requestState", "t"}}, Finding::Kind::kBroke), rules);
  EXPECT_EQ(told_of_next_call({{"requestState", "s"}}, Finding::Kind::kUnclear),
            std::set<std::string>());
  EXPECT_EQ(told_of_next_call({{"requestState", "s"}}, Finding::Kind::kBroke),
            std::set<std::string>());
}

}  // namespace
}  // namespace assay::scenarios
