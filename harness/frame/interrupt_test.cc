#include "harness/frame/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <stop_token>

namespace assay::cli {
namespace {

TEST(Interrupt, IsRequestedByEachSignalThatEndsPrograms) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::promise<void> stopped;
    {
      const Interrupt interrupt;
      const std::stop_callback tell(interrupt.token(), [&stopped] { stopped.set_value(); });
      EXPECT_FALSE(interrupt.was_requested());
      ::kill(::getpid(), signal);
      stopped.get_future().wait();
      EXPECT_TRUE(interrupt.was_requested());
    }
    std::signal(signal, SIG_DFL);
  }
}

}  // namespace
}  // namespace assay::cli
