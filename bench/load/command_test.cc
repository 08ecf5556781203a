// The subcommands `bench` and `compare` as a user meets them.
#include "harness/frame/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace assay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::internal::CaptureStderr;
using testing::internal::CaptureStdout;
using testing::internal::GetCapturedStderr;
using testing::internal::GetCapturedStdout;

struct Outcome {
  int status = -1;
  std::string output;
  std::string errors;
};

Outcome run(const std::vector<std::string>& arguments) {
  CaptureStdout();
  CaptureStderr();
  Outcome outcome;
  outcome.status = run_command_line(arguments);
  outcome.output = GetCapturedStdout();
  outcome.errors = GetCapturedStderr();
  return outcome;
}

std::string file_with(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  return path;
}

std::vector<std::string> plain_cat(const std::vector<std::string>& options) {
  std::vector<std::string> all = {"bench", "--plain", "--warm-up", "0.001"};
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(), {"--", "/bin/cat"});
  return all;
}

TEST(BenchCommand, MistakesAreOneLineAndStatus2) {
  const std::string bad_mix =
      file_with("bad.yaml", "requests:\n  - method: ping\n    weight: no\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"bench"}, "name a target"},
      {{"bench", "--url", "http://127.0.0.1:1/", "--", "cat"}, "name one target"},
      {{"bench", "--rate", "fast", "--", "cat"}, "'fast'"},
      {{"bench", "--rate", "-1", "--", "cat"}, "'-1'"},
      {{"bench", "--mix", bad_mix, "--", "cat"}, "line 3: weight"},
      {{"bench", "--mix", "/no/such/file", "--", "cat"}, "/no/such/file"},
      {{"bench", "--url", "ftp://x/"}, "--url: the URL begins with"},
      {{"bench", "--url", "https://x/"}, "plain HTTP"},
      {{"bench", "--url", "http://x/", "--pipeline", "2"}, "--pipeline"},
      {{"bench", "--report", "xml=x", "--", "cat"}, "json=PATH"},
      {{"bench", "--revision", "2020-01-01", "--", "cat"}, "unknown revision"},
      {{"bench", "--find-limit", "--rate", "5", "--", "cat"}, "leave out --rate"},
      {{"bench", "--find-limit", "--limit", "soon", "--", "cat"}, "'soon'"},
      {{"bench", "--find-limit", "--limit", "0", "--", "cat"}, "from 0.001 to 60000"},
      {{"bench", "--find-limit", "--limit", "900", "--", "cat"}, "--warm-up, which is 500 ms"},
      {{"bench", "--limit", "5", "--", "cat"}, "--limit is for --find-limit"},
      {{"bench", "--plot", "x.svg", "--", "cat"}, "--plot is for --find-limit"},
      {{"bench", "--find-limit", "--plot", "-", "--report", "json=-", "--", "cat"}, "only one of"},
      {{"bench", "--find-limit", "--plot", "/dev/null/x.svg", "--", "cat"}, "/dev/null"},
      {{"bench", "--find-limit", "--url", "http://x/", "--pipeline", "2"}, "--pipeline"},
      {{"bench", "--connections", "0", "--", "cat"}, "--connections"},
  };
  for (const auto& [arguments, sentence] : mistakes) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, kUsage) << sentence;
    EXPECT_THAT(outcome.errors, HasSubstr(sentence));
    EXPECT_EQ(outcome.output, "");
  }
}

TEST(BenchCommand, ATargetThatCannotBeMeasuredIsStatus3) {
  const Outcome missing = run({"bench", "--", "/no/such/command"});
  EXPECT_EQ(missing.status, kNotTested);
  EXPECT_THAT(missing.errors, HasSubstr("mcp-assay bench: /no/such/command: command not found"));
  const Outcome unreachable = run({"bench", "--url", "http://127.0.0.1:1/mcp"});
  EXPECT_EQ(unreachable.status, kNotTested);
  EXPECT_THAT(unreachable.errors, HasSubstr("cannot connect to http://127.0.0.1:1"));
}

TEST(BenchCommand, PrintsAndStoresWhatItMeasured) {
  const std::string path = testing::TempDir() + "/bench.json";
  const Outcome outcome = run(plain_cat({"--time", "1.2", "--report", "json=" + path}));
  EXPECT_EQ(outcome.status, kConformant);
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("throughput"), HasSubstr("p99.99")));
  const Outcome same = run({"compare", path, path});
  EXPECT_EQ(same.status, kConformant);
  EXPECT_THAT(same.output, AllOf(HasSubstr("x 1.000"), HasSubstr("Not worse.")));
}

TEST(BenchCommand, ResultAloneCanGoToStandardOutput) {
  const Outcome outcome = run(plain_cat({"--time", "0.2", "--report", "json=-"}));
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("{\"schema\":\"mcp-assay-bench/1\""),
                                    Not(HasSubstr("throughput  "))));
}

TEST(BenchCommand, FailedRequestsAreStatus1) {
  // It answers, but not with JSON-RPC.
  const Outcome outcome = run(
      {"bench", "--warm-up", "0.001", "--time", "0.2", "--timeout", "0.2", "--", "/bin/sh", "-c",
       "read -r x; echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}'; while read -r x; do echo "
       "oops; done"});
  EXPECT_EQ(outcome.status, kViolations);
  // The request under way when the time is over may be counted as well, on a busy machine.
  EXPECT_THAT(outcome.output, testing::ContainsRegex("[^0-9][12] no answer in time"));
}

// It answers once and never again, so that no rate is held, however busy the machine.
TEST(BenchCommand, SearchesForTheHighestRate) {
  const std::string json = testing::TempDir() + "/limit.json";
  const std::string plot = testing::TempDir() + "/limit.svg";
  const Outcome outcome =
      run({"bench", "--plain", "--find-limit", "--time", "0.2", "--warm-up", "0.02", "--timeout",
           "0.3", "--report", "json=" + json, "--plot", plot, "--", "/bin/sh", "-c",
           "read -r x; echo y; cat >/dev/null; :"});
  EXPECT_EQ(outcome.status, kViolations);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("p99 at most 10.0 ms"), HasSubstr("no answer in time"),
                    HasSubstr("did not hold even 25.0/s")));
  const auto text_of = [](const std::string& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_THAT(text_of(json), HasSubstr("mcp-assay-bench-limit/1"));
  EXPECT_THAT(text_of(plot), HasSubstr("</svg>"));
  EXPECT_THAT(run({"compare", json, json}).errors, HasSubstr("result of 'bench --find-limit'"));
}

TEST(CompareCommand, RefusesAMixtureOfKinds) {
  const std::string report = file_with("report.json", R"({"schema":"mcp-assay-report/2"})");
  const std::string load = file_with("load.json", R"({"schema":"mcp-assay-bench/1"})");
  EXPECT_EQ(run({"compare", report, load}).status, kUsage);
  EXPECT_EQ(run({"compare", "--markdown", load, load}).status, kUsage);
}

}  // namespace
}  // namespace assay::cli
