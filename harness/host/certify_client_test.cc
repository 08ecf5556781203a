#include "harness/host/certify_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace assay::harness {
namespace {

using model::Revision;
using reports::Outcome;
using reports::RunStatus;

constexpr const char* kProgram = ASSAY_PROGRAM;

struct NoEvents : reports::Events {
  void run_started(const reports::PlanSize&) override {}
  void scenario_finished(const reports::RunKey&, const std::string&, std::int64_t) override {}
  void verdict(const reports::RunKey&, const reports::Verdict&) override {}
  void run_finished(const reports::Result&) override {}
};

CertifyClientOptions options_for(std::vector<std::string> words) {
  CertifyClientOptions options;
  options.command.words = std::move(words);
  options.command.relay_program = kProgram;
  options.revisions = {Revision::v2025_11_25};
  options.wants = [](std::string_view name) { return name == "initialize"; };
  options.vault = std::make_shared<reports::Vault>();
  return options;
}

reports::Result certify(const CertifyClientOptions& options) {
  NoEvents events;
  return certify_client(options, events);
}

reports::Run only_run(const CertifyClientOptions& options) {
  reports::Result result = certify(options);
  EXPECT_EQ(result.runs.size(), 1u);
  return std::move(result.runs.at(0));
}

// A client in the shell: what it does with the URL is its last argument's.
CertifyClientOptions shell(const std::string& script) {
  return options_for({"/bin/sh", "-c", script, "client"});
}

std::set<std::string> violated(const reports::Run& run) {
  std::set<std::string> rules;
  for (const reports::Verdict& verdict : run.verdicts) {
    if (verdict.outcome == Outcome::kViolated) rules.insert(verdict.requirement);
  }
  return rules;
}

bool is_anything_satisfied(const reports::Run& run) {
  return std::any_of(run.verdicts.begin(), run.verdicts.end(),
                     [](const auto& verdict) { return verdict.outcome == Outcome::kSatisfied; });
}

TEST(CertifyClient, FindsTheReferenceClientConformantInEachRevision) {
  CertifyClientOptions options = options_for({kProgram, "reference-client"});
  options.wants = [](std::string_view) { return true; };
  options.revisions.assign(Revision::all().begin(), Revision::all().end());
  options.jobs = static_cast<int>(options.revisions.size());
  const reports::Result result = certify(options);
  ASSERT_EQ(result.runs.size(), Revision::all().size());
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    EXPECT_EQ(result.runs[i].revision, options.revisions[i].text());
  }
  EXPECT_EQ(result.target.name, "mcp-assay-reference-client");
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(run.status, RunStatus::kConformant) << run.revision << ": " << run.reason;
    EXPECT_EQ(run.reason, "") << run.revision;
    EXPECT_EQ(violated(run), std::set<std::string>()) << run.revision;
    EXPECT_TRUE(is_anything_satisfied(run)) << run.revision;
  }
}

TEST(CertifyClient, PlaysSeveralRevisionsAtOnceWhereThatIsWanted) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("assay-jobs-{}", ::getpid());
  std::filesystem::create_directory(folder);
  const std::string pipe = (folder / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  // A pipe is opened once the other end is: one of them waits for the other.
  CertifyClientOptions options =
      shell(fmt::format("case $MCP_CONFORMANCE_PROTOCOL_VERSION in 2025-06-18) echo met >{0};; "
                        "*) read word <{0} && echo $word >{1};; esac",
                        pipe, (folder / "seen").string()));
  options.revisions = {Revision::v2025_06_18, Revision::v2025_11_25};
  options.jobs = 2;
  certify(options);
  EXPECT_TRUE(std::filesystem::exists(folder / "seen"));
  std::filesystem::remove_all(folder);
}

TEST(CertifyClient, ComesToTheSameHoweverManyScenariosArePlayedAtOnce) {
  CertifyClientOptions options = options_for({kProgram, "reference-client"});
  options.wants = [](std::string_view) { return true; };
  const auto outcomes = [&](int jobs) {
    options.jobs = jobs;
    std::map<std::string, Outcome> out;
    for (const reports::Verdict& verdict : only_run(options).verdicts) {
      out[verdict.requirement] = verdict.outcome;
    }
    return out;
  };
  EXPECT_EQ(outcomes(8), outcomes(1));
}

// What a client cannot do beside others, it is asked to do alone.
TEST(CertifyClient, LooksAgainAtAClientThatEndsBadlyBesideOthers) {
  const std::string folder = fmt::format("{}assay-alone-{}", testing::TempDir(), ::getpid());
  CertifyClientOptions options =
      shell(fmt::format("mkdir {0} || exit 1; {1} reference-client \"$@\"; status=$?; rmdir {0}; "
                        "exit $status",
                        folder, kProgram));
  options.wants = [](std::string_view name) {
    return name == "initialize" || name == "tools_call" || name == "list-in-pages";
  };
  options.jobs = 3;
  const reports::Run run = only_run(options);
  EXPECT_EQ(run.status, RunStatus::kConformant) << run.reason;
  EXPECT_EQ(run.reason, "");
}

