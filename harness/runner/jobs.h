// How many sessions a run has at once where nobody said so.
#pragma once

#include <chrono>

namespace assay::harness {

// A session is mostly waiting, so that there may be several for each core; but where a server takes
// long to start, starts at the same time slow each other down until the answer to `initialize` is
// late. `first_start` is what the first one took that started alone; `cores` is at least 1.
int sessions_at_once(int cores, std::chrono::milliseconds first_start);
// The same on this machine.
int sessions_at_once(std::chrono::milliseconds first_start);

}  // namespace assay::harness
