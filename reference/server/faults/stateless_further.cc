// Faults of the stateless era that break a rule in another way than its first fault does.
// Specification: the pages of 2026-07-28.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/server/faults/rows.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

// The schema of the tool with headers, in the list that leaves; null if it is not there.
Json* mirroring_schema(Departure& d) {
  if (!d.is_result_of("tools/list") || !d.result().contains("tools")) return nullptr;
  for (Json& tool : d.result()["tools"]) {
    if (tool.value("name", "") == "test_custom_headers") return &tool["inputSchema"];
  }
  return nullptr;
}

template <Literal kName>
void call_nested_header(Departure& d) {
  if (Json* const schema = mirroring_schema(d)) {
    (*schema)["properties"]["place"]["properties"]["city"]["x-mcp-header"] = kName.text();
  }
}

std::vector<Fault> further_header_names() {
  return {
      {.id = "nested-header-name-empty",
       .description = "Mirrors a nested argument into a header without a name",
       .breaks = {"tools.header-name-not-empty"},
       .may_break = {"tools.header-name-token"},
       .departure = call_nested_header<"">},
      {.id = "nested-header-name-taken-in-other-case",
       .description = "Mirrors a nested argument into a header that differs in case from another",
       .breaks = {"tools.header-name-unique"},
       .departure = call_nested_header<"REGION">},
      {.id = "header-name-with-delete",
       .description = "Mirrors an argument into a header with the control character DEL",
       .breaks = {"tools.header-name-no-control-characters"},
       .may_break = {"tools.header-name-token"},
       .departure = call_nested_header<"City\x7f">},
  };
}

// The first key of what is asked, once more with its first character escaped.
void repeat_key_escaped(Departure& d) {
  if (!is_input_required(d) || !d.result().contains("inputRequests")) return;
  std::string text = d.text();
  const std::string opening = "\"inputRequests\":{";
  const std::string key = d.result()["inputRequests"].begin().key();
  const std::string escaped = "\\u00" +
                              [](unsigned char c) {
                                constexpr std::string_view kDigits = "0123456789abcdef";
                                return std::string{kDigits[c / 16], kDigits[c % 16]};
                              }(static_cast<unsigned char>(key.front())) +
                              key.substr(1);
  text.insert(text.find(opening) + opening.size(),
              "\"" + escaped + R"(":{"method":"roots/list"},)");
  d.set_bytes(std::move(text));
}

std::vector<Fault> further_questions() {
  return {
      {.id = "input-key-twice-in-other-spelling",
       .description = "Asks for two things under one key, once with an escape in it",
       .breaks = {"mrtr.input-request-keys-unique"},
       .departure = repeat_key_escaped},
      {.id = "input-required-of-nulls",
       .description = "Needs input, and says null for it and for its state",
       .breaks = {"mrtr.result-not-empty"},
       .may_break = {"schema.prompts-get-result", "schema.tools-call-result",
                     "schema.resources-read-result"},
       .departure =
           [](Departure& d) {
             if (!is_input_required(d)) return;
             d.result()["inputRequests"] = nullptr;
             d.result()["requestState"] = nullptr;
           }},
      {.id = "input-request-without-method",
       .description = "Asks for something and does not say how",
       .breaks = {"mrtr.input-request-kinds"},
       .departure =
           [](Departure& d) {
             if (is_input_required(d)) d.result()["inputRequests"]["more"] = Json::object();
           }},
      {.id = "asks-by-request-for-prompts",
       .description = "Asks for roots by a request of its own while it makes a prompt",
       .breaks = {"transport.binding-directions", "mrtr.requests-by-result"},
       .may_break = {"mrtr.no-server-requests", "http.no-requests-on-stream",
                     "stdio.server-no-requests", "http.stream-messages-relate"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("prompts/get")) {
               d.before(wire::encode(wire::make_request(wire::Id::of(1), "roots/list")));
             }
           }},
      {.id = "asks-by-url-for-forms-alone",
       .description = "Sends users to a page though their client shows forms only",
       .breaks = {"elicitation.undeclared-mode-not-sent"},
       .may_break = {"mrtr.only-declared-inputs", "meta.undeclared-capabilities"},
       .departure =
           [](Departure& d) {
             Json* const params = asked_by_result(d, "elicitation/create");
             const Json& meta = member(asked_params(d), "_meta");
             const Json& declared = member(member(meta, kClientCapabilitiesKey), "elicitation");
             if (params == nullptr || member(declared, "url").is_object()) return;
             *params = {{"mode", "url"},
                        {"message", "Please look"},
                        {"elicitationId", "look"},
                        {"url", "https://example.com/look"}};
           }},
  };
}