TEST(CertifyClient, FindsTheReferenceClientConformantOverStdio) {
  CertifyClientOptions options = options_for({kProgram, "reference-client", "--", "{server}"});
  options.command.transport = TransportKind::kStdio;
  options.wants = [](std::string_view) { return true; };
  options.revisions.assign(Revision::all().begin(), Revision::all().end());
  for (const reports::Run& run : certify(options).runs) {
    EXPECT_EQ(run.status, RunStatus::kConformant) << run.revision << ": " << run.reason;
    EXPECT_EQ(run.reason, "") << run.revision;
    EXPECT_EQ(violated(run), std::set<std::string>()) << run.revision;
    EXPECT_TRUE(is_anything_satisfied(run)) << run.revision;
  }
}

TEST(CertifyClient, TellsOfAStandInForTheBrowser) {
  CertifyClientOptions options = shell("test \"$BROWSER\" = 'a program browser' && exit 41");
  options.command.relay_program = "a program";
  const reports::Run run = only_run(options);
  EXPECT_NE(run.reason.find("status 41"), std::string::npos) << run.reason;
  options.command.environment = {{"BROWSER", "another"}};
  EXPECT_EQ(only_run(options).reason.find("status 41"), std::string::npos);
}

// That it did not survive something tells of it only if it survives something else.
TEST(CertifyClient, BlamesNobodyForAnEndWithoutAContrast) {
  const std::string rule = "http.client-takes-both-types";
  CertifyClientOptions options =
      options_for({kProgram, "reference-client", "--fault=chokes-on-streamed-answer"});
  options.wants = [](std::string_view name) { return name == "answer-in-stream"; };
  EXPECT_EQ(violated(only_run(options)), std::set<std::string>());
  options.wants = [](std::string_view name) {
    return name == "answer-in-stream" || name == "initialize";
  };
  EXPECT_EQ(violated(only_run(options)), std::set<std::string>{rule});
}

TEST(CertifyClient, NamesTheServerInAConfigurationFile) {
  CertifyClientOptions options =
      shell("grep -q '\"mcpServers\"' \"$1\" && grep -q '\"relay\"' \"$1\" && exit 41");
  options.command.words.emplace_back("{config}");
  options.command.transport = TransportKind::kStdio;
  const reports::Run run = only_run(options);
  EXPECT_NE(run.reason.find("status 41"), std::string::npos) << run.reason;
}

TEST(CertifyClient, NamesAnHttpServerInAConfigurationFileToo) {
  CertifyClientOptions options =
      shell("grep -q '\"mcpServers\"' \"$1\" && grep -q '\"http://localhost:' \"$1\" && exit 41");
  options.command.words.emplace_back("{config}");
  const reports::Run run = only_run(options);
  EXPECT_NE(run.reason.find("status 41"), std::string::npos) << run.reason;
}

// The exit that a relay takes is the server's.
TEST(CertifyClient, EndsARelayAsTheServerEnds) {
  CertifyClientOptions options = shell("\"$@\" </dev/null && exit 41");
  options.command.transport = TransportKind::kStdio;
  EXPECT_NE(only_run(options).reason.find("status 41"), std::string::npos);
  options = shell("exec 3<&0; \"$@\" <&3 & kill -TERM $!; wait $!; exit $?");
  options.command.transport = TransportKind::kStdio;
  EXPECT_NE(only_run(options).reason.find("status 143"), std::string::npos);
}

TEST(CertifyClient, FailsAClientThatSaysNothing) {
  CertifyClientOptions options = shell("\"$@\" </dev/null");
  options.command.transport = TransportKind::kStdio;
  const reports::Run run = only_run(options);
  EXPECT_EQ(run.status, RunStatus::kFailed);
  EXPECT_NE(run.reason.find("said nothing"), std::string::npos) << run.reason;
}

ClientWay way_to(Act act, std::vector<std::string> words) {
  ClientWay way;
  way.act = act;
  way.words = {{std::move(words)}};
  return way;
}

// Started for each thing that a scenario needs, as a way says.
TEST(CertifyClient, StartsAClientForEachThingThatItDoes) {
  CertifyClientOptions options = shell("case \"$1 $2\" in list*) exec " + std::string(kProgram) +
                                       " reference-client --url=$2;;"
                                       "'call add_numbers') exit 41;; esac");
  options.wants = [](std::string_view name) { return name == "tools_call"; };
  options.command.ways = {way_to(Act::kListsTools, {"list", "{url}"}),
                          way_to(Act::kCallsTool, {"call", "{tool}"})};
  const reports::Run run = only_run(options);
  EXPECT_NE(run.reason.find("it exited with status 41"), std::string::npos) << run.reason;
  options.command.ways.pop_back();
  EXPECT_EQ(only_run(options).status, RunStatus::kConformant);
}

