// Faults of one of several like things: one list, one argument, one level, one subscription, one
// member of a batch, the rest of one stream. Specification: server/utilities, server/resources,
// server/prompts, basic/utilities/tasks, basic/transports.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

constexpr std::array<std::string_view, 8> kLevelNames = {
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};

// The level that a client sets; null where it sets none.
Json* level_in(Json& request) {
  if (request.value("method", "") != "logging/setLevel" || !request.contains("params")) {
    return nullptr;
  }
  Json& params = request["params"];
  return params.is_object() && params.contains("level") ? &params["level"] : nullptr;
}

std::vector<Fault> narrow_level_faults() {
  return {
      {.id = "log-level-one-too-low",
       .description = "Logs what is one level below the one that the client set",
       .breaks = {"logging.session-level-respected"},
       .intake =
           [](Json& request, FaultMemory&) {
             Json* const level = level_in(request);
             if (level == nullptr) return;
             for (std::size_t i = 1; i < kLevelNames.size(); ++i) {
               if (*level != kLevelNames[i]) continue;
               *level = kLevelNames[i - 1];
               return;
             }
           }},
      {.id = "log-levels-by-name",
       .description = "Compares log levels by the order of their names",
       .breaks = {"logging.session-level-respected"},
       .intake =
           [](Json& request, FaultMemory&) {
             Json* const level = level_in(request);
             if (level == nullptr || !level->is_string()) return;
             if (std::find(kLevelNames.begin(), kLevelNames.end(),
                           level->get_ref<const std::string&>()) == kLevelNames.end()) {
               return;
             }
             // Of what is less severe, whatever has a later name is logged.
             for (const std::string_view name : kLevelNames) {
               if (*level == name) return;
               if (name > level->get_ref<const std::string&>()) {
                 *level = name;
                 return;
               }
             }
           }},
      {.id = "log-level-error-unknown",
       .description = "Logs everything where the client sets the level \"error\"",
       .breaks = {"logging.session-level-respected"},
       .intake =
           [](Json& request, FaultMemory&) {
             Json* const level = level_in(request);
             if (level != nullptr && *level == "error") *level = "debug";
           }},
  };
}

// An unknown cursor is taken for the end of this one list.
template <Literal kMethod, Literal kItems>
void ends_at_unknown_cursor(Departure& d) {
  const bool is_refusal = d.is_error_of(kMethod.text(), wire::kInvalidParams);
  if (!is_refusal || !asked_params(d).is_object() || !asked_params(d).contains("cursor")) return;
  d.json().erase("error");
  d.json()["result"] = {{kItems.characters, Json::array()}};
}

Fault cursor_fault(std::string_view id, std::string_view description,
                   void (*departure)(Departure&)) {
  return {.id = id,
          .description = description,
          .breaks = {"pagination.invalid-cursor"},
          .departure = departure};
}

std::vector<Fault> narrow_cursor_faults() {
  return {
      cursor_fault("any-cursor-of-tools", "Ends the list of tools at a cursor that it never gave",
                   ends_at_unknown_cursor<"tools/list", "tools">),
      cursor_fault("any-cursor-of-prompts",
                   "Ends the list of prompts at a cursor that it never gave",
                   ends_at_unknown_cursor<"prompts/list", "prompts">),
      cursor_fault("any-cursor-of-resources",
                   "Ends the list of resources at a cursor that it never gave",
                   ends_at_unknown_cursor<"resources/list", "resources">),
      cursor_fault("any-cursor-of-templates",
                   "Ends the list of templates at a cursor that it never gave",
                   ends_at_unknown_cursor<"resources/templates/list", "resourceTemplates">),
  };
}

bool is_update(const Departure& d) {
  return d.is_notification("notifications/resources/updated");
}

std::vector<Fault> narrow_subscription_faults() {
  return {
      {.id = "last-subscription-alone",
       .description = "Tells of the resource that was subscribed to last, and of no other",
       .breaks = {"resources.updates-only-subscribed"},
       .intake =
           [](Json& request, FaultMemory& memory) {
             if (request.value("method", "") != "resources/subscribe") return;
             memory.of_connection["last"] = request.value("/params/uri"_json_pointer, Json());
           },
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (is_update(d) && d.params()["uri"] != memory.of_connection["last"]) d.drop();
           }},
      {.id = "unsubscription-ends-all",
       .description = "Takes the end of one subscription for the end of all",
       .breaks = {"resources.updates-only-subscribed"},
       .intake =
           [](Json& request, FaultMemory& memory) {
             const std::string method = request.value("method", "");
             if (method == "resources/unsubscribe") memory.of_connection["over"] = true;
             if (method == "resources/subscribe") memory.of_connection["over"] = false;
           },
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (is_update(d) && memory.of_connection["over"] == true) d.drop();
           }},
  };
}

