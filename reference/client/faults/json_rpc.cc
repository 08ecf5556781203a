// How a client's answers, ids and notifications can be no JSON-RPC. Specification: basic,
// "Messages", 2024-11-05 to 2026-07-28.
#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

constexpr const char* kMethodOfNobody = "assay/no-such-method";

// The first of two calls that are answered together.
bool is_first_of_two(const Departure& d) {
  return d.is_request("tools/call") && d.part("name") == "test_meets_one";
}

void give_one_token(Departure& d) {
  const bool is_other = d.is_request("tools/call") && d.part("name") == "test_meets_other";
  if (is_first_of_two(d) || is_other) d.params()["_meta"]["progressToken"] = "call";
}

}  // namespace

std::vector<Fault> json_rpc_faults() {
  return {
      {.id = "number-answered-as-text",
       .description = "Answers a request whose id is a number with the text of that number",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .may_break = {"ping.answered", "jsonrpc.request-answered-once"},
       .concerns = &model::Revision::has_server_requests,
       .departure =
           [](Departure& d) {
             if (d.answers("ping") && d.json()["id"].is_number()) {
               d.json()["id"] = d.json()["id"].dump();
             }
           }},
      {.id = "question-zero-unanswered",
       .description = "Takes a request whose id is 0 for a notification",
       .breaks = {"ping.answered", "jsonrpc.request-answered-once"},
       .departure =
           [](Departure& d) {
             if (d.answers("ping") && d.json()["id"] == 0) d.drop();
           }},
      {.id = "question-without-letters-unanswered",
       .description = "Takes a request whose id is an empty text for a notification",
       .breaks = {"ping.answered", "jsonrpc.request-answered-once"},
       .departure =
           [](Departure& d) {
             if (d.answers("ping") && d.json()["id"] == "") d.drop();
           }},
      {.id = "answer-with-null-error",
       .description = "Answers with a result, and with an error that is null beside it",
       .breaks = {"jsonrpc.response-not-both"},
       .may_break = {"ping.answered", "jsonrpc.request-answered-once"},
       .shown_in = {"server-asks"},
       .departure =
           [](Departure& d) {
             if (d.answers("ping")) d.json()["error"] = nullptr;
           }},
      {.id = "empty-result-left-out",
       .description = "Answers without a result where that is empty",
       .breaks = {"jsonrpc.response-result-or-error", "jsonrpc.result-response-result"},
       .may_break = {"ping.answered", "jsonrpc.request-answered-once"},
       .shown_in = {"server-asks"},
       .departure =
           [](Departure& d) {
             if (d.answers("ping")) d.json().erase("result");
           }},
      {.id = "empty-result-null",
       .description = "Answers a ping with null in place of an empty object",
       .breaks = {"ping.empty-result"},
       .may_break = {"jsonrpc.version-2-messages", "schema.client-results"},
       .departure =
           [](Departure& d) {
             if (d.answers("ping")) d.json()["result"] = nullptr;
           }},
      {.id = "refusal-without-id",
       .description = "Refuses a method that does not exist with an error that has no id",
       .breaks = {"jsonrpc.response-id", "jsonrpc.error-response-id"},
       .may_break = {"jsonrpc.unknown-method-refused", "jsonrpc.request-answered-once"},
       .shown_in = {"server-asks"},
       .departure =
           [](Departure& d) {
             if (d.answers(kMethodOfNobody)) d.json()["id"] = nullptr;
           }},
      {.id = "answers-to-latest-question",
       .description = "Answers each question with the id of the latest one",
       .breaks = {"jsonrpc.request-answered-once"},
       .may_break = {"ping.answered", "jsonrpc.unknown-method-refused", "ping.empty-result",
                     "jsonrpc.result-response-id", "schema.client-results"},
       .concerns = &model::Revision::has_server_requests,
       .departure =
           [](Departure& d) {
             if (d.answers("ping") || d.answers(kMethodOfNobody)) d.json()["id"] = "assay-roots";
           }},
      {.id = "error-with-stack",
       .description = "Sends a stack trace as the message of an error",
       .breaks = {"jsonrpc.error-message-concise"},
       .concerns = &model::Revision::has_sessions,
       .shown_in = {"server-asks"},
       .departure =
           [](Departure& d) {
             if (d.answers(kMethodOfNobody)) {
               d.json()["error"]["message"] = "No such method\n  at dispatch (client.js:20)";
             }
           }},
      {.id = "error-message-null",
       .description = "Sends an error whose message is null",
       .breaks = {"jsonrpc.error-code-and-message"},
       .may_break = {"jsonrpc.version-2-messages"},
       .shown_in = {"server-asks"},
       .departure =
           [](Departure& d) {
             if (d.answers(kMethodOfNobody)) d.json()["error"]["message"] = nullptr;
           }},
      {.id = "initialized-with-id",
       .description = "Sends notifications/initialized as a request",
       .breaks = {"jsonrpc.notification-no-id"},
       .may_break = {"lifecycle.initialized-notification"},
       .concerns = &model::Revision::has_sessions,
       .shown_in = {"initialize"},
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/initialized")) d.json()["id"] = "ready";
           }},
      {.id = "cancellation-with-id",
       .description = "Cancels a request with a request, and not with a notification",
       .breaks = {"jsonrpc.notification-no-id"},
       .may_break = {"lifecycle.timeout-cancels", "http.cancellation-explicit",
                     "cancellation.client-announces", "meta.required-fields"},
       .seen_over = SeenOver::kStdioOnly,
       .shown_in = {"server-silent"},
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/cancelled")) d.json()["id"] = "cancel-1";
           }},
      {.id = "initialize-in-array",
       .description = "Sends initialize in an array",
       .breaks = {"lifecycle.initialize-not-batched"},
       .may_break = {"http.session-id-sent"},
       .shown_in = {"initialize"},
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) d.set_bytes("[" + d.json().dump() + "]");
           }},
      {.id = "id-used-while-open",
       .description = "Calls two tools at once under the same id",
       .breaks = {"jsonrpc.request-id-not-in-use"},
       .may_break = {"progress.token-unique"},
       .seen_over = SeenOver::kStdioOnly,
       .shown_in = {"two-calls-at-once"},
       .departure =
           [](Departure& d) {
             if (!is_first_of_two(d)) return;
             Json other = d.json();
             other["params"]["name"] = "test_simple_text";
             d.after(other.dump());
           }},
      {.id = "ids-begin-again",
       .description = "Counts its ids to three, and begins again",
       .breaks = {"jsonrpc.request-id-unique"},
       .shown_in = {"initialize"},
       .departure =
           [](Departure& d) {
             if (d.is_request("resources/templates/list")) {
               Json again = d.json();
               again["id"] = d.json()["id"].get<std::int64_t>() - 3;
               d.after(again.dump());
             }
           }},
      {.id = "progress-token-of-both",
       .description = "Calls two tools at once with the same progress token",
       .breaks = {"progress.token-unique"},
       .concerns = &model::Revision::has_sessions,
       .shown_in = {"two-calls-at-once"},
       .departure = give_one_token},
      {.id = "progress-token-of-both-without-session",
       .description = "Calls two tools at once with the same progress token, over stdio",
       .breaks = {"progress.token-unique"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &model::Revision::is_stateless,
       .shown_in = {"two-calls-at-once"},
       .departure = give_one_token},
      {.id = "progress-token-null",
       .description = "Asks for no progress with a token that is null",
       .breaks = {"progress.token-type"},
       .shown_in = {"initialize"},
       .departure =
           [](Departure& d) {
             if (d.is_request("prompts/list")) d.params()["_meta"]["progressToken"] = nullptr;
           }},
      {.id = "arguments-null",
       .description = "Calls a tool without arguments with null for them",
       .breaks = {"schema.client-requests"},
       .shown_in = {"initialize", "server-silent"},
       .departure =
           [](Departure& d) {
             if (d.is_request("tools/call") && d.part("name") == "test_simple_text") {
               d.params()["arguments"] = nullptr;
             }
           }},
      {.id = "cursor-null-for-first-page",
       .description = "Asks for the first page of a list with a cursor that is null",
       .breaks = {"schema.client-requests"},
       .shown_in = {"initialize"},
       .departure =
           [](Departure& d) {
             if (d.is_request("tools/list") && d.part("cursor").is_null()) {
               d.params()["cursor"] = nullptr;
             }
           }},
  };
}

}  // namespace assay::client
