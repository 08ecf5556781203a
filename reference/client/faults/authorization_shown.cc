// Where else than in Authorization a client can show its token, and which requests it can leave it
// out of. Specification: basic/authorization, "Access Token Usage".
#include <algorithm>

#include "reference/client/faults/authorization.h"
#include "reference/client/faults/fields.h"
#include "reference/wire/http_text.h"

namespace assay::client {
namespace {

void drop_authorization(transport::Headers& fields) {
  std::erase_if(fields, [](const auto& field) {
    return wire::equals_without_case(field.first, "Authorization");
  });
}

// What is shown; empty if nothing is.
std::string token_in(std::string_view authorization) {
  const std::size_t blank = authorization.find(' ');
  return blank == std::string_view::npos ? "" : std::string(authorization.substr(blank + 1));
}

std::string take_token(transport::Headers& fields) {
  const auto field = transport::find_header(fields, "Authorization");
  std::string token = token_in(field.value_or(""));
  drop_authorization(fields);
  return token;
}

Fault place_fault(std::string_view id, std::string_view description) {
  Fault fault;
  fault.id = id;
  fault.description = description;
  fault.breaks = {"authorization.bearer-header", "authorization.token-use-conforms",
                  "authorization.oauth21-implemented"};
  fault.seen_over = SeenOver::kHttpOnly;
  fault.concerns = &model::Revision::has_authorization;
  return fault;
}

Fault missing_fault(std::string_view id, std::string_view description,
                    model::Revision::Question concerns) {
  Fault fault;
  fault.id = id;
  fault.description = description;
  fault.breaks = {"authorization.token-in-every-request", "authorization.token-use-conforms"};
  fault.seen_over = SeenOver::kHttpOnly;
  fault.concerns = concerns;
  // It does not look for another token then, nor when one has expired.
  fault.may_break = {"authorization.client-responds-to-401", "authorization.discovery-followed"};
  fault.login = [](LoginConduct& c) { c.most_attempts = 1; };
  return fault;
}

std::vector<Fault> misplaced_tokens() {
  Fault bare = place_fault("token-without-scheme", "Shows its token without a scheme before it");
  bare.fields = [](std::string_view, const Json&, transport::Headers& fields) {
    const std::string token = take_token(fields);
    if (!token.empty()) fields.emplace_back("Authorization", token);
  };
  Fault cookie = place_fault("token-in-cookie", "Shows its token in a cookie");
  cookie.fields = [](std::string_view, const Json&, transport::Headers& fields) {
    const std::string token = take_token(fields);
    if (!token.empty()) fields.emplace_back("Cookie", "session=" + token);
  };
  Fault own = place_fault("token-in-own-field", "Shows its token in a header field of its own");
  own.fields = [](std::string_view, const Json&, transport::Headers& fields) {
    const std::string token = take_token(fields);
    if (!token.empty()) fields.emplace_back("X-Access", token);
  };
  Fault body = place_fault("token-in-body", "Shows its token in the message");
  body.fields = [](std::string_view, const Json&, transport::Headers& fields) {
    drop_authorization(fields);
  };
  body.departure = [](Departure& d) {
    const std::string& token = d.memory().token;
    if (d.json().contains("method") && !token.empty()) d.params()["access_token"] = token;
  };
  return {bare, cookie, own, body};
}

std::vector<Fault> missing_tokens() {
  Fault calls = missing_fault("token-left-out-of-calls", "Calls tools without its token",
                              &model::Revision::has_authorization);
  calls.fields = [](std::string_view, const Json& body, transport::Headers& fields) {
    const bool is_call = asks_for(body, "tools/call");
    if (is_call) drop_authorization(fields);
  };
  Fault notices =
      missing_fault("token-left-out-of-notifications", "Sends notifications without its token",
                    &model::Revision::has_protected_sessions);
  notices.fields = [](std::string_view, const Json& body, transport::Headers& fields) {
    const bool is_notice = body.is_object() && body.contains("method") && !body.contains("id");
    if (is_notice) drop_authorization(fields);
  };
  Fault end = missing_fault("token-left-out-of-delete", "Ends its session without its token",
                            &model::Revision::has_protected_sessions);
  end.fields = [](std::string_view method, const Json&, transport::Headers& fields) {
    if (method == "DELETE") drop_authorization(fields);
  };
  Fault never = missing_fault("token-never-shown", "Gets a token, and goes on without it",
                              &model::Revision::has_authorization);
  never.fields = [](std::string_view, const Json&, transport::Headers& fields) {
    drop_authorization(fields);
  };
  never.login = nullptr;
  never.may_break.clear();
  return {calls, notices, end, never};
}

}  // namespace

std::vector<Fault> misshown_token_faults() {
  std::vector<Fault> faults = misplaced_tokens();
  for (Fault& each : missing_tokens()) faults.push_back(std::move(each));
  faults.push_back(
      {.id = "token-in-query-by-another-name",
       .description = "Shows its token in the query of the URL, under the name 'key'",
       .breaks = {"authorization.no-token-in-query", "authorization.token-use-conforms",
                  "authorization.oauth21-implemented", "authorization.oauth-security-followed",
                  "authorization.security-followed"},
       .seen_over = SeenOver::kHttpOnly,
       .login = [](LoginConduct& c) { c.token_query = "key"; }});
  faults.push_back({.id = "token-is-the-code",
                    .description = "Shows the server the authorization code as its token",
                    .breaks = {"authorization.foreign-token-not-sent"},
                    .seen_over = SeenOver::kHttpOnly,
                    .login = [](LoginConduct& c) { c.shows_code = true; }});
  faults.push_back({.id = "token-follows-redirect",
                    .description = "Shows its token to another host that the server redirects to",
                    .breaks = {"authorization.foreign-token-not-sent"},
                    .seen_over = SeenOver::kHttpOnly,
                    .login = [](LoginConduct& c) { c.follows_redirects_with_token = true; }});
  return faults;
}

}  // namespace assay::client
