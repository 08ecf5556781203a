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
       .description = "Writes text that is not a message to its standard output",
       .breaks = {"stdio.stdout-only-messages"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (is_later_result(d)) d.before("[info] answering a request");
           }},
      {.id = "stdout-json-log",
       .description = "Logs to its standard output, in lines of JSON that are not messages",
       .breaks = {"stdio.stdout-only-messages"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (is_later_result(d)) d.before(R"({"level":30,"msg":"answering a request"})");
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
       .seen_over = SeenOver::kProcessOnly,
       .inside = Switch::kIgnoresStdinClose},
      {.id = "stays-after-sigterm",
       .description = "Exits neither when its standard input has ended nor on SIGTERM",
       .breaks = {"stdio.exits-on-eof", "stdio.exits-on-sigterm"},
       .seen_over = SeenOver::kProcessOnly,
       .inside = Switch::kIgnoresSigterm},
      {.id = "crashes-at-end",
       .description = "Is ended by a signal when its standard input has ended",
       .breaks = {"stdio.exits-on-eof"},
       .seen_over = SeenOver::kProcessOnly,
       .inside = Switch::kCrashesAtEnd},
      {.id = "reads-taken-for-lines",
       .description = "Takes whatever one read of its input gives for a whole message",
       .breaks = {"stdio.lines-read-whole", "stdio.long-lines"},
       .seen_over = SeenOver::kProcessOnly,
       .inside = Switch::kTakesReadsForLines},
      {.id = "later-lines-lost",
       .description = "Answers only the first of several messages that come at once",
       .breaks = {"stdio.lines-read-whole", "jsonrpc.request-answered-once"},
       .seen_over = SeenOver::kProcessOnly,
       .inside = Switch::kLosesLinesBehindFirst},
      {.id = "long-lines-lost",
       .description = "Ignores messages of more than a megabyte",
       .breaks = {"stdio.long-lines"},
       .seen_over = SeenOver::kProcessOnly,
       .inside = Switch::kLosesLongLines},
      {.id = "white-space-unread",
       .description = "Ignores messages with white space around them, a carriage return for one",
       .breaks = {"stdio.lines-read-whole"},
       .seen_over = SeenOver::kProcessOnly,
       .inside = Switch::kChokesOnWhiteSpace},
  };
}

}  // namespace assay::server
