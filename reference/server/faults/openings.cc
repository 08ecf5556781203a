// Faults of the very first answer: with them a session cannot begin, or begins oddly.
// Specification: basic/lifecycle; server/discover and basic/versioning (since 2026-07-28); the
// rules of JSON-RPC about answers.
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using model::Revision;

bool is_opening(const Departure& d) {
  return d.answers("initialize") || d.answers("server/discover");
}

void become_refusal(Departure& d, Json error) {
  if (!d.answers("initialize")) return;
  d.json().erase("result");
  d.json()["error"] = std::move(error);
}

std::vector<Fault> broken_openings() {
  return {
      {.id = "opening-with-result-and-error",
       .description = "Puts an error beside the result of its first answer",
       .breaks = {"jsonrpc.response-not-both", "jsonrpc.version-2-messages"},
       .departure =
           [](Departure& d) {
             if (is_opening(d)) d.json()["error"] = {{"code", -32603}, {"message", "None, really"}};
           }},
      {.id = "opening-with-null-error",
       .description = "Puts a null error beside the result of its first answer",
       .breaks = {"jsonrpc.response-not-both", "jsonrpc.version-2-messages"},
       .departure =
           [](Departure& d) {
             if (is_opening(d)) d.json()["error"] = nullptr;
           }},
      {.id = "opening-without-result",
       .description = "Leaves the result out of its first answer",
       .breaks = {"jsonrpc.response-result-or-error", "jsonrpc.result-response-result"},
       .may_break = {"jsonrpc.version-2-messages"},
       .departure =
           [](Departure& d) {
             if (is_opening(d)) d.json().erase("result");
           }},
      {.id = "opening-with-other-id",
       .description = "Gives its first answer an id of another type",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .departure =
           [](Departure& d) {
             if (is_opening(d)) d.json()["id"] = d.json()["id"].dump() + "?";
           }},
      {.id = "opening-with-null-id",
       .description = "Gives its first answer a null id",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .departure =
           [](Departure& d) {
             if (is_opening(d)) d.json()["id"] = nullptr;
           }},
      {.id = "opening-without-jsonrpc",
       .description = "Leaves \"jsonrpc\" out of its first answer",
       .breaks = {"jsonrpc.version-2-messages"},
       .departure =
           [](Departure& d) {
             if (is_opening(d)) d.json().erase("jsonrpc");
           }},
      {.id = "opening-of-jsonrpc-1",
       .description = "Says that its first answer is of JSON-RPC 1.0",
       .breaks = {"jsonrpc.version-2-messages"},
       .departure =
           [](Departure& d) {
             if (is_opening(d)) d.json()["jsonrpc"] = "1.0";
           }},
      {.id = "opening-answered-twice",
       .description = "Gives its first answer twice",
       .breaks = {"jsonrpc.request-answered-once"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (is_opening(d)) d.after(d.text());
           }},
  };
}

std::vector<Fault> refused_openings() {
  return {
      {.id = "opening-refused-in-text",
       .description = "Refuses initialize with a text for an error",
       .breaks = {"jsonrpc.error-code-and-message", "jsonrpc.version-2-messages"},
       .concerns = &Revision::has_handshake,
       .departure = [](Departure& d) { become_refusal(d, "No"); }},
      {.id = "opening-refused-without-message",
       .description = "Refuses initialize with an error that has no message",
       .breaks = {"jsonrpc.error-code-and-message", "jsonrpc.version-2-messages"},
       .concerns = &Revision::has_handshake,
       .departure =
           [](Departure& d) {
             become_refusal(d, {{"code", wire::kInvalidParams}});
           }},
      {.id = "opening-refused-with-code-in-text",
       .description = "Refuses initialize with an error whose code is a text",
       .breaks = {"jsonrpc.error-code-integer"},
       .may_break = {"jsonrpc.version-2-messages"},
       .concerns = &Revision::has_handshake,
       .departure =
           [](Departure& d) {
             become_refusal(d, {{"code", "EINVAL"}, {"message", "No"}});
           }},
      {.id = "opening-refused-with-null-id",
       .description = "Refuses initialize with an error whose id is null",
       .breaks = {"jsonrpc.response-id", "jsonrpc.error-response-id"},
       .concerns = &Revision::has_handshake,
       .departure =
           [](Departure& d) {
             if (!d.answers("initialize")) return;
             become_refusal(d, {{"code", wire::kInvalidParams}, {"message", "No"}});
             d.json()["id"] = nullptr;
           }},
  };
}

}  // namespace

std::vector<Fault> opening_faults() {
  std::vector<Fault> all = broken_openings();
  for (Fault& fault : refused_openings()) all.push_back(std::move(fault));
  return all;
}

}  // namespace assay::server
