// How a client can be wrong when it sends a request again with what its result asked for.
// Specification of 2026-07-28: basic/patterns/mrtr, "Client Requirements".
#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

bool has_param(Departure& d, const char* name) {
  return d.is_request("tools/call") && d.params().is_object() && d.params().contains(name);
}
bool calls_by_name(Departure& d, const char* tool) {
  return d.is_request("tools/call") && d.params().is_object() &&
         d.params().value("name", Json()) == tool;
}

// The requests that a server answers with questions do not say that the client can answer.
void hide_capability(Departure& d, const char* capability) {
  if (!d.is_request("tools/call") || !d.params().is_object()) return;
  d.params()["_meta"]["io.modelcontextprotocol/clientCapabilities"].erase(capability);
}

void hide_sampling_tools(Departure& d) {
  Json& declared = d.params()["_meta"]["io.modelcontextprotocol/clientCapabilities"];
  if (declared.contains("sampling")) declared["sampling"].erase("tools");
}

// What a result asks for with this parameter the client takes for something without it.
void overlook(Json& message, const char* parameter) {
  const bool is_result = message.is_object() && message.contains("result");
  if (!is_result || !message["result"].contains("inputRequests")) return;
  for (Json& request : message["result"]["inputRequests"]) {
    if (request.contains("params")) request["params"].erase(parameter);
  }
}

// What a call of that tool gives for what its result asked for; null where it is another call.
Json* given_to(Departure& d, const char* tool) {
  const bool gives = calls_by_name(d, tool) && has_param(d, "inputResponses") &&
                     d.params()["inputResponses"].contains("given");
  return gives ? &d.params()["inputResponses"]["given"] : nullptr;
}

void empty_forms(Departure& d, void (*leave_out)(Json& content)) {
  if (!has_param(d, "inputResponses")) return;
  for (Json& answer : d.params()["inputResponses"]) {
    if (answer.contains("content")) leave_out(answer["content"]);
  }
}

void give_root(Departure& d, const char* uri) {
  if (!has_param(d, "inputResponses")) return;
  for (Json& answer : d.params()["inputResponses"]) {
    if (answer.contains("roots")) answer["roots"] = {{{"uri", uri}}};
  }
}

}  // namespace

