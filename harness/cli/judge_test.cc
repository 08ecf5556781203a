// `mcp-assay judge` as a process: what it says of files that are none.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "harness/transcript/transcript.h"
#include "reference/transport/stdio_child.h"

namespace assay::cli {
namespace {

class JudgeTest : public testing::Test {
 protected:
  JudgeTest() {
    std::string name = (std::filesystem::temp_directory_path() / "judge_test_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~JudgeTest() override { std::filesystem::remove_all(folder_); }

  int judge(const std::string& path) {
    transport::StdioOptions options;
    options.spawn.command = {std::string(ASSAY_BINARY_DIR) + "/bin/mcp-assay", "judge", path};
    transport::StdioChild child(options, seen_);
    EXPECT_EQ(child.open(), std::nullopt);
    const auto deadline = harness::Clock::now() + std::chrono::seconds(60);
    const auto exit = child.wait_for_exit(deadline);
    child.close(deadline);
    return exit ? exit->code : -1;
  }

  std::filesystem::path folder_;
  harness::Transcript seen_;
};

TEST_F(JudgeTest, DoesNotWaitForAPipeToWhichNobodyWrites) {
  const std::string path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(judge(path), 2);
  EXPECT_EQ(judge(folder_), 2);
  EXPECT_EQ(judge(folder_ / "none"), 2);
}

TEST_F(JudgeTest, SaysThatARecordingWasCutShort) {
  const std::string path = folder_ / "lines.jsonl";
  std::ofstream(path)
      << R"({"from":"client","message":{"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
         R"({"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c",)"
         R"("version":"1"}}}})"
      << "\n"
      << R"({"from":"server","message":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":)"
         R"("2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}})"
      << "\n";
  EXPECT_EQ(judge(path), 0);
  std::ofstream(path, std::ios::app) << R"({"from":"server","mess)";
  EXPECT_EQ(judge(path), 130);
}

}  // namespace
}  // namespace assay::cli
