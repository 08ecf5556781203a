// The runner against scripted targets: what ends a run, and what is tried again.
#include "harness/runner/runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/runner_testing.h"
#include "harness/runner/scenario.h"
#include "harness/script/pace.h"
#include "harness/script/scripted_peer_testing.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

reports::Result certify_target(const TargetAccess& access, CountingEvents& recorder) {
  CertifyOptions options;
  options.wants = [](std::string_view name) { return name == "runner_test_asks_once"; };
  options.accesses = {access};
  options.revisions = {model::Revision::v2025_11_25};
  options.patience = kShort;
  return certify(options, recorder);
}

// A scenario of this test's own: asks once, and wants a result.
SCENARIO(runner_test_asks_once, judges({"ping.answered"})) {
  const Reply reply = script.request("assay/ask");
  script.check("ping.answered", reply.is_result(), reply);
}

TEST(Runner, AnAnswerSatisfies) {
  CountingEvents recorder;
  const auto result =
      certify_target(scripted_target([](const wire::Message& message, const auto& say) {
                       if (message.id())
                         say(wire::encode(wire::make_result(*message.id(), Json::object())));
                     }),
                     recorder);
  EXPECT_EQ(verdict_of(result, "ping.answered").outcome, reports::Outcome::kSatisfied);
  EXPECT_EQ(result.runs[0].status, reports::RunStatus::kConformant);
  EXPECT_EQ(recorder.finished, recorder.planned);
  EXPECT_EQ(recorder.verdicts, static_cast<int>(result.runs[0].verdicts.size()));
  EXPECT_TRUE(recorder.is_over);
  EXPECT_EQ(result.target.name, "scripted");
}

// What a later version of the catalogue brought: its breach is none for those who ask for an older.
SCENARIO(runner_test_breaks_a_new_rule, judges({"jsonrpc.bad-message-survived"})) {
  script.check("jsonrpc.bad-message-survived", false, {}, "broken for the sake of the test");
}

TEST(Runner, JudgesWhatAVersionOfTheCatalogueRequired) {
  const auto certify_for = [](int version) {
    CertifyOptions options;
    options.accesses = {scripted_target([](const wire::Message& message, const auto& say) {
      if (message.id()) say(wire::encode(wire::make_result(*message.id(), Json::object())));
    })};
    options.revisions = {model::Revision::v2025_11_25};
    options.patience = kShort;
    options.catalogue_version = version;
    options.wants = [](std::string_view name) { return name == "runner_test_breaks_a_new_rule"; };
    CountingEvents recorder;
    return certify(options, recorder);
  };
  const auto has_rule = [](const reports::Result& result) {
    const auto& verdicts = result.runs.at(0).verdicts;
    return std::any_of(verdicts.begin(), verdicts.end(), [](const reports::Verdict& verdict) {
      return verdict.requirement == "jsonrpc.bad-message-survived" &&
             verdict.outcome == reports::Outcome::kViolated;
    });
  };
  EXPECT_TRUE(has_rule(certify_for(0)));
  EXPECT_FALSE(has_rule(certify_for(1)));
  EXPECT_EQ(certify_for(1).catalogue_version, "1");
}

TEST(Runner, SilenceThatLastsViolates) {
  CountingEvents recorder;
  const auto result = certify_target(scripted_target([](const auto&, const auto&) {}), recorder);
  const reports::Verdict& verdict = verdict_of(result, "ping.answered");
  EXPECT_EQ(verdict.outcome, reports::Outcome::kViolated);
  EXPECT_EQ(std::count_if(verdict.evidence.begin(), verdict.evidence.end(),
                          [](const auto& evidence) { return !evidence.is_context; }),
            1);
  EXPECT_EQ(result.runs[0].status, reports::RunStatus::kViolations);
}

TEST(Runner, SilenceThatDoesNotComeBackAccusesNobody) {
  CountingEvents recorder;
  int asked = 0;
  const auto result =
      certify_target(scripted_target([&](const wire::Message& message, const auto& say) {
                       if (message.id() && ++asked > 1) {
                         say(wire::encode(wire::make_result(*message.id(), Json::object())));
                       }
                     }),
                     recorder);
  EXPECT_EQ(verdict_of(result, "ping.answered").outcome, reports::Outcome::kInconclusive);
}

// A limit is no breach: the scenario is played again, and counts as it goes then.
TEST(Runner, PlaysAgainWhatALimitKeptFromIt) {
  CountingEvents recorder;
  int asked = 0;
  TargetAccess access = scripted_target([&](const wire::Message& message, const auto& say) {
    if (!message.id()) return;
    say(++asked <= 5 ? wire::encode(wire::make_error(*message.id(), 429, "Too many requests"))
                     : wire::encode(wire::make_result(*message.id(), Json::object())));
  });
  access.pace = std::make_shared<Pace>();
  const auto result = certify_target(access, recorder);
  EXPECT_EQ(verdict_of(result, "ping.answered").outcome, reports::Outcome::kSatisfied);
  EXPECT_EQ(result.runs[0].status, reports::RunStatus::kConformant);
  EXPECT_NE(result.runs[0].reason.find("limits how often"), std::string::npos);
  EXPECT_EQ(recorder.finished, recorder.planned);
}

