// What a user sees who makes a mistake, or whose server is not one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/cli/command.h"

namespace assay::cli {
namespace {

struct Outcome {
  int status = 0;
  std::string output;
  std::string errors;
};

Outcome run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "server");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.status = run_command_line(arguments);
  outcome.output = testing::internal::GetCapturedStdout();
  outcome.errors = testing::internal::GetCapturedStderr();
  return outcome;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ServerCommand, NeedsATarget) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.errors, "nothing to certify")) << outcome.errors;
}

TEST(ServerCommand, SaysThatACommandStandsBehindDashes) {
  const Outcome outcome = run({"--revision", "2025-11-25", "node", "my server.js"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.errors, "mcp-assay server -- node 'my server.js'")) << outcome.errors;
  EXPECT_FALSE(says(run({"--nonsense", "--", "true"}).errors, "stands behind"));
  EXPECT_FALSE(says(run({"--nonsense"}).errors, "stands behind"));
}

TEST(ServerCommand, ListsTheKnownRevisions) {
  const Outcome outcome = run({"--revision", "2023-01-01", "--", "true"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.errors, "2025-11-25")) << outcome.errors;
}

TEST(ServerCommand, RefusesAScenarioThatNothingMatches) {
  const Outcome outcome = run({"--scenario", "no_such_*", "--", "true"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.errors, "list scenarios")) << outcome.errors;
}

TEST(ServerCommand, RefusesAVersionOfTheCatalogueThatThereIsNot) {
  const Outcome outcome = run({"--catalogue", "4711", "--", "true"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.errors, "known: 1 to")) << outcome.errors;
}

TEST(ServerCommand, ChecksReportsBeforeItStarts) {
  EXPECT_EQ(run({"--report", "papyrus=x", "--", "true"}).status, kUsage);
  const Outcome outcome = run({"--report", "json=/proc/no/such/report.json", "--", "true"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.errors, "/proc/no/such/report.json")) << outcome.errors;
  EXPECT_EQ(outcome.output, "");
}

TEST(ServerCommand, RefusesOptionsThatFitNoTarget) {
  EXPECT_EQ(run({"--header", "A: b", "--", "true"}).status, kUsage);
  EXPECT_EQ(run({"--env", "A=b", "--url", "http://127.0.0.1:1/mcp"}).status, kUsage);
  EXPECT_EQ(run({"--env", "novalue", "--", "true"}).status, kUsage);
  EXPECT_EQ(run({"--header", "no colon", "--url", "http://127.0.0.1:1/mcp"}).status, kUsage);
  EXPECT_EQ(run({"--url", "ftp://127.0.0.1/"}).status, kUsage);
}

TEST(ServerCommand, SaysThatACommandDoesNotExist) {
  const Outcome outcome = run({"--revision", "2025-11-25", "--", "/no/such/command"});
  EXPECT_EQ(outcome.status, kNotTested);
  EXPECT_TRUE(says(outcome.output, "not found")) << outcome.output;
}

TEST(ServerCommand, SaysThatAFileCannotBeRun) {
  const Outcome outcome = run({"--revision", "2025-11-25", "--", "/etc/passwd"});
  EXPECT_EQ(outcome.status, kNotTested);
  EXPECT_TRUE(says(outcome.output, "/etc/passwd")) << outcome.output;
}

TEST(ServerCommand, ShowsTheLastWordsOfAServerThatExits) {
  const Outcome outcome =
      run({"--revision", "2025-11-25", "--", "sh", "-c", "echo last words >&2; exit 3"});
  EXPECT_EQ(outcome.status, kNotTested);
  EXPECT_TRUE(says(outcome.output, "exit status 3")) << outcome.output;
  EXPECT_TRUE(says(outcome.output, "last words")) << outcome.output;
}

TEST(ServerCommand, DoesNotWaitLongerThanItWasTold) {
  const Outcome outcome =
      run({"--timeout", "0.1", "--", "sh", "-c", "while read -r line; do :; done"});
  EXPECT_EQ(outcome.status, kNotTested);
  EXPECT_TRUE(says(outcome.output, "within 0.1 s; --timeout")) << outcome.output;
  EXPECT_TRUE(says(outcome.output, "The target could not be tested.")) << outcome.output;
}

