// How a client can write lines badly to a server's standard input. Specification: basic/transports,
// "stdio"; basic, "Messages".
#include <string>

#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

const char* kNote = R"({"jsonrpc":"2.0","method":"notifications/assay"})";

void send_besides(Departure& d, const std::string& bytes) {
  if (d.is_request("resources/list")) d.after(bytes);
}

}  // namespace

std::vector<Fault> line_faults() {
  return {
      {.id = "byte-order-mark",
       .description = "Writes a byte order mark before a message",
       .breaks = {"stdio.stdin-only-messages"},
       .seen_over = SeenOver::kStdioOnly,
       .shown_in = {"list-in-pages"},
       .departure = [](Departure& d) { send_besides(d, std::string("\xef\xbb\xbf") + kNote); }},
      {.id = "length-before-message",
       .description = "Writes the length of a message before it, as language servers do",
       .breaks = {"stdio.stdin-only-messages"},
       .seen_over = SeenOver::kStdioOnly,
       .shown_in = {"list-in-pages"},
       .departure =
           [](Departure& d) {
             if (d.is_request("resources/list")) d.before("Content-Length: 120\r");
           }},
      {.id = "messages-on-one-line",
       .description = "Writes two messages on one line",
       .breaks = {"stdio.stdin-only-messages"},
       .seen_over = SeenOver::kStdioOnly,
       .shown_in = {"list-in-pages"},
       .departure = [](Departure& d) { send_besides(d, std::string(kNote) + kNote); }},
      {.id = "comma-after-message",
       .description = "Writes a comma after a message",
       .breaks = {"stdio.stdin-only-messages"},
       .seen_over = SeenOver::kStdioOnly,
       .shown_in = {"list-in-pages"},
       .departure = [](Departure& d) { send_besides(d, std::string(kNote) + ","); }},
      {.id = "answer-over-lines",
       .description = "Writes its answer to a ping over several lines",
       .breaks = {"stdio.no-embedded-newlines"},
       .may_break = {"stdio.stdin-only-messages", "ping.answered", "jsonrpc.request-answered-once"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &model::Revision::has_server_requests,
       .shown_in = {"server-asks"},
       .departure =
           [](Departure& d) {
             if (d.answers("ping")) d.set_bytes(d.json().dump(2));
           }},
      {.id = "surrogates-as-utf8",
       .description = "Sends a letter beyond 16 bits as two surrogates in UTF-8",
       .breaks = {"jsonrpc.utf8"},
       .may_break = {"stdio.stdin-only-messages", "jsonrpc.version-2-messages"},
       .shown_in = {"list-in-pages"},
       .departure =
           [](Departure& d) {
             send_besides(d,
                          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                          "assay\",\"params\":{\"x\":\"\xed\xa0\xbd\xed\xb8\x80\"}}");
           }},
  };
}

}  // namespace assay::client
