// A sound server that shares no code with ours is not accused of anything, over either transport.
// Needs Node.js, and is skipped without it.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "fuzz/live/fuzzer.h"
#include "fuzz/live/target/sandbox_testing.h"
#include "fuzz/live/wire/inbox.h"
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
  for (const ServerFinding& finding : done.findings) {
    text += finding.id + " " + finding.suspicion.detail + "\n" + to_jsonl(finding.recipe.steps);
  }
  for (const ServerFinding& finding : done.unproved) text += finding.id + "\n";
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

// The server on a free port, for as long as the object lives.
class HttpServer {
 public:
  HttpServer(const Words& words, const std::string& directory)
      : process_(command(words, directory), inbox_) {
    EXPECT_EQ(process_.open(), std::nullopt);
    url_ = first_line(inbox_);
  }
  ~HttpServer() { process_.close(std::chrono::steady_clock::now() + std::chrono::seconds(5)); }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  harness::TargetAccess access() const {
    return std::get<harness::TargetAccess>(harness::over_http({url_, {}}));
  }

 private:
  static transport::StdioOptions command(const Words& words, const std::string& directory) {
    transport::StdioOptions options;
    options.spawn.command = {"node", ASSAY_PLAIN_SERVER, "--http"};
    options.spawn.command.insert(options.spawn.command.end(), words.begin(), words.end());
    options.spawn.directory = directory;
    return options;
  }

  Inbox inbox_;
  transport::StdioChild process_;
  std::string url_;
};

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
  const HttpServer server({sandbox_->served()}, "");
  EXPECT_EQ(told(Fuzzer(server.access(), options(2'000)).run()), "");
}

// What it serves before it has been told is our only root, and the canaries are in it.
TEST_F(PlainServerTest, IsNotAccusedOfWhatItServesUntilItKnowsOurRoots) {
  const harness::TargetAccess access = harness::over_stdio(
      {Words{"node", ASSAY_PLAIN_SERVER, "--roots"}, {}, scratch_.path().string()});
  EXPECT_EQ(told(Fuzzer(access, options(3'000)).run()), "");
}

TEST_F(PlainServerTest, IsNotAccusedOfWhatItServesUntilItKnowsOurRootsOverHttp) {
  const HttpServer server({"--roots"}, scratch_.path().string());
  EXPECT_EQ(told(Fuzzer(server.access(), options(1'000)).run()), "");
}

}  // namespace
}  // namespace assay::fuzz
