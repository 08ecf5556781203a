// Faults of discovery, versions and what each request says in `_meta`, where there is no handshake.
// Specification: server/discover, basic/versioning, basic (since 2026-07-28).
#include "reference/server/faults/rows.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

bool is_refusal_of_meta(Departure& d) {
  if (!d.has_error_code(wire::kInvalidParams)) return false;
  return d.json()["error"].value("message", "").find("_meta") != std::string::npos;
}

// The version as which a request is served: its own, or the newest where that is no version of this
// era.
std::string_view version_served(const Json& request) {
  return revision_asked(member(request, "params")).text();
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
       .departure =
           [](Departure& d) {
             if (d.answers("server/discover")) become_error(d, wire::kMethodNotFound, "What?");
           }},
      {.id = "discover-unanswered",
       .description = "Never answers server/discover",
       .breaks = {"discover.implemented"},
       .may_break = {"versioning.implemented", "http.request-answer-type",
                     "jsonrpc.request-answered-once"},
       .departure = drops<answer_to<"server/discover">>},
      {.id = "discover-needs-a-session",
       .description = "Wants initialize ahead of server/discover",
       .breaks = {"discover.implemented"},
       .may_break = {"versioning.implemented", "stateless.no-prior-context"},
       .departure =
           [](Departure& d) {
             if (d.answers("server/discover")) {
               become_error(d, wire::kInvalidRequest, "Not initialized");
             }
           }},
      {.id = "discover-tools-undeclared",
       .description = "Has tools, and does not say so",
       .breaks = {"tools.capability-declared"},
       .departure = leave_out_capability<kToolsCapability>},
      {.id = "discover-prompts-undeclared",
       .description = "Has prompts, and does not say so",
       .breaks = {"prompts.capability-declared"},
       .departure = leave_out_capability<kPromptsCapability>},
      {.id = "discover-resources-undeclared",
       .description = "Has resources, and does not say so",
       .breaks = {"resources.capability-declared"},
       .may_break = {"tools.embedding-declares-resources"},
       .departure = leave_out_capability<kResourcesCapability>},
      {.id = "discover-completions-undeclared",
       .description = "Completes arguments, and does not say so",
       .breaks = {"completion.capability-declared", "completion.unsupported-error"},
       .departure = leave_out_capability<kCompletionsCapability>},
      {.id = "discover-logging-undeclared",
       .description = "Logs, and does not say so",
       .breaks = {"logging.capability-declared"},
       .departure = leave_out_capability<kLoggingCapability>},
      {.id = "extension-without-prefix",
       .description = "Advertises an extension whose identifier has no prefix",
       .breaks = {"versioning.extension-identifier"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("server/discover")) return;
             d.result()["capabilities"]["extensions"]["tasks"] = Json::object();
           }},
      {.id = "extension-prefix-odd",
       .description = "Advertises an extension whose prefix begins with a digit",
       .breaks = {"versioning.extension-identifier"},
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
       .intake =
           [](Json& message, FaultMemory&) {
             if (has_meta(message)) {
               Json& version = meta_of(message)[kProtocolVersionKey];
               if (version.is_string()) version = version_served(message);
             }
           }},
      {.id = "later-version-served",
       .description = "Serves a request that names a later version as if it were one of its own",
       .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
       .intake =
           [](Json& message, FaultMemory&) {
             if (!is_request_json(message)) return;
             const auto version =
                 string_member(member(member(message, "params"), "_meta"), kProtocolVersionKey);
             const std::string_view served = version_served(message);
             if (version && *version > served) meta_of(message)[kProtocolVersionKey] = served;
           }},
      {.id = "unsupported-version-other-code",
       .description = "Answers an unknown version with -32602",
       .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
       .departure = recodes<error_code<kUnsupportedProtocolVersion>, -32602>},
      {.id = "unsupported-version-unlisted",
       .description = "Does not say which versions it supports",
       .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
       .departure = erases<error_code<kUnsupportedProtocolVersion>, "/error/data">},
      {.id = "unsupported-version-list-empty",
       .description = "Says that it supports no version at all",
       .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(kUnsupportedProtocolVersion)) return;
             d.json()["error"]["data"]["supported"] = Json::array();
           }},
      {.id = "unsupported-version-list-false",
       .description = "Does not list the version that it speaks",
       .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(kUnsupportedProtocolVersion)) return;
             d.json()["error"]["data"]["supported"] = Json::array({"2025-11-25"});
           }},
      {.id = "unsupported-version-as-text",
       .description = "Lists its versions in a text",
       .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(kUnsupportedProtocolVersion)) return;
             d.json()["error"]["data"]["supported"] = revision_asked(asked_params(d)).text();
           }},
      {.id = "initialize-error-mute",
       .description = "Answers initialize with an error that names no version",
       .breaks = {"versioning.initialize-error-names-versions"},
       .seen_over = SeenOver::kStdioOnly,
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
       .intake =
           [](Json& message, FaultMemory&) {
             if (has_meta(message) && !meta_of(message).contains(kProtocolVersionKey)) {
               meta_of(message)[kProtocolVersionKey] = version_served(message);
             }
           }},
      {.id = "missing-capabilities-accepted",
       .description = "Serves a request that declares no capabilities, not even none",
       .breaks = {"meta.missing-field-rejected", "meta.missing-field-400"},
       .intake =
           [](Json& message, FaultMemory&) {
             if (has_meta(message) && !meta_of(message).contains(kClientCapabilitiesKey)) {
               meta_of(message)[kClientCapabilitiesKey] = Json::object();
             }
           }},
      {.id = "missing-meta-accepted",
       .description = "Serves a request without _meta",
       .breaks = {"meta.missing-field-rejected", "meta.missing-field-400"},
       .intake =
           [](Json& message, FaultMemory&) {
             if (!is_request_json(message) || message["method"] == "initialize") return;
             if (message["method"] == "ping" || member(message, "params").is_array()) return;
             if (!member(member(message, "params"), "_meta").is_null()) return;
             meta_of(message) = {{kProtocolVersionKey, version_served(message)},
                                 {kClientCapabilitiesKey, Json::object()}};
           }},
      {.id = "missing-field-other-code",
       .description = "Answers a request whose _meta lacks a field with -32600",
       .breaks = {"meta.missing-field-rejected"},
       .departure = recodes<is_refusal_of_meta, wire::kInvalidRequest>},
      {.id = "missing-version-as-unsupported",
       .description = "Answers a request that names no version as if it named another",
       .breaks = {"meta.missing-field-rejected"},
       .departure =
           [](Departure& d) {
             const Json& meta = member(asked_params(d), "_meta");
             if (!is_refusal_of_meta(d) || meta.contains(kProtocolVersionKey)) return;
             d.set_error_code(kUnsupportedProtocolVersion);
             d.json()["error"]["data"] = {
                 {"supported", Json::array({model::Revision::newest_stateless().text()})},
                 {"requested", ""}};
           }},
      {.id = "missing-field-unanswered",
       .description = "Does not answer a request whose _meta lacks a field",
       .breaks = {"meta.missing-field-rejected"},
       .may_break = {"meta.missing-field-400", "http.request-answer-type"},
       .departure = drops<is_refusal_of_meta>},
      remembered_capabilities_fault("capabilities-remembered",
                                    "Takes what one request declared for all that follow",
                                    [](Json& message, FaultMemory& memory) {
                                      if (!has_meta(message)) return;
                                      Json& declared = meta_of(message)[kClientCapabilitiesKey];
                                      if (!declared.is_object()) return;
                                      memory.of_server["capabilities"].update(declared);
                                      declared = memory.of_server["capabilities"];
                                    }),
      {.id = "version-remembered",
       .description = "Lets a request leave out the version that an earlier one named",
       .breaks = {"stateless.no-prior-context", "meta.missing-field-rejected",
                  "meta.missing-field-400"},
       .intake =
           [](Json& message, FaultMemory& memory) {
             if (!has_meta(message)) return;
             Json& version = meta_of(message)[kProtocolVersionKey];
             if (version == Json(version_served(message))) memory.of_server["version"] = version;
             if (version.is_null()) version = member(memory.of_server, "version");
             if (version.is_null()) meta_of(message).erase(kProtocolVersionKey);
           }},
      {.id = "log-level-remembered",
       .description = "Logs for requests that set no level what an earlier one asked for",
       .breaks = {"logging.level-requested", "stateless.no-prior-context"},
       .intake =
           [](Json& message, FaultMemory& memory) {
             if (!has_meta(message)) return;
             Json& meta = meta_of(message);
             const auto level = string_member(meta, kLogLevelKey);
             if (level && parse_log_level(*level)) {
               memory.of_server["level"] = *level;
             } else if (!meta.contains(kLogLevelKey) && memory.of_server.contains("level")) {
               meta[kLogLevelKey] = memory.of_server["level"];
             }
           }},
      {.id = "missing-capability-other-code",
       .description = "Answers a lack of capabilities with -32602",
       .breaks = {"meta.missing-capability-error"},
       .may_break = {"meta.missing-capability-400"},
       .departure = recodes<error_code<kMissingClientCapability>, -32602>},
      {.id = "missing-capability-unlisted",
       .description = "Does not say which capability is missing",
       .breaks = {"meta.missing-capability-error"},
       .departure = erases<error_code<kMissingClientCapability>, "/error/data">},
      {.id = "missing-capability-as-array",
       .description = "Lists missing capabilities in an array",
       .breaks = {"meta.missing-capability-error"},
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(kMissingClientCapability)) return;
             d.json()["error"]["data"]["requiredCapabilities"] = Json::array({"sampling"});
           }},
      {.id = "missing-capability-none-listed",
       .description = "Says that no capability is missing",
       .breaks = {"meta.missing-capability-error"},
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(kMissingClientCapability)) return;
             d.json()["error"]["data"]["requiredCapabilities"] = Json::object();
           }},
      {.id = "server-named-once",
       .description = "Says who it is in server/discover alone",
       .breaks = {"meta.server-info"},
       .departure =
           [](Departure& d) {
             if (!d.is_result() || d.answers("server/discover")) return;
             if (d.result().contains("_meta")) d.result()["_meta"].erase(kServerInfoKey);
           }},
  };
}

}  // namespace

std::vector<Fault> stateless_base_faults() {
  return of_stateless_era({discovery_faults, version_faults, meta_field_faults});
}

}  // namespace assay::server
