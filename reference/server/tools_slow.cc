// Tools that take their time: logging, progress, cancellation, resumable streams.
#include <algorithm>

#include "reference/server/call.h"
#include "reference/server/content.h"
#include "reference/server/handlers.h"
#include "reference/server/session.h"
#include "reference/server/tools.h"

namespace assay::server {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPause{50};
constexpr std::int64_t kLongest = 600'000;  // milliseconds that a client may ask test_slow to take
constexpr std::int64_t kMostSteps = 1000;

Answer with_logging(ToolDialogue& conversation, const Json&) {
  for (const char* text :
       {"Tool execution started", "Tool processing data", "Tool execution completed"}) {
    conversation.log(LogLevel::kInfo, text);
    if (!conversation.wait(kPause)) break;
  }
  return tool_text("Three messages were logged.");
}

Answer log_every_level(ToolDialogue& conversation, const Json&) {
  for (const LogLevel level : log_levels()) {
    conversation.log(level, {{"message", "One message of each level"}, {"level", name(level)}});
  }
  return tool_text("One message of each level was logged.");
}

Answer log_one(ToolDialogue& conversation, const Json&) {
  conversation.log(LogLevel::kInfo, {{"message", "test_logging_tool was called"}});
  return tool_text("One message was logged, if the request wanted it.");
}

Answer with_progress(ToolDialogue& conversation, const Json&) {
  for (const int progress : {0, 50, 100}) {
    conversation.progress(progress, 100, "Completed step " + std::to_string(progress) + " of 100");
    if (!conversation.wait(kPause)) break;
  }
  return tool_text("Progress was made.");
}

// Whatever else is given, by a fault that lets it through, stands for `otherwise`.
std::int64_t whole_number(const Json& arguments, const char* name, std::int64_t otherwise) {
  const Json& value = member(arguments, name);
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

Answer slow(ToolDialogue& conversation, const Json& arguments) {
  const std::int64_t duration =
      std::clamp<std::int64_t>(whole_number(arguments, "duration_ms", 1000), 0, kLongest);
  const std::int64_t steps =
      std::clamp<std::int64_t>(whole_number(arguments, "steps", 10), 1, kMostSteps);
  for (std::int64_t step = 1; step <= steps; ++step) {
    if (!conversation.wait(milliseconds(duration / steps))) break;
    conversation.progress(static_cast<double>(step), static_cast<double>(steps), "Working");
  }
  return tool_text("Waited for " + std::to_string(duration) + " ms.");
}

Answer reconnection(ToolDialogue& conversation, const Json&) {
  conversation.disconnect(kPause);
  conversation.wait(2 * kPause);
  return tool_text("The stream was closed in the middle of this call.");
}

}  // namespace

std::vector<Tool> slow_tools() {
  return {
      {.name = "test_tool_with_logging",
       .title = "Logging",
       .description = "Logs three messages of level info",
       .input_schema = no_arguments(),
       .run = with_logging,
       .is_slow = true},
      {.name = "test_logging_levels",
       .title = "Logging levels",
       .description = "Logs one message of each level",
       .input_schema = no_arguments(),
       .run = log_every_level},
      {.name = "test_logging_tool",
       .title = "Logging for one request",
       .description = "Logs a message of level info, if its request asks for such messages",
       .input_schema = no_arguments(),
       .run = log_one,
       .exists = &model::Revision::asks_in_results},
      {.name = "test_tool_with_progress",
       .title = "Progress",
       .description = "Reports progress 0, 50 and 100 of 100",
       .input_schema = no_arguments(),
       .run = with_progress,
       .is_slow = true},
      {.name = "test_slow",
       .title = "Slow",
       .description = "Takes duration_ms milliseconds, in so many steps; can be cancelled",
       .input_schema = optional_arguments(
           {{"duration_ms", {{"type", "integer"}}}, {"steps", {{"type", "integer"}}}}),
       .run = slow,
       .is_slow = true,
       .task_support = TaskSupport::kOptional},
      {.name = "test_reconnection",
       .title = "Reconnection",
       .description = "Closes its event stream before it answers",
       .input_schema = no_arguments(),
       .run = reconnection,
       .is_slow = true,
       .exists = &model::Revision::has_server_requests},
  };
}

}  // namespace assay::server
