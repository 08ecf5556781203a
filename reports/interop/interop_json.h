// The matrix as JSON, and back: the schema "mcp-assay-interop/1".
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "reports/interop/interop_result.h"

namespace assay::reports {

inline constexpr std::string_view kInteropSchema = "mcp-assay-interop/1";

// Ends with a newline. Members that say nothing are absent.
std::string render_interop_json(const InteropResult& result);
// True if `text` claims to be one: enough to tell it from a report.
bool is_interop_json(std::string_view text);
// The result, with its outcomes settled anew, or one sentence that says what is wrong.
std::variant<InteropResult, std::string> parse_interop_json(std::string_view text);

}  // namespace assay::reports
