// 'client --interactive': hosts a server until somebody stops it, and shows what passes and what to
// do next.
#pragma once

#include <cstdio>
#include <stop_token>

#include "harness/host/interactive.h"

namespace assay::cli {

// Returns once `stop` is requested. What there is to see goes to `out`, and stands on a page at the
// loopback. Throws UsageError where no server can be brought up.
reports::Result interact(const harness::InteractiveOptions& options, const std::stop_token& stop,
                         std::FILE* out);

}  // namespace assay::cli
