// Faults of what a server without sessions supports, and of what it keeps between requests.
// Specification of 2026-07-28: basic/index, basic/versioning, basic/patterns, server/resources.
#include <string>
#include <string_view>

#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

// A file of the machine's, where the URI that was refused leads to one by these letters.
void read_file_by_detour(Departure& d, std::string_view letters) {
  if (!d.is_error_of("resources/read", wire::kInvalidParams)) return;
  const std::string uri = asked_params(d).value("uri", "");
  if (uri.find(letters) == std::string::npos) return;
  become_result(d, {{"contents", Json::array({{{"uri", uri}, {"text", "127.0.0.1 localhost"}}})},
                    {"ttlMs", 0},
                    {"cacheScope", "private"}});
}

bool has_reserved_stranger(const Json& meta) {
  return meta.is_object() && meta.contains("io.mcp.assay/value");
}

std::vector<Fault> support_faults() {
  return {
      {.id = "discovered-once",
       .description = "Answers server/discover only once on a connection",
       .breaks = {"versioning.implemented", "discover.implemented"},
       .may_break = {"meta.no-assumptions", "cancellation.races-handled",
                     "stateless.interleaved-conversations"},
       .seen_over = SeenOver::kStdioOnly,
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (!d.is_result_of("server/discover")) return;
             Json& is_known = memory.of_connection["discovered"];
             if (is_known == true) become_error(d, wire::kInternalError, "You know me already");
             is_known = true;
           }},
      {.id = "extension-result-unasked",
       .description = "Answers as an extension requires although the client does not declare it",
       .breaks = {"versioning.extension-unsupported"},
       // It declares the extension, and has none of it.
       .may_break = {"ext-tasks.get-unknown-error", "ext-tasks.result-type-reserved",
                     "ext-tasks.standard-errors", "ext-tasks.unknown-error-code"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("server/discover")) {
               d.result()["capabilities"]["extensions"][std::string(kTasksExtension)] =
                   Json::object();
             } else if (d.is_result_of("completion/complete")) {
               d.result()["resultType"] = "task";
             }
           }},
      {.id = "declared-completions-unknown",
       .description = "Declares completions, and does not know completion/complete",
       .breaks = {"lifecycle.declared-capabilities-served"},
       .may_break = {"completion.missing-argument-error", "completion.unknown-prompt-error"},
       .departure =
           [](Departure& d) {
             if (d.answers("completion/complete")) {
               become_error(d, wire::kMethodNotFound, "Method not found");
             }
           }},
      {.id = "reserved-meta-refused-again",
       .description = "Refuses a reserved key of _meta that it does not know",
       .breaks = {"meta.no-assumptions"},
       .departure =
           [](Departure& d) {
             if (d.is_result() && has_reserved_stranger(member(asked_params(d), "_meta"))) {
               become_error(d, wire::kInvalidParams, "Unknown key in _meta");
             }
           }},
      {.id = "path-traversal-again",
       .description = "Reads files outside of its directory by a path with '..'",
       .breaks = {"resources.paths-sanitized", "resources.uris-validated"},
       .departure = [](Departure& d) { read_file_by_detour(d, "/../"); }},
      {.id = "path-traversal-encoded-again",
       .description = "Reads files outside of its directory by a path with an encoded '../'",
       .breaks = {"resources.paths-sanitized", "resources.uris-validated"},
       .departure = [](Departure& d) { read_file_by_detour(d, "..%2F"); }},
  };
}

std::vector<Fault> kept_faults() {
  return {
      {.id = "logger-named-by-count",
       .description = "Gives its logger another name each time",
       .breaks = {"logging.logger-names-consistent"},
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (!d.is_notification("notifications/message")) return;
             Json& count = memory.of_server["logged"];
             count = count.is_null() ? 1 : count.get<int>() + 1;
             d.params()["logger"] = "logger-" + std::to_string(count.get<int>());
           }},
      {.id = "one-question-at-a-time",
       .description = "Knows of one open question of a connection, and not which",
       .breaks = {"stateless.explicit-state-id"},
       .may_break = {"stateless.connection-not-required"},
       .seen_over = SeenOver::kStdioOnly,
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             Json& has_asked = memory.of_connection["asked"];
             const Json& params = asked_params(d);
             if (is_input_required(d)) {
               has_asked = true;
             } else if (d.is_result() && params.is_object() && params.contains("inputResponses")) {
               if (has_asked != true) become_error(d, wire::kInvalidParams, "Nothing was asked");
               has_asked = false;
             }
           }},
  };
}

}  // namespace

std::vector<Fault> stateless_support_faults() {
  return of_stateless_era({support_faults, kept_faults});
}

}  // namespace assay::server
