#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "harness/cli/command_line_testing.h"
#include "harness/frame/command.h"

namespace assay::cli {
namespace {

using testing::HasSubstr;

Outcome fuzz(std::vector<std::string> options, const std::string& script) {
  std::vector<std::string> arguments = {"fuzz-parser"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {"--", "/bin/sh", "-c", script});
  return run_captured(arguments);
}

constexpr const char* kAcceptsAll = "while read -r line; do echo accept; done";

TEST(FuzzParserCommand, NamesWhatAParserAcceptsThatItMustNot) {
  const Outcome outcome = fuzz({"--cases", "110"}, kAcceptsAll);
  EXPECT_EQ(outcome.status, kViolations);
  EXPECT_THAT(outcome.out, HasSubstr("accepts nothing but white space: "));
  EXPECT_THAT(outcome.out, HasSubstr("accepts a comment: "));
  EXPECT_THAT(outcome.err, HasSubstr("110 questions in "));
}

TEST(FuzzParserCommand, AsksTheSameQuestionsForTheSameSeed) {
  const std::vector<std::string> options = {"--cases", "300", "--seed", "9"};
  EXPECT_EQ(fuzz(options, kAcceptsAll).out, fuzz(options, kAcceptsAll).out);
}

TEST(FuzzParserCommand, ReportsWhatEndsTheParser) {
  // It ends at the empty text.
  const Outcome outcome = fuzz(
      {"--cases", "10"}, R"(while read -r line; do [ -n "$line" ] || exit 3; echo refuse; done)");
  EXPECT_EQ(outcome.status, kViolations);
  EXPECT_THAT(outcome.out, HasSubstr("ends:  (it ended with status 3)"));
  EXPECT_THAT(outcome.err, HasSubstr("10 questions"));
}

TEST(FuzzParserCommand, RefusesAParserThatSpeaksAnotherProtocol) {
  const Outcome outcome = fuzz({"--cases", "10"}, "while read -r line; do echo hello; done");
  EXPECT_EQ(outcome.status, kNotTested);
  EXPECT_THAT(outcome.err, HasSubstr("no answer to the first question"));
  EXPECT_THAT(outcome.err, HasSubstr("it answered 'hello'"));
}

TEST(FuzzParserCommand, SaysInOneLineThatACommandDoesNotStart) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_command_line({"fuzz-parser", "--", "/no/such/parser"}), kNotTested);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("/no/such/parser"));
}

TEST(FuzzParserCommand, NeedsACommandAndANumber) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_command_line({"fuzz-parser"}), kUsage);
  EXPECT_EQ(run_command_line({"fuzz-parser", "--seed", "x", "--", "cat"}), kUsage);
  EXPECT_EQ(run_command_line({"fuzz-parser", "--cases", "0", "--", "cat"}), kUsage);
  testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace assay::cli