TEST(CertifyClient, SaysWhichWayIsMissing) {
  CertifyClientOptions options = options_for({kProgram, "reference-client"});
  options.wants = [](std::string_view name) { return name == "initialize" || name == "sse-retry"; };
  options.command.ways = {way_to(Act::kListsTools, {})};
  const reports::Run run = only_run(options);
  EXPECT_EQ(run.status, RunStatus::kConformant) << run.reason;
  const auto polls =
      std::find_if(run.verdicts.begin(), run.verdicts.end(),
                   [](const auto& verdict) { return verdict.requirement == "http.client-polls"; });
  ASSERT_NE(polls, run.verdicts.end());
  EXPECT_EQ(polls->outcome, Outcome::kNotExercised);
  EXPECT_EQ(polls->detail, "the profile says no way in which the client calls a tool");
  EXPECT_EQ(polls->hint, "name calls-tool under 'client:' in the --profile file");
}

TEST(CertifyClient, PutsTheUrlWhereItIsWanted) {
  EXPECT_EQ(only_run(options_for({kProgram, "reference-client", "--url={url}"})).status,
            RunStatus::kConformant);
}

TEST(CertifyClient, TellsTheClientWhatIsPlayed) {
  const reports::Run run =
      only_run(shell("test \"$MCP_CONFORMANCE_SCENARIO $MCP_CONFORMANCE_PROTOCOL_VERSION\" = "
                     "\"initialize 2025-11-25\" && exit 41"));
  EXPECT_NE(run.reason.find("status 41"), std::string::npos) << run.reason;
}

TEST(CertifyClient, FailsAClientThatNeverConnects) {
  const reports::Run run = only_run(shell("exit 0"));
  EXPECT_EQ(run.status, RunStatus::kFailed);
  EXPECT_NE(run.reason.find("never connected"), std::string::npos) << run.reason;
  EXPECT_EQ(violated(run), std::set<std::string>());
  EXPECT_FALSE(is_anything_satisfied(run));
}

TEST(CertifyClient, FailsAClientThatCannotBeStarted) {
  const reports::Run run = only_run(options_for({"/no/such/client"}));
  EXPECT_EQ(run.status, RunStatus::kFailed);
  EXPECT_NE(run.reason.find("could not be started"), std::string::npos) << run.reason;
}

TEST(CertifyClient, SaysHowAClientDied) {
  const reports::Run run = only_run(shell("echo 'no such luck' >&2; kill -9 $$"));
  EXPECT_EQ(run.status, RunStatus::kFailed);
  EXPECT_NE(run.reason.find("signal 9"), std::string::npos) << run.reason;
  EXPECT_NE(run.reason.find("no such luck"), std::string::npos) << run.reason;
}

TEST(CertifyClient, EndsAClientThatHangsWithItsChildren) {
  CertifyClientOptions options = shell("sleep 1000 & sleep 1000");
  options.patience.scenario = std::chrono::milliseconds(200);
  const reports::Run run = only_run(options);
  EXPECT_EQ(run.status, RunStatus::kFailed);
  EXPECT_NE(run.reason.find("in time"), std::string::npos) << run.reason;
}

// What is lost there some wait for as long as they can.
TEST(CertifyClient, MakesNothingOfAClientThatWaitsWhereAllIsSeen) {
  CertifyClientOptions options =
      shell(std::string(kProgram) + " reference-client \"$@\"; sleep 1000");
  options.revisions = {Revision::v2026_07_28};
  options.patience.scenario = std::chrono::seconds(2);
  for (const bool is_lost : {true, false}) {
    options.wants = [is_lost](std::string_view name) {
      return name == (is_lost ? "lost-stream" : "tools_call");
    };
    const reports::Run run = only_run(options);
    EXPECT_EQ(run.reason.find("in time") == std::string::npos, is_lost) << run.reason;
  }
}

TEST(CertifyClient, EndsAClientThatFloods) {
  const reports::Run run = only_run(shell("exec cat /dev/zero"));
  EXPECT_EQ(run.status, RunStatus::kFailed);
  EXPECT_NE(run.reason.find("flooded"), std::string::npos) << run.reason;
}

TEST(CertifyClient, AccusesNobodyWhenItIsStopped) {
  CertifyClientOptions options = shell("sleep 1000");
  std::stop_source source;
  options.stop = source.get_token();
  source.request_stop();
  const reports::Run run = only_run(options);
  EXPECT_EQ(run.status, RunStatus::kIncomplete);
  EXPECT_EQ(violated(run), std::set<std::string>());
}

}  // namespace
}  // namespace assay::harness
