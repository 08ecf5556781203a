// Faults of discovery, versions, `_meta` and the kinds of results, where there is no handshake.
// Specification: server/discover, basic/versioning, basic (since 2026-07-28).
#include "reference/server/faults/stateless_faults.h"

namespace assay::server {
namespace {

constexpr std::int64_t kReservedForNobody = -32077;

bool is_refusal_of_meta(Departure& d) {
  if (!d.has_error_code(wire::kInvalidParams)) return false;
  return d.json()["error"].value("message", "").find("_meta") != std::string::npos;
}

// A capability that is not declared in server/discover.
template <const char* kName>
void leave_out_capability(Departure& d) {
  if (d.is_result_of("server/discover")) d.result()["capabilities"].erase(kName);
}
constexpr char kToolsCapability[] = "tools";
constexpr char kPromptsCapability[] = "prompts";
constexpr char kResourcesCapability[] = "resources";
constexpr char kCompletionsCapability[] = "completions";
constexpr char kLoggingCapability[] = "logging";

std::vector<Fault> discovery_faults() {
  return {
      {.id = "discover-unknown",
       .description = "Does not know server/discover",
       .breaks = {"discover.implemented"},
       .may_break = {"versioning.implemented", "http.unknown-method-404"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.answers("server/discover")) become_error(d, wire::kMethodNotFound, "What?");
           }},
      {.id = "discover-unanswered",
       .description = "Never answers server/discover",
       .breaks = {"discover.implemented"},
       .may_break = {"versioning.implemented", "http.request-answer-type"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.answers("server/discover")) d.drop();
           }},
      {.id = "discover-needs-a-session",
       .description = "Wants initialize ahead of server/discover",
       .breaks = {"discover.implemented"},
       .may_break = {"versioning.implemented", "stateless.no-prior-context"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.answers("server/discover")) {
               become_error(d, wire::kInvalidRequest, "Not initialized");
             }
           }},
      {.id = "discover-tools-undeclared",
       .description = "Has tools, and does not say so",
       .breaks = {"tools.capability-declared"},
       .concerns = is_stateless,
       .departure = leave_out_capability<kToolsCapability>},
      {.id = "discover-prompts-undeclared",
       .description = "Has prompts, and does not say so",
       .breaks = {"prompts.capability-declared"},
       .concerns = is_stateless,
       .departure = leave_out_capability<kPromptsCapability>},
      {.id = "discover-resources-undeclared",
       .description = "Has resources, and does not say so",
       .breaks = {"resources.capability-declared"},
       .may_break = {"tools.embedding-declares-resources"},
       .concerns = is_stateless,
       .departure = leave_out_capability<kResourcesCapability>},
      {.id = "discover-completions-undeclared",
       .description = "Completes arguments, and does not say so",
       .breaks = {"completion.capability-declared", "completion.unsupported-error"},
       .concerns = is_stateless,
       .departure = leave_out_capability<kCompletionsCapability>},
      {.id = "discover-logging-undeclared",
       .description = "Logs, and does not say so",
       .breaks = {"logging.capability-declared"},
       .concerns = is_stateless,
       .departure = leave_out_capability<kLoggingCapability>},
      {.id = "extension-without-prefix",
       .description = "Advertises an extension whose identifier has no prefix",
       .breaks = {"versioning.extension-identifier"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("server/discover")) return;
             d.result()["capabilities"]["extensions"]["tasks"] = Json::object();
           }},
      {.id = "extension-prefix-odd",
       .description = "Advertises an extension whose prefix begins with a digit",
       .breaks = {"versioning.extension-identifier"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("server/discover")) return;
             d.result()["capabilities"]["extensions"]["3com.example/x"] = Json::object();
           }},
  };
}

