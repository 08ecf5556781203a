// Faults of one of several like things where there are no sessions: encoded names of one kind,
// capabilities of one kind, cancellations over stdio, progress that comes late. Specification of
// 2026-07-28: basic/transports, basic/index, basic/patterns.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/faults/stateless_faults.h"
#include "reference/transport/header_value.h"
#include "reference/transport/request_headers.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

bool is_encoded_ascii(std::string_view value) {
  if (!transport::looks_encoded(value)) return false;
  const auto text = transport::decode_header_value(value);
  return text && std::all_of(text->begin(), text->end(),
                             [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// A header of that name (or beginning) whose base64 holds nothing but ASCII is compared as it is.
void leave_ascii_encoded(transport::HttpHead& head, std::string_view beginning) {
  for (auto& [name, value] : head.headers) {
    const bool is_meant = transport::lower_case(name).starts_with(beginning);
    if (is_meant && is_encoded_ascii(value)) value = "undecoded";
  }
}

std::vector<Fault> ascii_encoding_faults() {
  const std::vector<std::string_view> decoded = {"http.base64-decoded",
                                                 "http.base64-decoded-before-compare"};
  return {
      {.id = "encoded-ascii-names-compared",
       .description = "Decodes no base64 in Mcp-Name that holds nothing but ASCII",
       .breaks = decoded,
       .seen_over = SeenOver::kHttpOnly,
       .mishears = [](const Json&,
                      transport::HttpHead& head) { leave_ascii_encoded(head, "mcp-name"); }},
      {.id = "encoded-ascii-parameters-compared",
       .description = "Decodes no base64 in headers of parameters that holds nothing but ASCII",
       .breaks = decoded,
       .may_break = {"http.parameter-header-matches-body"},
       .seen_over = SeenOver::kHttpOnly,
       .mishears = [](const Json&,
                      transport::HttpHead& head) { leave_ascii_encoded(head, "mcp-param-"); }},
  };
}

// What the error says that the client lacks; null where it is no such error.
Json* required_in(Departure& d) {
  if (!d.has_error_code(kMissingClientCapability)) return nullptr;
  return &d.json()["error"]["data"]["requiredCapabilities"];
}

Json declared_in(const Departure& d) {
  return member(member(asked_params(d), "_meta"), kClientCapabilitiesKey);
}

std::vector<Fault> capability_faults() {
  return {
      {.id = "missing-capability-of-other-kind",
       .description = "Lists roots where sampling is missing, and sampling where anything else is",
       .breaks = {"meta.missing-capability-error"},
       .may_break = {"jsonrpc.reserved-codes-meaning"},
       .departure =
           [](Departure& d) {
             Json* const required = required_in(d);
             if (required == nullptr || required->size() != 1) return;
             const bool is_sampling = required->contains("sampling");
             *required = {{is_sampling ? "roots" : "sampling", Json::object()}};
           }},
      {.id = "missing-capability-declared",
       .description = "Lists what the client has declared in place of what it lacks",
       .breaks = {"jsonrpc.reserved-codes-meaning"},
       .may_break = {"meta.missing-capability-error"},
       .departure =
           [](Departure& d) {
             Json* const required = required_in(d);
             if (required == nullptr || !declared_in(d).is_object()) return;
             for (const char* capability : {"roots", "sampling"}) {
               if (declared_in(d).contains(capability)) {
                 *required = {{capability, Json::object()}};
                 return;
               }
             }
           }},
      {.id = "missing-capability-in-band",
       .description = "Reports a missing capability in the result of the tool",
       .breaks = {"meta.missing-capability-error"},
       .may_break = {"tools.structured-content-as-text"},
       .departure =
           [](Departure& d) {
             if (!d.answers("tools/call") || required_in(d) == nullptr) return;
             const std::string words =
                 "The client lacks the capability " + required_in(d)->begin().key();
             become_result(d, {{"content", Json::array({{{"type", "text"}, {"text", words}}})},
                               {"isError", true}});
           }},
  };
}

std::vector<Fault> stdio_cancellation_faults() {
  return {
      {.id = "stdio-cancelled-call-answered",
       .description = "Stops a call that is cancelled over stdio, and answers it with an error",
       .breaks = {"cancellation.no-response", "stdio.cancelled-no-messages"},
       // The work may report once more before it sees that it was stopped.
       .may_break = {"progress.stops-on-completion", "progress.token-of-running-operation"},
       .seen_over = SeenOver::kStdioOnly,
       .inside = Switch::kAnswersCancelled},
      {.id = "stdio-cancelled-work-goes-on",
       .description = "Works on and reports progress when a call is cancelled over stdio",
       .breaks = {"cancellation.stop-processing", "stdio.cancelled-no-messages"},
       .seen_over = SeenOver::kStdioOnly,
       .inside = Switch::kWorksOnWhenCancelled},
      {.id = "stdio-cancels-everything",
       .description = "Cancels every request with each cancellation over stdio",
       .breaks = {"jsonrpc.request-answered-once", "cancellation.unknown-ignored"},
       .may_break = {"cancellation.completed-ignored", "cancellation.malformed-ignored",
                     "cancellation.races-handled", "stateless.interleaved-conversations",
                     "subscriptions.graceful-end", "stdio.cancelled-no-messages"},
       .seen_over = SeenOver::kStdioOnly,
       .inside = Switch::kCancelsEverything},
      {.id = "stdio-cancellation-answered",
       .description = "Answers cancellations over stdio with an error",
       .breaks = {"cancellation.unknown-ignored", "cancellation.completed-ignored",
                  "cancellation.malformed-ignored", "jsonrpc.notification-no-response"},
       .seen_over = SeenOver::kStdioOnly,
       .arrival =
           [](Arrival& a) {
             if (a.is_notification() && a.message().method() == "notifications/cancelled") {
               a.send(wire::make_error(std::nullopt, wire::kInvalidParams, "No such request"));
             }
           }},
      {.id = "stdio-cancelled-answered-again",
       .description = "Answers each cancelled request over stdio with an error, answered or not",
       .breaks = {"cancellation.races-handled", "jsonrpc.request-answered-once"},
       .may_break = {"cancellation.completed-ignored", "cancellation.no-response",
                     "stdio.cancelled-no-messages", "subscriptions.graceful-end",
                     "cancellation.unknown-ignored", "jsonrpc.response-id",
                     "jsonrpc.error-response-id", "jsonrpc.notification-no-response"},
       .seen_over = SeenOver::kStdioOnly,
       .arrival =
           [](Arrival& a) {
             if (!a.is_notification() || a.message().method() != "notifications/cancelled") return;
             if (!a.message().has_params()) return;
             const Json& id = member(a.message().params(), "requestId");
             if (!id.is_string() && !id.is_number_integer()) return;
             a.send(wire::make_error(wire::Id::from_json_text(wire::encode(id)),
                                     wire::kInternalError, "Cancelled"));
           }},
  };
}

std::vector<Fault> late_faults() {
  return {
      {.id = "progress-late-on-other-stream",
       .description = "Sends the last progress of a call on the stream of the next request",
       .breaks = {"http.stream-messages-relate", "progress.token-of-active-request"},
       .may_break = {"progress.stops-on-completion", "progress.token-of-running-operation",
                     "progress.value-increases", "http.cancelled-no-messages"},
       .seen_over = SeenOver::kHttpOnly,
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (d.is_notification("notifications/progress")) {
               // Every second one is kept back.
               Json& kept = memory.of_server["kept"];
               if (kept.is_null()) {
                 kept = d.text();
                 d.drop();
               }
             } else if (d.is_result() && !d.answers("tools/call") &&
                        memory.of_server["kept"].is_string()) {
               d.before(memory.of_server["kept"].get<std::string>());
               memory.of_server["kept"] = nullptr;
             }
           }},
  };
}

}  // namespace

std::vector<Fault> stateless_narrow_faults() {
  return of_stateless_era(
      {ascii_encoding_faults, capability_faults, stdio_cancellation_faults, late_faults});
}

}  // namespace assay::server
