// Scenarios that take turns on one session.
#include "harness/runner/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/runner/runner_testing.h"
#include "harness/runner/scenario.h"
#include "harness/script/scripted_peer_testing.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

SCENARIO(turns_test_1, judges({"ping.answered"}), in_turn()) {
  script.check("ping.answered", true, script.request("assay/first"));
}

SCENARIO(turns_test_2, judges({"pagination.invalid-cursor"}), in_turn()) {
  script.check("pagination.invalid-cursor", true, script.request("assay/second"));
}

// Leaves a request open, which the server never answers.
SCENARIO(turns_test_leaves_one_open, judges({"ping.empty-result"}), in_turn()) {
  (void)script.session().start("assay/never");
  script.check("ping.empty-result", true, script.request("assay/third"));
}

SCENARIO(turns_test_of_the_last, judges({"jsonrpc.unknown-method-refused"}), in_turn()) {
  script.check("jsonrpc.unknown-method-refused", true, script.request("assay/last"));
}

// A round of its own, whose first scenario begins the session in its own way.
constexpr std::string_view kRound = "turns test";

SCENARIO(turns_test_that_begins, judges({"ping.answered"}), first_in_turn(kRound)) {
  Connection& connection = script.open_connection();
  const Reply reply = connection.begin(Json::object());
  script.hand_on(connection);
  script.check("ping.answered", true, reply);
}

SCENARIO(turns_test_among, judges({"ping.empty-result"}), in_turn(kRound)) {
  const bool is_handed_on = script.has_session();
  script.check("ping.empty-result", is_handed_on, script.request("assay/among"));
}

SCENARIO(turns_test_also_ends, judges({"jsonrpc.unknown-method-refused"}), last_in_turn(kRound)) {
  script.check("jsonrpc.unknown-method-refused", true, script.request("assay/also-last"));
}

SCENARIO(turns_test_ends, judges({"pagination.invalid-cursor"}), last_in_turn(kRound)) {
  script.check("pagination.invalid-cursor", true, script.request("assay/ends"));
}

// To which an error with this code is a breach.
constexpr std::int64_t kNotLiked = -4711;

class Strict : public Monitor {
 public:
  std::string_view name() const override { return "strict"; }
  std::vector<catalogue::RequirementId> server_requirements() const override { return {kRule}; }
  void on_message(const Sighting& sighting, const SessionView&, Judge& judge) override {
    if (sighting.message.error_code() != kNotLiked) return;
    judge.broke(kRule, "an error", {sighting.event});
  }

 private:
  static constexpr catalogue::RequirementId kRule = "jsonrpc.error-code-integer";
};
const MonitorRegistration<Strict> kStrictRegistration;

using Say = std::function<void(std::string)>;

class TurnsTest : public testing::Test {
 protected:
  reports::Result certify_with(std::set<std::string_view> wanted,
                               const PeerBehaviour& behaviour = answers_all) {
    CertifyOptions options;
    options.wants = [&](std::string_view name) { return wanted.contains(name); };
    options.accesses = {scripted_target(behaviour)};
    options.revisions = {model::Revision::v2025_11_25};
    options.patience = kShort;
    options.on_transcript = [&](std::string_view, std::string_view who, std::span<const EventPtr>) {
      if (who == "scenarios in turn") ++sessions_;
    };
    CountingEvents events;
    return certify(options, events);
  }
  static void answers_all(const wire::Message& message, const Say& say) {
    if (!message.id() || message.method() == "assay/never") return;
    say(wire::encode(wire::make_result(*message.id(), Json::object())));
  }

  int sessions_ = 0;  // on which turns were taken
};

TEST_F(TurnsTest, ASessionGoesOnToTheNextScenario) {
  const auto result = certify_with({"turns_test_1", "turns_test_2", "turns_test_of_the_last"});
  EXPECT_EQ(sessions_, 1);
  EXPECT_EQ(verdict_of(result, "ping.answered").outcome, reports::Outcome::kSatisfied);
  EXPECT_EQ(verdict_of(result, "jsonrpc.unknown-method-refused").outcome,
            reports::Outcome::kSatisfied);
}

TEST_F(TurnsTest, ASessionWithAnOpenRequestDoesNot) {
  certify_with({"turns_test_1", "turns_test_leaves_one_open", "turns_test_of_the_last"});
  EXPECT_EQ(sessions_, 2);
}

TEST_F(TurnsTest, TheFirstOfARoundHandsOnWhatItBegan) {
  const auto result = certify_with({"turns_test_that_begins", "turns_test_among"});
  EXPECT_EQ(sessions_, 1);
  EXPECT_EQ(verdict_of(result, "ping.empty-result").outcome, reports::Outcome::kSatisfied);
}

TEST_F(TurnsTest, TheLastOfARoundLeavesItsSessionToNoOther) {
  const auto result = certify_with({"turns_test_among", "turns_test_also_ends", "turns_test_ends"});
  EXPECT_EQ(sessions_, 2);
  EXPECT_EQ(verdict_of(result, "pagination.invalid-cursor").outcome, reports::Outcome::kSatisfied);
}

TEST_F(TurnsTest, RoundsShareNothing) {
  certify_with({"turns_test_1", "turns_test_that_begins", "turns_test_2"});
  EXPECT_EQ(sessions_, 2);
}

// A session on which something was not answered breaks no rule of the next scenario, which has
// another.
TEST_F(TurnsTest, ASessionThatFellSilentIsNoneOfTheNext) {
  const auto result = certify_with({"turns_test_1", "turns_test_2", "turns_test_of_the_last"},
                                   [](const auto& message, const Say& say) {
                                     if (message.method() != "assay/second") {
                                       answers_all(message, say);
                                     }
                                   });
  EXPECT_EQ(sessions_, 2);
  EXPECT_EQ(verdict_of(result, "jsonrpc.unknown-method-refused").outcome,
            reports::Outcome::kSatisfied);
}

TEST_F(TurnsTest, ABreachIsOfTheScenarioWhoseTurnItWas) {
  const auto result =
      certify_with({"turns_test_1", "turns_test_2"}, [](const auto& message, const Say& say) {
        if (message.method() == "assay/second") {
          return say(wire::encode_error(message.id(), kNotLiked, "No"));
        }
        answers_all(message, say);
      });
  EXPECT_EQ(sessions_, 1);
  const auto& verdict = verdict_of(result, "jsonrpc.error-code-integer");
  ASSERT_EQ(verdict.outcome, reports::Outcome::kViolated);
  const auto played = std::find_if(verdict.history.begin(), verdict.history.end(),
                                   [](const auto& step) { return step.what == "played"; });
  ASSERT_NE(played, verdict.history.end());
  EXPECT_EQ(played->by, "turns_test_2");
}

}  // namespace
}  // namespace assay::harness
