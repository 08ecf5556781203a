// The runner against scripted targets: what ends a run, what is tried again, what causes what.
#include "harness/runner/runner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/runner/causes.h"
#include "harness/runner/reproduce.h"
#include "harness/runner/scenario.h"
#include "harness/script/scripted_peer_testing.h"

namespace assay::harness {
namespace {

constexpr Patience kShort{std::chrono::milliseconds(1000), std::chrono::milliseconds(40),
                          std::chrono::milliseconds(100)};

class Recorder : public reports::Events {
 public:
  void run_started(const reports::PlanSize& plan) override { planned = plan.scenarios; }
  void scenario_finished(const reports::RunKey&, const std::string&, std::int64_t) override {
    ++finished;
  }
  void verdict(const reports::RunKey&, const reports::Verdict&) override { ++verdicts; }
  void run_finished(const reports::Result&) override { is_over = true; }

  int planned = 0;
  int finished = 0;
  int verdicts = 0;
  bool is_over = false;
};

reports::Result certify_target(const TargetAccess& access, Recorder& recorder) {
  CertifyOptions options;
  options.accesses = {access};
  options.revisions = {model::Revision::v2025_11_25};
  options.patience = kShort;
  return certify(options, recorder);
}

const reports::Verdict& verdict_of(const reports::Result& result, std::string_view requirement) {
  const auto& verdicts = result.runs.at(0).verdicts;
  const auto found = std::find_if(verdicts.begin(), verdicts.end(), [&](const auto& verdict) {
    return verdict.requirement == requirement;
  });
  EXPECT_NE(found, verdicts.end()) << requirement;
  return *found;
}

// A scenario of this test's own: asks once, and wants a result.
SCENARIO(runner_test_asks_once, judges({"ping.answered"})) {
  const Reply reply = script.request("assay/ask");
  script.check("ping.answered", reply.is_result(), reply);
}

TEST(Runner, AnAnswerSatisfies) {
  Recorder recorder;
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
    Recorder recorder;
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
  Recorder recorder;
  const auto result = certify_target(scripted_target([](const auto&, const auto&) {}), recorder);
  const reports::Verdict& verdict = verdict_of(result, "ping.answered");
  EXPECT_EQ(verdict.outcome, reports::Outcome::kViolated);
  EXPECT_EQ(verdict.evidence.size(), 1u);
  EXPECT_EQ(result.runs[0].status, reports::RunStatus::kViolations);
}

TEST(Runner, SilenceThatDoesNotComeBackAccusesNobody) {
  Recorder recorder;
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

TEST(Runner, AnotherVersionIsNoSupport) {
  Recorder recorder;
  TargetAccess access;
  access.connect = [](transport::Observer& observer) {
    auto self = std::make_shared<transport::Pipe*>(nullptr);
    auto pipe = std::make_unique<transport::Pipe>(
        [self](std::string_view bytes) {
          const auto decoded = wire::decode(bytes);
          const auto& message = std::get<wire::Message>(decoded);
          if (!message.id()) return;
          (*self)->deliver(wire::encode(wire::make_result(
              *message.id(), {{"protocolVersion", "2025-03-26"},
                              {"capabilities", Json::object()},
                              {"serverInfo", {{"name", "old"}, {"version", "1"}}}})));
        },
        observer);
    *self = pipe.get();
    Link link;
    link.transport = std::move(pipe);
    return link;
  };
  const auto result = certify_target(access, recorder);
  EXPECT_EQ(result.runs[0].status, reports::RunStatus::kUnsupported);
  EXPECT_EQ(result.runs[0].reason, "the server offered 2025-03-26 instead");
}

TEST(Runner, AStopEndsTheRun) {
  std::stop_source stop;
  stop.request_stop();
  CertifyOptions options;
  options.accesses = {scripted_target([](const auto&, const auto&) {})};
  options.revisions = {model::Revision::v2025_11_25};
  options.patience = kShort;
  options.stop = stop.get_token();
  Recorder recorder;
  const auto result = certify(options, recorder);
  EXPECT_TRUE(result.was_interrupted);
  EXPECT_EQ(recorder.finished, 0);
}

TEST(Causes, SilenceIsExplainedByAnswersThatNobodyCanUse) {
  Findings findings;
  Finding& cause = findings.emplace_back(catalogue::RequirementId("jsonrpc.response-id"),
                                         Finding::Kind::kBroke, "monitor", "the id is another");
  cause.is_passive = true;
  Finding& effect =
      findings.emplace_back(catalogue::RequirementId("jsonrpc.unknown-method-refused"),
                            Finding::Kind::kBroke, "scenario", "no answer in time");
  effect.depends_on_time = true;
  name_causes(findings);
  EXPECT_EQ(findings[0].kind, Finding::Kind::kBroke);
  EXPECT_EQ(findings[1].kind, Finding::Kind::kUnclear);
  EXPECT_EQ(findings[1].caused_by, "jsonrpc.response-id");
}

TEST(Causes, AnAnswerThatCameIsNotExplainedAway) {
  Findings findings;
  findings
      .emplace_back(catalogue::RequirementId("jsonrpc.response-id"), Finding::Kind::kBroke,
                    "monitor", "")
      .is_passive = true;
  findings.emplace_back(catalogue::RequirementId("pagination.invalid-cursor"),
                        Finding::Kind::kBroke, "scenario", "the answer was a result");
  name_causes(findings);
  EXPECT_EQ(findings[1].kind, Finding::Kind::kBroke);
}

TEST(ShellQuote, LeavesPlainWordsAndQuotesTheRest) {
  EXPECT_EQ(shell_quote("npx"), "npx");
  EXPECT_EQ(shell_quote("@scope/name"), "@scope/name");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's $HOME"), "'it'\\''s $HOME'");
}

TEST(Reproduce, SendsTheHandshakeAndTheEvidenceAndNothingElse) {
  TargetAccess access = scripted_target([](const auto&, const auto&) {});
  access.shell_form = "node x.js";
  Transcript transcript;
  for (const char* text : {R"({"jsonrpc":"2.0","id":1,"method":"initialize"})",
                           R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})",
                           R"({"jsonrpc":"2.0","id":3,"method":"ping"})"}) {
    transport::Observation line;
    line.kind = transport::Observation::Kind::kLine;
    line.direction = transport::Direction::kSent;
    line.bytes = text;
    transcript.observe(line);
  }
  const auto events = transcript.events();
  const std::vector<EventPtr> evidence = {events[2]};
  const std::string command = reproduce(access, events, evidence);
  EXPECT_NE(command.find("initialize"), std::string::npos);
  EXPECT_EQ(command.find("tools/list"), std::string::npos);
  EXPECT_NE(command.find("ping"), std::string::npos);
  EXPECT_NE(command.find("| node x.js"), std::string::npos);
}

}  // namespace
}  // namespace assay::harness
