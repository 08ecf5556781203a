#include "reference/transport/signals.h"

#include <fmt/format.h>
#include <pthread.h>

#include <csignal>
#include <cstring>

namespace assay::transport {

void take_no_signals() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

std::string signal_words(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return fmt::format("signal {}{}", signal, name == nullptr ? "" : fmt::format(" (SIG{})", name));
}

}  // namespace assay::transport
