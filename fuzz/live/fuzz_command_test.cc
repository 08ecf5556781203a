// What the command line makes of mistakes and damaged files, and how findings live on disk.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz/live/client/client_finding.h"
#include "fuzz/live/proof/finding.h"
#include "harness/frame/command.h"
#include "reports/json.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

struct Ran {
  int status = 0;
  std::string error;
};

Ran run(const std::vector<std::string>& arguments) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const int status = cli::run_command_line(arguments);
  (void)testing::internal::GetCapturedStdout();
  return {status, testing::internal::GetCapturedStderr()};
}

class FuzzCommandTest : public testing::Test {
 protected:
  FuzzCommandTest()
      : folder_(fs::temp_directory_path() / ("assay-fuzz-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~FuzzCommandTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  std::string read(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  ServerFinding some_finding() const {
    ServerFinding finding;
    finding.id = "crash-0badcafe";
    finding.suspicion = {Oracle::kCrash, "signal 6", "The process ended: signal 6"};
    finding.recipe.steps.resize(1);
    finding.recipe.steps[0].bytes = "[]\n";
    finding.recipe.is_fresh = true;
    finding.recipe.manners = 2;
    finding.messages = 1;
    return finding;
  }
  RunFacts some_facts() const {
    RunFacts facts;
    facts.started = "2026-01-31T12:00:00Z";
    facts.revision = "2025-11-25";
    facts.target.command = {"node", "x.js"};
    return facts;
  }

  const fs::path folder_;
};

TEST_F(FuzzCommandTest, RefusesASeedThatIsNoNumber) {
  const Ran ran = run({"fuzz", "--seed", "seven", "--", "true"});
  EXPECT_EQ(ran.status, cli::kUsage);
  EXPECT_NE(ran.error.find("--seed"), std::string::npos) << ran.error;
}

TEST_F(FuzzCommandTest, RefusesToFuzzNothing) {
  EXPECT_EQ(run({"fuzz"}).status, cli::kUsage);
  EXPECT_EQ(run({"fuzz", "--url", "http://127.0.0.1:1/", "--", "true"}).status, cli::kUsage);
  EXPECT_EQ(run({"fuzz", "--url", "gopher://x"}).status, cli::kUsage);
}

TEST_F(FuzzCommandTest, RefusesACheckThatThereIsNot) {
  const Ran ran = run({"fuzz", "--checks", "crash,mood", "--", "true"});
  EXPECT_EQ(ran.status, cli::kUsage);
  EXPECT_NE(ran.error.find("no 'mood'; there are crash, hang"), std::string::npos) << ran.error;
  EXPECT_EQ(run({"fuzz", "--exclude-checks", "mood", "--", "true"}).status, cli::kUsage);
}

TEST_F(FuzzCommandTest, SaysThatATargetDoesNotStartAndWritesNothing) {
  const Ran ran = run({"fuzz", "--out", path("out"), "--", "/nonexistent/assay-no-such-server"});
  EXPECT_EQ(ran.status, cli::kNotTested);
  EXPECT_EQ(std::count(ran.error.begin(), ran.error.end(), '\n'), 1) << ran.error;
  EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(FuzzCommandTest, SaysThatATargetIsNoServer) {
  const Ran ran = run({"fuzz", "--out", path("out"), "--", "/bin/true"});
  EXPECT_EQ(ran.status, cli::kNotTested);
  EXPECT_EQ(std::count(ran.error.begin(), ran.error.end(), '\n'), 1) << ran.error;
}

TEST_F(FuzzCommandTest, RefusesAFolderThatCannotBeWritten) {
  write("file", "x");
  const Ran ran = run({"fuzz", "--out", path("file/out"), "--", "true"});
  EXPECT_EQ(ran.status, cli::kUsage);
}

TEST_F(FuzzCommandTest, RefusesACorpusThatCannotBeWrittenOrIsForAClient) {
  write("file", "x");
  const Ran ran = run({"fuzz", "--corpus", path("file/corpus"), "--", "true"});
  EXPECT_EQ(ran.status, cli::kUsage);
  EXPECT_NE(ran.error.find("cannot write a corpus into"), std::string::npos) << ran.error;
  EXPECT_EQ(run({"fuzz", "--client", "--corpus", path("c"), "--", "true"}).status, cli::kUsage);
}

TEST_F(FuzzCommandTest, SkipsDamagedFilesOfACorpusWithOneLine) {
  for (const char* name : {"case-0000000000000000.jsonl", "case-0000000000000001.jsonl"}) {
    write(std::string("corpus/") + name, "cut");
  }
  const Ran ran =
      run({"fuzz", "--corpus", path("corpus"), "--out", path("out"), "--", "/bin/true"});
  EXPECT_EQ(ran.status, cli::kNotTested);
  EXPECT_EQ(std::count(ran.error.begin(), ran.error.end(), '\n'), 2) << ran.error;
  EXPECT_NE(ran.error.find("skipped 2 files of the corpus"), std::string::npos) << ran.error;
}

TEST_F(FuzzCommandTest, TellsTheServerWhereTheSandboxIsAndTakesItAway) {
  const std::string told = path("told");
  const std::string served = path("box/served");
  EXPECT_EQ(run({"fuzz", "--sandbox", path("box"), "--env", "ROOT=a/{sandbox}", "--", "/bin/sh",
                 "-c", "echo {sandbox} $MCP_ASSAY_SANDBOX $ROOT >" + told})
                .status,
            cli::kNotTested);
  EXPECT_EQ(read("told"), served + " " + served + " a/" + served + "\n");
  EXPECT_FALSE(fs::exists(path("box")));
}

// It might serve all that there is, by right.
TEST_F(FuzzCommandTest, RefusesASandboxThatTheServerIsNotToldOf) {
  const Ran ran = run({"fuzz", "--sandbox", path("box"), "--env", "A=b", "--", "/bin/true"});
  EXPECT_EQ(ran.status, cli::kUsage);
  EXPECT_NE(ran.error.find("--env MCP_ASSAY_SANDBOX={sandbox}"), std::string::npos) << ran.error;
  EXPECT_FALSE(fs::exists(path("box")));
  EXPECT_EQ(
      run({"fuzz", "--sandbox", path("box"), "--env", "ROOT={sandbox}", "--", "/bin/true"}).status,
      cli::kNotTested);
}

TEST_F(FuzzCommandTest, RefusesASandboxThatCannotBeOrIsMissing) {
  write("box/assay-outside.txt", "mine");
  const Ran ran = run({"fuzz", "--sandbox", path("box"), "--", "true"});
  EXPECT_EQ(ran.status, cli::kUsage);
  EXPECT_NE(ran.error.find("--sandbox: cannot make a sandbox"), std::string::npos) << ran.error;
  EXPECT_EQ(read("box/assay-outside.txt"), "mine");
  EXPECT_FALSE(fs::exists(path("box/served")));
  EXPECT_EQ(run({"fuzz", "--client", "--sandbox", path("c"), "--", "true"}).status, cli::kUsage);
  const Ran unseen = run({"fuzz", "--checks", "path-traversal", "--", "true"});
  EXPECT_EQ(unseen.status, cli::kUsage);
  EXPECT_NE(unseen.error.find("path-traversal needs --sandbox DIR"), std::string::npos);
}

TEST_F(FuzzCommandTest, ReplaysAWayOutOfTheSandboxInOneOnly) {
  ServerFinding finding = some_finding();
  finding.suspicion = {Oracle::kTraversal, "tools/call read", "It told what is outside"};
  RunFacts facts = some_facts();
  facts.sandbox = "/tmp/box";
  facts.sandbox_environment = {"ROOT={sandbox}"};
  ASSERT_EQ(write_finding(folder_, facts, finding), std::nullopt);
  EXPECT_EQ(replay_command(facts, "x"),
            "mcp-assay replay x --sandbox /tmp/box --env 'ROOT={sandbox}' -- node x.js");
  const Ran ran = run({"replay", path("crash-0badcafe"), "--", "true"});
  EXPECT_EQ(ran.status, cli::kUsage);
  EXPECT_NE(ran.error.find("give --sandbox DIR"), std::string::npos) << ran.error;
}

// Not only what leads out of it needs it.
TEST_F(FuzzCommandTest, ReplaysInASandboxWhatSpeaksOfOne) {
  RunFacts facts = some_facts();
  ASSERT_EQ(write_finding(folder_, facts, some_finding()), std::nullopt);
  EXPECT_EQ(read("crash-0badcafe/reproduce.sh").find("--sandbox"), std::string::npos);
  EXPECT_EQ(run({"replay", path("crash-0badcafe"), "--", "/nonexistent/assay", "{sandbox}"}).status,
            cli::kUsage);
  facts.sandbox = "/tmp/box";
  facts.target.command = {"/nonexistent/assay", "{sandbox}"};
  ASSERT_EQ(write_finding(folder_, facts, some_finding()), std::nullopt);
  EXPECT_NE(read("crash-0badcafe/reproduce.sh").find("mktemp -d"), std::string::npos);
  const Ran ran = run({"replay", path("crash-0badcafe"), "--trust"});
  EXPECT_EQ(ran.status, cli::kUsage);
  EXPECT_NE(ran.error.find("give --sandbox DIR"), std::string::npos) << ran.error;
  EXPECT_EQ(run({"replay", path("crash-0badcafe"), "--trust", "--sandbox", path("box")}).status,
            cli::kNotTested);
  EXPECT_EQ(run({"replay", path("crash-0badcafe"), "--", "/nonexistent/assay"}).status,
            cli::kNotTested);
  ServerFinding finding = some_finding();
  finding.recipe.steps[0].bytes = "\"@SANDBOX@/assay-outside.txt\"\n";
  ASSERT_EQ(write_finding(folder_, some_facts(), finding), std::nullopt);
  EXPECT_EQ(run({"replay", path("crash-0badcafe"), "--", "/nonexistent/assay"}).status,
            cli::kUsage);
}

TEST_F(FuzzCommandTest, TellsTheNamedCommandOfTheSandboxAsItWasTold) {
  RunFacts facts = some_facts();
  const std::string told = path("told");
  facts.sandbox = "/tmp/box";
  facts.sandbox_environment = {"ROOT=file://{sandbox}/a"};
  facts.target.command = {"/bin/sh", "-c", "echo $ROOT >" + told};
  ASSERT_EQ(write_finding(folder_, facts, some_finding()), std::nullopt);
  const std::string finding = path("crash-0badcafe");
  const Ran shown = run({"replay", finding});
  EXPECT_NE(shown.error.find("--sandbox DIR --env 'ROOT=file://{sandbox}/a' -- /bin/sh"),
            std::string::npos)
      << shown.error;
  EXPECT_EQ(run({"replay", finding, "--trust", "--sandbox", path("box")}).status, cli::kNotTested);
  EXPECT_EQ(read("told"), "file://" + path("box/served") + "/a\n");
}

TEST_F(FuzzCommandTest, WritesDownNoKeyBesideTheSandbox) {
  RunFacts facts = some_facts();
  facts.sandbox = "/tmp/box";
  facts.sandbox_environment = {"STORE=https://key:hunter2@host/?root={sandbox}",
                               "ROOT={sandbox}/a"};
  EXPECT_EQ(replay_command(facts, "x"),
            "mcp-assay replay x --sandbox /tmp/box --env STORE=\"$STORE\" --env "
            "'ROOT={sandbox}/a' -- node x.js");
  ASSERT_EQ(write_finding(folder_, facts, some_finding()), std::nullopt);
  for (const auto& entry : fs::directory_iterator(path("crash-0badcafe"))) {
    const std::string text = read("crash-0badcafe/" + entry.path().filename().string());
    EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
  }
  EXPECT_NE(read("crash-0badcafe/reproduce.sh")
                .find("#   ./reproduce.sh --trust --env STORE=\"$STORE\"\n"),
            std::string::npos);
}

// The program is only a name here: what counts is what it is called with.
TEST_F(FuzzCommandTest, ReproducesAWayOutOfTheSandboxInADirectoryOfItsOwn) {
  ServerFinding finding = some_finding();
  finding.suspicion.oracle = Oracle::kTraversal;
  RunFacts facts = some_facts();
  facts.sandbox = "/tmp/box";
  ASSERT_EQ(write_finding(folder_, facts, finding), std::nullopt);
  write("program", "#!/bin/sh\nshift 2; echo \"$@\" >" + path("called") + "\nexit 1\n");
  fs::permissions(path("program"), fs::perms::owner_all);
  const auto reproduce = [&](const std::string& arguments) {
    return WEXITSTATUS(std::system(("MCP_ASSAY='" + path("program") + "' '" +
                                    path("crash-0badcafe/reproduce.sh") + "' " + arguments)
                                       .c_str()));
  };
  EXPECT_EQ(reproduce("-- server '{sandbox}'"), 1);
  const std::string called = read("called");
  ASSERT_EQ(called.find("--sandbox /"), 0u) << called;
  EXPECT_TRUE(called.ends_with(" -- server {sandbox}\n")) << called;
  EXPECT_FALSE(fs::exists(called.substr(10, called.find(' ', 10) - 10)));
  EXPECT_EQ(reproduce("--sandbox /tmp/mine --url http://x/"), 1);
  EXPECT_EQ(read("called"), "--sandbox /tmp/mine --url http://x/\n");
}

TEST_F(FuzzCommandTest, RefusesDamagedFindings) {
  EXPECT_EQ(run({"replay", path("nothing-there")}).status, cli::kUsage);
  write("a/finding.json", "{\"fuzz\":");
  EXPECT_EQ(run({"replay", path("a")}).status, cli::kUsage);
  write("b/finding.json", "{\"fuzz\":{\"oracle\":\"mood\",\"fresh\":false}}");
  EXPECT_EQ(run({"replay", path("b")}).status, cli::kUsage);
  ASSERT_EQ(write_finding(folder_, some_facts(), some_finding()), std::nullopt);
  write("crash-0badcafe/input.jsonl", "{\"bytes\":");
  const Ran ran = run({"replay", path("crash-0badcafe")});
  EXPECT_EQ(ran.status, cli::kUsage);
  EXPECT_NE(ran.error.find("line 1"), std::string::npos) << ran.error;
}

TEST_F(FuzzCommandTest, SaysThatAReplaysTargetDoesNotStart) {
  ASSERT_EQ(write_finding(folder_, some_facts(), some_finding()), std::nullopt);
  EXPECT_EQ(run({"replay", path("crash-0badcafe"), "--", "/nonexistent/assay"}).status,
            cli::kNotTested);
}

// Whoever wrote the finding chose the command in it.
TEST_F(FuzzCommandTest, ReplaysNoCommandThatOnlyTheFindingNames) {
  RunFacts facts = some_facts();
  const std::string ran = path("ran");
  facts.target.command = {"/bin/sh", "-c", "touch " + ran};
  ASSERT_EQ(write_finding(folder_, facts, some_finding()), std::nullopt);
  const std::string finding = path("crash-0badcafe");
  const Ran shown = run({"replay", finding});
  EXPECT_EQ(shown.status, cli::kUsage);
  EXPECT_FALSE(fs::exists(ran));
  EXPECT_NE(shown.error.find("replay " + finding + " -- /bin/sh -c 'touch " + ran + "'"),
            std::string::npos)
      << shown.error;
  EXPECT_EQ(run({"replay", finding, "--trust"}).status, cli::kNotTested);
  EXPECT_TRUE(fs::exists(ran));
}

TEST_F(FuzzCommandTest, AsksNoUrlThatOnlyTheFindingNames) {
  RunFacts facts = some_facts();
  facts.target.command.clear();
  facts.target.url = "http://127.0.0.1:1/mcp";
  ASSERT_EQ(write_finding(folder_, facts, some_finding()), std::nullopt);
  const Ran shown = run({"replay", path("crash-0badcafe")});
  EXPECT_EQ(shown.status, cli::kUsage);
  EXPECT_NE(shown.error.find("--url http://127.0.0.1:1/mcp"), std::string::npos) << shown.error;
  EXPECT_EQ(run({"replay", path("crash-0badcafe"), "--trust"}).status, cli::kNotTested);
}

TEST_F(FuzzCommandTest, WritesAFindingThatIsReadBack) {
  ASSERT_EQ(write_finding(folder_, some_facts(), some_finding()), std::nullopt);
  const auto loaded = load_finding(path("crash-0badcafe/finding.json"));
  ASSERT_TRUE(std::holds_alternative<Saved>(loaded)) << std::get<std::string>(loaded);
  const Saved& saved = std::get<Saved>(loaded);
  EXPECT_EQ(saved.recipe, some_finding().recipe);
  EXPECT_EQ(saved.signature, "crash: signal 6");
  EXPECT_EQ(saved.command, some_facts().target.command);
  for (const char* name : {"input.jsonl", "transcript.jsonl", "finding.json", "reproduce.sh"}) {
    EXPECT_TRUE(fs::exists(folder_ / "crash-0badcafe" / name)) << name;
  }
  EXPECT_NE(fs::status(path("crash-0badcafe/reproduce.sh")).permissions() & fs::perms::owner_exec,
            fs::perms::none);
}

TEST_F(FuzzCommandTest, WritesAFindingThatIsAReport) {
  ASSERT_EQ(write_finding(folder_, some_facts(), some_finding()), std::nullopt);
  const auto report = reports::parse_json(read("crash-0badcafe/finding.json"));
  ASSERT_TRUE(std::holds_alternative<reports::Result>(report)) << std::get<std::string>(report);
  const auto& run = std::get<reports::Result>(report).runs.at(0);
  ASSERT_EQ(run.verdicts.size(), 1u);
  EXPECT_EQ(run.verdicts[0].requirement, "fuzz.crash-0badcafe");
  EXPECT_EQ(run.verdicts[0].outcome, reports::Outcome::kViolated);
}

TEST(FuzzReport, FailsForADeathThatWasNotShownAgainAndForNothingElseThatIsOnlySuspected) {
  ServerFinding finding;
  finding.id = "suspected-crash-0badcafe";
  finding.suspicion = {Oracle::kCrash, "exit status 1", "The process ended: exit status 1"};
  finding.proof = Proof::kNotTried;
  const reports::Result died = to_result({}, {finding});
  EXPECT_TRUE(reports::has_failed(died));
  EXPECT_EQ(died.runs.at(0).status, reports::RunStatus::kViolations);
  finding.suspicion.oracle = Oracle::kHang;
  const reports::Result hung = to_result({}, {finding});
  EXPECT_FALSE(reports::has_failed(hung));
  const auto& verdicts = hung.runs.at(0).verdicts;
  const auto found = std::find_if(verdicts.begin(), verdicts.end(), [](const auto& verdict) {
    return verdict.outcome == reports::Outcome::kInconclusive;
  });
  ASSERT_NE(found, verdicts.end());
  EXPECT_NE(found->detail.find("there was no time to reproduce it"), std::string::npos);
}

// Who follows every nextCursor does what pagination asks for, however often it is the same.
TEST(FuzzReport, BreaksNoMustWhereNoSentenceForbidsIt) {
  ClientFinding finding;
  finding.id = "undue-requests-0badcafe";
  finding.suspicion = {ClientOracle::kUndue, "", "It sent one request 1000 times"};
  const reports::Result result = to_result(ClientFacts(), {finding});
  EXPECT_FALSE(reports::has_failed(result));
  EXPECT_EQ(result.runs.at(0).verdicts.at(0).level, reports::Level::kShould);
  EXPECT_TRUE(fails_the_run(finding));
}

TEST(FuzzReport, SaysWhatSpeaksAgainstASuspicionOfAClient) {
  ClientFinding finding;
  finding.id = "suspected-hang-0badcafe";
  finding.suspicion = {ClientOracle::kHang, "idle", "It did not end"};
  finding.is_proved = false;
  EXPECT_NE(how(finding).find("there was no time to reproduce it"), std::string::npos);
  finding.tries = 7;
  EXPECT_NE(how(finding).find("it did not reproduce in 7 launches"), std::string::npos);
  EXPECT_EQ(how(finding).find("busy"), std::string::npos);
  finding.longest_blink = std::chrono::seconds(1);
  EXPECT_NE(how(finding).find("for 1000 ms"), std::string::npos) << how(finding);
  const reports::Result result = to_result(ClientFacts(), {finding});
  EXPECT_EQ(result.runs.at(0).verdicts.at(0).outcome, reports::Outcome::kInconclusive);
  EXPECT_FALSE(fails_the_run(finding));
  finding.suspicion.is_certain = true;
  EXPECT_TRUE(fails_the_run(finding));
}

TEST(FuzzReport, SaysWhatStayedSilent) {
  RunFacts facts;
  facts.revision = "2025-11-25";
  const reports::Result result = to_result(facts, {});
  EXPECT_FALSE(reports::has_failed(result));
  for (const reports::Verdict& verdict : result.runs.at(0).verdicts) {
    EXPECT_EQ(verdict.outcome, reports::Outcome::kSatisfied);
    EXPECT_NE(verdict.requirement, "fuzz.server-error") << "only over HTTP";
  }
}

}  // namespace
}  // namespace assay::fuzz