TEST(Runner, WhatALimitKeepsFromItForGoodIsUnclear) {
  CountingEvents recorder;
  TargetAccess access = scripted_target([&](const wire::Message& message, const auto& say) {
    if (message.id()) say(wire::encode(wire::make_error(*message.id(), -32000, "rate limit")));
  });
  const auto result = certify_target(access, recorder);
  const reports::Verdict& verdict = verdict_of(result, "ping.answered");
  EXPECT_EQ(verdict.outcome, reports::Outcome::kInconclusive);
  EXPECT_NE(verdict.detail.find("error -32000"), std::string::npos) << verdict.detail;
}

TEST(Runner, TellsHowAVerdictCameAbout) {
  CountingEvents recorder;
  const auto result = certify_target(scripted_target([](const auto&, const auto&) {}), recorder);
  const reports::Verdict& verdict = verdict_of(result, "ping.answered");
  ASSERT_GE(verdict.history.size(), 2u);
  EXPECT_EQ(verdict.history.front().what, "seen");
  EXPECT_EQ(verdict.history.back().what, "confirmed");
}

TEST(Runner, AnotherVersionIsNoSupport) {
  CountingEvents recorder;
  const TargetAccess access = piped_target([](std::string_view bytes, transport::Pipe& pipe) {
    const auto decoded = wire::decode(bytes);
    const auto& message = std::get<wire::Message>(decoded);
    if (!message.id()) return;
    pipe.deliver(wire::encode(
        wire::make_result(*message.id(), {{"protocolVersion", "2025-03-26"},
                                          {"capabilities", Json::object()},
                                          {"serverInfo", {{"name", "old"}, {"version", "1"}}}})));
  });
  const auto result = certify_target(access, recorder);
  EXPECT_EQ(result.runs[0].status, reports::RunStatus::kUnsupported);
  EXPECT_EQ(result.runs[0].reason, "the server offered 2025-03-26 instead");
}

// A server of old may answer what nobody asked it to begin with, as its own revision has it.
TEST(Runner, AServerOfTheOlderEraBreaksNoRuleOfToday) {
  CertifyOptions options;
  options.accesses = {scripted_target([](const wire::Message& message, const auto& say) {
    if (!message.id()) return;
    const bool is_list = message.method() == "tools/list";
    say(is_list ? wire::encode(wire::make_result(*message.id(), {{"tools", Json::array()}}))
                : wire::encode(wire::make_error(*message.id(), wire::kMethodNotFound, "No")));
  })};
  options.revisions = {model::Revision::v2026_07_28};
  options.patience = kShort;
  CountingEvents recorder;
  const auto result = certify(options, recorder);
  EXPECT_EQ(result.runs[0].status, reports::RunStatus::kUnsupported);
  for (const reports::Verdict& verdict : result.runs[0].verdicts) {
    EXPECT_NE(verdict.outcome, reports::Outcome::kViolated) << verdict.requirement;
  }
}

// Where nobody asked for the revision by name, silence is what servers of old have for it.
TEST(Runner, NoAnswerToDiscoveryIsNoSupportUnlessItIsInsistedOn) {
  for (const bool is_named : {true, false}) {
    CertifyOptions options;
    options.accesses = {scripted_target([](const auto&, const auto&) {})};
    options.revisions = {model::Revision::v2026_07_28};
    options.is_any_revision = !is_named;
    options.patience = kShort;
    CountingEvents recorder;
    const auto result = certify(options, recorder);
    EXPECT_EQ(result.runs[0].status,
              is_named ? reports::RunStatus::kFailed : reports::RunStatus::kUnsupported);
  }
}

TEST(Runner, AStopEndsTheRun) {
  std::stop_source stop;
  stop.request_stop();
  CertifyOptions options;
  options.accesses = {scripted_target([](const auto&, const auto&) {})};
  options.revisions = {model::Revision::v2025_11_25};
  options.patience = kShort;
  options.stop = stop.get_token();
  CountingEvents recorder;
  const auto result = certify(options, recorder);
  EXPECT_TRUE(result.was_interrupted);
  EXPECT_EQ(recorder.finished, 0);
}

// Answers `initialize` and everything else, but not the first `late` times that it is asked to
// begin after the first.
class LateStarter {
 public:
  explicit LateStarter(int late) : late_(late) {}

  TargetAccess access() {
    return piped_target([this](std::string_view bytes, transport::Pipe& pipe) {
      const auto decoded = wire::decode(bytes);
      const auto& message = std::get<wire::Message>(decoded);
      if (message.id()) answer(message, pipe);
    });
  }
  int starts() const { return starts_; }

