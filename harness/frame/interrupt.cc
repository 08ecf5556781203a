#include "harness/frame/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

#include "harness/frame/command.h"

namespace assay::cli {
namespace {

// 'nohup' has it ignored: then a terminal that closes ends nothing.
bool is_ignored(int signal) {
  struct sigaction now = {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

sigset_t signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  if (!is_ignored(SIGHUP)) sigaddset(&set, SIGHUP);
  // Our own call to the waiting thread when there is nothing to wait for any more.
  sigaddset(&set, SIGUSR1);
  return set;
}

// How often somebody asked to stop.
std::atomic<int> asked{0};
static_assert(std::atomic<int>::is_always_lock_free);

// People press Ctrl-C twice without a thought: that must cost no report. Who asks a third time does
// not want to wait; children die with the threads that started them.
void note_request() {
  constexpr int kAtOnce = 3;
  if (++asked >= kAtOnce) std::_Exit(kInterrupted);
}

void on_signal(int /*signal*/) {
  note_request();
}

void say(std::string_view text) {
  // Best effort: a standard error that is gone needs no words.
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Interrupt::Interrupt() {
  asked = 0;
  const sigset_t set = signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { wait(); });
}

Interrupt::~Interrupt() {
  is_over_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
  // The run is over, its end is not: a report is still on its way, perhaps to somebody who does not
  // read.
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  if (!is_ignored(SIGHUP)) std::signal(SIGHUP, on_signal);
  const sigset_t set = signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupt::wait() {
  const sigset_t set = signals();
  while (!is_over_) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0 || is_over_) continue;
    if (signal == SIGUSR1) continue;
    note_request();
    if (source_.stop_requested()) {
      say("mcp-assay: stopping; the report is on its way (press Ctrl-C once more to end "
          "without)\n");
    }
    source_.request_stop();
  }
}

}  // namespace assay::cli
