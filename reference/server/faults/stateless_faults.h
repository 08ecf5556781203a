// What the tables of faults of the stateless era share.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/server/era.h"
#include "reference/server/faults/fault.h"
#include "reference/server/handlers.h"
#include "reference/server/identity.h"

namespace assay::server {

// The faults of these tables, each of the stateless era alone.
std::vector<Fault> of_stateless_era(std::initializer_list<std::vector<Fault> (*)()> tables);

// Takes Mcp-Name for something else than it says.
inline Fault name_header_fault(std::string_view id, std::string_view description,
                               void (*mishears)(const Json&, transport::HttpHead&)) {
  return {.id = id,
          .description = description,
          .breaks = {"http.header-body-mismatch-rejected"},
          .may_break = {"http.base64-decoded", "http.base64-decoded-before-compare"},
          .mishears = mishears};
}

// Another request changes a list.
inline Fault side_effect_fault(std::string_view id, std::string_view description,
                               std::string_view breaks,
                               void (*recollection)(Departure&, FaultMemory&)) {
  return {
      .id = id,
      .description = description,
      .breaks = {breaks},
      .may_break = {"tools.list-same-on-every-connection", "prompts.list-same-on-every-connection",
                    "resources.list-same-on-every-connection", "stateless.no-prior-context",
                    "tools.list-order-deterministic"},
      // A server of many clients may have changed for somebody else.
      .seen_over = SeenOver::kStdioOnly,
      .recollection = recollection};
}

// A list depends on the connection. A client that starts the server has one connection to it.
inline Fault connection_fault(std::string_view id, std::string_view description,
                              std::string_view breaks,
                              void (*recollection)(Departure&, FaultMemory&)) {
  return {.id = id,
          .description = description,
          .breaks = {breaks},
          .may_break = {"tools.list-free-of-side-effects", "prompts.list-free-of-side-effects",
                        "resources.list-free-of-side-effects", "tools.list-order-deterministic",
                        "stateless.connection-not-required"},
          .seen_over = SeenOver::kHttpOnly,
          .recollection = recollection};
}

// True for connections in turn, and for requests without one.
inline bool is_each_second(FaultMemory& memory) {
  if (!memory.of_connection.contains("turn")) {
    const int turn = memory.of_server.value("turns", 0);
    memory.of_server["turns"] = turn + 1;
    memory.of_connection["turn"] = turn % 2;
  }
  return memory.of_connection["turn"] == 1;
}

// Lists one item more, made of the first, where there is one.
inline void list_one_more(Json& items, const char* name) {
  if (!items.is_array() || items.empty()) return;
  Json more = items.front();
  more["name"] = name;
  if (more.contains("uri")) more["uri"] = std::string("test://") + name;
  items.push_back(std::move(more));
}

// Takes what a client declared before for what it declares now.
inline Fault remembered_capabilities_fault(std::string_view id, std::string_view description,
                                           void (*intake)(Json&, FaultMemory&)) {
  return {.id = id,
          .description = description,
          .breaks = {"meta.capabilities-not-inferred", "stateless.no-prior-context"},
          .may_break = {"meta.undeclared-capabilities", "meta.missing-capability-error",
                        "mrtr.only-declared-inputs", "mrtr.no-elicitation-undeclared",
                        "elicitation.undeclared-mode-not-sent", "roots.capability-checked",
                        "meta.missing-capability-400", "sampling.tools-only-if-declared"},
          // Over HTTP it is the same as a server that never looks at what is declared.
          .seen_over = SeenOver::kStdioOnly,
          .intake = intake};
}

// Turns what leaves into an error, or into a result.
inline void become_error(Departure& d, std::int64_t code, std::string_view message) {
  d.json().erase("result");
  d.json()["error"] = {{"code", code}, {"message", message}};
}
// Says who the server is, as each of its results does.
inline void become_result(Departure& d, Json result) {
  d.json().erase("error");
  if (!result.contains("resultType")) result["resultType"] = "complete";
  result["_meta"][kServerInfoKey] = server_info(revision_asked(asked_params(d)));
  d.json()["result"] = std::move(result);
}

// The URI that the message answers a request about; empty if there is none.
inline std::string asked_uri(const Departure& d) {
  return string_member(asked_params(d), "uri").value_or("");
}

inline bool is_input_required(Departure& d) {
  return d.is_result() && member(d.result(), "resultType") == "input_required";
}

// The params of a request within an InputRequiredResult that has that method; null where there is
// none.
inline Json* asked_by_result(Departure& d, std::string_view method) {
  if (!is_input_required(d) || !d.result().contains("inputRequests")) return nullptr;
  for (Json& request : d.result()["inputRequests"]) {
    if (request.value("method", "") == method && request.contains("params")) {
      return &request["params"];
    }
  }
  return nullptr;
}

// `_meta` of a message that arrives, made where there is none.
inline Json& meta_of(Json& message) {
  return message["params"]["_meta"];
}
inline bool is_request_json(const Json& message) {
  return message.is_object() && message.contains("method") && message.contains("id");
}
inline bool has_meta(const Json& message) {
  return is_request_json(message) && member(member(message, "params"), "_meta").is_object();
}

}  // namespace assay::server
