// A sound server that shares no code with ours is not accused of anything, over either transport.
// Needs Node.js, and is skipped without it.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "fuzz/live/fuzzer.h"
#include "fuzz/live/inbox.h"
#include "fuzz/live/sandbox_testing.h"
#include "harness/runner/target.h"
#include "reference/transport/stdio_child.h"

namespace assay::fuzz {
namespace {

using Words = std::vector<std::string>;

bool has_node() {
  return std::system("node --version >/dev/null 2>&1") == 0;
}

std::string told(const std::variant<FuzzOutcome, transport::Failure>& outcome) {
  if (const auto* failure = std::get_if<transport::Failure>(&outcome)) return failure->detail;
  std::string text;
  const auto& done = std::get<FuzzOutcome>(outcome);
  for (const Finding& finding : done.findings) {
    text += finding.id + " " + finding.suspicion.detail + "\n" + to_jsonl(finding.recipe.steps);
  }
  for (const Finding& finding : done.unproved) text += finding.id + "\n";
  return text;
}

// The first line that a process of this command says.
std::string first_line(Inbox& inbox) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < deadline) {
    for (const auto& observation : inbox.take(deadline)) {
      if (observation.kind == transport::Observation::Kind::kLine) return observation.bytes;
    }
  }
  return "";
}

class PlainServerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_node())
      GTEST_SKIP() << "Node.js is not installed, and the server that is asked is written for it";
    ASSERT_NE(sandbox_, nullptr);
  }
  FuzzOptions options(std::size_t cases) const {
    FuzzOptions options;
    options.cases = cases;
    options.seed = 11;
    options.sandbox = sandbox_.get();
    options.growth.repeats = 60;
    options.ping_time = std::chrono::milliseconds(10);  // nobody reads the rate
    return options;
  }

  const ScratchFolder scratch_;
  const std::unique_ptr<Sandbox> sandbox_ = sandbox_in(scratch_.path());
};

TEST_F(PlainServerTest, IsNotAccusedOverStdio) {
  const harness::TargetAccess access =
      harness::over_stdio({Words{"node", ASSAY_PLAIN_SERVER, sandbox_->served()}, {}, ""});
  EXPECT_EQ(told(Fuzzer(access, options(8'000)).run()), "");
}

TEST_F(PlainServerTest, IsNotAccusedOverHttp) {
  Inbox inbox;
  transport::StdioOptions command;
  command.spawn.command = {"node", ASSAY_PLAIN_SERVER, "--http", sandbox_->served()};
  transport::StdioChild server(command, inbox);
  ASSERT_EQ(server.open(), std::nullopt);
  const auto access = harness::over_http({first_line(inbox), {}});
  ASSERT_TRUE(std::holds_alternative<harness::TargetAccess>(access));
  EXPECT_EQ(told(Fuzzer(std::get<harness::TargetAccess>(access), options(2'000)).run()), "");
  server.close(std::chrono::steady_clock::now() + std::chrono::seconds(5));
}

}  // namespace
}  // namespace assay::fuzz
