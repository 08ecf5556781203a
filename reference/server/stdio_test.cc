#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <thread>

#include "reference/server/server.h"
#include "reference/transport/recorder_testing.h"
#include "reference/transport/stdio_self.h"
#include "reference/wire/json.h"

namespace assay::server {
namespace {

// A server behind two pipes.
class StdioTest : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    for (auto* pipe : {&input_, &output_, &stop_}) ASSERT_EQ(::pipe2(pipe->data(), O_CLOEXEC), 0);
    thread_ = std::thread([this] {
      Server server;
      end_ = transport::serve_stdio(
          server,
          {.input = input_[0], .output = output_[1], .observer = &recorder_, .stop = stop_[0]});
      ::close(output_[1]);
    });
  }
  void TearDown() override {
    if (thread_.joinable()) thread_.join();
    for (const int open : {input_[0], output_[0], stop_[0], stop_[1]}) ::close(open);
  }
  void write(const std::string& text) const {
    ASSERT_EQ(::write(input_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::string read_line() const {
    std::string line;
    for (char byte = 0; ::read(output_[0], &byte, 1) == 1 && byte != '\n';) line += byte;
    return line;
  }

  std::array<int, 2> input_{}, output_{}, stop_{};
  transport::Recorder recorder_;
  std::thread thread_;
  transport::StdioEnd end_ = transport::StdioEnd::kOutputClosed;
};

TEST_F(StdioTest, AnswersLinesAndEndsWithItsInput) {
  write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\n{\"jsonrpc\":\"2.0\",");
  EXPECT_EQ(read_line(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  write("\"id\":2,\"method\":\"ping\"}\nnonsense\n");
  EXPECT_EQ(read_line(), R"({"jsonrpc":"2.0","id":2,"result":{}})");
  EXPECT_EQ(Json::parse(read_line())["error"]["code"], -32700);
  ::close(input_[1]);
  EXPECT_EQ(read_line(), "");  // the output has ended
  thread_.join();
  EXPECT_EQ(end_, transport::StdioEnd::kInputEnded);
}

TEST_F(StdioTest, TellsWhatPassesAsAClientsWireDoes) {
  write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nrest");
  read_line();
  ::close(input_[1]);
  thread_.join();
  std::string told;
  for (const auto& seen : recorder_.all()) {
    told += std::string(transport::name(seen.speaker)) + " ";
    told += seen.kind == transport::Observation::Kind::kClosed ? "closed" : seen.bytes;
    told += seen.is_unterminated ? "...\n" : "\n";
  }
  EXPECT_EQ(told,
            "client {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
            "server {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
            "client rest...\n"
            "server " +
                recorder_.all()[3].bytes +
                "\n"
                "client closed\n");
}

TEST_F(StdioTest, EndsWhenToldTo) {
  ASSERT_EQ(::write(stop_[1], "x", 1), 1);
  thread_.join();
  EXPECT_EQ(end_, transport::StdioEnd::kStopped);
  ::close(input_[1]);
}

}  // namespace
}  // namespace assay::server
