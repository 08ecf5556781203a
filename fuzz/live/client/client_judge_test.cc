// Whether the end of a client is its way to refuse, or a crash.
#include "fuzz/live/client/client_judge.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::fuzz {
namespace {

LaunchReport ended(int status, std::string errors) {
  LaunchReport report;
  report.end.kind = harness::GuestEnd::Kind::kExited;
  report.end.exit.code = status;
  report.end.errors = std::move(errors);
  return report;
}

std::string thrown(const std::string& exception, int line) {
  return exception + "\n    at f (file:///srv/a.mjs:" + std::to_string(line) +
         ":5)\n\nNode.js v20.20.2\n";
}

// A client that lets every refusal end it with status 1, as Node.js does.
ClientBaseline refusing_with_one() {
  ClientBaseline baseline;
  baseline.learn(ended(0, ""));
  baseline.learn(ended(1, thrown("Error: MCP error -32603", 7)));
  return baseline;
}

std::string judged(const LaunchReport& report) {
  const auto all = judge_launch(report, refusing_with_one(), {ClientOracle::kCrash});
  return all.empty() ? "" : all.front().cause;
}

TEST(ClientCrash, IsSeenByItsWordsWhereTheStatusIsThatOfARefusal) {
  EXPECT_EQ(judged(ended(1, thrown("TypeError: Cannot read properties of null", 9))),
            "TypeError: Cannot read properties of null (a.mjs:9:5)");
  EXPECT_EQ(judged(ended(1,
                         "Traceback (most recent call last):\n  File \"/srv/a.py\", line 3, in "
                         "f\nKeyError: 'tools'\n")),
            R"(KeyError: '' (a.py", line 3, in f))");
}

TEST(ClientCrash, IsNoRefusalWithTheSameStatus) {
  for (const char* words :
       {"Error: MCP error -32600", "ZodError: [", "SyntaxError: Unexpected token",
        "TypeError: fetch failed", "TypeError: terminated"}) {
    EXPECT_EQ(judged(ended(1, thrown(words, 7))), "") << words;
  }
}

// What it does with nothing but a plain error is its way.
TEST(ClientCrash, IsNothingThatItDoesWithAPlainErrorToo) {
  const LaunchReport mistaken = ended(1, thrown("TypeError: Cannot read properties of null", 9));
  ClientBaseline baseline = refusing_with_one();
  baseline.learn(mistaken);
  EXPECT_TRUE(judge_launch(mistaken, baseline, {ClientOracle::kCrash}).empty());
}

TEST(ClientCrash, IsANewStatusWithAnUncaughtException) {
  EXPECT_EQ(judged(ended(2, thrown("Error: gone", 7))), "Error: gone (a.mjs:7:5)");
  EXPECT_EQ(judged(ended(2, "gone\n")), "");
}

}  // namespace
}  // namespace assay::fuzz
