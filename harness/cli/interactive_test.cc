// `mcp-assay client --interactive` as a process, and applications that come to it.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "harness/cli/tap_testing.h"

namespace assay::cli {
namespace {

class InteractiveClient : public testing::Test {
 protected:
  InteractiveClient() {
    std::string name = (std::filesystem::temp_directory_path() / "interactive_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~InteractiveClient() override {
    if (host_) host_->close(soon());
    std::filesystem::remove_all(folder_);
  }
  static harness::Clock::time_point soon() {
    return harness::Clock::now() + std::chrono::seconds(60);
  }
  std::string report() const { return folder_ / "report.json"; }

  void start(const std::vector<std::string>& more = {}) {
    transport::StdioOptions options;
    options.spawn.command = {kProgram, "client", "--interactive", "--report", "json=" + report()};
    options.spawn.command.insert(options.spawn.command.end(), more.begin(), more.end());
    host_ = std::make_unique<transport::StdioChild>(options, seen_);
    ASSERT_EQ(host_->open(), std::nullopt);
  }
  // What stands behind these words at the beginning of a line, once it does.
  std::string told(const std::string& words) {
    for (std::size_t next = 0; const EventPtr event = seen_.wait_for(next, soon()); ++next) {
      const std::string line(event->observation.bytes());
      if (line.starts_with(words)) return line.substr(words.size());
      if (event->observation.kind == Kind::kExit) break;
    }
    ADD_FAILURE() << "no line begins with: " << words;
    return "";
  }
  static int visit(const std::string& url) {
    return std::system(
        ("'" + kProgram + "' reference-client '" + url + "' >/dev/null 2>&1").c_str());
  }
  reports::Result end_by(int signal) {
    host_->signal(signal);
    return ended();
  }
  reports::Result ended() {
    const auto exit = host_->wait_for_exit(soon());
    EXPECT_TRUE(exit.has_value());
    status_ = exit && !exit->signal ? exit->code : -1;
    const auto parsed = reports::parse_json(text_of(report()));
    if (const auto* result = std::get_if<reports::Result>(&parsed)) return *result;
    ADD_FAILURE() << std::get<std::string>(parsed);
    return {};
  }

  std::filesystem::path folder_;
  harness::Transcript seen_;
  std::unique_ptr<transport::StdioChild> host_;
  int status_ = -1;
};

// That somebody ends it is its end: what was found is whole.
TEST_F(InteractiveClient, ReportsTheWholeWhenItIsInterrupted) {
  start();
  const std::string url = told("connect the application to: ");
  EXPECT_EQ(visit(url), 0);
  told("no longer waited for: connect");
  const reports::Result result = end_by(SIGINT);
  EXPECT_EQ(status_, 0);
  EXPECT_FALSE(result.was_interrupted);
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(result.runs[0].status, reports::RunStatus::kConformant);
  EXPECT_EQ(result.target.name, "mcp-assay-reference-client");
}

TEST_F(InteractiveClient, EndsByItselfWhenItsTimeIsUp) {
  start({"--max-time", "0.1"});
  const reports::Result result = ended();
  EXPECT_EQ(status_, 3);
  EXPECT_FALSE(result.was_interrupted);
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(result.runs[0].reason, "nothing connected");
}

TEST_F(InteractiveClient, SaysWhereItsPageIsAndWhatToDo) {
  start({"--revision", "2025-11-25"});
  const std::string page = told("page: ");
  EXPECT_TRUE(page.starts_with("http://127.0.0.1:")) << page;
  told("do next: connect");
  end_by(SIGTERM);
}

// What only the other way in takes is a mistake, and not passed over.
TEST(InteractiveOptions, AreNotMixed) {
  for (const char* words :
       {"--interactive -- true", "--interactive --scenario initialize", "--interactive --env A=B",
        "--interactive --timeout 3", "--interactive --profile mcporter",
        "--interactive --stdio --listen 80", "--listen 80 -- true", ""}) {
    const std::string command = "'" + kProgram + "' client " + words + " >/dev/null 2>&1";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 2) << words;
  }
}

}  // namespace
}  // namespace assay::cli
