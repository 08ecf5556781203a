// What a client's messages can lack as JSON-RPC. Specification: basic, "Messages".
#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

// A list that the client asks for once, and whose answer nothing rests on.
bool is_harmless(const Departure& d) {
  return d.is_request("resources/list");
}

// The same request once more, changed by `spoil`, whose answer nobody waits for.
void repeat(Departure& d, void (*spoil)(Json&)) {
  if (!is_harmless(d)) return;
  Json extra = d.json();
  extra["id"] = "extra";
  spoil(extra);
  d.after(extra.dump());
}

}  // namespace

std::vector<Fault> message_faults() {
  return {
      {.id = "jsonrpc-1",
       .description = "Sends a request of JSON-RPC 1.0",
       .breaks = {"jsonrpc.version-2-messages"},
       .may_break = {"stdio.stdin-only-messages", "jsonrpc.request-id-unique"},
       .departure = [](Departure& d) { repeat(d, [](Json& j) { j["jsonrpc"] = "1.0"; }); }},
      {.id = "request-id-null",
       .description = "Sends a request whose id is null",
       .breaks = {"jsonrpc.request-id-not-null"},
       .may_break = {"jsonrpc.request-id-type"},
       .departure = [](Departure& d) { repeat(d, [](Json& j) { j["id"] = nullptr; }); }},
      {.id = "request-id-fraction",
       .description = "Sends a request whose id is no integer",
       .breaks = {"jsonrpc.request-id-type"},
       .departure = [](Departure& d) { repeat(d, [](Json& j) { j["id"] = 1.5; }); }},
      {.id = "request-id-twice",
       .description = "Uses the id of a request again",
       .breaks = {"jsonrpc.request-id-unique"},
       .departure =
           [](Departure& d) {
             if (is_harmless(d)) d.after(d.json().dump());
           }},
      {.id = "bytes-no-utf8",
       .description = "Sends a message that is not UTF-8",
       .breaks = {"jsonrpc.utf8"},
       .may_break = {"stdio.stdin-only-messages", "jsonrpc.version-2-messages"},
       .departure =
           [](Departure& d) {
             if (is_harmless(d)) {
               d.after(
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                   "assay\",\"params\":{\"x\":\"\xff\"}}");
             }
           }},
      {.id = "progress-token-fraction",
       .description = "Asks for progress with a token that is not an integer",
       .breaks = {"progress.token-type"},
       .departure =
           [](Departure& d) {
             if (is_harmless(d)) d.params()["_meta"]["progressToken"] = 1.5;
           }},
      {.id = "uri-is-a-number",
       .description = "Asks for a resource whose URI is a number",
       .breaks = {"schema.client-requests"},
       .may_break = {"jsonrpc.request-id-unique"},
       .concerns = &model::Revision::has_sessions,
       .departure =
           [](Departure& d) {
             const Json extra = {{"jsonrpc", "2.0"},
                                 {"id", "odd-read"},
                                 {"method", "resources/read"},
                                 {"params", {{"uri", 7}}}};
             if (is_harmless(d)) d.after(extra.dump());
           }},
      {.id = "progress-without-token",
       .description = "Reports progress of nothing",
       .breaks = {"schema.client-notifications"},
       .may_break = {"progress.token-of-active-request"},
       .concerns = &model::Revision::has_sessions,
       .departure =
           [](Departure& d) {
             const Json extra = {{"jsonrpc", "2.0"},
                                 {"method", "notifications/progress"},
                                 {"params", {{"progress", 1}}}};
             if (is_harmless(d)) d.after(extra.dump());
           }},
      {.id = "sampled-by-no-model",
       .description = "Does not say which model it sampled",
       .breaks = {"schema.client-results"},
       .concerns = &model::Revision::has_sessions,
       .departure =
           [](Departure& d) {
             if (d.answers("sampling/createMessage") && !d.is_error()) {
               d.json()["result"].erase("model");
             }
           }},
      {.id = "log-on-stdin",
       .description = "Writes a line of a log to the server's standard input",
       .breaks = {"stdio.stdin-only-messages"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (is_harmless(d)) d.before("listing prompts");
           }},
      {.id = "message-over-two-lines",
       .description = "Writes a message over several lines",
       .breaks = {"stdio.no-embedded-newlines"},
       .may_break = {"stdio.stdin-only-messages"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             const Json note = {{"jsonrpc", "2.0"}, {"method", "notifications/assay"}};
             if (is_harmless(d)) d.after(note.dump(2));
           }},
  };
}

}  // namespace assay::client
