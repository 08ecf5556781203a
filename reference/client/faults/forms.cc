// Members of a client's messages that have another form than the schema gives them, and keys of
// `_meta`. Specification: basic; schema, 2024-11-05 to 2026-07-28.
#include <string>

#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

constexpr const char* kSample = "sampling/createMessage";

bool gives(const Departure& d, std::string_view method) {
  return d.answers(method) && !d.is_error();
}

// The plain sample that it gives; null where it gives none, or a task.
Json* sample_of(Departure& d) {
  const bool is_it = gives(d, kSample) && d.json()["result"].contains("content");
  return is_it ? &d.json()["result"] : nullptr;
}

void put_meta_key(Departure& d, const char* key) {
  if (d.is_request("resources/list")) d.params()["_meta"][key] = true;
}

void name_nothing(Departure& d) {
  if (d.is_notification("notifications/cancelled")) d.params().erase("requestId");
}

void name_request_as_text(Departure& d) {
  if (!d.is_notification("notifications/cancelled")) return;
  Json& id = d.params()["requestId"];
  if (id.is_number()) id = id.dump();
}

void give_number_as_reason(Departure& d) {
  if (d.is_notification("notifications/cancelled")) d.params()["reason"] = 3;
}

void ask_behind_ping(Departure& d, const char* method, Json params) {
  if (!d.is_request("ping")) return;
  d.after(Json{{"jsonrpc", "2.0"}, {"id", "undeclared"}, {"method", method}, {"params", params}}
              .dump());
}

}  // namespace

