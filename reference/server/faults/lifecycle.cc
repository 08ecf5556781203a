// Faults of the lifecycle. Specification: basic/lifecycle, basic/utilities/ping.
#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using model::Revision;

Json& initialize_result(Departure& d) {
  return d.result();
}

// Answers as one who does not know the method.
void refuse_method(Departure& d) {
  d.json().erase("result");
  d.json()["error"] = {{"code", wire::kMethodNotFound}, {"message", "No such method"}};
}

}  // namespace

std::vector<Fault> lifecycle_faults() {
  return {
      {.id = "other-version",
       .description = "Answers a supported version with another one",
       .breaks = {"lifecycle.version-supported-echo"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("initialize")) return;
             Json& version = initialize_result(d)["protocolVersion"];
             version = version == "2025-06-18" ? "2025-03-26" : "2025-06-18";
           }},
      {.id = "unknown-version-echoed",
       .description = "Answers with whatever version it was asked for",
       .breaks = {"lifecycle.version-unsupported-other"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("initialize")) return;
             initialize_result(d)["protocolVersion"] = d.request()->params()["protocolVersion"];
           }},
      {.id = "later-version-echoed",
       .description = "Answers with whatever version it was asked for, if it is later than its own",
       .breaks = {"lifecycle.version-unsupported-other"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("initialize")) return;
             const Json& asked = d.request()->params()["protocolVersion"];
             const bool is_date = asked.is_string() && asked.get<std::string>()[0] == '2';
             if (is_date && asked > "2026-12-31") initialize_result(d)["protocolVersion"] = asked;
           }},
      {.id = "unknown-version-oldest",
       .description = "Offers its oldest version in place of one that it does not know",
       .breaks = {"lifecycle.version-unsupported-latest"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("initialize")) return;
             const Json& asked = d.request()->params()["protocolVersion"];
             if (initialize_result(d)["protocolVersion"] != asked) {
               initialize_result(d)["protocolVersion"] = "2024-11-05";
             }
           }},
      {.id = "no-server-info",
       .description = "Leaves serverInfo out of the answer to initialize",
       .breaks = {"lifecycle.initialize-result", "schema.initialize-result"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("initialize")) initialize_result(d).erase("serverInfo");
           }},
      {.id = "no-capabilities",
       .description = "Leaves capabilities out of the answer to initialize",
       .breaks = {"lifecycle.initialize-result", "schema.initialize-result"},
       .departure = erases<result_of<"initialize">, "/result/capabilities">},
      {.id = "speaks-before-initialize",
       .description = "Logs that it is there before anybody has said initialize",
       .breaks = {"lifecycle.initialize-first"},
       .seen_over = SeenOver::kStdioOnly,
       .opening =
           [](transport::Sink& sink) {
             sink.send({transport::Outgoing::Kind::kNotification,
                        wire::encode(wire::make_notification(
                            "notifications/message", {{"level", "info"}, {"data", "ready"}}))});
           }},
      {.id = "method-of-a-later-revision",
       .description = "Sends a notification that the next revision brings",
       .breaks = {"lifecycle.respects-negotiated-version"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/list")) return;
             d.before(wire::encode(wire::make_notification(
                 "notifications/subscriptions/acknowledged", {{"notifications", Json::object()}})));
           }},
      {.id = "sampling-with-tools-too-early",
       .description = "Offers tools to the client's model in a revision that has no such thing",
       .breaks = {"lifecycle.respects-negotiated-version"},
       .concerns = &Revision::has_no_sampling_tools,
       .departure =
           [](Departure& d) {
             if (!d.is_request("sampling/createMessage")) return;
             d.params()["tools"] =
                 Json::array({{{"name", "add"}, {"inputSchema", {{"type", "object"}}}}});
           }},
      {.id = "task-asked-for-too-early",
       .description = "Asks the client for a task in a revision that has none",
       .breaks = {"lifecycle.respects-negotiated-version"},
       .concerns = &Revision::has_no_core_tasks,
       .departure =
           [](Departure& d) {
             if (d.is_request("sampling/createMessage")) d.params()["task"] = {{"ttl", 60000}};
           }},
      {.id = "unknown-version-unanswered",
       .description = "Leaves an initialize with a version that it does not know unanswered",
       .breaks = {"lifecycle.handles-version-mismatch"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("initialize")) return;
             if (d.result()["protocolVersion"] != d.request()->params()["protocolVersion"])
               d.drop();
           }},
      {.id = "missing-capability-unanswered",
       .description = "Never answers a call that needs what the client does not offer",
       .breaks = {"lifecycle.handles-missing-capabilities"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/call") &&
                 d.text().find("the client does not support it") != std::string::npos) {
               d.drop();
             }
           }},
      {.id = "tools-undeclared",
       .description = "Has tools without declaring the capability",
       .breaks = {"tools.capability-declared", "lifecycle.uses-negotiated-capabilities"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("initialize")) initialize_result(d)["capabilities"].erase("tools");
           }},
      {.id = "resources-undeclared",
       .description = "Has resources without declaring the capability",
       .breaks = {"resources.capability-declared", "tools.embedding-declares-resources",
                  "lifecycle.uses-negotiated-capabilities"},
       .departure = erases<result_of<"initialize">, "/result/capabilities/resources">},
      {.id = "resource-templates-undeclared",
       .description = "Has nothing but templates of resources, and does not declare the capability",
       .breaks = {"resources.capability-declared"},
       .may_break = {"tools.embedding-declares-resources",
                     "lifecycle.uses-negotiated-capabilities"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("initialize")) d.result()["capabilities"].erase("resources");
             if (d.answers("resources/list")) refuse_method(d);
           }},
      {.id = "resource-reads-undeclared",
       .description = "Reads resources that its tools embed, and does not declare the capability",
       .breaks = {"resources.capability-declared"},
       .may_break = {"tools.embedding-declares-resources",
                     "lifecycle.uses-negotiated-capabilities"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("initialize")) d.result()["capabilities"].erase("resources");
             if (d.answers("resources/list") || d.answers("resources/templates/list")) {
               refuse_method(d);
             }
           }},
      {.id = "prompts-undeclared",
       .description = "Has prompts without declaring the capability",
       .breaks = {"prompts.capability-declared", "lifecycle.uses-negotiated-capabilities",
                  "prompts.negotiation-respected"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("initialize"))
               initialize_result(d)["capabilities"].erase("prompts");
           }},
      {.id = "logging-undeclared",
       .description = "Logs without declaring the capability",
       .breaks = {"logging.capability-declared"},
       .departure = erases<result_of<"initialize">, "/result/capabilities/logging">},
      {.id = "completions-undeclared",
       .description = "Completes arguments without declaring the capability",
       .breaks = {"completion.capability-declared"},
       .concerns = &Revision::has_completions_capability,
       .departure = erases<result_of<"initialize">, "/result/capabilities/completions">},
      {.id = "completions-half-known",
       .description = "Has no completions, and refuses them as if it knew the method",
       .breaks = {"completion.unsupported-error"},
       .concerns = &Revision::has_completions_capability,
       .departure =
           [](Departure& d) {
             if (d.is_result_of("initialize")) {
               initialize_result(d)["capabilities"].erase("completions");
             }
             if (!d.answers("completion/complete")) return;
             d.json().erase("result");
             d.json()["error"] = {{"code", wire::kInternalError}, {"message", "Not now"}};
           }},
      {.id = "resources-declared-only",
       .description = "Declares resources and knows none of their methods",
       .breaks = {"lifecycle.declared-capabilities-served"},
       .departure =
           [](Departure& d) {
             if (d.request() && d.request()->method().starts_with("resources/")) refuse_method(d);
           }},
      {.id = "asks-undeclared",
       .description = "Asks clients for what they declared no capability for",
       .breaks = {"lifecycle.uses-negotiated-capabilities", "roots.capability-checked",
                  "elicitation.undeclared-mode-not-sent"},
       .may_break = {"sampling.tools-only-if-declared"},
       .inside = Switch::kAsksUndeclared},
      {.id = "asks-before-initialized",
       .description = "Asks for roots before the client is initialized",
       .breaks = {"lifecycle.server-waits-for-initialized", "roots.capability-checked",
                  "lifecycle.uses-negotiated-capabilities"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("initialize")) {
               d.after(wire::encode(wire::make_request(wire::Id::of(900'001), "roots/list")));
             }
           }},
      {.id = "asks-at-first-ping",
       .description = "Asks for roots when it is pinged, whether the client is initialized or not",
       .breaks = {"lifecycle.server-waits-for-initialized"},
       .may_break = {"roots.capability-checked", "lifecycle.uses-negotiated-capabilities"},
       .arrival =
           [](Arrival& a) {
             if (!a.is_request("ping")) return;
             const std::string id = "roots-" + a.message().id()->json_text();
             a.send(wire::make_request(wire::Id::of_string(id), "roots/list"));
           }},
      {.id = "ping-unanswered",
       .description = "Never answers a ping",
       .breaks = {"ping.answered"},
       .departure = drops<answer_to<"ping">>},
      {.id = "ping-refused-early",
       .description = "Refuses a ping before the client has said that it is initialized",
       .breaks = {"ping.answered"},
       .inside = Switch::kRefusesEarlyPings},
      {.id = "ping-refused-at-work",
       .description = "Refuses a ping while a slow tool runs",
       .breaks = {"ping.answered"},
       .inside = Switch::kRefusesPingsAtWork},
      {.id = "ping-with-content",
       .description = "Answers a ping with more than an empty object",
       .breaks = {"ping.empty-result"},
       .departure = sets<result_of<"ping">, "/result/pong", true>},
  };
}

}  // namespace assay::server
