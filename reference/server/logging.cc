#include "reference/server/logging.h"

#include <algorithm>
#include <array>

#include "reference/server/call.h"
#include "reference/server/handlers.h"
#include "reference/server/session.h"

namespace assay::server {
namespace {

constexpr std::array kLevels = {LogLevel::kDebug,   LogLevel::kInfo,     LogLevel::kNotice,
                                LogLevel::kWarning, LogLevel::kError,    LogLevel::kCritical,
                                LogLevel::kAlert,   LogLevel::kEmergency};

}  // namespace

std::span<const LogLevel> log_levels() {
  return kLevels;
}

std::string_view name(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kNotice:
      return "notice";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
    case LogLevel::kCritical:
      return "critical";
    case LogLevel::kAlert:
      return "alert";
    case LogLevel::kEmergency:
      return "emergency";
  }
  return "";
}

std::optional<LogLevel> parse_log_level(std::string_view text) {
  const auto found = std::find_if(kLevels.begin(), kLevels.end(),
                                  [&](LogLevel level) { return name(level) == text; });
  if (found == kLevels.end()) return std::nullopt;
  return *found;
}

Answer set_log_level(Session& session, Call& call) {
  const std::optional<std::string> text = string_member(call.params(), "level");
  if (!text) return invalid_params("level must be a string");
  const std::optional<LogLevel> level = parse_log_level(*text);
  if (!level) return invalid_params("unknown log level");
  session.set_log_level(*level);
  return kEmptyResult;
}

}  // namespace assay::server
