// `mcp-assay tap` between a client and a stdio server.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "harness/cli/tap_testing.h"
#include "harness/recording/recording.h"
#include "reference/transport/spawn.h"

namespace assay::cli {

const std::string kProgram = std::string(ASSAY_BINARY_DIR) + "/bin/mcp-assay";
namespace {

class TapOfFault : public Tap, public testing::WithParamInterface<std::string> {};

TEST_P(TapOfFault, JudgesAsIfItWereNotThere) {
  std::vector<std::string> server = {kProgram, "reference-server"};
  if (!GetParam().empty()) server.insert(server.end(), {"--fault", GetParam()});
  start(server);
  converse();
  child_->close(soon());
  for (const Party party : {Party::kServer, Party::kClient}) {
    EXPECT_EQ(tapped(party), direct(party));
  }
  int violated = 0;
  const auto found = tapped(Party::kServer);
  for (const auto& [rule, outcome] : found) violated += outcome == reports::Outcome::kViolated;
  EXPECT_GT(found.size(), 100u);
  EXPECT_EQ(violated > 0, !GetParam().empty());
  EXPECT_EQ(errors(), "");
}

INSTANTIATE_TEST_SUITE_P(OfTheReferenceServer, TapOfFault,
                         testing::Values("", "ping-with-content", "no-jsonrpc-member",
                                         "tools-without-input-schema", "answers-twice",
                                         "id-of-other-type", "jsonrpc-1", "request-id-null",
                                         "no-server-info", "ends-at-list"),
                         [](const auto& fault) {
                           std::string name = fault.param.empty() ? "none" : fault.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// What a client does wrong behind its tour: a name, and the line.
struct Slip {
  const char* name;
  const char* line;
};

class TapOfSlip : public Tap, public testing::WithParamInterface<Slip> {};

TEST_P(TapOfSlip, JudgesTheClientAsIfItWereNotThere) {
  start({kProgram, "reference-server"});
  converse();
  child_->send(GetParam().line);
  child_->send(R"({"jsonrpc":"2.0","id":"last","method":"ping"})");
  for (std::string line = next_line(); !line.empty() && line.find("last") == std::string::npos;) {
    line = next_line();
  }
  child_->close(soon());
  const auto found = tapped(Party::kClient);
  EXPECT_EQ(found, direct(Party::kClient));
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const auto& verdict) {
    return verdict.second == reports::Outcome::kViolated;
  }));
  EXPECT_EQ(tapped(Party::kServer), direct(Party::kServer));
}

INSTANTIATE_TEST_SUITE_P(
    OfAClient, TapOfSlip,
    testing::Values(Slip{"other_version", R"({"jsonrpc":"1.0","id":90,"method":"ping"})"},
                    Slip{"null_id", R"({"jsonrpc":"2.0","id":null,"method":"ping"})"},
                    Slip{"used_id", R"({"jsonrpc":"2.0","id":1,"method":"ping"})"},
                    Slip{"fraction", R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})"},
                    Slip{"no_json", "{\"jsonrpc\""},
                    Slip{"answer_to_nobody", R"({"jsonrpc":"2.0","id":"x","result":{}})"},
                    Slip{"batch", R"([{"jsonrpc":"2.0","id":91,"method":"ping"}])"}),
    [](const auto& slip) { return slip.param.name; });

TEST_F(Tap, EndsAsItsServerDoes) {
  start_shell("exit 7");
  EXPECT_EQ(exit().code, 7);
}

TEST_F(Tap, EndsByTheSignalThatEndedItsServer) {
  start_shell("kill -9 $$");
  EXPECT_EQ(exit().signal, SIGKILL);
  EXPECT_NE(tapped(Party::kServer).size(), 1u);
}

TEST_F(Tap, PassesSignalsOn) {
  start_shell("trap 'kill $!; exit 9' TERM; tail -f /dev/null & echo ready; wait");
  EXPECT_EQ(next_line(), "ready");
  ::kill(child_->pid(), SIGTERM);
  EXPECT_EQ(exit().code, 9);
}