std::vector<Fault> version_faults() {
  return {
      {.id = "unsupported-version-served",
       .description = "Serves a request whatever version it names",
       .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
       .may_break = {"versioning.implemented"},
       .concerns = is_stateless,
       .intake =
           [](Json& message, FaultMemory&) {
             if (has_meta(message)) {
               Json& version = meta_of(message)[kProtocolVersionKey];
               if (version.is_string()) version = "2026-07-28";
             }
           }},
      {.id = "later-version-served",
       .description = "Serves a request that names a later version as if it were one of its own",
       .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
       .concerns = is_stateless,
       .intake =
           [](Json& message, FaultMemory&) {
             if (!is_request_json(message)) return;
             const auto version =
                 string_member(member(member(message, "params"), "_meta"), kProtocolVersionKey);
             if (version && *version > "2026-07-28") {
               meta_of(message)[kProtocolVersionKey] = "2026-07-28";
             }
           }},
      {.id = "unsupported-version-other-code",
       .description = "Answers an unknown version with -32602",
       .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.has_error_code(kUnsupportedProtocolVersion)) d.set_error_code(-32602);
           }},
      {.id = "unsupported-version-unlisted",
       .description = "Does not say which versions it supports",
       .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.has_error_code(kUnsupportedProtocolVersion)) d.json()["error"].erase("data");
           }},
      {.id = "unsupported-version-list-empty",
       .description = "Says that it supports no version at all",
       .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(kUnsupportedProtocolVersion)) return;
             d.json()["error"]["data"]["supported"] = Json::array();
           }},
      {.id = "unsupported-version-list-false",
       .description = "Does not list the version that it speaks",
       .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(kUnsupportedProtocolVersion)) return;
             d.json()["error"]["data"]["supported"] = Json::array({"2025-11-25"});
           }},
      {.id = "unsupported-version-as-text",
       .description = "Lists its versions in a text",
       .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(kUnsupportedProtocolVersion)) return;
             d.json()["error"]["data"]["supported"] = "2026-07-28";
           }},
      {.id = "initialize-error-mute",
       .description = "Answers initialize with an error that names no version",
       .breaks = {"versioning.initialize-error-names-versions"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (!d.is_error() || !d.answers("initialize")) return;
             d.json()["error"] = {{"code", d.json()["error"]["code"]}, {"message", "Refused"}};
           }},
  };
}

