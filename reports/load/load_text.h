// A load run for a person.
#pragma once

#include <string>

#include "reports/load/load_result.h"

namespace assay::reports {

// Several lines: throughput, errors, latency, the server's cost, and the histogram.
std::string load_text(const LoadResult& result);
// The target, and how it was connected to: a line each, without its end.
std::string load_target_text(const LoadResult& result);
std::string load_connections_text(const LoadResult& result);
// "1.23 ms": three digits and the unit that fits.
std::string latency_text(double nanoseconds);
// "123,456/s"
std::string rate_text(double per_second);

}  // namespace assay::reports