TEST_F(Tap, SaysNothingByItself) {
  start_shell("echo out; echo err >&2; cat >/dev/null");
  child_->close_stdin();
  EXPECT_EQ(next_line(), "out");
  EXPECT_EQ(exit().code, 0);
  child_->close(soon());
  EXPECT_EQ(errors(), "err\n");
}

TEST_F(Tap, PassesOnWhatComesBehindTheEndOfInput) {
  start_shell("wc -c");
  child_->send(std::string(3u << 20, 'x'));
  child_->close_stdin();
  EXPECT_NE(next_line().find("3145729"), std::string::npos);
  EXPECT_EQ(exit().code, 0);
}

TEST_F(Tap, TellsOfACommandThatThereIsNot) {
  start({"/no/such/server"});
  EXPECT_EQ(exit().code, 127);
  child_->close(soon());
  EXPECT_NE(errors().find("/no/such/server"), std::string::npos);
}

// Also where the server would go on without us.
TEST_F(Tap, LeavesNobodyBehindWhenItIsKilled) {
  start_shell("sleep 1000 & echo $$ $!; trap '' TERM; while :; do sleep 1000; done");
  std::istringstream numbers(next_line());
  std::vector<int> ends;
  for (pid_t pid = 0; numbers >> pid;) {
    ends.push_back(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  }
  ASSERT_EQ(ends.size(), 2u);
  child_->send("hello");
  // What passed is in the transcript before long, and not only at the end.
  const auto deadline = soon();
  while (text_of(path("transcript.jsonl")).find("hello") == std::string::npos &&
         harness::Clock::now() < deadline) {
    std::this_thread::yield();
  }
  ::kill(child_->pid(), SIGKILL);
  for (const int end : ends) {
    pollfd watched{end, POLLIN, 0};
    EXPECT_EQ(::poll(&watched, 1, 30'000), 1);
    ::close(end);
  }
  std::ifstream transcript(path("transcript.jsonl"));
  std::size_t events = 0;
  const auto read = harness::read_recording(transcript, std::make_shared<reports::Vault>(),
                                            [&](const harness::RecordedSession& session) {
                                              events += session.events.size();
                                              EXPECT_FALSE(session.is_whole);
                                            });
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(events, 2u);
}

TEST_F(Tap, HidesSecretsOfTheCommand) {
  start({"/bin/sh", "-c", "read line; echo \"$2\"", "x", "--api-key", "sesame-sesame"});
  child_->send("{}");
  EXPECT_EQ(next_line(), "sesame-sesame");
  child_->close(soon());
  const std::string transcript = text_of(path("transcript.jsonl"));
  EXPECT_EQ(transcript.find("sesame"), std::string::npos);
  EXPECT_NE(transcript.find("token#1"), std::string::npos);
  EXPECT_EQ(text_of(path("server.json")).find("sesame"), std::string::npos);
}

// The shapes are there, and nobody is blamed for what stands in place of the values.
TEST_F(Tap, LeavesValuesOutOfTheTranscriptOnRequest) {
  more_ = {"--redact"};
  start({kProgram, "reference-server"});
  converse();
  child_->close(soon());
  EXPECT_EQ(tapped(Party::kServer), direct(Party::kServer));
  EXPECT_EQ(text_of(path("transcript.jsonl")).find("This is a simple text"), std::string::npos);
  std::ifstream transcript(path("transcript.jsonl"));
  harness::PassiveJudge judge(Party::kServer);
  const auto read = harness::read_recording(
      transcript, std::make_shared<reports::Vault>(),
      [&](const harness::RecordedSession& session) { EXPECT_TRUE(judge.add(session)); });
  EXPECT_EQ(read.error, "");
  for (const auto& [rule, outcome] : outcomes(judge.finish({}))) {
    EXPECT_NE(outcome, reports::Outcome::kViolated) << rule;
  }
}

// The disk is full, and the traffic goes on; the report says so.
TEST_F(Tap, GoesOnWhereNothingCanBeWritten) {
  std::filesystem::create_symlink("/dev/full", path("transcript.jsonl"));
  start({kProgram, "reference-server"});
  converse();
  child_->close(soon());
  const auto parsed = reports::parse_json(text_of(path("server.json")));
  const auto& result = std::get<reports::Result>(parsed);
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(result.runs[0].status, reports::RunStatus::kConformant);
  EXPECT_NE(result.runs[0].reason.find("No space"), std::string::npos) << result.runs[0].reason;
}

// Whoever starts a client may leave his children to nobody.
TEST_F(Tap, EndsWhereTheEndsOfChildrenAreIgnored) {
  launcher_ = {"/bin/sh", "-c", "trap '' CHLD; exec \"$@\"", "sh"};
  start_shell("exit 7");
  EXPECT_EQ(exit().code, 7);
}

TEST_F(Tap, EndsWhereNoStandardStreamIsOpen) {
  launcher_ = {"/bin/sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh"};
  start_shell("exit 7");
  EXPECT_EQ(exit().code, 7);
  EXPECT_NE(text_of(path("server.json")).find("\"schema\""), std::string::npos);
}

// A client that does not read, and a server that never ends what it says.
TEST_F(Tap, EndsWhenItIsToldToWhereNobodyReads) {
  transport::SpawnOptions options;
  options.command = {kProgram, "tap", "--report", "json=" + path("{party}.json"), "--", "yes"};
  auto spawned = transport::spawn(options);
  ASSERT_TRUE(std::holds_alternative<transport::Spawned>(spawned));
  auto& tap = std::get<transport::Spawned>(spawned);
  pollfd watched{tap.stdout_pipe.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&watched, 1, 30'000), 1);
  ::kill(tap.pid, SIGTERM);
  watched = {tap.exited.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&watched, 1, 30'000), 1);
  int status = 0;
  ::kill(tap.pid, SIGKILL);
  ::waitpid(tap.pid, &status, 0);
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

// A signal that asks for something else is no excuse for an end.
TEST_F(Tap, TellsSignalsThatEndAServerFromOthers) {
  // The end of its input may overtake the signal: it waits on.
  start_shell("trap 'exit 9' USR1; echo ready; while :; do read line; done");
  EXPECT_EQ(next_line(), "ready");
  ::kill(child_->pid(), SIGUSR1);
  child_->close_stdin();
  EXPECT_EQ(exit().code, 9);
  EXPECT_NE(text_of(path("transcript.jsonl")).find("\"was_killed_by_us\":false"),
            std::string::npos);
}

TEST_F(Tap, PassesOnWhatIsNestedWithoutEnd) {
  more_ = {"--redact"};
  start({"cat"});
  const std::string deep(1u << 20, '[');
  child_->send(deep);
  EXPECT_EQ(next_line(), deep);
  child_->close_stdin();
  EXPECT_EQ(exit().code, 0);
}

TEST_F(Tap, TellsOfAReportThatCannotBeWritten) {
  more_ = {"--report", "json=" + path("gone/{party}-2.json")};
  start({"/bin/sh", "-c", "rm -r \"$1\"; : > \"$1\"", "sh", path("gone")});
  EXPECT_EQ(exit().code, 0);
  child_->close(soon());
  EXPECT_NE(errors().find("cannot write"), std::string::npos) << errors();
}

TEST_F(Tap, NamesEachSessionEverywhere) {
  more_ = {"--report", "json=" + path("{session}/{party}-{session}.json")};
  start_shell("exit 0");
  EXPECT_EQ(exit().code, 0);
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder_)) {
    EXPECT_EQ(each.path().string().find('{'), std::string::npos) << each.path();
  }
}

TEST_F(Tap, RefusesWhatWouldGoNowhere) {
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--listen", "0"}, {"--party", "server", "--report", "json=-"}}) {
    more_ = wrong;
    start_shell("exit 0");
    EXPECT_EQ(exit().code, 2) << wrong[0];
    child_->close(soon());
  }
}

}  // namespace
}  // namespace assay::cli
