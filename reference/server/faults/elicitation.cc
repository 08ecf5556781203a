// Faults of elicitation, by form and by URL. Specification: client/elicitation.
#include <utility>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

using model::Revision;

bool is_form(Departure& d) {
  return d.is_request("elicitation/create") && d.params().value("mode", "form") == "form";
}
bool is_url(Departure& d) {
  return d.is_request("elicitation/create") && d.params().value("mode", "form") == "url";
}

// What the client declares of elicitation when it begins; null if it declares none.
Json* declared_elicitation(Json& request) {
  const Json::json_pointer place("/params/capabilities/elicitation");
  const bool is_there = request.value("method", "") == "initialize" && request.contains(place);
  return is_there ? &request[place] : nullptr;
}

std::vector<Fault> mode_faults() {
  return {
      {.id = "form-sent-to-url-only",
       .description = "Sends forms to clients that declare elicitation by URL and nothing else",
       .breaks = {"elicitation.undeclared-mode-not-sent"},
       .concerns = &Revision::has_url_elicitation_requests,
       .intake =
           [](Json& request, FaultMemory&) {
             Json* declared = declared_elicitation(request);
             if (declared != nullptr && declared->contains("url")) {
               (*declared)["form"] = Json::object();
             }
           }},
      {.id = "url-sent-without-modes",
       .description = "Takes elicitation without a mode for all modes",
       .breaks = {"elicitation.undeclared-mode-not-sent"},
       .concerns = &Revision::has_url_elicitation_requests,
       .intake =
           [](Json& request, FaultMemory&) {
             Json* declared = declared_elicitation(request);
             if (declared != nullptr && declared->empty()) {
               *declared = {{"form", Json::object()}, {"url", Json::object()}};
             }
           }},
  };
}

std::vector<Fault> form_faults() {
  return {
      {.id = "form-asks-password",
       .description = "Asks for a password in a form",
       .breaks = {"elicitation.no-sensitive-information",
                  "elicitation.sensitive-information-by-url"},
       .concerns = &Revision::has_elicitation,
       .departure =
           [](Departure& d) {
             if (is_form(d)) {
               d.params()["requestedSchema"]["properties"]["password"] = {{"type", "string"}};
             }
           }},
      {.id = "form-with-link",
       .description = "Puts a link into a form",
       .breaks = {"elicitation.form-without-links"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure =
           [](Departure& d) {
             if (!is_form(d)) return;
             d.params()["requestedSchema"]["properties"]["link"] = {
                 {"type", "string"}, {"description", "https://example.com/click"}};
           }},
      {.id = "form-without-schema",
       .description = "Asks with a form that has no schema",
       .breaks = {"elicitation.form-parameters", "schema.server-requests"},
       .concerns = &Revision::has_elicitation,
       .departure = erases<is_form, "/params/requestedSchema">},
      {.id = "elicitation-without-message",
       .description = "Asks the user without a message",
       .breaks = {"elicitation.mode-and-message", "schema.server-requests"},
       .concerns = &Revision::has_elicitation,
       .departure = erases<is_form, "/params/message">},
  };
}

std::vector<Fault> url_faults() {
  return {
      {.id = "elicitation-without-url",
       .description = "Sends the user to no URL",
       .breaks = {"elicitation.url-parameters", "schema.server-requests"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure = erases<is_url, "/params/url">},
      {.id = "elicitation-url-invalid",
       .description = "Sends the user to something that is not a URL",
       .breaks = {"elicitation.url-valid", "schema.server-requests"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure = sets<is_url, "/params/url", "over there">},
      {.id = "elicitation-url-plain-http",
       .description = "Sends the user to an http URL",
       .breaks = {"elicitation.url-is-https"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure = sets<is_url, "/params/url", "http://example.com/elicit">},
      {.id = "elicitation-url-with-credentials",
       .description = "Puts credentials into the URL",
       .breaks = {"elicitation.url-without-personal-data"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure = sets<is_url, "/params/url", "https://ada:secret@example.com/elicit">},
      {.id = "elicitation-completed-unnamed",
       .description = "Announces the end of an elicitation without naming it",
       .breaks = {"elicitation.completion-names-elicitation", "schema.server-notifications"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/elicitation/complete")) {
               d.params().erase("elicitationId");
             }
           }},
      {.id = "elicitation-completed-misnamed",
       .description = "Announces the end of an elicitation that never was",
       .breaks = {"elicitation.completion-names-elicitation",
                  "elicitation.completion-to-initiator"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/elicitation/complete")) {
               d.params()["elicitationId"] = "another";
             }
           }},
      {.id = "elicitation-completed-for-all",
       .description = "Announces the end of an elicitation to every client",
       .breaks = {"elicitation.completion-to-initiator"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_url_elicitation_requests,
       .tells_everybody =
           [](const Departure& d) {
             return d.is_notification("notifications/elicitation/complete");
           }},
      {.id = "elicitation-answered-by-others",
       .description = "Takes the answer to an elicitation from another client",
       .breaks = {"elicitation.bound-to-client-and-user"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_url_elicitation_requests,
       .inside = Switch::kTakesAnswersFromAnyone},
      {.id = "required-elicitation-other-code",
       .description = "Says with another code that an elicitation is required",
       .breaks = {"elicitation.required-error-code"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure =
           [](Departure& d) {
             if (d.has_error_code(wire::kUrlElicitationRequired)) {
               d.set_error_code(wire::kInternalError);
             }
           }},
      {.id = "elicitation-required-for-nothing",
       .description = "Requires an elicitation for methods that it does not know",
       .breaks = {"elicitation.required-error-only-then", "jsonrpc.unknown-method-code"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(wire::kMethodNotFound) || d.answers("tools/call")) return;
             d.set_error_code(wire::kUrlElicitationRequired);
             d.json()["error"]["data"]["elicitations"] =
                 Json::array({{{"mode", "url"},
                               {"message", "Please visit this page"},
                               {"url", "https://example.com/elicit"},
                               {"elicitationId", "for-nothing"}}});
           }},
      {.id = "required-elicitations-unlisted",
       .description = "Requires elicitations and lists none",
       .breaks = {"elicitation.required-error-lists"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure =
           [](Departure& d) {
             if (d.has_error_code(wire::kUrlElicitationRequired)) {
               d.json()["error"]["data"]["elicitations"] = Json::array();
             }
           }},
      {.id = "required-elicitation-without-mode",
       .description = "Requires an elicitation that has no mode",
       .breaks = {"elicitation.required-error-entries"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure =
           [](Departure& d) {
             if (d.has_error_code(wire::kUrlElicitationRequired)) {
               d.json()["error"]["data"]["elicitations"][0].erase("mode");
             }
           }},
  };
}

}  // namespace

std::vector<Fault> elicitation_faults() {
  std::vector<Fault> all = form_faults();
  for (Fault& fault : mode_faults()) all.push_back(std::move(fault));
  for (Fault& fault : url_faults()) all.push_back(std::move(fault));
  return all;
}

}  // namespace assay::server
