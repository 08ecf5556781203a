#include "harness/frame/terminal_width.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace assay::cli {
namespace {

TEST(TerminalWidth, IsThatOfTheTerminal) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) GTEST_SKIP();
  const int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  winsize size{};
  EXPECT_EQ(terminal_width(terminal, 100), 100);
  size.ws_col = 77;
  ASSERT_EQ(::ioctl(terminal, TIOCSWINSZ, &size), 0);
  EXPECT_EQ(terminal_width(terminal, 100), 77);
  ::close(terminal);
  ::close(master);
}

TEST(TerminalWidth, IsTheOtherOneWithoutATerminal) {
  const int file = ::open("/dev/null", O_RDONLY);
  EXPECT_EQ(terminal_width(file, 100), 100);
  ::close(file);
}

}  // namespace
}  // namespace assay::cli
