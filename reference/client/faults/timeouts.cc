// How a client can take badly what does not come, or cannot be dealt with: it crashes, or says
// nothing. Specification: basic/lifecycle, "Timeouts" and "Error Handling"; basic/utilities/
// cancellation.
#include <cstdlib>
#include <string>
#include <string_view>

#include "reference/client/bugs/breakdown.h"
#include "reference/client/faults/fault.h"
#include "reference/transport/stdio_child.h"

namespace assay::client {
namespace {

void drop_cancellation(Departure& d) {
  if (d.is_notification("notifications/cancelled")) d.drop();
}

bool holds_words(const Json& message, std::string_view words) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace).find(words) !=
         std::string::npos;
}

void crash_over_late_answer(Json& message, const FaultMemory& /*memory*/) {
  if (message.is_object() && holds_words(message, "Better late than never")) crash();
}

// It was given up, and its text is taken over into the next call all the same.
std::string call_with_late_answer(const Json& message, std::string_view /*text*/) {
  constexpr std::string_view kLate = "Better late than never";
  const Json::json_pointer place("/result/content/0/text");
  if (!message.is_object() || !message.contains(place) || !message[place].is_string()) return "";
  const auto& words = message[place].get_ref<const std::string&>();
  if (!words.starts_with(kLate)) return "";
  const Json call = {{"jsonrpc", "2.0"},
                     {"id", "with-late-answer"},
                     {"method", "tools/call"},
                     {"params", {{"name", "test_simple_text"}, {"arguments", {{"text", words}}}}}};
  return call.dump();
}

}  // namespace

std::vector<Fault> timeout_faults() {
  return {
      {.id = "timeouts-untold",
       .description = "Gives a request up, and does not cancel it",
       .breaks = {"lifecycle.timeout-cancels", "http.cancellation-explicit"},
       .concerns = &model::Revision::has_sessions,
       .departure = drop_cancellation},
      {.id = "timeouts-untold-without-session",
       .description = "Gives a request up over stdio, and does not cancel it",
       .breaks = {"lifecycle.timeout-cancels", "cancellation.client-announces"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &model::Revision::is_stateless,
       .departure = drop_cancellation},
      {.id = "crash-over-timeout",
       .description = "Crashes when a request times out",
       .breaks = {"lifecycle.handles-request-timeout"},
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/cancelled")) crash();
           }},
      {.id = "crash-over-late-answer",
       .description = "Crashes over a response that comes too late",
       .breaks = {"cancellation.late-response-ignored", "cancellation.races-handled"},
       .concerns = &model::Revision::has_sessions,
       .intake = crash_over_late_answer},
      {.id = "crash-over-late-answer-without-session",
       .description = "Crashes over a response that comes too late, over stdio",
       .breaks = {"cancellation.late-response-ignored", "cancellation.races-handled"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &model::Revision::is_stateless,
       .intake = crash_over_late_answer},
      {.id = "late-answer-used",
       .description = "Goes on with a response that came after it had cancelled the request",
       .breaks = {"cancellation.late-response-ignored"},
       .concerns = &model::Revision::has_sessions,
       .reaction = call_with_late_answer},
      {.id = "crash-before-session",
       .description = "Crashes when initialize is not answered",
       .breaks = {"lifecycle.handles-initialize-timeout"},
       .seen_over = SeenOver::kStdioOnly,
       .farewell =
           [](transport::StdioChild& /*server*/) {
             const char* scenario = std::getenv("MCP_CONFORMANCE_SCENARIO");
             if (scenario != nullptr && scenario == std::string_view("server-silent-at-first")) {
               crash();
             }
           }},
      {.id = "crash-without-capabilities",
       .description = "Crashes over a server without capabilities",
       .breaks = {"lifecycle.handles-missing-capabilities"},
       .intake =
           [](Json& message, const FaultMemory&) {
             const Json::json_pointer declared("/result/capabilities");
             const bool has_none = message.is_object() && message.contains(declared) &&
                                   message[declared].is_object() && message[declared].empty();
             if (has_none) crash();
           }},
      {.id = "crash-over-prompt-pages",
       .description = "Crashes over a list of prompts that has another page",
       .breaks = {"pagination.paged-and-unpaged"},
       .may_break = {"prompts.pages-handled"},
       .intake =
           [](Json& message, const FaultMemory&) {
             if (message.is_object() && holds_words(message, "assay-prompts-2")) crash();
           }},
      {.id = "crash-over-huge-icon",
       .description = "Crashes over an icon that says it is huge",
       .breaks = {"content.icon-exhaustion-resisted"},
       .intake =
           [](Json& message, const FaultMemory&) {
             if (message.is_object() && holds_words(message, "65535x65535")) crash();
           }},
  };
}

}  // namespace assay::client
