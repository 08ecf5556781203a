#include "harness/cli/command_line_testing.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <iostream>
#include <sstream>

#include "harness/frame/command.h"

namespace assay::cli {

Outcome run_captured(const std::vector<std::string>& arguments, const std::string& input) {
  std::istringstream stream(input);
  std::streambuf* const original = std::cin.rdbuf(stream.rdbuf());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.status = run_command_line(arguments);
  std::fflush(stdout);
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  std::cin.rdbuf(original);
  return outcome;
}

}  // namespace assay::cli
