#include "reference/transport/signals.h"

#include <pthread.h>

#include <csignal>

namespace assay::transport {

void take_no_signals() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace assay::transport