std::vector<Fault> meta_field_faults() {
  return {
      {.id = "missing-version-accepted",
       .description = "Serves a request that names no version",
       .breaks = {"meta.missing-field-rejected", "meta.missing-field-400"},
       .concerns = is_stateless,
       .intake =
           [](Json& message, FaultMemory&) {
             if (has_meta(message) && !meta_of(message).contains(kProtocolVersionKey)) {
               meta_of(message)[kProtocolVersionKey] = "2026-07-28";
             }
           }},
      {.id = "missing-capabilities-accepted",
       .description = "Serves a request that declares no capabilities, not even none",
       .breaks = {"meta.missing-field-rejected", "meta.missing-field-400"},
       .concerns = is_stateless,
       .intake =
           [](Json& message, FaultMemory&) {
             if (has_meta(message) && !meta_of(message).contains(kClientCapabilitiesKey)) {
               meta_of(message)[kClientCapabilitiesKey] = Json::object();
             }
           }},
      {.id = "missing-meta-accepted",
       .description = "Serves a request without _meta",
       .breaks = {"meta.missing-field-rejected", "meta.missing-field-400"},
       .concerns = is_stateless,
       .intake =
           [](Json& message, FaultMemory&) {
             if (!is_request_json(message) || message["method"] == "initialize") return;
             if (message["method"] == "ping" || member(message, "params").is_array()) return;
             if (!member(member(message, "params"), "_meta").is_null()) return;
             meta_of(message) = {{kProtocolVersionKey, "2026-07-28"},
                                 {kClientCapabilitiesKey, Json::object()}};
           }},
      {.id = "missing-field-other-code",
       .description = "Answers a request whose _meta lacks a field with -32600",
       .breaks = {"meta.missing-field-rejected"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (is_refusal_of_meta(d)) d.set_error_code(wire::kInvalidRequest);
           }},
      {.id = "missing-field-unanswered",
       .description = "Does not answer a request whose _meta lacks a field",
       .breaks = {"meta.missing-field-rejected"},
       .may_break = {"meta.missing-field-400", "http.request-answer-type"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (is_refusal_of_meta(d)) d.drop();
           }},
      {.id = "capabilities-remembered",
       .description = "Takes what one request declared for all that follow",
       .breaks = {"meta.capabilities-not-inferred", "stateless.no-prior-context"},
       .may_break = {"meta.undeclared-capabilities", "meta.missing-capability-error",
                     "mrtr.only-declared-inputs", "mrtr.no-elicitation-undeclared",
                     "elicitation.undeclared-mode-not-sent", "roots.capability-checked",
                     "meta.missing-capability-400", "sampling.tools-only-if-declared"},
       .concerns = is_stateless,
       .intake =
           [](Json& message, FaultMemory& memory) {
             if (!has_meta(message)) return;
             Json& declared = meta_of(message)[kClientCapabilitiesKey];
             if (!declared.is_object()) return;
             memory.of_server["capabilities"].update(declared);
             declared = memory.of_server["capabilities"];
           }},
      {.id = "version-remembered",
       .description = "Lets a request leave out the version that an earlier one named",
       .breaks = {"stateless.no-prior-context", "meta.missing-field-rejected",
                  "meta.missing-field-400"},
       .concerns = is_stateless,
       .intake =
           [](Json& message, FaultMemory& memory) {
             if (!has_meta(message)) return;
             Json& version = meta_of(message)[kProtocolVersionKey];
             if (version == "2026-07-28") memory.of_server["version"] = version;
             if (version.is_null()) version = member(memory.of_server, "version");
             if (version.is_null()) meta_of(message).erase(kProtocolVersionKey);
           }},
      {.id = "log-level-remembered",
       .description = "Logs for requests that set no level what an earlier one asked for",
       .breaks = {"logging.level-requested", "stateless.no-prior-context"},
       .concerns = is_stateless,
       .intake =
           [](Json& message, FaultMemory& memory) {
             if (!has_meta(message)) return;
             Json& meta = meta_of(message);
             if (meta.contains(kLogLevelKey)) {
               memory.of_server["level"] = meta[kLogLevelKey];
             } else if (memory.of_server.contains("level")) {
               meta[kLogLevelKey] = memory.of_server["level"];
             }
           }},
      {.id = "missing-capability-other-code",
       .description = "Answers a lack of capabilities with -32602",
       .breaks = {"meta.missing-capability-error"},
       .may_break = {"meta.missing-capability-400"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.has_error_code(kMissingClientCapability)) d.set_error_code(-32602);
           }},
      {.id = "missing-capability-unlisted",
       .description = "Does not say which capability is missing",
       .breaks = {"meta.missing-capability-error"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.has_error_code(kMissingClientCapability)) d.json()["error"].erase("data");
           }},
      {.id = "missing-capability-as-array",
       .description = "Lists missing capabilities in an array",
       .breaks = {"meta.missing-capability-error"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(kMissingClientCapability)) return;
             d.json()["error"]["data"]["requiredCapabilities"] = Json::array({"sampling"});
           }},
      {.id = "missing-capability-none-listed",
       .description = "Says that no capability is missing",
       .breaks = {"meta.missing-capability-error"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(kMissingClientCapability)) return;
             d.json()["error"]["data"]["requiredCapabilities"] = Json::object();
           }},
      {.id = "missing-capability-in-result",
       .description = "Reports a lack of capabilities in the result of the tool",
       .breaks = {"meta.missing-capability-error"},
       .may_break = {"meta.missing-capability-400"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(kMissingClientCapability) || !d.answers("tools/call")) return;
             become_result(d, {{"content", Json::array({{{"type", "text"}, {"text", "No"}}})},
                               {"isError", true}});
           }},
      {.id = "server-unnamed",
       .description = "Does not say in its results who it is",
       .breaks = {"meta.server-info"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.is_result() && d.result().contains("_meta")) {
               d.result()["_meta"].erase(kServerInfoKey);
             }
           }},
      {.id = "server-named-once",
       .description = "Says who it is in server/discover alone",
       .breaks = {"meta.server-info"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (!d.is_result() || d.answers("server/discover")) return;
             if (d.result().contains("_meta")) d.result()["_meta"].erase(kServerInfoKey);
           }},
  };
}

// What a result says in `_meta` beside the rest.
template <const char* kKey>
void add_to_meta(Departure& d) {
  if (d.is_result_of("tools/list")) d.result()["_meta"][kKey] = true;
}
constexpr char kEmptyLabel[] = "com..example/key";
constexpr char kDigitLabel[] = "com.4example/key";
constexpr char kHyphenName[] = "com.example/-key-";
constexpr char kBlankName[] = "com.example/a key";
constexpr char kForwards[] = "example.com/key";