TEST(ServerCommand, SaysThatNobodyListens) {
  const Outcome outcome = run({"--revision", "2025-11-25", "--url", "http://127.0.0.1:1/mcp"});
  EXPECT_EQ(outcome.status, kNotTested);
  EXPECT_TRUE(says(outcome.output, "Connection refused")) << outcome.output;
}

TEST(ServerCommand, KeepsStandardOutputForAReportThatGoesThere) {
  const Outcome outcome = run({"--revision", "2025-11-25", "--report", "json=-", "--", "sh", "-c",
                               "echo last words >&2; exit 3"});
  EXPECT_EQ(outcome.output.substr(0, 1), "{") << outcome.output;
  EXPECT_FALSE(says(outcome.output, "could not be tested in"));
  EXPECT_TRUE(says(outcome.errors, "could not be tested")) << outcome.errors;
  EXPECT_EQ(run({"--report", "json=-", "--report", "tap=-", "--", "true"}).status, kUsage);
  EXPECT_EQ(run({"--report", "json=-", "--overview", "-", "--", "true"}).status, kUsage);
}

TEST(ServerCommand, SaysThatATranscriptCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  const Outcome outcome = run({"--revision", "2025-11-25", "--transcript", "/dev/full", "--", "sh",
                               "-c", "echo words >&2; exit 3"});
  EXPECT_NE(outcome.status, kConformant);
  EXPECT_TRUE(says(outcome.errors, "could not be written whole")) << outcome.errors;
}

// A wrong option may hold all but the colon of a credential.
TEST(ServerCommand, RepeatsNoHeaderThatItRefuses) {
  const Outcome outcome = run({"--header", "Bearer abcdefgh", "--url", "http://127.0.0.1:1/mcp"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_FALSE(says(outcome.errors, "abcdefgh")) << outcome.errors;
}

TEST(ServerCommand, RefusesOptionsThatFitNoListOfServers) {
  EXPECT_EQ(run({"--config", "/no/such.json"}).status, kUsage);
  EXPECT_EQ(run({"--config", "x.json", "--url", "http://127.0.0.1:1/mcp"}).status, kUsage);
  EXPECT_EQ(run({"--config", "x.json", "--", "true"}).status, kUsage);
  EXPECT_EQ(run({"--name", "x", "--", "true"}).status, kUsage);
  EXPECT_EQ(run({"--shard", "3/2", "--", "true"}).status, kUsage);
}

TEST(ServerCommand, SaysWhichExpectedFailuresCannotBeRead) {
  EXPECT_EQ(run({"--expected-failures", "/no/such.yaml", "--", "true"}).status, kUsage);
  const auto path = std::filesystem::temp_directory_path() / "assay-expected-test.yaml";
  std::ofstream(path) << "server: [unclosed\n";
  const Outcome outcome = run({"--expected-failures", path.string(), "--", "true"});
  std::filesystem::remove(path);
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.errors, "assay-expected-test.yaml")) << outcome.errors;
}

TEST(ServerCommand, SaysWhichLineOfAProfileIsWrong) {
  const auto path = std::filesystem::temp_directory_path() / "assay-profile-test.yaml";
  std::ofstream(path) << "tools:\n  search:\n    dose: fails\n";
  const Outcome outcome = run({"--profile", path.string(), "--", "true"});
  std::filesystem::remove(path);
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.errors, "assay-profile-test.yaml': line 3: unknown key 'dose'"))
      << outcome.errors;
}

TEST(ServerCommand, TakesNoProfileOfAClient) {
  const Outcome outcome = run({"--profile", "inspector-cli", "--", "true"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.errors, "'inspector-cli' says nothing of a server")) << outcome.errors;
}

TEST(ServerCommand, SaysThatThereIsNoSuchProfile) {
  const Outcome outcome = run({"--profile", "no-such-profile", "--", "true"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_TRUE(says(outcome.errors, "no-such-profile")) << outcome.errors;
  EXPECT_TRUE(says(outcome.errors, "list profiles")) << outcome.errors;
}

}  // namespace
}  // namespace assay::cli
