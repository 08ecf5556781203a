// Load runs as JSON, and back.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "reports/load/limit_result.h"
#include "reports/load/load_result.h"

namespace assay::reports {

inline constexpr std::string_view kLoadSchema = "mcp-assay-bench/1";
// Of the search for the highest rate. Nothing reads it back.
inline constexpr std::string_view kLimitSchema = "mcp-assay-bench-limit/1";

// Durations in microseconds; the histogram with 64 buckets for each doubling.
std::string load_json(const LoadResult& result);
// True for the result of a search.
bool is_limit_json(std::string_view text);
std::string limit_json(const LimitResult& result);
// True if `text` claims to be one: enough to tell it from a report.
bool is_load_json(std::string_view text);
// The result, or one sentence that says why it is none. A histogram read back is as fine as it was
// written, and no finer.
std::variant<LoadResult, std::string> parse_load_json(std::string_view text);

}  // namespace assay::reports
