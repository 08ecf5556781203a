// Bugs in how a client takes what carries the messages.
#include "reference/client/bugs/breakdown.h"
#include "reference/client/bugs/bug.h"

namespace assay::client {
namespace {

using Kind = transport::Observation::Kind;
using transport::Observation;

constexpr int kOk = 200;

void blank_line(const Observation& heard, std::string_view text, FaultMemory&) {
  if (heard.kind == Kind::kLine && text.find_first_not_of(" \t\r") == std::string_view::npos) {
    crash();
  }
}

void no_type(const Observation& heard, std::string_view, FaultMemory&) {
  const bool is_it = heard.kind == Kind::kHttpResponse && heard.http && heard.http->status == kOk &&
                     !transport::find_header(heard.http->headers, "Content-Type") &&
                     transport::find_header(heard.http->headers, "Content-Length") != "0";
  if (is_it) crash();
}

void lost_redirect(const Observation& heard, std::string_view, FaultMemory&) {
  const bool is_it = heard.kind == Kind::kHttpResponse && heard.http && heard.http->status >= 300 &&
                     heard.http->status < 400 &&
                     !transport::find_header(heard.http->headers, "Location");
  if (is_it) crash();
}

void long_field(const Observation& heard, std::string_view, FaultMemory&) {
  constexpr std::size_t kBuffer = 4096;
  if (heard.kind != Kind::kHttpResponse || !heard.http) return;
  for (const auto& [name, value] : heard.http->headers) {
    if (value.size() > kBuffer) crash();
  }
}

void field_twice(const Observation& heard, std::string_view, FaultMemory&) {
  if (heard.kind != Kind::kHttpResponse || !heard.http) return;
  int types = 0;
  for (const auto& [name, value] : heard.http->headers) {
    if (transport::lower_case(name) == "content-type") ++types;
  }
  if (types > 1) crash();
}

void odd_length(const Observation& heard, std::string_view, FaultMemory&) {
  const bool is_it =
      heard.kind == Kind::kBroken && heard.bytes.find("Content-Length") != std::string::npos;
  if (is_it) spin();
}

void long_retry(const Observation& heard, std::string_view, FaultMemory&) {
  constexpr std::uint64_t kLargest = 4294967295U;
  const bool is_it = heard.event && heard.event->retry.value_or(0) > kLargest;
  if (is_it) crash();
}

void long_event_id(const Observation& heard, std::string_view, FaultMemory&) {
  constexpr std::size_t kBuffer = 1024;
  if (heard.event && heard.event->id.value_or("").size() > kBuffer) crash();
}

void hoard_events(const Observation& heard, std::string_view, FaultMemory& memory) {
  constexpr std::size_t kHoardedEvent = 64u << 10;
  if (!heard.event || heard.event->event.empty() || heard.event->event == "message") return;
  if (!memory.hoard) memory.hoard = std::make_shared<std::vector<std::string>>();
  memory.hoard->emplace_back(kHoardedEvent, 'x');
}

}  // namespace

std::vector<Bug> wire_bugs() {
  return {
      {.id = "crash-blank-line",
       .description = "Crashes on a blank line",
       .shows_as = "crash",
       .seen_over = SeenOver::kStdioOnly,
       .how = {.heard = blank_line}},
      {.id = "crash-no-content-type",
       .description = "Crashes on a response without Content-Type",
       .shows_as = "crash",
       .seen_over = SeenOver::kHttpOnly,
       .how = {.heard = no_type}},
      {.id = "crash-redirect-without-location",
       .description = "Crashes on a redirection that leads nowhere",
       .shows_as = "crash",
       .seen_over = SeenOver::kHttpOnly,
       .how = {.heard = lost_redirect}},
      {.id = "crash-long-field",
       .description = "Crashes on a header field of more than 4 KiB",
       .shows_as = "crash",
       .seen_over = SeenOver::kHttpOnly,
       .how = {.heard = long_field}},
      {.id = "crash-split-type",
       .description = "Crashes on a Content-Type that comes in two fields",
       .shows_as = "crash",
       .seen_over = SeenOver::kHttpOnly,
       .how = {.heard = field_twice}},
      {.id = "hang-odd-length",
       .description = "Is busy for ever over a Content-Length that is not a length",
       .shows_as = "hang",
       .seen_over = SeenOver::kHttpOnly,
       .how = {.heard = odd_length}},
      {.id = "crash-retry-overflow",
       .description = "Crashes on a retry beyond 32 bits",
       .shows_as = "crash",
       .seen_over = SeenOver::kHttpOnly,
       .how = {.heard = long_retry}},
      {.id = "crash-long-event-id",
       .description = "Crashes on an event id of more than 1 KiB",
       .shows_as = "crash",
       .seen_over = SeenOver::kHttpOnly,
       .how = {.heard = long_event_id}},
      {.id = "hoards-events",
       .description = "Keeps 64 KiB for each event of a kind that it does not know",
       .shows_as = "growing-memory",
       .seen_over = SeenOver::kHttpOnly,
       .how = {.heard = hoard_events}},
  };
}

}  // namespace assay::client