std::vector<Fault> stateless_input_faults() {
  return {
      {.id = "tool-choice-ignored-in-inputs",
       .description = "Samples without a tool where one is required, and with one where none is",
       .breaks = {"sampling.tool-choice-none", "sampling.tool-choice-required"},
       .concerns = &model::Revision::asks_in_results,
       .departure =
           [](Departure& d) {
             Json* given = given_to(d, "test_samples_without_tool");
             if (given != nullptr) {
               (*given)["content"] = {{"type", "tool_use"},
                                      {"id", "c"},
                                      {"name", "tell_time"},
                                      {"input", Json::object()}};
             }
             given = given_to(d, "test_samples_with_tool");
             if (given != nullptr) (*given)["content"] = {{"type", "text"}, {"text", "Noon"}};
           }},
      {.id = "samples-of-nobody",
       .description = "Gives a sample whose role there is not",
       .breaks = {"sampling.message-fields"},
       .may_break = {"schema.client-results"},
       .departure =
           [](Departure& d) {
             Json* given = given_to(d, "test_samples_without_tool");
             if (given != nullptr) (*given)["role"] = "nobody";
           }},
      {.id = "samples-nothing-for-a-result",
       .description = "Samples messages that are none for a result",
       .breaks = {"sampling.content-validated"},
       .concerns = &model::Revision::asks_in_results,
       .intake =
           [](Json& message, const FaultMemory&) {
             const Json::json_pointer asked("/result/inputRequests/given/params/messages/0");
             const bool is_it = message.is_object() && message.contains(asked) &&
                                message[asked].value("role", "") == "nobody";
             if (!is_it) return;
             message[asked] = {{"role", "user"},
                               {"content", {{"type", "text"}, {"text", "Say yes"}}}};
           }},
      {.id = "form-filled-badly-for-a-result",
       .description = "Gives a form with a value that does not fit",
       .breaks = {"elicitation.client-validates"},
       .concerns = &model::Revision::asks_in_results,
       .departure =
           [](Departure& d) {
             Json* given = given_to(d, "test_asks_narrowly");
             if (given != nullptr) (*given)["content"]["age"] = 7;
           }},
      {.id = "state-written-anew",
       .description = "Reads a requestState, and sends back what it made of it",
       .breaks = {"mrtr.state-echoed", "mrtr.state-opaque"},
       .departure =
           [](Departure& d) {
             if (!has_param(d, "requestState")) return;
             Json& state = d.params()["requestState"];
             state = state.get<std::string>() + " ";
           }},
      {.id = "state-left-out",
       .description = "Sends no requestState back",
       .breaks = {"mrtr.state-echoed"},
       .departure =
           [](Departure& d) {
             if (has_param(d, "inputResponses")) d.params().erase("requestState");
           }},
      {.id = "state-invented",
       .description = "Sends a requestState where it was given none",
       .breaks = {"mrtr.state-not-invented"},
       .departure =
           [](Departure& d) {
             if (has_param(d, "inputResponses") && !has_param(d, "requestState")) {
               d.params()["requestState"] = "";
             }
           }},
      {.id = "retry-under-same-id",
       .description = "Sends a request again under the id that it had",
       .breaks = {"mrtr.retry-id-differs"},
       .departure =
           [](Departure& d) {
             const bool is_number = d.json().is_object() && d.json().contains("id") &&
                                    d.json()["id"].is_number_integer();
             if (!is_number || !has_param(d, "requestState")) return;
             d.repeat_under_id_before();
           }},
      {.id = "inputs-not-gathered",
       .description = "Sends a request again without what it was asked for",
       .breaks = {"mrtr.inputs-gathered"},
       .departure =
           [](Departure& d) {
             if (has_param(d, "requestState")) d.params().erase("inputResponses");
           }},
      {.id = "state-used-elsewhere",
       .description = "Sends a requestState with another request than the one that it belongs to",
       .breaks = {"mrtr.not-used-elsewhere"},
       .departure =
           [](Departure& d) {
             const Json& state = d.memory().state;
             const bool is_other = calls_by_name(d, "test_mrtr_unrelated");
             if (is_other && state.is_string()) d.params()["requestState"] = state;
           }},
      {.id = "forms-undeclared-in-request",
       .description = "Fills in forms, and no request declares so",
       .breaks = {"elicitation.capability-declared"},
       .concerns = &model::Revision::asks_in_results,
       .departure = [](Departure& d) { hide_capability(d, "elicitation"); }},
      {.id = "roots-undeclared-in-request",
       .description = "Lists its roots, and no request declares so",
       .breaks = {"roots.capability-declared"},
       .concerns = &model::Revision::asks_in_results,
       .departure = [](Departure& d) { hide_capability(d, "roots"); }},
      {.id = "samples-undeclared-in-request",
       .description = "Samples, and no request declares so",
       .breaks = {"sampling.capability-declared"},
       .concerns = &model::Revision::asks_in_results,
       .departure = [](Departure& d) { hide_capability(d, "sampling"); }},
      {.id = "form-in-result-without-defaults",
       .description = "Leaves the numbers of forms that results ask for empty, which have defaults",
       .breaks = {"elicitation.defaults-filled"},
       .may_break = {"elicitation.client-validates", "schema.client-results"},
       .concerns = &model::Revision::asks_in_results,
       .departure = [](Departure& d) { empty_forms(d, leave_numbers_out); }},
      {.id = "form-in-result-without-default-lists",
       .description = "Leaves the lists of forms that results ask for empty, which have defaults",
       .breaks = {"elicitation.defaults-filled"},
       .concerns = &model::Revision::asks_in_results,
       .departure = [](Departure& d) { empty_forms(d, leave_lists_out); }},
      {.id = "form-in-result-needs-a-mode",
       .description = "Fills in no form whose mode a result does not name",
       .breaks = {"elicitation.missing-mode-is-form"},
       .concerns = &model::Revision::asks_in_results,
       .intake =
           [](Json& message, const FaultMemory&) {
             const bool is_result = message.is_object() && message.contains("result");
             if (!is_result || !message["result"].contains("inputRequests")) return;
             bool lacks_mode = false;
             for (const Json& request : message["result"]["inputRequests"]) {
               const bool is_form = request.value("method", "") == "elicitation/create";
               lacks_mode = lacks_mode || (is_form && !request["params"].contains("mode"));
             }
             if (!lacks_mode) return;
             message.erase("result");
             message["error"] = {{"code", -32602}, {"message", "No mode"}};
           }},
      {.id = "url-prefetched",
       .description = "Opens the URL of an elicitation without asking the user",
       .breaks = {"elicitation.url-not-prefetched", "elicitation.url-opened-with-consent"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::asks_in_results,
       .fetches = "url"},
      {.id = "samples-with-tools",
       .description = "Samples with tools, and does not declare so",
       .breaks = {"sampling.tools-declared"},
       .may_break = {"sampling.tool-choice-required"},
       .concerns = &model::Revision::asks_in_results,
       .departure =
           [](Departure& d) {
             if (!calls_by_name(d, "test_asks_for_sample_with_tools")) return;
             hide_sampling_tools(d);
             if (!has_param(d, "inputResponses")) return;
             for (Json& answer : d.params()["inputResponses"]) {
               answer["content"] = {{"type", "tool_use"},
                                    {"id", "1"},
                                    {"name", "tell_time"},
                                    {"input", Json::object()}};
             }
           },
       .intake = [](Json& message, const FaultMemory&) { overlook(message, "tools"); }},
      {.id = "samples-with-undeclared-tools",
       .description = "Samples where a result asks for tools, and no request declares that it does",
       .breaks = {"sampling.undeclared-tools-error", "sampling.undeclared-tool-choice-error"},
       .concerns = &model::Revision::asks_in_results,
       .departure =
           [](Departure& d) {
             if (d.is_request("tools/call") && d.params().is_object()) hide_sampling_tools(d);
           }},
      {.id = "root-out-of-folder",
       .description = "Gives a root whose URI leads out of a folder again",
       .breaks = {"roots.uris-validated"},
       .concerns = &model::Revision::asks_in_results,
       .departure = [](Departure& d) { give_root(d, "file:///project/../../etc"); }},
      {.id = "root-out-of-folder-encoded",
       .description = "Gives a root whose URI leads out of a folder by dots that are encoded",
       .breaks = {"roots.uris-validated"},
       .concerns = &model::Revision::asks_in_results,
       .departure = [](Departure& d) { give_root(d, "file:///project/%2e%2e/etc"); }},
      {.id = "root-of-http-in-request",
       .description = "Gives a root that is not a file when a result asks for roots",
       .breaks = {"roots.uri-is-file"},
       .concerns = &model::Revision::asks_in_results,
       .departure = [](Departure& d) { give_root(d, "https://example.com/"); }},
  };
}

}  // namespace assay::client