std::vector<Fault> form_faults() {
  return {
      {.id = "sample-is-a-text",
       .description = "Gives the content of a sample as a text, and not as a block",
       .breaks = {"schema.client-results"},
       .may_break = {"tasks.create-result-returned", "tasks.undeclared-ignored",
                     "tasks.result-same-response", "tasks.result-of-terminal",
                     "sampling.tool-choice-required"},
       .concerns = &model::Revision::has_server_requests,
       .shown_in = {"server-samples"},
       .departure =
           [](Departure& d) {
             if (Json* sample = sample_of(d)) (*sample)["content"] = "I do not know";
           }},
      {.id = "sample-of-system",
       .description = "Gives a sample with the role system",
       .breaks = {"schema.client-results"},
       .concerns = &model::Revision::has_server_requests,
       .shown_in = {"server-samples"},
       .departure =
           [](Departure& d) {
             if (Json* sample = sample_of(d)) (*sample)["role"] = "system";
           }},
      {.id = "sample-of-no-role",
       .description = "Gives a sample without a role",
       .breaks = {"schema.client-results"},
       .may_break = {"tasks.result-exact"},
       .concerns = &model::Revision::has_server_requests,
       .shown_in = {"server-samples"},
       .departure =
           [](Departure& d) {
             if (Json* sample = sample_of(d)) sample->erase("role");
           }},
      {.id = "roots-are-texts",
       .description = "Lists its roots as texts, and not as objects",
       .breaks = {"schema.client-results"},
       .may_break = {"roots.uri-is-file"},
       .concerns = &model::Revision::has_server_requests,
       .shown_in = {"server-asks"},
       .departure =
           [](Departure& d) {
             if (gives(d, "roots/list")) d.json()["result"]["roots"] = {"file:///project"};
           }},
      {.id = "form-accepted-in-words",
       .description = "Answers a form with the action accepted, and not accept",
       .breaks = {"schema.client-results"},
       .may_break = {"elicitation.client-validates", "elicitation.defaults-filled"},
       .concerns = &model::Revision::has_elicitation_requests,
       .shown_in = {"server-elicits", "elicitation-sep1034-client-defaults",
                    "server-elicits-narrowly"},
       .departure =
           [](Departure& d) {
             const bool is_form = gives(d, "elicitation/create");
             if (is_form && d.json()["result"].value("action", "") == "accept") {
               d.json()["result"]["action"] = "accepted";
             }
           }},
      {.id = "form-value-is-an-object",
       .description = "Fills in a form with objects that have the value in them",
       .breaks = {"schema.client-results"},
       .may_break = {"elicitation.client-validates", "elicitation.defaults-filled"},
       .concerns = &model::Revision::has_elicitation_requests,
       .shown_in = {"server-elicits", "elicitation-sep1034-client-defaults",
                    "server-elicits-narrowly"},
       .departure =
           [](Departure& d) {
             if (!gives(d, "elicitation/create") || !d.json()["result"].contains("content")) return;
             for (Json& value : d.json()["result"]["content"]) value = {{"value", value}};
           }},
      {.id = "initialize-without-client-version",
       .description = "Says its name in initialize, and not its version",
       .breaks = {"schema.client-requests"},
       .concerns = &model::Revision::has_sessions,
       .shown_in = {"initialize"},
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) d.params()["clientInfo"].erase("version");
           }},
      {.id = "initialize-without-capabilities",
       .description = "Does not say in initialize what it is capable of",
       .breaks = {"lifecycle.client-initializes"},
       .may_break = {"roots.capability-declared", "sampling.capability-declared",
                     "elicitation.capability-declared", "tasks.undeclared-ignored",
                     "tasks.capability-declared", "sampling.tools-declared",
                     "sampling.undeclared-tools-error", "sampling.undeclared-tool-choice-error",
                     "lifecycle.uses-negotiated-capabilities", "elicitation.undeclared-mode-error"},
       .shown_in = {"initialize"},
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) d.params().erase("capabilities");
           }},
      {.id = "sampling-declared-by-true",
       .description = "Declares sampling by true, and not by an object",
       .breaks = {"schema.client-requests"},
       .may_break = {"sampling.capability-declared", "sampling.tools-declared",
                     "sampling.undeclared-tools-error", "sampling.undeclared-tool-choice-error"},
       .concerns = &model::Revision::has_sessions,
       .shown_in = {"initialize"},
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) d.params()["capabilities"]["sampling"] = true;
           }},
      {.id = "initialized-by-older-name",
       .description = "Says that it is initialized by a method without notifications/",
       .breaks = {"lifecycle.initialized-notification"},
       .shown_in = {"initialize"},
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/initialized")) d.json()["method"] = "initialized";
           }},
      {.id = "cancelled-for-a-number",
       .description = "Gives a number as the reason of a cancellation",
       .breaks = {"schema.client-notifications"},
       .concerns = &model::Revision::has_sessions,
       .shown_in = {"server-silent"},
       .departure = give_number_as_reason},
      {.id = "cancelled-for-a-number-without-session",
       .description = "Gives a number as the reason of a cancellation, over stdio",
       .breaks = {"schema.client-notifications"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &model::Revision::is_stateless,
       .shown_in = {"server-silent"},
       .departure = give_number_as_reason},
      {.id = "cancelled-id-as-text",
       .description = "Cancels a request by the text of its id, which is a number",
       .breaks = {"cancellation.same-direction"},
       .may_break = {"lifecycle.timeout-cancels", "http.cancellation-explicit"},
       .concerns = &model::Revision::has_sessions,
       .shown_in = {"server-silent"},
       .departure = name_request_as_text},
      {.id = "cancelled-id-as-text-without-session",
       .description = "Cancels a request by the text of its id, which is a number, over stdio",
       .breaks = {"cancellation.same-direction"},
       .may_break = {"lifecycle.timeout-cancels", "cancellation.client-announces"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &model::Revision::is_stateless,
       .shown_in = {"server-silent"},
       .departure = name_request_as_text},
      {.id = "cancellation-of-nothing",
       .description = "Cancels a request, and does not say which",
       .breaks = {"cancellation.request-id-given"},
       .may_break = {"lifecycle.timeout-cancels", "http.cancellation-explicit"},
       .shown_in = {"server-silent"},
       .departure = name_nothing},
      {.id = "cancellation-of-nothing-before-tasks",
       .description = "Cancels a request, and does not say which, in a version without tasks",
       .breaks = {"schema.client-notifications"},
       .may_break = {"lifecycle.timeout-cancels", "http.cancellation-explicit"},
       .concerns = &model::Revision::has_no_resource_links,
       .shown_in = {"server-silent"},
       .departure = name_nothing},
      {.id = "roots-changes-told-undeclared",
       .description = "Says that its roots changed, and does not declare listChanged",
       .breaks = {"lifecycle.uses-negotiated-capabilities"},
       .concerns = &model::Revision::has_handshake,
       .shown_in = {"server-asks"},
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) {
               d.params()["capabilities"]["roots"].erase("listChanged");
             }
             if (!d.is_request("resources/list")) return;
             d.after(R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})");
           }},
      {.id = "log-level-set-undeclared",
       .description = "Sets the log level, whatever the server declares",
       .breaks = {"lifecycle.uses-negotiated-capabilities"},
       .concerns = &model::Revision::has_handshake,
       .shown_in = {"no-capabilities"},
       .departure =
           [](Departure& d) {
             ask_behind_ping(d, "logging/setLevel", {{"level", "info"}});
           }},
      {.id = "subscribes-undeclared",
       .description = "Subscribes to a resource, whatever the server declares",
       .breaks = {"lifecycle.uses-negotiated-capabilities"},
       .concerns = &model::Revision::has_handshake,
       .shown_in = {"no-capabilities"},
       .departure =
           [](Departure& d) {
             ask_behind_ping(d, "resources/subscribe", {{"uri", "file:///project/notes"}});
           }},
      {.id = "meta-name-with-blank",
       .description = "Sends a key in _meta that has a blank in its name",
       .breaks = {"meta.name-form"},
       .shown_in = {"initialize"},
       .departure = [](Departure& d) { put_meta_key(d, "last seen"); }},
      {.id = "meta-label-of-digit",
       .description = "Sends a key in _meta with a label that begins with a digit",
       .breaks = {"meta.label-form"},
       .shown_in = {"initialize"},
       .departure = [](Departure& d) { put_meta_key(d, "com.3d/view"); }},
      {.id = "meta-label-empty",
       .description = "Sends a key in _meta with two dots in a row in its prefix",
       .breaks = {"meta.label-form"},
       .shown_in = {"initialize"},
       .departure = [](Departure& d) { put_meta_key(d, "com..example/view"); }},
      {.id = "meta-prefix-empty",
       .description = "Sends a key in _meta whose prefix is nothing but the slash",
       .breaks = {"meta.prefix-form"},
       .shown_in = {"initialize"},
       .departure = [](Departure& d) { put_meta_key(d, "/view"); }},
      {.id = "meta-prefix-forwards",
       .description = "Sends a key in _meta whose prefix is a domain as browsers write it",
       .breaks = {"meta.prefix-reverse-dns"},
       .shown_in = {"initialize"},
       .departure = [](Departure& d) { put_meta_key(d, "tools.example.com/view"); }},
  };
}

}  // namespace assay::client
