// Further faults of a server that looks at tokens in most places, and not in all: in messages that
// are asked for less often, on other ways to the endpoint, and where a token lacks a scope.
// Specification: basic/authorization, "Token Requirements", "Token Handling", "Error Handling".
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/server/faults/token_places.h"
#include "reference/server/faults/tokens.h"

namespace assay::server {
namespace {

using model::Revision;
using transport::HttpHead;

bool shows_narrow(const HttpHead& request) {
  return shows(request, kNarrowToken);
}

bool says_field(const HttpHead& request, std::string_view name) {
  return transport::find_header(request.headers, name).has_value();
}
const Json& params_in(const Json& body) {
  static const Json kNone = Json::object();
  if (!body.is_object()) return kNone;
  const auto params = body.find("params");
  return params != body.end() && params->is_object() ? *params : kNone;
}

// --- Where ---

bool resumes_stream(const Json&, const HttpHead& request) {
  return request.method == "GET" && says_field(request, "Last-Event-ID");
}
bool is_error_response(const Json& body, const HttpHead&) {
  return body.is_object() && body.contains("error");
}
bool opens_again(const Json& body, const HttpHead& request) {
  return method_of(body) == "initialize" && says_field(request, "Mcp-Session-Id");
}
bool calls_as_task(const Json& body, const HttpHead&) {
  return method_of(body) == "tools/call" && params_in(body).contains("task");
}

// What leads to the endpoint, and is not written like it.
template <bool (*kIsThere)(std::string_view target), bool (*kWhat)(const HttpHead&)>
void let_in_where(const Json&, HttpHead& request) {
  if (!kIsThere(request.target)) return;
  request.target = "/mcp";
  if (kWhat(request)) take_for(request, kReferenceToken);
}

bool is_encoded(std::string_view target) {
  return target == "/%6Dcp";
}
bool goes_up_and_down(std::string_view target) {
  return target == "/assay/../mcp";
}
bool names_host(std::string_view target) {
  return target.starts_with("http://") && target.ends_with("/mcp");
}
bool leads_below(std::string_view target) {
  return target == "/mcp/assay";
}
bool has_a_query(std::string_view target) {
  return target == "/mcp?assay=1";
}

Fault lacking_scope(std::string_view id, std::string_view description, Mishears how,
                    Question concerns = nullptr) {
  return {.id = id,
          .description = description,
          .breaks = {"authorization.insufficient-permission-403"},
          .concerns = concerns,
          .mishears = how};
}

std::vector<Fault> faults_of_messages() {
  return {
      without_token("beginning-without-token", "Needs no token for notifications/initialized",
                    let_pass<asks<"notifications/initialized">, shows_none>,
                    &Revision::has_protected_sessions),
      with_unknown_token("progress-with-any-token",
                         "Does not look at the token of a progress report",
                         let_pass<asks<"notifications/progress">, shows_unknown>,
                         &Revision::has_protected_sessions),
      without_token("error-without-token", "Takes errors in response without a token",
                    let_pass<is_error_response, shows_none>, &Revision::has_protected_sessions),
      with_foreign_token(
          "error-with-foreign-token", "Takes errors in response with a token for another server",
          let_pass<is_error_response, shows_foreign>, &Revision::has_audiences_in_sessions),
      without_token("resumption-without-token", "Resumes streams without a token",
                    let_pass<resumes_stream, shows_none>, &Revision::has_protected_sessions),
      with_expired_token(
          "resumption-with-expired-token", "Resumes streams with a token that has expired",
          let_pass<resumes_stream, shows_expired>, &Revision::has_protected_sessions),
      without_token("reopening-without-token",
                    "Needs no token for initialize in a session that is open",
                    let_pass<opens_again, shows_none>, &Revision::has_protected_sessions),
      without_token("task-call-without-token", "Needs no token for calls as tasks",
                    let_pass<calls_as_task, shows_none>, &Revision::has_core_tasks),
      without_token("task-without-token", "Tells of a task without a token",
                    let_pass<asks<"tasks/get">, shows_none>, &Revision::has_core_tasks),
      with_unknown_token("task-result-with-any-token",
                         "Does not look at the token where a task's result is asked for",
                         let_pass<asks<"tasks/result">, shows_unknown>, &Revision::has_core_tasks),
      with_expired_token("task-cancelled-with-expired-token",
                         "Cancels a task with a token that has expired",
                         let_pass<asks<"tasks/cancel">, shows_expired>, &Revision::has_core_tasks),
      with_unknown_token(
          "listening-with-any-token", "Does not look at the token of a subscription stream",
          let_pass<asks<"subscriptions/listen">, shows_unknown>, &Revision::is_stateless),
      with_foreign_token(
          "level-with-foreign-token", "Lets the log level be set with a token for another server",
          let_pass<asks<"logging/setLevel">, shows_foreign>, &Revision::has_audiences_in_sessions),
      with_expired_token("resource-with-expired-token",
                         "Gives what is in a resource with a token that has expired",
                         let_pass<asks<"resources/read">, shows_expired>),
  };
}

std::vector<Fault> faults_of_ways() {
  return {
      without_token("encoded-path-without-token",
                    "Guards its path, and serves it with a letter that is encoded",
                    let_in_where<is_encoded, shows_none>),
      without_token("dotted-path-without-token", "Guards its path, and serves it with dots in it",
                    let_in_where<goes_up_and_down, shows_none>),
      without_token("whole-url-without-token",
                    "Guards its path, and serves it where a whole URL is asked for",
                    let_in_where<names_host, shows_none>),
      without_token("path-below-without-token", "Guards its path, and serves whatever is below it",
                    let_in_where<leads_below, shows_none>),
      lacking_scope("scope-at-path-alone",
                    "Looks at the scopes of a call at its path, and serves it with a query",
                    let_in_where<has_a_query, shows_narrow>),
  };
}

}  // namespace

std::vector<Fault> further_place_faults() {
  std::vector<Fault> faults = faults_of_messages();
  for (Fault& fault : faults_of_ways()) faults.push_back(std::move(fault));
  return faults;
}

}  // namespace assay::server
