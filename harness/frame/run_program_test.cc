#include "harness/frame/run_program.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace assay::cli {
namespace {

TEST(RunProgram, ReturnsTheStatusOfItsEnd) {
  for (const bool is_apart : {false, true}) {
    const auto status = run_program("/bin/sh", {"sh", "-c", "exit $0", "7"}, is_apart);
    ASSERT_TRUE(status && WIFEXITED(*status));
    EXPECT_EQ(WEXITSTATUS(*status), 7);
  }
}

TEST(RunProgram, TellsThatAProgramCannotBeStarted) {
  EXPECT_EQ(run_program("/nowhere/at/all", {"all"}), std::nullopt);
}

}  // namespace
}  // namespace assay::cli
