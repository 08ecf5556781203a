// How a client can be wrong in the second round of a request, or in one of its tools, when it gives
// what results ask for. Specification of 2026-07-28: basic/patterns/mrtr, "Client Requirements".
#include <algorithm>
#include <string>

#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

Json* state_of(Departure& d) {
  const bool is_it = d.is_request("tools/call") && d.part("requestState").is_string();
  return is_it ? &d.params()["requestState"] : nullptr;
}
Json* responses_of(Departure& d) {
  const bool is_it = d.is_request("tools/call") && d.part("inputResponses").is_object();
  return is_it ? &d.params()["inputResponses"] : nullptr;
}

// It gives back what a result of that method asked for.
bool gives_back(Departure& d, const char* method) {
  const bool is_it = d.is_request(method) && d.params().is_object();
  return is_it && (d.params().contains("requestState") || d.params().contains("inputResponses"));
}

// Changes each response with that member.
void change_each(Departure& d, const char* member, void (*change)(Json& response)) {
  Json* responses = responses_of(d);
  if (responses == nullptr) return;
  for (Json& response : *responses) {
    if (response.is_object() && response.contains(member)) change(response);
  }
}

}  // namespace

std::vector<Fault> round_faults() {
  return {
      {.id = "state-of-first-round-kept",
       .description = "Sends the first requestState that it was given in later rounds as well",
       .breaks = {"mrtr.state-echoed", "mrtr.state-opaque"},
       .departure =
           [](Departure& d) {
             Json* state = state_of(d);
             if (state != nullptr && d.memory().first_state.is_string()) {
               *state = d.memory().first_state;
             }
           }},
      {.id = "rounds-gathered-under-first-state",
       .description = "Sends the responses of all rounds with the requestState of the first",
       .breaks = {"mrtr.state-echoed", "mrtr.state-opaque"},
       .departure =
           [](Departure& d) {
             Json* responses = responses_of(d);
             if (responses == nullptr || !responses->contains("again")) return;
             (*responses)["confirm"] = (*responses)["again"];
             d.params()["requestState"] = d.memory().first_state;
           }},
      {.id = "state-trimmed",
       .description = "Takes the blanks before a requestState off",
       .breaks = {"mrtr.state-echoed", "mrtr.state-opaque"},
       .departure =
           [](Departure& d) {
             Json* state = state_of(d);
             if (state == nullptr) return;
             std::string text = state->get<std::string>();
             text.erase(0, text.find_first_not_of(' '));
             *state = text;
           }},
      {.id = "state-decoded-as-url",
       .description = "Takes a requestState for a part of a URL, and decodes it",
       .breaks = {"mrtr.state-echoed", "mrtr.state-opaque"},
       .departure =
           [](Departure& d) {
             Json* state = state_of(d);
             if (state == nullptr) return;
             std::string text = state->get<std::string>();
             const std::size_t at = text.find("%2F");
             if (at != std::string::npos) text.replace(at, 3, "/");
             *state = text;
           }},
      {.id = "state-without-line-breaks",
       .description = "Leaves the line breaks of a requestState out",
       .breaks = {"mrtr.state-echoed", "mrtr.state-opaque"},
       .departure =
           [](Departure& d) {
             Json* state = state_of(d);
             if (state == nullptr) return;
             std::string text = state->get<std::string>();
             std::erase(text, '\n');
             *state = text;
           }},
      {.id = "response-under-other-key",
       .description = "Gives what a result asks for under a key of its own",
       .breaks = {"mrtr.inputs-gathered"},
       .departure =
           [](Departure& d) {
             Json* responses = responses_of(d);
             if (responses == nullptr || d.part("name") != "test_mrtr_echo_state") return;
             *responses = {{"answer", responses->front()}};
           }},
      {.id = "id-kept-in-second-round",
       .description = "Sends a request a second time again under the id that it had before",
       .breaks = {"mrtr.retry-id-differs"},
       .departure =
           [](Departure& d) {
             Json* responses = responses_of(d);
             if (responses == nullptr || !responses->contains("again")) return;
             d.repeat_under_id_before();
           }},
      {.id = "prompt-state-left-out",
       .description = "Gets a prompt again without the requestState that it was given",
       .breaks = {"mrtr.state-echoed"},
       .departure =
           [](Departure& d) {
             if (gives_back(d, "prompts/get")) d.params().erase("requestState");
           }},
      {.id = "prompt-state-written-anew",
       .description = "Gets a prompt again with what it made of the requestState",
       .breaks = {"mrtr.state-echoed", "mrtr.state-opaque"},
       .departure =
           [](Departure& d) {
             const bool is_it = gives_back(d, "prompts/get") && d.part("requestState").is_string();
             if (is_it) d.params()["requestState"] = "{\"step\":1}";
           }},
      {.id = "prompt-inputs-not-gathered",
       .description = "Gets a prompt again without what it was asked for",
       .breaks = {"mrtr.inputs-gathered"},
       .departure =
           [](Departure& d) {
             const bool is_it = gives_back(d, "prompts/get") && d.part("requestState").is_string();
             if (is_it) d.params().erase("inputResponses");
           }},
      {.id = "resource-state-invented",
       .description = "Reads a resource again with a requestState that it was not given",
       .breaks = {"mrtr.state-not-invented"},
       .departure =
           [](Departure& d) {
             const bool is_it = gives_back(d, "resources/read") && d.part("requestState").is_null();
             if (is_it) d.params()["requestState"] = "";
           }},
      {.id = "resource-read-again-under-same-id",
       .description = "Reads a resource again under the id that its request had",
       .breaks = {"mrtr.retry-id-differs"},
       .departure =
           [](Departure& d) {
             if (gives_back(d, "resources/read")) d.repeat_under_id_before();
           }},
      {.id = "response-accepted-in-words",
       .description = "Gives a form with the action accepted, and not accept",
       .breaks = {"schema.client-results"},
       .may_break = {"elicitation.client-validates", "elicitation.defaults-filled"},
       .concerns = &model::Revision::asks_in_results,
       .shown_in = {"results-ask", "results-ask-for-samples"},
       .departure =
           [](Departure& d) {
             change_each(d, "action", [](Json& response) {
               if (response["action"] == "accept") response["action"] = "accepted";
             });
           }},
      {.id = "response-sampled-by-no-model",
       .description = "Does not say which model gave what a result asked for",
       .breaks = {"schema.client-results"},
       .concerns = &model::Revision::asks_in_results,
       .shown_in = {"results-ask", "results-ask-for-samples"},
       .departure =
           [](Departure& d) {
             change_each(d, "model", [](Json& response) { response.erase("model"); });
           }},
      {.id = "response-of-plain-roots",
       .description = "Gives its roots as a list of texts where a result asks for them",
       .breaks = {"schema.client-results"},
       .may_break = {"roots.uri-is-file"},
       .concerns = &model::Revision::asks_in_results,
       .shown_in = {"results-ask", "results-ask-for-samples"},
       .departure =
           [](Departure& d) {
             change_each(d, "roots",
                         [](Json& response) { response["roots"] = {"file:///project"}; });
           }},
      {.id = "response-root-with-odd-key",
       .description = "Gives a root with a key in its _meta whose name begins with a dash",
       .breaks = {"meta.name-form"},
       .concerns = &model::Revision::asks_in_results,
       .shown_in = {"results-ask", "results-ask-for-samples"},
       .departure =
           [](Departure& d) {
             change_each(d, "roots", [](Json& response) {
               response["roots"][0]["_meta"] = {{"-seen", true}};
             });
           }},
  };
}

}  // namespace assay::client
