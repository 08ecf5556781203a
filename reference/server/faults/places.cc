// Faults of a server that looks at tokens in most places, and not in all: a table of kinds of
// tokens, by the places where a client shows one. Specification: basic/authorization, "Token
// Requirements", "Token Handling".
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/server/faults/token_places.h"
#include "reference/server/faults/tokens.h"

namespace assay::server {

Fault without_token(std::string_view id, std::string_view description, Mishears how,
                    model::Revision::Question concerns) {
  return {.id = id,
          .description = description,
          .breaks = {"authorization.unauthenticated-401", "authorization.no-data-to-unauthorized"},
          .concerns = concerns,
          .mishears = how};
}

Fault with_unknown_token(std::string_view id, std::string_view description, Mishears how,
                         model::Revision::Question concerns) {
  return {.id = id,
          .description = description,
          .breaks = {"authorization.token-validated", "authorization.invalid-token-401",
                     "authorization.other-tokens-not-accepted",
                     "authorization.validated-before-processing"},
          .concerns = concerns,
          .mishears = how};
}

Fault with_expired_token(std::string_view id, std::string_view description, Mishears how,
                         model::Revision::Question concerns) {
  return {.id = id,
          .description = description,
          .breaks = {"authorization.token-validated", "authorization.invalid-token-401",
                     "authorization.token-expiration"},
          .concerns = concerns,
          .mishears = how};
}

Fault with_foreign_token(std::string_view id, std::string_view description, Mishears how,
                         model::Revision::Question concerns) {
  return {
      .id = id,
      .description = description,
      .breaks = {"authorization.audience-validated", "authorization.intended-tokens-only",
                 "authorization.wrong-audience-rejected", "authorization.own-tokens-only",
                 "authorization.other-tokens-not-accepted",
                 "authorization.validated-before-processing", "authorization.invalid-token-401"},
      .concerns = concerns,
      .mishears = how};
}

namespace {

using model::Revision;
using transport::HttpHead;

// --- Columns: where ---

template <Literal kMethod>
bool comes_by(const Json&, const HttpHead& request) {
  return request.method == kMethod.text();
}
bool is_notification(const Json& body, const HttpHead&) {
  return method_of(body).starts_with("notifications/");
}
bool is_answer(const Json& body, const HttpHead&) {
  return body.is_object() && body.contains("result");
}
bool is_batch(const Json& body, const HttpHead&) {
  return body.is_array();
}
bool names_cursor(const Json& body, const HttpHead&) {
  return !method_of(body).empty() && body.contains("params") && body["params"].is_object() &&
         body["params"].contains("cursor");
}
bool is_later(const Json& body, const HttpHead& request) {
  return request.method == "POST" && body.is_object() && method_of(body) != "initialize";
}
template <Literal kTarget>
bool is_at(const Json&, const HttpHead& request) {
  return request.target == kTarget.text();
}

// What leads to the endpoint, and is not written like it.
template <Literal kTarget>
void let_in_at(const Json& body, HttpHead& request) {
  if (!is_at<kTarget>(body, request)) return;
  request.target = "/mcp";
  if (shows_none(request)) take_for(request, kReferenceToken);
}

std::vector<Fault> faults_without_token() {
  return {
      without_token("call-without-token", "Calls tools without a token",
                    let_pass<asks<"tools/call">, shows_none>),
      without_token("ping-without-token", "Answers a ping without a token",
                    let_pass<asks<"ping">, shows_none>, &Revision::has_protected_sessions),
      without_token("resources-without-token", "Lists its resources without a token",
                    let_pass<asks<"resources/list">, shows_none>),
      without_token("templates-without-token", "Lists its resource templates without a token",
                    let_pass<asks<"resources/templates/list">, shows_none>),
      without_token("resource-without-token", "Gives what is in a resource without a token",
                    let_pass<asks<"resources/read">, shows_none>),
      without_token("subscription-without-token", "Takes subscriptions without a token",
                    let_pass<asks<"resources/subscribe">, shows_none>,
                    &Revision::has_protected_sessions),
      without_token("prompts-without-token", "Lists its prompts without a token",
                    let_pass<asks<"prompts/list">, shows_none>),
      without_token("prompt-without-token", "Gives a prompt without a token",
                    let_pass<asks<"prompts/get">, shows_none>),
      without_token("completion-without-token", "Completes arguments without a token",
                    let_pass<asks<"completion/complete">, shows_none>),
      without_token("log-level-without-token", "Lets the log level be set without a token",
                    let_pass<asks<"logging/setLevel">, shows_none>,
                    &Revision::has_protected_sessions),
      without_token("tasks-without-token", "Lists tasks without a token",
                    let_pass<asks<"tasks/list">, shows_none>, &Revision::has_core_tasks),
      without_token("listening-without-token", "Opens a subscription stream without a token",
                    let_pass<asks<"subscriptions/listen">, shows_none>, &Revision::is_stateless),
      without_token("notification-without-token", "Takes notifications without a token",
                    let_pass<is_notification, shows_none>, &Revision::has_protected_sessions),
      without_token("response-without-token", "Takes responses without a token",
                    let_pass<is_answer, shows_none>, &Revision::has_protected_sessions),
      without_token("batch-without-token", "Looks for no token where a batch comes",
                    let_pass<is_batch, shows_none>, &Revision::has_protected_batches),
      without_token("page-without-token", "Gives further pages of its lists without a token",
                    let_pass<names_cursor, shows_none>),
      without_token("slash-without-token", "Guards its path, and serves it with a slash at its end",
                    let_in_at<"/mcp/">),
      without_token("slashes-without-token", "Guards its path, and serves it with two slashes",
                    let_in_at<"//mcp">),
      without_token("upper-case-without-token", "Guards its path, and serves it in upper case",
                    let_in_at<"/MCP">),
      without_token("query-without-token", "Guards its path, and serves it with a query",
                    let_in_at<"/mcp?assay=1">),
      {.id = "delete-without-token",
       .description = "Ends a session without a token",
       .breaks = {"authorization.unauthenticated-401"},
       .concerns = &Revision::has_protected_sessions,
       .mishears = let_pass<comes_by<"DELETE">, shows_none>},
  };
}

std::vector<Fault> faults_with_token() {
  return {
      with_unknown_token("later-with-any-token", "Looks at the token when a client begins only",
                         let_pass<is_later, shows_unknown>, &Revision::has_protected_sessions),
      with_unknown_token("call-with-any-token", "Does not look at the token of a call",
                         let_pass<asks<"tools/call">, shows_unknown>),
      with_unknown_token(
          "notification-with-any-token", "Does not look at the token of a notification",
          let_pass<is_notification, shows_unknown>, &Revision::has_protected_sessions),
      with_unknown_token("batch-with-any-token", "Does not look at the token of a batch",
                         let_pass<is_batch, shows_unknown>, &Revision::has_protected_batches),
      with_unknown_token("page-with-any-token", "Does not look at the token of a further page",
                         let_pass<names_cursor, shows_unknown>),
      with_unknown_token("delete-with-any-token", "Ends a session with any token",
                         let_pass<comes_by<"DELETE">, shows_unknown>,
                         &Revision::has_protected_sessions),
      with_expired_token("later-with-expired-token",
                         "Looks at the time of a token when a client begins only",
                         let_pass<is_later, shows_expired>, &Revision::has_protected_sessions),
      with_expired_token(
          "stream-with-expired-token", "Opens a GET stream with a token that has expired",
          let_pass<comes_by<"GET">, shows_expired>, &Revision::has_protected_sessions),
      with_expired_token("call-with-expired-token", "Calls a tool with a token that has expired",
                         let_pass<asks<"tools/call">, shows_expired>),
      with_expired_token(
          "delete-with-expired-token", "Ends a session with a token that has expired",
          let_pass<comes_by<"DELETE">, shows_expired>, &Revision::has_protected_sessions),
      with_foreign_token(
          "stream-with-foreign-token", "Opens a GET stream with a token for another server",
          let_pass<comes_by<"GET">, shows_foreign>, &Revision::has_audiences_in_sessions),
      with_foreign_token("call-with-foreign-token", "Calls a tool with a token for another server",
                         let_pass<asks<"tools/call">, shows_foreign>),
      with_foreign_token("page-with-foreign-token",
                         "Gives a further page with a token for another server",
                         let_pass<names_cursor, shows_foreign>),
      with_foreign_token("response-with-foreign-token",
                         "Takes a response with a token for another server",
                         let_pass<is_answer, shows_foreign>, &Revision::has_audiences_in_sessions),
  };
}

// Says that it refused, and had done it.
std::vector<Fault> faults_of_order() {
  return {
      {.id = "delete-before-token",
       .description = "Ends a session, and looks at the token afterwards",
       .breaks = {"authorization.validated-before-processing"},
       .concerns = &Revision::has_audiences_in_sessions,
       .mishears =
           [](const Json&, HttpHead& request) {
             if (request.method == "DELETE") take_for(request, kReferenceToken);
           },
       .reply =
           [](const HttpHead& request, std::string_view, transport::HttpReply& reply) {
             const bool is_good = shows(request, kReferenceToken);
             if (request.method == "DELETE" && !is_good) refuse(reply);
           }},
      {.id = "refusal-with-result",
       .description = "Answers a request without a token with 401 and the result",
       .breaks = {"authorization.no-data-to-unauthorized"},
       .concerns = &Revision::has_resource_metadata,
       .mishears =
           [](const Json& body, HttpHead& request) {
             const bool is_list = method_of(body) == "tools/list";
             if (is_list && shows_none(request)) take_for(request, kReferenceToken);
           },
       .reply =
           [](const HttpHead& request, std::string_view body, transport::HttpReply& reply) {
             const Json asked = Json::parse(body, nullptr, false);
             if (method_of(asked) != "tools/list" || !shows_none(request)) return;
             const std::string result = reply.body;
             refuse(reply);
             reply.headers.emplace_back("Content-Type", "application/json");
             reply.body = result;
           }},
  };
}

}  // namespace

std::vector<Fault> token_place_faults() {
  std::vector<Fault> faults = faults_without_token();
  for (const auto table : {faults_with_token, faults_of_order}) {
    for (Fault& fault : table()) faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace assay::server
