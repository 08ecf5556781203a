// The JSON report: the contract that other tools read, schema "mcp-assay-report/2".
//
// Members of the contract always stand in the same order. Optional members (source, summary,
// duration_ms, hint, caused_by, expected, reason, pointer, cut, context, deliberate, strict,
// interrupted, stale_expectations) are absent when they say nothing. Counts are derived from the
// verdicts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "reports/result.h"

namespace assay::reports {

inline constexpr std::string_view kJsonSchema = "mcp-assay-report/2";
// Named the direction of an event instead of the party; read, but never written.
inline constexpr std::string_view kOlderJsonSchema = "mcp-assay-report/1";
// A report of a full run is a few megabytes; anything beyond this is no report of ours.
inline constexpr std::size_t kMaxReportBytes = 256U << 20U;

// Ends with a newline. Bytes that are not UTF-8 become U+FFFD.
std::string render_json(const Result& result);

// The Result that render_json() wrote, or one sentence that says what is wrong with the text.
// "not JSON: line 3, column 5: ..." of what the library says of a text. Printable.
std::string why_not_json(std::string_view what);

std::variant<Result, std::string> parse_json(std::string_view text);

}  // namespace assay::reports
