// Faults in the form of messages. Specification: basic.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

bool is_answer(const Departure& departure) {
  return departure.is_result() || departure.is_error();
}

// Faults of single answers spare `initialize`, so that a session comes about in which to see them.
bool is_later_answer(const Departure& departure) {
  return is_answer(departure) && departure.request() && !departure.answers("initialize");
}

Json turned_id(const Json& id) {
  if (id.is_string()) return 4711;
  return id.dump();
}

}  // namespace

std::vector<Fault> jsonrpc_faults() {
  return {
      {.id = "id-of-other-type",
       .description = "Answers with the id turned from number to string, or the reverse",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id", "jsonrpc.error-response-id"},
       .departure =
           [](Departure& d) {
             if (is_later_answer(d)) d.json()["id"] = turned_id(d.json()["id"]);
           }},
      {.id = "id-null-in-result",
       .description = "Answers results with a null id",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .departure =
           [](Departure& d) {
             if (is_later_answer(d) && d.is_result()) d.json()["id"] = nullptr;
           }},
      {.id = "error-id-null",
       .description = "Answers refused requests with a null id",
       .breaks = {"jsonrpc.response-id", "jsonrpc.error-response-id"},
       .departure =
           [](Departure& d) {
             if (is_later_answer(d) && d.is_error()) d.json()["id"] = nullptr;
           }},
      {.id = "result-and-error",
       .description = "Puts an error beside each result",
       .breaks = {"jsonrpc.response-not-both"},
       .may_break = {"jsonrpc.version-2-messages"},
       .departure =
           [](Departure& d) {
             if (is_later_answer(d) && d.is_result()) {
               d.json()["error"] = {{"code", -32603}, {"message", "None, really"}};
             }
           }},
      {.id = "error-with-null-result",
       .description = "Puts a null result beside each error",
       .breaks = {"jsonrpc.response-not-both", "jsonrpc.version-2-messages"},
       .departure =
           [](Departure& d) {
             if (is_later_answer(d) && d.is_error()) d.json()["result"] = nullptr;
           }},
      {.id = "neither-result-nor-error",
       .description = "Leaves the result out of its answers to ping",
       .breaks = {"jsonrpc.response-result-or-error", "jsonrpc.result-response-result"},
       .departure = erases<result_of<"ping">, "/result">},
      {.id = "no-jsonrpc-member",
       .description = "Leaves \"jsonrpc\" out of its answers",
       .breaks = {"jsonrpc.version-2-messages"},
       .departure = erases<is_later_answer, "/jsonrpc">},
      {.id = "jsonrpc-1",
       .description = "Says that its answers are of JSON-RPC 1.0",
       .breaks = {"jsonrpc.version-2-messages"},
       .departure = sets<is_later_answer, "/jsonrpc", "1.0">},
      {.id = "error-code-string",
       .description = "Writes error codes as strings",
       .breaks = {"jsonrpc.error-code-integer"},
       .departure =
           [](Departure& d) {
             if (d.is_error()) d.json()["error"]["code"] = d.json()["error"]["code"].dump();
           }},
      {.id = "error-without-message",
       .description = "Leaves the message out of errors",
       .breaks = {"jsonrpc.error-code-and-message", "jsonrpc.version-2-messages"},
       .departure = erases<any_error, "/error/message">},
      {.id = "error-message-number",
       .description = "Writes a number for the message of errors",
       .breaks = {"jsonrpc.error-code-and-message", "jsonrpc.version-2-messages"},
       .departure = sets<any_error, "/error/message", 500>},
      {.id = "error-as-text",
       .description = "Writes a text in place of the error object",
       .breaks = {"jsonrpc.error-code-and-message", "jsonrpc.version-2-messages"},
       .departure =
           [](Departure& d) {
             if (is_later_answer(d) && d.is_error()) d.json()["error"] = "It failed";
           }},
      {.id = "answers-notifications",
       .description = "Answers notifications",
       .breaks = {"jsonrpc.notification-no-response", "cancellation.unknown-ignored",
                  "cancellation.completed-ignored", "cancellation.malformed-ignored"},
       .arrival =
           [](Arrival& a) {
             if (a.is_notification()) {
               a.send(wire::make_error(std::nullopt, wire::kMethodNotFound, "No such method"));
             }
           }},
      {.id = "answers-twice",
       .description = "Sends every answer twice",
       .breaks = {"jsonrpc.request-answered-once"},
       .departure =
           [](Departure& d) {
             if (is_later_answer(d)) d.after(d.text());
           }},
      {.id = "answers-in-arrays",
       .description =
           "Answers each ping with an array of one answer, in a revision without batches",
       .breaks = {"schema.no-batches"},
       .concerns = &model::Revision::has_no_batches,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("ping")) d.set_bytes("[" + d.text() + "]");
           }},
      {.id = "notification-with-id",
       .description = "Gives its log messages an id",
       .breaks = {"jsonrpc.notification-no-id"},
       .departure = sets<notification<"notifications/message">, "/id", "log">},
      {.id = "error-message-long-winded",
       .description = "Explains errors over several lines",
       .breaks = {"jsonrpc.error-message-concise"},
       .departure = sets<any_error, "/error/message", "It failed.\n at serve (1:1)">},
      {.id = "unknown-method-other-code",
       .description = "Refuses unknown methods with -32603",
       .breaks = {"jsonrpc.unknown-method-code"},
       .departure =
           [](Departure& d) {
             if (d.answers("tools/call")) return;
             if (d.has_error_code(wire::kMethodNotFound)) d.set_error_code(wire::kInternalError);
           }},
      {.id = "unknown-method-answered",
       .description = "Answers unknown methods with an empty result",
       .breaks = {"jsonrpc.unknown-method-refused"},
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(wire::kMethodNotFound) || d.answers("tools/call")) return;
             d.json().erase("error");
             d.json()["result"] = Json::object();
           }},
      {.id = "parse-error-other-code",
       .description = "Refuses text that is not JSON with -32603",
       .breaks = {"jsonrpc.parse-error-code"},
       .departure = recodes<error_code<wire::kParseError>, wire::kInternalError>},
      {.id = "invalid-request-other-code",
       .description = "Refuses JSON that is not a request with -32603",
       .breaks = {"jsonrpc.invalid-request-code", "jsonrpc.batch-empty-refused"},
       .departure =
           [](Departure& d) {
             if (d.has_error_code(wire::kInvalidRequest)) {
               d.set_error_code(wire::kInternalError);
             }
           }},
      {.id = "request-id-null",
       .description = "Sends a request with a null id ahead of each answer to tools/list",
       .breaks = {"jsonrpc.request-id-not-null"},
       .departure =
           precedes<result_of<"tools/list">, R"({"jsonrpc":"2.0","id":null,"method":"ping"})">},
      {.id = "request-id-fraction",
       .description = "Sends a request whose id has a fraction ahead of each answer to tools/list",
       .breaks = {"jsonrpc.request-id-type"},
       .departure =
           precedes<result_of<"tools/list">, R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})">},
      {.id = "request-id-twice",
       .description = "Uses one id for two requests",
       .breaks = {"jsonrpc.request-id-unique"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/list")) {
               d.before(R"({"jsonrpc":"2.0","id":"again","method":"ping"})");
               d.before(R"({"jsonrpc":"2.0","id":"again","method":"ping"})");
             }
           }},
      {.id = "ids-through-floats",
       .description = "Returns big numeric ids as floating-point numbers",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .departure =
           [](Departure& d) {
             if (!is_later_answer(d)) return;
             Json& id = d.json()["id"];
             if (!id.is_number_integer() || std::abs(id.get<double>()) < 1e9) return;
             id = id.get<double>();
             d.set_bytes(wire::encode(d.json()));  // the same value, in other words
           }},
      {.id = "ids-of-32-bits",
       .description = "Returns numeric ids cut to 32 bits",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .departure =
           [](Departure& d) {
             if (!is_later_answer(d) || !d.json()["id"].is_number_integer()) return;
             Json& id = d.json()["id"];
             id = static_cast<std::int32_t>(id.get<std::int64_t>());
           }},
      {.id = "empty-id-lost",
       .description = "Returns an empty id as null",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .departure =
           [](Departure& d) {
             if (is_later_answer(d) && d.json()["id"] == "") d.json()["id"] = nullptr;
           }},
      {.id = "ids-in-ascii",
       .description = "Returns ids with a question mark for what is not ASCII",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .departure =
           [](Departure& d) {
             if (!is_later_answer(d) || !d.json()["id"].is_string()) return;
             auto id = d.json()["id"].get<std::string>();
             std::replace_if(
                 id.begin(), id.end(), [](char c) { return (c & 0x80) != 0; }, '?');
             d.json()["id"] = std::move(id);
           }},
      {.id = "long-ids-cut",
       .description = "Returns ids cut to 255 characters",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .departure =
           [](Departure& d) {
             if (!is_later_answer(d) || !d.json()["id"].is_string()) return;
             d.json()["id"] = d.json()["id"].get<std::string>().substr(0, 255);
           }},
  };
}

}  // namespace assay::server
