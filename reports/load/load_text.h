// A load run for a person.
#pragma once

#include <string>

#include "reports/load/load_result.h"

namespace assay::reports {

// Several lines: throughput, errors, latency, the server's cost, and the histogram.
std::string load_text(const LoadResult& result);
// "1.23 ms": three digits and the unit that fits.
std::string latency_text(double nanoseconds);
// "123,456/s"
std::string rate_text(double per_second);

}  // namespace assay::reports