 private:
  void answer(const wire::Message& message, transport::Pipe& pipe) {
    Json result = Json::object();
    if (message.method() == "initialize") {
      const int start = starts_++;
      if (start > 0 && start <= late_) return;
      result = {{"protocolVersion", message.params()["protocolVersion"]},
                {"capabilities", Json::object()},
                {"serverInfo", {{"name", "late"}, {"version", "1"}}}};
    }
    pipe.deliver(wire::encode(wire::make_result(*message.id(), result)));
  }

  const int late_;
  std::atomic<int> starts_{0};
};

reports::Result certify_late(LateStarter& server, std::vector<model::Revision> revisions) {
  CertifyOptions options;
  options.accesses = {server.access()};
  options.revisions = std::move(revisions);
  options.patience = kShort;
  options.patience.start = std::chrono::milliseconds(60);
  options.jobs = 1;  // in the order of the plan
  options.wants = [](std::string_view name) { return name == "runner_test_asks_alone"; };
  CountingEvents recorder;
  auto result = certify(options, recorder);
  EXPECT_EQ(recorder.finished, recorder.planned);
  return result;
}

TEST(Runner, ARunThatCouldNotBeginInTimeIsTriedAgainAlone) {
  LateStarter server(1);
  const auto result =
      certify_late(server, {model::Revision::v2025_06_18, model::Revision::v2025_11_25});
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(run.status, reports::RunStatus::kConformant) << run.revision << run.reason;
  }
}

TEST(Runner, AScenarioThatCouldNotBeginInTimeIsTriedAgainAlone) {
  LateStarter server(1);
  const auto result = certify_late(server, {model::Revision::v2025_11_25});
  EXPECT_EQ(verdict_of(result, "ping.empty-result").outcome, reports::Outcome::kSatisfied);
}

TEST(Runner, AScenarioThatNeverBeginsAccusesNobodyAndNamesTheOptions) {
  LateStarter server(1'000);
  const auto result = certify_late(server, {model::Revision::v2025_11_25});
  const reports::Verdict& verdict = verdict_of(result, "ping.empty-result");
  EXPECT_EQ(verdict.outcome, reports::Outcome::kInconclusive);
  EXPECT_NE(verdict.detail.find("--timeout"), std::string::npos) << verdict.detail;
}

TEST(Runner, ATargetThatNeverAnswersIsNotAskedAgain) {
  int asked = 0;
  CertifyOptions options;
  options.accesses = {piped_target([&asked](auto, auto&) { ++asked; })};
  options.revisions = {model::Revision::v2025_06_18, model::Revision::v2025_11_25};
  options.patience = kShort;
  options.patience.start = std::chrono::milliseconds(60);
  options.jobs = 1;
  CountingEvents recorder;
  const auto result = certify(options, recorder);
  EXPECT_EQ(asked, 2);
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(run.status, reports::RunStatus::kFailed);
    EXPECT_NE(run.reason.find("within 0.06 s; --timeout"), std::string::npos) << run.reason;
    EXPECT_NE(run.reason.find("--jobs"), std::string::npos) << run.reason;
  }
}

TEST(Runner, OfATargetThatSpeaksAndDoesNotAnswerItIsToldWhatItSaid) {
  CertifyOptions options;
  options.accesses = {piped_target([](std::string_view, transport::Pipe& pipe) {
    pipe.deliver("Listening");
    pipe.deliver("still");
    pipe.deliver(R"({"jsonrpc":"2.0","method":"a"})");
  })};
  options.revisions = {model::Revision::v2025_11_25};
  options.patience = kShort;
  options.patience.start = std::chrono::milliseconds(60);
  CountingEvents recorder;
  const auto result = certify(options, recorder);
  EXPECT_EQ(result.runs[0].status, reports::RunStatus::kFailed);
  EXPECT_NE(result.runs[0].reason.find(
                "\nit sent 3 messages (2 unreadable) instead, the first:\nListening"),
            std::string::npos)
      << result.runs[0].reason;
}

TEST(Runner, WhatAStopLeftUnconfirmedAccusesNobody) {
  std::stop_source stop;
  CertifyOptions options;
  // It answers nothing but pings, and is stopped when its silence is to be provoked again.
  int asked = 0;
  options.accesses = {scripted_target([&](const wire::Message& message, const auto&) {
    if (message.method() == "assay/ask" && ++asked > 1) stop.request_stop();
  })};
  options.wants = [](std::string_view name) { return name == "runner_test_asks_once"; };
  options.revisions = {model::Revision::v2025_11_25};
  options.patience = kShort;
  options.stop = stop.get_token();
  CountingEvents recorder;
  const auto result = certify(options, recorder);
  EXPECT_EQ(verdict_of(result, "ping.answered").outcome, reports::Outcome::kInconclusive);
  EXPECT_EQ(result.runs[0].status, reports::RunStatus::kIncomplete);
  EXPECT_TRUE(result.was_interrupted);
}

}  // namespace
}  // namespace assay::harness
