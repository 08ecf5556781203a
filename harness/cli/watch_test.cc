// `mcp-assay watch` with taps that join it, as processes.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>

#include "harness/cli/tap_testing.h"

namespace assay::cli {
namespace {

class Watch : public Tap {
 protected:
  Watch() {
    transport::StdioOptions options;
    options.spawn.command = {kProgram, "watch", "--socket", path("socket")};
    watch_ = std::make_unique<transport::StdioChild>(options, shown_);
    EXPECT_EQ(watch_->open(), std::nullopt);
    more_ = {"--watch", path("socket")};
    // The heading stands there once taps can come.
    EXPECT_TRUE(shows("taps:"));
  }
  void TearDown() override {
    watch_->signal(SIGTERM);
    const auto exit = watch_->wait_for_exit(soon());
    EXPECT_EQ(exit ? exit->code : -1, 0);
    watch_->close(soon());
    EXPECT_FALSE(std::filesystem::exists(path("socket")));
  }
  // Waits for a line with the text.
  bool shows(const std::string& text) { return !line_with(text).empty(); }
  std::string line_with(const std::string& text) {
    for (std::size_t i = 0;; ++i) {
      const EventPtr event = shown_.wait_for(i, soon());
      if (!event || event->observation.kind == Kind::kExit) return "";
      const std::string line(event->observation.bytes());
      if (line.find(text) != std::string::npos) return line;
    }
  }

  harness::Transcript shown_;
  std::unique_ptr<transport::StdioChild> watch_;
};

TEST_F(Watch, ShowsViolationsOfEveryTapWhileTheyHappen) {
  start({kProgram, "reference-server", "--fault", "ping-with-content"});
  converse();
  // The first session goes on.
  EXPECT_TRUE(shows("1.3 client"));
  EXPECT_NE(line_with("VIOLATION").find("ping.empty-result"), std::string::npos);
  const auto first = std::move(child_);
  next_ = 0;
  harness::Transcript other;
  transport::StdioOptions options;
  options.spawn.command = {kProgram, "tap", "--watch", path("socket"), "--", "echo", "hello"};
  transport::StdioChild second(options, other);
  ASSERT_EQ(second.open(), std::nullopt);
  EXPECT_TRUE(shows("server hello"));
  second.close(soon());
  first->close(soon());
}

}  // namespace
}  // namespace assay::cli
