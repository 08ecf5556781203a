// Faults of what a server asks in its results. Specification: client/elicitation, client/sampling
// (since 2026-07-28).
#include "reference/server/faults/stateless_faults.h"

namespace assay::server {
namespace {

Json* form_of(Departure& d) {
  Json* const params = asked_by_result(d, "elicitation/create");
  return params != nullptr && params->value("mode", "form") == "form" ? params : nullptr;
}
Json* visit_of(Departure& d) {
  Json* const params = asked_by_result(d, "elicitation/create");
  return params != nullptr && params->value("mode", "form") == "url" ? params : nullptr;
}

template <const char* kUrl>
void visit_at(Departure& d) {
  if (Json* const visit = visit_of(d)) (*visit)["url"] = kUrl;
}
constexpr char kNoUrl[] = "the page of the server";
constexpr char kPlainUrl[] = "http://example.com/elicit";
constexpr char kPersonalUrl[] = "https://ada:secret@example.com/elicit";

std::vector<Fault> elicitation_by_result_faults() {
  return {
      {.id = "asked-without-message",
       .description = "Asks the user in its result without a message",
       .breaks = {"elicitation.mode-and-message"},
       .may_break = {"mrtr.input-request-kinds", "elicitation.url-parameters",
                     "schema.server-requests"},
       .departure =
           [](Departure& d) {
             if (Json* const params = asked_by_result(d, "elicitation/create")) {
               params->erase("message");
             }
           }},
      {.id = "asked-in-unknown-mode",
       .description = "Asks the user in a mode that does not exist",
       .breaks = {"elicitation.mode-and-message", "schema.server-requests"},
       .may_break = {"elicitation.form-parameters", "mrtr.input-request-kinds",
                     "elicitation.undeclared-mode-not-sent", "mrtr.only-declared-inputs"},
       .departure =
           [](Departure& d) {
             if (Json* const form = form_of(d)) (*form)["mode"] = "dialogue";
           }},
      {.id = "asked-without-schema",
       .description = "Asks in its result with a form that has no schema",
       .breaks = {"elicitation.form-parameters"},
       .may_break = {"mrtr.input-request-kinds", "schema.server-requests"},
       .departure =
           [](Departure& d) {
             if (Json* const form = form_of(d)) form->erase("requestedSchema");
           }},
      {.id = "asked-for-password",
       .description = "Asks for a password with a form in its result",
       .breaks = {"elicitation.no-sensitive-information",
                  "elicitation.sensitive-information-by-url"},
       .departure =
           [](Departure& d) {
             if (Json* const form = form_of(d)) {
               (*form)["requestedSchema"]["properties"]["password"] = {{"type", "string"}};
             }
           }},
      {.id = "asked-with-link",
       .description = "Puts a link into a form in its result",
       .breaks = {"elicitation.form-without-links"},
       .departure =
           [](Departure& d) {
             if (Json* const form = form_of(d)) {
               (*form)["requestedSchema"]["properties"]["link"] = {
                   {"type", "string"}, {"description", "https://example.com/click"}};
             }
           }},
      {.id = "visit-without-url",
       .description = "Asks in its result for a visit to nowhere",
       .breaks = {"elicitation.url-parameters"},
       .may_break = {"mrtr.input-request-kinds", "schema.server-requests"},
       .departure =
           [](Departure& d) {
             if (Json* const visit = visit_of(d)) visit->erase("url");
           }},
      {.id = "visit-of-no-url",
       .description = "Asks in its result for a visit to something that is not a URL",
       .breaks = {"elicitation.url-valid"},
       .may_break = {"elicitation.url-parameters", "mrtr.input-request-kinds",
                     "schema.server-requests"},
       .departure = visit_at<kNoUrl>},
      {.id = "visit-over-plain-http",
       .description = "Asks in its result for a visit over plain HTTP",
       .breaks = {"elicitation.url-is-https"},
       .departure = visit_at<kPlainUrl>},
      {.id = "visit-with-personal-data",
       .description = "Puts personal data into the URL that it asks to visit",
       .breaks = {"elicitation.url-without-personal-data"},
       .departure = visit_at<kPersonalUrl>},
  };
}

std::vector<Fault> sampling_by_result_faults() {
  return {
      {.id = "sampled-with-undeclared-tools",
       .description = "Offers tools in its result to a client that has not declared them",
       .breaks = {"sampling.tools-only-if-declared"},
       .may_break = {"mrtr.only-declared-inputs", "meta.undeclared-capabilities"},
       .departure =
           [](Departure& d) {
             Json* const params = asked_by_result(d, "sampling/createMessage");
             const Json& sampling = member(
                 member(member(asked_params(d), "_meta"), kClientCapabilitiesKey), "sampling");
             if (params == nullptr || sampling.contains("tools")) return;
             (*params)["tools"] =
                 Json::array({{{"name", "look_up"}, {"inputSchema", {{"type", "object"}}}}});
           }},
      {.id = "sampled-with-context",
       .description = "Wants the context of all servers in its result",
       .breaks = {"sampling.context-values-avoided", "sampling.context-only-if-declared"},
       .departure =
           [](Departure& d) {
             if (Json* const params = asked_by_result(d, "sampling/createMessage")) {
               (*params)["includeContext"] = "allServers";
             }
           }},
      {.id = "sampled-with-unknown-role",
       .description = "Asks the model in a role that does not exist",
       .breaks = {"sampling.message-fields"},
       .may_break = {"mrtr.input-request-kinds"},
       .departure =
           [](Departure& d) {
             if (Json* const params = asked_by_result(d, "sampling/createMessage")) {
               (*params)["messages"][0]["role"] = "system";
             }
           }},
      {.id = "sampled-without-content",
       .description = "Asks the model with a message that has no content",
       .breaks = {"sampling.message-fields"},
       .may_break = {"mrtr.input-request-kinds"},
       .departure =
           [](Departure& d) {
             if (Json* const params = asked_by_result(d, "sampling/createMessage")) {
               (*params)["messages"][0].erase("content");
             }
           }},
  };
}

}  // namespace

std::vector<Fault> stateless_question_faults() {
  return of_stateless_era({elicitation_by_result_faults, sampling_by_result_faults});
}

}  // namespace assay::server
