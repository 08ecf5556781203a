// p99 over the rate, with the limit and the knee, as a picture.
#pragma once

#include <string>

#include "reports/load/limit_result.h"

namespace assay::reports {

// An SVG with logarithmic axes. A filled point was held, a cross was not, and a ring is a rate at
// which the connections or the generator were the limit.
std::string limit_svg(const LimitResult& result);

}  // namespace assay::reports
