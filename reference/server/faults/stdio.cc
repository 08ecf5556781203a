// Faults of the stdio transport. Specification: basic/transports, "stdio".
#include "reference/server/faults/fault.h"

namespace assay::server {
namespace {

// A result, other than that of `initialize`.
bool is_later_result(const Departure& d) {
  return d.is_result() && !d.answers("initialize");
}

}  // namespace

std::vector<Fault> stdio_faults() {
  return {
      {.id = "stdout-noise",
       .description = "Writes text that is no message to its standard output",
       .breaks = {"stdio.stdout-only-messages"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (is_later_result(d)) d.before("[info] answering a request");
           }},
      {.id = "newline-in-message",
       .description = "Writes answers over several lines",
       .breaks = {"stdio.no-embedded-newlines"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (is_later_result(d)) d.set_bytes(d.json().dump(2));
           }},
      {.id = "invalid-utf8",
       .description = "Writes answers that are not UTF-8",
       .breaks = {"jsonrpc.utf8"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("ping")) return;
             std::string text = d.text();
             text.insert(text.size() - 1, ",\"x\":\"\xff\xfe\"");
             d.set_bytes(std::move(text));
           }},
      {.id = "stays-after-stdin-closed",
       .description = "Does not exit when its standard input has ended",
       .breaks = {"stdio.exits-on-eof"},
       .seen_over = SeenOver::kStdioOnly,
       .inside = Switch::kIgnoresStdinClose},
  };
}

}  // namespace assay::server
