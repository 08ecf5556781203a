// Faults of the keys of `_meta`, the kinds of results and the codes of errors, where there is no
// handshake. Specification: basic (since 2026-07-28).
#include "reference/server/faults/rows.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

constexpr std::int64_t kReservedForNobody = -32077;

// What a result says in `_meta` beside the rest.
template <const char* kKey>
void add_to_meta(Departure& d) {
  if (d.is_result_of("tools/list")) d.result()["_meta"][kKey] = true;
}
constexpr char kEmptyLabel[] = "com..example/key";
constexpr char kEmptyPrefix[] = "/key";
constexpr char kDigitLabel[] = "com.4example/key";
constexpr char kHyphenName[] = "com.example/-key-";
constexpr char kBlankName[] = "com.example/a key";
constexpr char kForwards[] = "example.com/key";

std::vector<Fault> meta_name_faults() {
  return {
      {.id = "result-meta-prefix-empty",
       .description = "Has a key in _meta with an empty label in its prefix",
       .breaks = {"meta.label-form"},
       .may_break = {"meta.prefix-form"},
       .departure = add_to_meta<kEmptyLabel>},
      {.id = "result-meta-prefix-without-label",
       .description = "Has a key in _meta whose prefix is nothing but the slash",
       .breaks = {"meta.prefix-form"},
       .departure = add_to_meta<kEmptyPrefix>},
      {.id = "result-meta-label-digit",
       .description = "Has a key in _meta with a label that begins with a digit",
       .breaks = {"meta.label-form"},
       .departure = add_to_meta<kDigitLabel>},
      {.id = "result-meta-name-hyphen",
       .description = "Has a key in _meta whose name begins and ends with a hyphen",
       .breaks = {"meta.name-form"},
       .departure = add_to_meta<kHyphenName>},
      {.id = "result-meta-name-blank",
       .description = "Has a key in _meta with a blank in its name",
       .breaks = {"meta.name-form"},
       .departure = add_to_meta<kBlankName>},
      {.id = "result-meta-prefix-forwards",
       .description = "Has a key in _meta whose prefix is no reversed domain name",
       .breaks = {"meta.prefix-reverse-dns"},
       .departure = add_to_meta<kForwards>},
      {.id = "trace-context-odd",
       .description = "Has a traceparent in _meta that is none",
       .breaks = {"meta.trace-context-format"},
       .departure = sets<result_of<"tools/list">, "/result/_meta/traceparent", "yesterday">},
  };
}

bool is_unknown_tool(Departure& d) {
  return d.is_error_of("tools/call", wire::kInvalidParams) &&
         d.json()["error"].value("message", "").starts_with("Unknown tool");
}

std::vector<Fault> result_faults() {
  return {
      {.id = "result-type-left-out",
       .description = "Leaves the resultType out",
       .breaks = {"jsonrpc.result-type"},
       // Without it, input that is required looks like a complete result.
       .may_break = {"mrtr.requests-by-result", "schema.prompts-get-result",
                     "schema.tools-call-result"},
       .departure =
           [](Departure& d) {
             if (d.is_result()) d.result().erase("resultType");
           }},
      {.id = "result-type-of-lists-left-out",
       .description = "Leaves the resultType of lists out",
       .breaks = {"jsonrpc.result-type"},
       .departure =
           [](Departure& d) {
             if (d.is_result() && d.request()->method().ends_with("/list")) {
               d.result().erase("resultType");
             }
           }},
      {.id = "result-type-of-tools-left-out",
       .description = "Leaves the resultType of tool results out",
       .breaks = {"jsonrpc.result-type"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/call") && !is_input_required(d)) {
               d.result().erase("resultType");
             }
           }},
      {.id = "result-type-unknown",
       .description = "Sends a resultType that does not exist",
       .breaks = {"jsonrpc.result-type-known"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/list")) d.result()["resultType"] = "done";
           }},
      {.id = "result-type-in-capitals",
       .description = "Writes the resultType of prompts in capital letters",
       .breaks = {"jsonrpc.result-type-known"},
       .departure = sets<result_of<"prompts/list">, "/result/resultType", "COMPLETE">},
      {.id = "result-type-of-unadvertised-extension",
       .description = "Has the resultType of an extension that it does not advertise",
       .breaks = {"jsonrpc.result-type-known"},
       .departure = sets<result_of<"completion/complete">, "/result/resultType", "task">},
      {.id = "reserved-code",
       .description = "Has an error code of its own among those that are reserved",
       .breaks = {"jsonrpc.reserved-codes-not-emitted"},
       .may_break = {"tools.unknown-tool-error"},
       .departure = recodes<is_unknown_tool, kReservedForNobody>},
      {.id = "header-mismatch-for-something-else",
       .description = "Answers an unknown tool with the code of a header mismatch",
       .breaks = {"jsonrpc.reserved-codes-meaning"},
       .may_break = {"tools.unknown-tool-error", "http.header-failure-400"},
       .departure = recodes<is_unknown_tool, -32020>},
      {.id = "missing-capability-for-something-else",
       .description = "Answers an unknown tool with the code of a missing capability",
       .breaks = {"jsonrpc.reserved-codes-meaning"},
       .may_break = {"tools.unknown-tool-error", "meta.missing-capability-error",
                     "meta.missing-capability-400"},
       .departure = recodes<is_unknown_tool, kMissingClientCapability>},
      {.id = "unsupported-version-for-something-else",
       .description = "Answers an unknown tool with the code of an unsupported version",
       .breaks = {"jsonrpc.reserved-codes-meaning"},
       .may_break = {"tools.unknown-tool-error", "versioning.unsupported-version-error",
                     "http.version-unsupported-400"},
       .departure = recodes<is_unknown_tool, kUnsupportedProtocolVersion>},
      {.id = "resource-not-found-of-old",
       .description = "Answers an unknown resource with -32002, as earlier revisions did",
       .breaks = {"jsonrpc.old-codes-not-emitted", "resources.not-found-error"},
       .departure =
           [](Departure& d) {
             if (d.is_error_of("resources/read", wire::kInvalidParams)) {
               d.set_error_code(wire::kResourceNotFound);
             }
           }},
      {.id = "url-elicitation-of-old",
       .description = "Fails with -32042 in place of asking for a visit",
       .breaks = {"jsonrpc.old-codes-not-emitted"},
       .may_break = {"mrtr.requests-by-result"},
       .departure =
           [](Departure& d) {
             const Json* const asked = asked_by_result(d, "elicitation/create");
             if (asked && asked->value("mode", "") == "url") {
               become_error(d, wire::kUrlElicitationRequired, "Visit a page first");
             }
           }},
      {.id = "codes-near-the-standard",
       .description = "Has an error code of its own that JSON-RPC reserves",
       .breaks = {"jsonrpc.new-codes-outside-reserved"},
       .may_break = {"tools.unknown-tool-error"},
       .departure =
           [](Departure& d) {
             if (is_unknown_tool(d)) d.set_error_code(-32123);
           }},
  };
}

}  // namespace

std::vector<Fault> stateless_message_faults() {
  return of_stateless_era({meta_name_faults, result_faults});
}

}  // namespace assay::server
