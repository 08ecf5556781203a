// The search for a server's highest rate, for a person.
#pragma once

#include <string>
#include <string_view>

#include "reports/load/limit_result.h"

namespace assay::reports {

// The target, the limit, and the head of the table.
std::string limit_heading(const LimitResult& result);
// A line of the table.
std::string limit_line(const LimitStep& step);
// The result in one sentence, or two.
std::string knee_text(const LimitResult& result);

// One word for each; "held" for nothing.
std::string_view limit_name(LimitStep::LimitedBy limited_by);

}  // namespace assay::reports
