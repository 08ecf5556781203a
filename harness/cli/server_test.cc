// What a user sees who makes a mistake, or whose server is not one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/cli/command_line_testing.h"
#include "harness/frame/command.h"
#include "harness/script/token_issuer.h"

namespace assay::cli {
namespace {

Outcome run_server(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "server");
  return run_captured(arguments);
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ServerCommand, NeedsATarget) {
  const Outcome outcome = run_server({});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.err, "nothing to certify")) << outcome.err;
}

TEST(ServerCommand, SaysThatACommandFollowsDashes) {
  const Outcome outcome = run_server({"--revision", "2025-11-25", "node", "my server.js"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.err, "mcp-assay server -- node 'my server.js'")) << outcome.err;
  EXPECT_FALSE(says(run_server({"--nonsense", "--", "true"}).err, "write '--'"));
  EXPECT_FALSE(says(run_server({"--nonsense"}).err, "write '--'"));
}

TEST(ServerCommand, ListsTheKnownRevisions) {
  const Outcome outcome = run_server({"--revision", "2023-01-01", "--", "true"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.err, "2025-11-25")) << outcome.err;
}

TEST(ServerCommand, RefusesAScenarioThatNothingMatches) {
  const Outcome outcome = run_server({"--scenario", "no_such_*", "--", "true"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.err, "list scenarios")) << outcome.err;
}

TEST(ServerCommand, RefusesAVersionOfTheCatalogueThatThereIsNot) {
  const Outcome outcome = run_server({"--catalogue", "4711", "--", "true"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.err, "known: 1 to")) << outcome.err;
}

TEST(ServerCommand, ChecksReportsBeforeItStarts) {
  EXPECT_EQ(run_server({"--report", "papyrus=x", "--", "true"}).status, kUsage);
  const Outcome outcome = run_server({"--report", "json=/proc/no/such/report.json", "--", "true"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.err, "/proc/no/such/report.json")) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST(ServerCommand, RefusesOptionsThatFitNoTarget) {
  EXPECT_EQ(run_server({"--header", "A: b", "--", "true"}).status, kUsage);
  EXPECT_EQ(run_server({"--env", "A=b", "--url", "http://127.0.0.1:1/mcp"}).status, kUsage);
  EXPECT_EQ(run_server({"--env", "novalue", "--", "true"}).status, kUsage);
  EXPECT_EQ(run_server({"--header", "no colon", "--url", "http://127.0.0.1:1/mcp"}).status, kUsage);
  EXPECT_EQ(run_server({"--url", "ftp://127.0.0.1/"}).status, kUsage);
}

TEST(ServerCommand, SaysThatACommandDoesNotExist) {
  const Outcome outcome = run_server({"--revision", "2025-11-25", "--", "/no/such/command"});
  EXPECT_EQ(outcome.status, kNotTested);
  EXPECT_TRUE(says(outcome.out, "not found")) << outcome.out;
}

TEST(ServerCommand, SaysThatAFileCannotBeRun) {
  const Outcome outcome = run_server({"--revision", "2025-11-25", "--", "/etc/passwd"});
  EXPECT_EQ(outcome.status, kNotTested);
  EXPECT_TRUE(says(outcome.out, "/etc/passwd")) << outcome.out;
}

TEST(ServerCommand, ShowsTheLastWordsOfAServerThatExits) {
  const Outcome outcome =
      run_server({"--revision", "2025-11-25", "--", "sh", "-c", "echo last words >&2; exit 3"});
  EXPECT_EQ(outcome.status, kNotTested);
  EXPECT_TRUE(says(outcome.out, "exit status 3")) << outcome.out;
  EXPECT_TRUE(says(outcome.out, "last words")) << outcome.out;
}

TEST(ServerCommand, DoesNotWaitLongerThanItWasTold) {
  const Outcome outcome =
      run_server({"--timeout", "0.1", "--", "sh", "-c", "while read -r line; do :; done"});
  EXPECT_EQ(outcome.status, kNotTested);
  EXPECT_TRUE(says(outcome.out, "within 0.1 s; --timeout")) << outcome.out;
  EXPECT_TRUE(says(outcome.out, "The target could not be tested.")) << outcome.out;
}

TEST(ServerCommand, SaysThatNobodyListens) {
  const Outcome outcome =
      run_server({"--revision", "2025-11-25", "--url", "http://127.0.0.1:1/mcp"});
  EXPECT_EQ(outcome.status, kNotTested);
  EXPECT_TRUE(says(outcome.out, "Connection refused")) << outcome.out;
}

TEST(ServerCommand, KeepsStandardOutputForAReportThatGoesThere) {
  const Outcome outcome = run_server({"--revision", "2025-11-25", "--report", "json=-", "--", "sh",
                                      "-c", "echo last words >&2; exit 3"});
  EXPECT_EQ(outcome.out.substr(0, 1), "{") << outcome.out;
  EXPECT_FALSE(says(outcome.out, "could not be tested in"));
  EXPECT_TRUE(says(outcome.err, "could not be tested")) << outcome.err;
  EXPECT_EQ(run_server({"--report", "json=-", "--report", "tap=-", "--", "true"}).status, kUsage);
  EXPECT_EQ(run_server({"--report", "json=-", "--overview", "-", "--", "true"}).status, kUsage);
}

TEST(ServerCommand, SaysWhereTheOverviewIs) {
  const std::string name = "overview-" + std::to_string(::getpid()) + ".html";
  const std::string path = (std::filesystem::temp_directory_path() / name).string();
  const Outcome outcome =
      run_server({"--revision", "2025-11-25", "--overview", path, "--", "/no/such/command"});
  EXPECT_TRUE(says(outcome.out, "\nReport: " + path + "\n")) << outcome.out;
  EXPECT_TRUE(std::filesystem::remove(path));
  const Outcome printed =
      run_server({"--revision", "2025-11-25", "--overview", "-", "--", "/no/such/command"});
  EXPECT_FALSE(says(printed.out + printed.err, "Report:")) << printed.err;
}

TEST(ServerCommand, SaysThatATranscriptCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  const Outcome outcome = run_server({"--revision", "2025-11-25", "--transcript", "/dev/full", "--",
                                      "sh", "-c", "echo words >&2; exit 3"});
  EXPECT_NE(outcome.status, kConformant);
  EXPECT_TRUE(says(outcome.err, "could not be written whole")) << outcome.err;
}

// A wrong option may hold all but the colon of a credential.
TEST(ServerCommand, RepeatsNoHeaderThatItRefuses) {
  const Outcome outcome =
      run_server({"--header", "Bearer abcdefgh", "--url", "http://127.0.0.1:1/mcp"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_FALSE(says(outcome.err, "abcdefgh")) << outcome.err;
}

TEST(ServerCommand, RefusesOptionsThatFitNoListOfServers) {
  EXPECT_EQ(run_server({"--config", "/no/such.json"}).status, kUsage);
  EXPECT_EQ(run_server({"--config", "x.json", "--url", "http://127.0.0.1:1/mcp"}).status, kUsage);
  EXPECT_EQ(run_server({"--config", "x.json", "--", "true"}).status, kUsage);
  EXPECT_EQ(run_server({"--name", "x", "--", "true"}).status, kUsage);
  EXPECT_EQ(run_server({"--shard", "3/2", "--", "true"}).status, kUsage);
}

TEST(ServerCommand, SaysWhichExpectedFailuresCannotBeRead) {
  EXPECT_EQ(run_server({"--expected-failures", "/no/such.yaml", "--", "true"}).status, kUsage);
  const auto path = std::filesystem::temp_directory_path() / "assay-expected-test.yaml";
  std::ofstream(path) << "server: [unclosed\n";
  const Outcome outcome = run_server({"--expected-failures", path.string(), "--", "true"});
  std::filesystem::remove(path);
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.err, "assay-expected-test.yaml")) << outcome.err;
}

TEST(ServerCommand, SaysWhichLineOfAProfileIsWrong) {
  const auto path = std::filesystem::temp_directory_path() / "assay-profile-test.yaml";
  std::ofstream(path) << "tools:\n  search:\n    dose: fails\n";
  const Outcome outcome = run_server({"--profile", path.string(), "--", "true"});
  std::filesystem::remove(path);
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.err, "assay-profile-test.yaml': line 3: unknown key 'dose'"))
      << outcome.err;
}

