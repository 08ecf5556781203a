// How a client can misread a result, or miss it. Specification of 2026-07-28: basic, "ResultType"
// and "JSON Schema Usage"; server/utilities/pagination; basic/transports/streamable-http.
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "reference/client/bugs/breakdown.h"
#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

// The result of a list of tools; null where the message is none.
Json* tools_in(Json& message) {
  if (!message.is_object() || !message.contains("result")) return nullptr;
  Json& result = message["result"];
  return result.is_object() && result.contains("tools") ? &result : nullptr;
}

}  // namespace

std::vector<Fault> stateless_result_faults() {
  return {
      {.id = "any-result-type-taken",
       .description = "Takes a result of whatever type for a complete one",
       .breaks = {"jsonrpc.result-type-unknown-invalid"},
       .intake =
           [](Json& message, const FaultMemory&) {
             if (Json* result = tools_in(message)) (*result)["resultType"] = "complete";
           }},
      {.id = "untyped-results-refused",
       .description = "Takes no result that does not say its type",
       .breaks = {"jsonrpc.result-type-absent"},
       .intake =
           [](Json& message, const FaultMemory&) {
             Json* result = tools_in(message);
             if (result != nullptr && !result->contains("resultType")) {
               (*result)["resultType"] = "none";
             }
           }},
      {.id = "pages-kept-behind-lost-cursor",
       .description = "Goes on with a list whose cursor was refused",
       .breaks = {"caching.invalid-cursor-drops-pages"},
       .departure =
           [](Departure& d) {
             const bool is_again = d.is_request("tools/list") && d.follows("tools/list") &&
                                   !d.params().contains("cursor");
             if (is_again && d.memory().cursor == "third") d.params()["cursor"] = "third";
           }},
      {.id = "keyed-to-one-error",
       .description = "Falls back to initialize only after error -32601",
       .breaks = {"stdio.era-fallback-any-error"},
       .seen_over = SeenOver::kStdioOnly,
       .intake =
           [](Json& message, const FaultMemory&) {
             const Json::json_pointer code("/error/code");
             const bool is_other =
                 message.is_object() && message.contains(code) && message[code] == -32000;
             if (is_other) message["error"]["code"] = -32021;
           }},
      {.id = "probe-left-out",
       .description = "Lists the tools before it asks for server/discover",
       .breaks = {"stdio.modern-client-probes", "stdio.era-probe"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (!d.is_request("server/discover")) return;
             Json list = d.json();
             list["id"] = "before-" + list["id"].dump();
             list["method"] = "tools/list";
             d.before(list.dump());
           }},
      {.id = "era-forgotten",
       .description = "Asks an older server for server/discover again with each call of a tool",
       .breaks = {"versioning.client-caches-era"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (!d.is_request("tools/call") || d.memory().version.empty()) return;
             const std::string_view version = model::Revision::newest_stateless().text();
             const Json meta = {{"io.modelcontextprotocol/protocolVersion", version},
                                {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
             const Json probe = {{"jsonrpc", "2.0"},
                                 {"id", "again-" + d.json()["id"].dump()},
                                 {"method", "server/discover"},
                                 {"params", {{"_meta", meta}}}};
             d.before(probe.dump());
           }},
      {.id = "polls-by-ttl",
       .description = "Fetches a list of tools again whenever its ttlMs is over",
       .breaks = {"caching.no-polling-by-ttl"},
       .seen_over = SeenOver::kStdioOnly,
       .echo = [](const Json& message, const FaultMemory& memory) -> Echo {
         const Json::json_pointer fresh("/result/ttlMs");
         const bool is_list =
             message.is_object() && message.contains(Json::json_pointer("/result/tools"));
         const bool ends = is_list && message.contains(fresh) && message[fresh] > 0;
         if (!ends || memory.list.is_null()) return {};
         Json again = memory.list;
         again["id"] = "poll-" + std::to_string(memory.echoes);
         return {std::move(again), std::chrono::milliseconds(message[fresh].get<std::int64_t>())};
       }},
      {.id = "crash-over-smaller-subscription",
       .description = "Crashes over the acknowledgment of a subscription that names nothing",
       .breaks = {"subscriptions.acknowledgment-checked"},
       .intake =
           [](Json& message, const FaultMemory&) {
             const Json::json_pointer filter("/params/notifications");
             const bool is_acknowledgment =
                 message.is_object() &&
                 message.value("method", Json()) == "notifications/subscriptions/acknowledged";
             const bool is_empty =
                 is_acknowledgment && message.contains(filter) && message[filter].empty();
             if (is_empty) crash();
           }},
      {.id = "validates-without-bounds",
       .description = "Is never done with the validation of an output whose schema is costly",
       .breaks = {"json-schema.bounded-validation"},
       .intake =
           [](Json& message, const FaultMemory&) {
             const Json::json_pointer cost("/result/structuredContent/cost");
             const bool is_costly = message.is_object() && message.contains(cost);
             if (is_costly) hang();
           }},
      {.id = "falls-back-unread",
       .description = "Falls back to initialize after any refusal over HTTP, without reading it",
       .breaks = {"http.era-400-inspected"},
       .may_break = {"versioning.client-retries-supported"},
       .seen_over = SeenOver::kHttpOnly,
       .departure =
           [](Departure& d) {
             if (!d.is_request("server/discover") || !d.follows("server/discover")) return;
             d.json()["method"] = "initialize";
           }},
      {.id = "retries-other-version",
       .description = "Tries again in a version that the server did not offer",
       .breaks = {"versioning.client-retries-supported"},
       .departure =
           [](Departure& d) {
             if (!d.is_request("server/discover") || !d.follows("server/discover")) return;
             d.params()["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2025-11-25";
           }},
      {.id = "empty-cursor-ends-list",
       .description = "Takes an empty cursor for the end of a list",
       .breaks = {"pagination.empty-cursor-continues", "pagination.cursor-value-not-interpreted",
                  "pagination.no-cursor-format-assumed"},
       .concerns = &model::Revision::is_stateless,
       .intake =
           [](Json& message, const FaultMemory&) {
             Json* result = tools_in(message);
             if (result != nullptr && result->value("nextCursor", Json()) == "") {
               result->erase("nextCursor");
             }
           }},
      {.id = "schema-keywords-lost",
       .description = "Keeps of a schema only the keywords that it knows",
       .breaks = {"json-schema.2020-12-supported"},
       .intake =
           [](Json& message, const FaultMemory&) {
             Json* result = tools_in(message);
             if (result == nullptr) return;
             for (Json& tool : (*result)["tools"]) {
               for (const char* keyword : {"$defs", "allOf", "if"}) {
                 if (tool.contains("inputSchema")) tool["inputSchema"].erase(keyword);
               }
             }
           }},
      {.id = "reserved-keys-known",
       .description = "Refuses a list of tools if the value at a reserved key is not an object",
       .breaks = {"meta.no-assumptions"},
       .concerns = &model::Revision::is_stateless,
       .intake =
           [](Json& message, const FaultMemory&) {
             const Json* result = tools_in(message);
             if (result == nullptr || !result->contains("_meta")) return;
             for (const auto& [key, value] : (*result)["_meta"].items()) {
               if (value.is_object()) continue;
               message["result"]["resultType"] = "none";
               return;
             }
           }},
      {.id = "event-streams-ignored",
       .description = "Finds no list of tools in a stream of events",
       .breaks = {"http.client-takes-both-types"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::is_stateless,
       .intake =
           [](Json& message, const FaultMemory& memory) {
             if (memory.is_event && tools_in(message) != nullptr) message = Json::object();
           }},
      {.id = "field-names-by-case",
       .description = "Finds no list of tools under field names that are written in another way",
       .breaks = {"http.header-names-case-insensitive"},
       .seen_over = SeenOver::kHttpOnly,
       .intake =
           [](Json& message, const FaultMemory& memory) {
             const bool is_odd = memory.type_field == "cONTENT-tYPE";
             if (is_odd && tools_in(message) != nullptr) message = Json::object();
           }},
      {.id = "lost-request-under-same-id",
       .description = "Asks again for what was lost under the id that it had",
       .breaks = {"http.lost-request-reissued"},
       .seen_over = SeenOver::kHttpOnly,
       .departure =
           [](Departure& d) {
             if (!d.is_request("tools/list") || !d.follows("tools/list")) return;
             if (d.params().contains("cursor")) return;
             d.repeat_under_id_before();
           }},
      {.id = "references-fetched",
       .description = "Fetches what a $ref in the schema of a tool leads to",
       .breaks = {"json-schema.no-network-references", "json-schema.references-off-by-default",
                  "tools.ref-resolution-safe"},
       .fetches = "$ref"},
      {.id = "cancels-what-it-has-read",
       .description = "Cancels a request whose answer it already uses",
       .breaks = {"cancellation.still-in-progress"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &model::Revision::is_stateless,
       .departure =
           [](Departure& d) {
             if (!d.is_request("tools/list") || !d.params().contains("cursor")) return;
             const Json note = {
                 {"jsonrpc", "2.0"},
                 {"method", "notifications/cancelled"},
                 {"params", {{"requestId", d.json()["id"].get<std::int64_t>() - 1}}}};
             d.after(note.dump());
           }},
  };
}

}  // namespace assay::client