std::vector<Fault> meta_name_faults() {
  return {
      {.id = "result-meta-prefix-empty",
       .description = "Has a key in _meta with an empty label in its prefix",
       .breaks = {"meta.prefix-form"},
       .may_break = {"meta.label-form"},
       .concerns = is_stateless,
       .departure = add_to_meta<kEmptyLabel>},
      {.id = "result-meta-label-digit",
       .description = "Has a key in _meta with a label that begins with a digit",
       .breaks = {"meta.label-form"},
       .concerns = is_stateless,
       .departure = add_to_meta<kDigitLabel>},
      {.id = "result-meta-name-hyphen",
       .description = "Has a key in _meta whose name begins and ends with a hyphen",
       .breaks = {"meta.name-form"},
       .concerns = is_stateless,
       .departure = add_to_meta<kHyphenName>},
      {.id = "result-meta-name-blank",
       .description = "Has a key in _meta with a blank in its name",
       .breaks = {"meta.name-form"},
       .concerns = is_stateless,
       .departure = add_to_meta<kBlankName>},
      {.id = "result-meta-prefix-forwards",
       .description = "Has a key in _meta whose prefix is no reversed domain name",
       .breaks = {"meta.prefix-reverse-dns"},
       .concerns = is_stateless,
       .departure = add_to_meta<kForwards>},
      {.id = "trace-context-odd",
       .description = "Has a traceparent in _meta that is none",
       .breaks = {"meta.trace-context-format"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/list")) d.result()["_meta"]["traceparent"] = "yesterday";
           }},
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
       .may_break = {"mrtr.requests-by-result"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.is_result()) d.result().erase("resultType");
           }},
      {.id = "result-type-of-lists-left-out",
       .description = "Leaves the resultType of lists out",
       .breaks = {"jsonrpc.result-type"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.is_result() && d.request()->method().ends_with("/list")) {
               d.result().erase("resultType");
             }
           }},
      {.id = "result-type-of-tools-left-out",
       .description = "Leaves the resultType of tool results out",
       .breaks = {"jsonrpc.result-type"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/call") && !is_input_required(d)) {
               d.result().erase("resultType");
             }
           }},
      {.id = "result-type-unknown",
       .description = "Has a resultType that there is not",
       .breaks = {"jsonrpc.result-type-known"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/list")) d.result()["resultType"] = "done";
           }},
      {.id = "result-type-in-capitals",
       .description = "Writes the resultType of prompts in capital letters",
       .breaks = {"jsonrpc.result-type-known"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("prompts/list")) d.result()["resultType"] = "COMPLETE";
           }},
      {.id = "result-type-of-unadvertised-extension",
       .description = "Has the resultType of an extension that it does not advertise",
       .breaks = {"jsonrpc.result-type-known"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("completion/complete")) d.result()["resultType"] = "task";
           }},
      {.id = "reserved-code",
       .description = "Has an error code of its own among those that are reserved",
       .breaks = {"jsonrpc.reserved-codes-not-emitted"},
       .may_break = {"tools.unknown-tool-error"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (is_unknown_tool(d)) d.set_error_code(kReservedForNobody);
           }},
      {.id = "header-mismatch-for-something-else",
       .description = "Answers an unknown tool with the code of a header mismatch",
       .breaks = {"jsonrpc.reserved-codes-meaning"},
       .may_break = {"tools.unknown-tool-error"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (is_unknown_tool(d)) d.set_error_code(-32020);
           }},
      {.id = "missing-capability-for-something-else",
       .description = "Answers an unknown tool with the code of a missing capability",
       .breaks = {"jsonrpc.reserved-codes-meaning"},
       .may_break = {"tools.unknown-tool-error"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (is_unknown_tool(d)) d.set_error_code(kMissingClientCapability);
           }},
      {.id = "unsupported-version-for-something-else",
       .description = "Answers an unknown tool with the code of an unsupported version",
       .breaks = {"jsonrpc.reserved-codes-meaning"},
       .may_break = {"tools.unknown-tool-error"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (is_unknown_tool(d)) d.set_error_code(kUnsupportedProtocolVersion);
           }},
      {.id = "resource-not-found-of-old",
       .description = "Answers an unknown resource with -32002, as earlier revisions did",
       .breaks = {"jsonrpc.old-codes-not-emitted", "resources.not-found-error"},
       .concerns = is_stateless,
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
       .concerns = is_stateless,
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
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (is_unknown_tool(d)) d.set_error_code(-32123);
           }},
      {.id = "removed-methods-served",
       .description = "Answers a ping, which is gone",
       .breaks = {"http.unknown-method-404"},
       .may_break = {"versioning.implemented", "jsonrpc.unknown-method-refused"},
       .concerns = is_stateless,
       .departure =
           [](Departure& d) {
             if (d.is_error_of("ping", wire::kMethodNotFound)) become_result(d, Json::object());
           }},
  };
}

}  // namespace

std::vector<Fault> stateless_base_faults() {
  std::vector<Fault> all;
  for (std::vector<Fault> (*table)() :
       {discovery_faults, version_faults, meta_field_faults, meta_name_faults, result_faults}) {
    for (Fault& fault : table()) all.push_back(std::move(fault));
  }
  return all;
}

}  // namespace assay::server
