// What processes have cost so far.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace assay::bench {

struct Usage {
  double cpu_seconds = 0;        // user and system
  std::uint64_t peak_bytes = 0;  // resident, the most so far
};

// Of a process and all of its descendants (and of those that it has waited for, their CPU). The
// peaks of several are added, though they need not have been at one time.
Usage usage_of_tree(pid_t root);
// CPU seconds of this process.
double own_cpu_seconds();
// How long the calling thread was ready to run and had no processor; 0 where the kernel does not
// tell.
double own_run_queue_seconds();

}  // namespace assay::bench