std::vector<Fault> narrow_argument_faults() {
  return {
      {.id = "second-argument-optional",
       .description = "Gives a prompt without the second of its required arguments",
       .breaks = {"prompts.missing-argument-error", "prompts.arguments-validated"},
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("prompts/get", wire::kInvalidParams)) return;
             const Json given = asked_params(d).value("arguments", Json::object());
             const bool is_half =
                 given.is_object() && given.contains("arg1") && !given.contains("arg2");
             if (!is_half) return;
             d.json().erase("error");
             d.json()["result"] = {
                 {"messages", Json::array({{{"role", "user"},
                                            {"content", {{"type", "text"}, {"text", "Half"}}}}})}};
           }},
      {.id = "failed-task-result-unanswered",
       .description = "Never answers tasks/result of a task that failed",
       .breaks = {"tasks.result-of-terminal"},
       .may_break = {"tasks.result-same-error", "tasks.result-same-response",
                     "jsonrpc.request-answered-once"},
       .concerns = &model::Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             const bool has_failed =
                 d.is_error_of("tasks/result", wire::kInternalError) ||
                 (d.is_result_of("tasks/result") && d.result().value("isError", false));
             if (has_failed) d.drop();
           }},
  };
}

std::vector<Fault> narrow_batch_faults() {
  return {
      {.id = "batch-errors-with-null-id",
       .description = "Gives errors in the answer to a batch a null id",
       .breaks = {"jsonrpc.response-id", "jsonrpc.error-response-id"},
       .may_break = {"jsonrpc.batch-receive"},
       .concerns = &model::Revision::has_batching,
       .batch =
           [](Json& members) {
             for (Json& member : members) {
               if (member.contains("error")) member["id"] = nullptr;
             }
           }},
      {.id = "batch-errors-without-id",
       .description = "Leaves the id out of errors in the answer to a batch",
       .breaks = {"jsonrpc.response-id", "jsonrpc.error-response-id"},
       .may_break = {"jsonrpc.batch-receive"},
       .concerns = &model::Revision::has_batching,
       .batch =
           [](Json& members) {
             for (Json& member : members) {
               if (member.contains("error")) member.erase("id");
             }
           }},
      {.id = "batch-last-answer-in-first-id",
       .description = "Gives the last answer to a batch the id of the first",
       .breaks = {"jsonrpc.request-answered-once", "jsonrpc.batch-receive"},
       .concerns = &model::Revision::has_batching,
       .batch =
           [](Json& members) {
             if (members.size() > 1) members.back()["id"] = members.front()["id"];
           }},
      {.id = "batch-error-codes-in-text",
       .description = "Writes the codes of errors in the answer to a batch as text",
       .breaks = {"jsonrpc.error-code-integer"},
       .may_break = {"jsonrpc.batch-receive", "jsonrpc.batch-invalid-member"},
       .concerns = &model::Revision::has_batching,
       .batch =
           [](Json& members) {
             for (Json& member : members) {
               if (member.contains("error")) member["error"]["code"] = "invalid";
             }
           }},
  };
}

bool is_unheard_result(Departure& d) {
  return d.is_unheard() && d.is_result_of("tools/call");
}

Fault resumption_fault(std::string_view id, std::string_view description,
                       std::vector<std::string_view> breaks, void (*departure)(Departure&)) {
  return {.id = id,
          .description = description,
          .breaks = std::move(breaks),
          .may_break = {"http.disconnect-is-no-cancellation", "http.stream-response",
                        "http.stream-not-closed-early"},
          .seen_over = SeenOver::kHttpOnly,
          .concerns = &model::Revision::has_streamable_http,
          .departure = departure};
}

std::vector<Fault> narrow_resumption_faults() {
  return {
      resumption_fault("resumed-answer-of-nobody",
                       "Gives the answer on a resumed stream an id that no request had",
                       {"jsonrpc.response-id", "jsonrpc.result-response-id"},
                       [](Departure& d) {
                         if (is_unheard_result(d)) d.json()["id"] = "nobodys-request";
                       }),
      resumption_fault("resumed-answer-without-jsonrpc",
                       "Leaves \"jsonrpc\" out of the answer on a resumed stream",
                       {"jsonrpc.version-2-messages"},
                       [](Departure& d) {
                         if (is_unheard_result(d)) d.json().erase("jsonrpc");
                       }),
      resumption_fault("resumed-answer-without-content",
                       "Leaves the content out of the answer on a resumed stream",
                       {"schema.tools-call-result"},
                       [](Departure& d) {
                         if (is_unheard_result(d)) d.result().erase("content");
                       }),
      resumption_fault("resumed-progress-of-nobody",
                       "Reports progress on a resumed stream with an unknown token",
                       {"progress.token-of-active-request"},
                       [](Departure& d) {
                         if (d.is_unheard() && d.is_notification("notifications/progress")) {
                           d.params()["progressToken"] = "nobodys-token";
                         }
                       }),
  };
}

}  // namespace

std::vector<Fault> narrow_faults() {
  std::vector<Fault> all;
  for (const auto table : {narrow_level_faults, narrow_cursor_faults, narrow_subscription_faults,
                           narrow_argument_faults, narrow_batch_faults, narrow_resumption_faults}) {
    for (Fault& fault : table()) all.push_back(std::move(fault));
  }
  return all;
}

}  // namespace assay::server