std::vector<Fault> further_streams() {
  return {
      {.id = "subscription-end-names-another-type",
       .description = "Ends a subscription with its id as a text if it is a number",
       .breaks = {"cancellation.server-ends-subscription"},
       .may_break = {"cancellation.server-names-listen", "cancellation.server-no-other-purpose"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/cancelled")) return;
             Json& id = d.params()["requestId"];
             id = id.is_string() ? Json(7) : Json(id.dump());
           }},
      {.id = "cancels-refused-requests",
       .description = "Tells the client that a request which it refuses is cancelled",
       .breaks = {"cancellation.server-no-other-purpose"},
       .may_break = {"cancellation.server-names-listen"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (!d.is_error() || !d.answers("tools/call")) return;
             d.before(wire::encode(wire::make_notification("notifications/cancelled",
                                                           {{"requestId", d.json()["id"]}})));
           }},
      {.id = "progress-after-refusal",
       .description = "Reports progress of a call that it has refused",
       .breaks = {"progress.token-of-running-operation"},
       .may_break = {"progress.stops-on-completion", "progress.token-of-active-request"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             const Json& token = member(member(asked_params(d), "_meta"), "progressToken");
             if (!d.is_error() || token.is_null()) return;
             d.after(wire::encode(wire::make_notification(
                 "notifications/progress", {{"progressToken", token}, {"progress", 1}})));
           }},
      {.id = "logs-before-acknowledgement",
       .description = "Logs on a subscription before it acknowledges it",
       .breaks = {"subscriptions.nothing-before-acknowledgment"},
       .may_break = {"subscriptions.acknowledged-first", "subscriptions.only-requested",
                     "logging.on-requesting-stream-only", "logging.level-requested",
                     "http.stream-messages-relate"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/subscriptions/acknowledged")) return;
             d.before(wire::encode(wire::make_notification(
                 "notifications/message",
                 {{"level", "info"}, {"data", "subscribing"}, {"_meta", d.params()["_meta"]}})));
           }},
      {.id = "answers-in-arrays-of-one",
       .description = "Answers lists of tools in an array of one message",
       .breaks = {"schema.no-batches"},
       .may_break = {"tools.list-answered", "jsonrpc.request-answered-once",
                     "http.request-answer-type", "stdio.stdout-only-messages"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/list")) d.set_bytes("[" + d.text() + "]");
           }},
      {.id = "stdout-blank-lines",
       .description = "Writes an empty line ahead of each answer of a tool",
       .breaks = {"stdio.stdout-only-messages"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/call")) d.before("");
           }},
      {.id = "surrogates-in-utf8",
       .description = "Writes characters in UTF-8 as a pair of surrogates",
       .breaks = {"jsonrpc.utf8"},
       .may_break = {"tools.errors-in-result"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/call")) return;
             d.result()["_meta"]["assay"] = "MARK";
             std::string text = d.text();
             text.replace(text.find("MARK"), 4, "\xED\xA0\xBD\xED\xB8\x80");
             d.set_bytes(std::move(text));
           }},
  };
}

std::vector<Fault> further_results() {
  return {
      {.id = "resources-list-unanswered",
       .description = "Never answers resources/list",
       .breaks = {"resources.list-answered"},
       .may_break = {"lifecycle.declared-capabilities-served", "http.request-answer-type",
                     "jsonrpc.request-answered-once"},
       .departure = drops<answer_to<"resources/list">>},
      {.id = "extension-name-ends-in-hyphen",
       .description = "Advertises an extension whose name ends with a hyphen",
       .breaks = {"versioning.extension-identifier"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("server/discover")) return;
             d.result()["capabilities"]["extensions"]["com.example/x-"] = Json::object();
           }},
      {.id = "resource-scheme-with-digit-first",
       .description = "Lists a resource whose scheme begins with a digit",
       .breaks = {"resources.custom-scheme-rfc3986"},
       .may_break = {"schema.resources-list-result"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("resources/list")) return;
             Json more = d.result()["resources"].front();
             more["uri"] = "3d://model";
             more["name"] = "model";
             d.result()["resources"].push_back(std::move(more));
           }},
  };
}

}  // namespace

std::vector<Fault> stateless_further_faults() {
  return of_stateless_era(
      {further_header_names, further_questions, further_streams, further_results});
}

}  // namespace assay::server
