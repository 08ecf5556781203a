// Log messages for the client. Specification: server/utilities/logging.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace assay::server {

// The levels of RFC 5424, least severe first.
enum class LogLevel { kDebug, kInfo, kNotice, kWarning, kError, kCritical, kAlert, kEmergency };

std::span<const LogLevel> log_levels();
std::string_view name(LogLevel level);
std::optional<LogLevel> parse_log_level(std::string_view text);

}  // namespace assay::server
