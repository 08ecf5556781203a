// mcp-assay watch: shows what passes through taps, while it passes.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <stop_token>
#include <string>

#include "harness/cli/news_bell.h"
#include "harness/frame/command.h"
#include "harness/frame/interrupt.h"
#include "harness/frame/shell_words.h"
#include "harness/frame/terminal_width.h"
#include "harness/watch/board.h"
#include "harness/watch/gate.h"
#include "harness/watch/page.h"
#include "harness/watch/terminal_view.h"
#include "reference/transport/http_listener.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

// A screen that changes more often cannot be read.
constexpr std::chrono::milliseconds kLeastPause{100};
// The heading, and the line on which the cursor rests.
constexpr std::size_t kRowsBeside = 4;

class WatchCommand : public Command {
 public:
  std::string_view name() const override { return "watch"; }
  std::string_view summary() const override {
    return "Show live what passes through taps, and which rules it breaks";
  }

  void declare(Arguments& arguments) override {
    arguments.text("--socket", socket_, "PATH",
                   "The socket for taps (default: a new private folder of this user)");
    arguments.number("--port", port_, 0, 65535, "PORT",
                     "The port of the page on 127.0.0.1 (default: a free one)");
    arguments.footer(
        "Prints the socket for taps, and the address of a live page. Only this user of this "
        "machine can use\n"
        "them, and the page can only be read.\n"
        "\n"
        "  mcp-assay watch --socket /tmp/watch\n"
        "  mcp-assay tap --watch /tmp/watch -- SERVER...     (or MCP_ASSAY_WATCH=/tmp/watch)\n"
        "\n"
        "Any number of taps may join. They never wait for watch: messages that do not arrive in "
        "time are\n"
        "counted and not shown. Without a terminal, each message and violation is one line. Ctrl-C "
        "ends it.\n"
        "\n"
        "Exit status: 0, or 2 for a wrong command line, or for a socket or port that cannot be "
        "used.");
  }

  int run() override {
    const Interrupt interrupt;
    harness::WatchBoard board;
    harness::WatchGate gate(socket_, board);
    if (const auto trouble = gate.start()) throw UsageError(*trouble);
    harness::WatchPage page(board);
    transport::HttpListener listener({.port = static_cast<int>(port_)}, page.handler());
    if (const auto trouble = listener.start()) throw UsageError(*trouble);
    const std::string url = fmt::format("http://127.0.0.1:{}{}", listener.port(), page.path());
    const std::string heading =
        fmt::format("page:  {}\ntaps:  mcp-assay tap --watch {} -- SERVER...", url,
                    reports::shell_word(gate.path()));
    if (is_capable_terminal(STDOUT_FILENO)) {
      draw(heading, board, interrupt.token());
    } else {
      print_lines(heading, board, interrupt.token());
    }
    listener.stop();
    return kConformant;
  }

 private:
  static void print_lines(const std::string& heading, harness::WatchBoard& board,
                          const std::stop_token& stop) {
    fmt::print("{}\n", heading);
    std::fflush(stdout);
    const auto bell = std::make_shared<NewsBell>();
    board.watch(bell);
    harness::WatchBoard::Place place;
    while (bell->wait(stop)) {
      const auto news = board.since(place);
      if (news.missed > 0) fmt::print("({} lines are not shown)\n", news.missed);
      for (const auto& line : news.lines) fmt::print("{}\n", harness::as_text(line));
      std::fflush(stdout);
    }
  }

  static void draw(const std::string& heading, harness::WatchBoard& board,
                   const std::stop_token& stop) {
    // The other screen, so that what stood on this one is there again at the end.
    fmt::print("\x1b[?1049h\x1b[?25l");
    const auto bell = std::make_shared<NewsBell>();
    board.watch(bell);
    harness::WatchBoard::Place place;
    harness::WatchScreen screen;
    while (bell->wait(stop)) {
      screen.take(board.since(place));
      winsize size{};
      if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) size = {24, 80, 0, 0};
      const std::size_t rows = size.ws_row > kRowsBeside ? size.ws_row - kRowsBeside : 1;
      std::string drawn = heading + "\n\n" + screen.draw(size.ws_col, rows);
      // Each line takes away what stood behind it.
      for (std::size_t at = drawn.find('\n'); at != std::string::npos; at = drawn.find('\n', at)) {
        drawn.replace(at, 1, "\x1b[K\r\n");
        at += 5;
      }
      fmt::print("\x1b[H{}\x1b[J", drawn);
      std::fflush(stdout);
      bell->pause(stop, kLeastPause);
    }
    fmt::print("\x1b[?25h\x1b[?1049l");
    std::fflush(stdout);
  }

  std::string socket_;
  std::int64_t port_ = 0;
};

const CommandRegistration<WatchCommand> kWatchCommandRegistration;

}  // namespace
}  // namespace assay::cli
