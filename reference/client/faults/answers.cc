// How a client can answer badly what a server asks. Specification: basic, basic/utilities/ping,
// client/roots; 2024-11-05 to 2025-11-25.
#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

constexpr const char* kNoMethod = "assay/no-such-method";
constexpr const char* kElicitation = "elicitation/create";
constexpr int kOddCode = -32050;

// What a client that has no roots sends in place of its answer.
void hide_roots(Departure& d) {
  if (d.is_request("initialize")) d.params()["capabilities"].erase("roots");
}

void make_error(Departure& d, int code) {
  d.json().erase("result");
  d.json()["error"] = {{"code", code}, {"message", "No"}};
}

void empty_form(Departure& d, void (*leave_out)(Json& content)) {
  const bool is_filled =
      d.answers(kElicitation) && !d.is_error() && d.json()["result"].contains("content");
  if (is_filled) leave_out(d.json()["result"]["content"]);
}

}  // namespace

std::vector<Fault> answer_faults() {
  return {
      {.id = "ping-unanswered",
       .description = "Answers no ping",
       .breaks = {"ping.answered"},
       .may_break = {"jsonrpc.request-answered-once"},
       .departure =
           [](Departure& d) {
             if (d.answers("ping")) d.drop();
           }},
      {.id = "ping-refused",
       .description = "Answers a ping with an error",
       .breaks = {"ping.answered"},
       .departure =
           [](Departure& d) {
             if (d.answers("ping")) make_error(d, kOddCode);
           }},
      {.id = "ping-with-content",
       .description = "Answers a ping with more than an empty object",
       .breaks = {"ping.empty-result"},
       .departure =
           [](Departure& d) {
             if (d.answers("ping")) d.json()["result"]["pong"] = true;
           }},
      {.id = "unknown-method-answered",
       .description = "Answers a request for a method that does not exist with a result",
       .breaks = {"jsonrpc.unknown-method-refused"},
       .departure =
           [](Departure& d) {
             if (!d.answers(kNoMethod)) return;
             d.json().erase("error");
             d.json()["result"] = Json::object();
           }},
      {.id = "unknown-method-odd-code",
       .description = "Refuses a method that does not exist with an error of its own",
       .breaks = {"jsonrpc.unknown-method-code"},
       .departure =
           [](Departure& d) {
             if (d.answers(kNoMethod)) make_error(d, kOddCode);
           }},
      {.id = "root-of-http",
       .description = "Lists a root that is not a file",
       .breaks = {"roots.uri-is-file"},
       .concerns = &model::Revision::has_server_requests,
       .departure =
           [](Departure& d) {
             if (d.answers("roots/list") && !d.is_error()) {
               d.json()["result"]["roots"] = {{{"uri", "https://example.com/"}}};
             }
           }},
      {.id = "roots-undeclared",
       .description = "Lists roots, and declares no such capability",
       .breaks = {"roots.capability-declared"},
       .concerns = &model::Revision::has_server_requests,
       .departure = hide_roots},
      {.id = "roots-refused-oddly",
       .description = "Refuses to list roots, which it does not declare, with an error of its own",
       .breaks = {"roots.unsupported-error"},
       .departure =
           [](Departure& d) {
             hide_roots(d);
             if (d.answers("roots/list")) make_error(d, kOddCode);
           }},
      {.id = "form-without-defaults",
       .description = "Leaves the numbers of forms empty that have a default",
       .breaks = {"elicitation.defaults-filled"},
       .may_break = {"elicitation.client-validates", "schema.client-results"},
       .concerns = &model::Revision::has_rich_elicitation_requests,
       .departure = [](Departure& d) { empty_form(d, leave_numbers_out); }},
      {.id = "form-without-default-lists",
       .description = "Leaves the lists of forms empty that have a default",
       .breaks = {"elicitation.defaults-filled"},
       .concerns = &model::Revision::has_rich_elicitation_requests,
       .departure = [](Departure& d) { empty_form(d, leave_lists_out); }},
      {.id = "elicitation-undeclared",
       .description = "Answers elicitations, and declares no such capability",
       .breaks = {"elicitation.capability-declared"},
       .concerns = &model::Revision::has_rich_elicitation_requests,
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) d.params()["capabilities"].erase("elicitation");
           }},
      {.id = "form-needs-a-mode",
       .description = "Refuses an elicitation that names no mode",
       .breaks = {"elicitation.missing-mode-is-form"},
       .concerns = &model::Revision::has_rich_elicitation_requests,
       .departure =
           [](Departure& d) {
             if (d.answers(kElicitation)) make_error(d, -32602);
           }},
      {.id = "answers-twice",
       .description = "Answers a request twice",
       .breaks = {"jsonrpc.request-answered-once"},
       .departure =
           [](Departure& d) {
             if (d.answers("ping")) d.after(d.json().dump());
           }},
      {.id = "error-code-text",
       .description = "Sends an error whose code is a text",
       .breaks = {"jsonrpc.error-code-integer"},
       .may_break = {"jsonrpc.unknown-method-code", "jsonrpc.version-2-messages",
                     "jsonrpc.error-code-and-message", "jsonrpc.unknown-method-refused"},
       .departure =
           [](Departure& d) {
             if (d.answers(kNoMethod)) d.json()["error"]["code"] = "not found";
           }},
      {.id = "error-without-message",
       .description = "Sends an error without a message",
       .breaks = {"jsonrpc.error-code-and-message"},
       .may_break = {"jsonrpc.version-2-messages", "jsonrpc.error-message-concise"},
       .departure =
           [](Departure& d) {
             if (d.answers(kNoMethod)) d.json()["error"].erase("message");
           }},
  };
}

}  // namespace assay::client
