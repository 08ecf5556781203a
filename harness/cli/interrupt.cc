#include "harness/cli/interrupt.h"

#include <csignal>
#include <cstdlib>

#include "harness/cli/command.h"

namespace assay::cli {
namespace {

sigset_t signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  // Our own call to the waiting thread when there is nothing to wait for any more.
  sigaddset(&set, SIGUSR1);
  return set;
}

void end_at_once(int /*signal*/) {
  std::_Exit(kInterrupted);
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t set = signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { wait(); });
}

Interrupt::~Interrupt() {
  is_over_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
  // The run is over, its end is not: a report may still be on its way to somebody who does not
  // read.
  std::signal(SIGINT, end_at_once);
  std::signal(SIGTERM, end_at_once);
  const sigset_t set = signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupt::wait() {
  const sigset_t set = signals();
  while (!is_over_) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0 || is_over_) continue;
    if (signal == SIGUSR1) continue;
    // Whoever asks twice does not want to wait; children die with the threads that started them.
    if (source_.stop_requested()) std::_Exit(kInterrupted);
    source_.request_stop();
  }
}

}  // namespace assay::cli