TEST(ServerCommand, TakesNoProfileOfAClient) {
  const Outcome outcome = run_server({"--profile", "inspector-cli", "--", "true"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.err, "'inspector-cli' says nothing of a server")) << outcome.err;
}

TEST(ServerCommand, SaysThatThereIsNoSuchProfile) {
  const Outcome outcome = run_server({"--profile", "no-such-profile", "--", "true"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.err, "no-such-profile")) << outcome.err;
  EXPECT_TRUE(says(outcome.err, "list profiles")) << outcome.err;
}

// Both were told of one place, so that is for one of them after the other.
TEST(ServerCommand, PlaysAuthorizationServersOnOnePortInTurn) {
  harness::TokenIssuer probe(authorization::Signing::kEs256);
  ASSERT_EQ(probe.start(), std::nullopt);
  const std::string port = std::to_string(probe.port());
  const auto path = std::filesystem::temp_directory_path() /
                    ("assay-one-port-" + std::to_string(::getpid()) + ".json");
  const std::string entry = R"({"url": "http://127.0.0.1:1/mcp", "authServerPort": )" + port + "}";
  std::ofstream(path) << R"({"mcpServers": {"a": )" << entry << R"(, "b": )" << entry << "}}";
  const std::vector<std::string> words = {"--config", path.string(), "--project",
                                          "none",     "--scenario",  "ping_*"};
  // While somebody else listens there, and afterwards.
  EXPECT_EQ(run_server(words).status, kUsage);
  probe.stop();
  const Outcome outcome = run_server(words);
  EXPECT_EQ(outcome.status, kNotTested) << outcome.err;
  EXPECT_FALSE(says(outcome.err, "authServerPort")) << outcome.err;
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace assay::cli
