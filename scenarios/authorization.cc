// Scenarios about a server that asks for a token: how it refuses who shows none or a wrong one.
// They need no token; with one there is a control.
//
// Specification: basic/authorization (2025-03-26 and later); its challenges and errors are those of
// OAuth 2.1, section 5.3.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/json_member.h"
#include "reference/transport/loopback.h"
#include "reference/wire/challenge.h"
#include "reference/wire/compose.h"
#include "reference/wire/form.h"
#include "scenarios/token_door.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;
using transport::Headers;

constexpr int kBadRequest = 400;

// --- Who shows no token ---

void judge_without_token(Script& script, const HttpAnswer& answer, std::string_view what) {
  constexpr RequirementId kStatus("authorization.unauthenticated-401");
  if (says_nothing(answer)) {
    return script.unclear(kStatus, fmt::format("{} was met with {}", what, answer.describe()),
                          answer.events);
  }
  script.check(kStatus, answer.status == kUnauthorized, answer.events,
               fmt::format("{} was answered with {}", what, answer.describe()));
  if (script.revision().has_audiences()) {
    script.check("authorization.no-data-to-unauthorized", !is_let_in(answer), answer.events,
                 fmt::format("{} was served: {}", what, answer.describe()));
  }
  judge_challenge(script, answer, what, Credential::kNone);
}

// Who shows no token is sent away. That it is so whatever it asks for, authorization_places.cc
// sees.
SCENARIO(authorization_is_asked_for, in_both_eras(), own_session(), over_http(), before_login(),
         in_revisions(&Revision::has_authorization),
         judges({"authorization.unauthenticated-401", "authorization.no-data-to-unauthorized"}),
         judges_challenges()) {
  const Door front = try_door(script);
  const bool is_inner = front.state == Door::State::kOpen;
  const Door door = is_inner ? try_inner_door(script) : front;
  if (!is_shut(script, door,
               {"authorization.unauthenticated-401", "authorization.no-data-to-unauthorized",
                "authorization.failure-per-oauth"})) {
    return;
  }
  judge_without_token(script, door.answer,
                      is_inner ? "a request without a token, which was refused,"
                               : "a first request without a token");
}

// --- Who shows a wrong token ---

// A token that reads like one and is signed by nobody: {"alg":"none"}, a subject, and a time to
// come.
constexpr const char* kUnsigned =
    "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0."
    "eyJzdWIiOiJtY3AtYXNzYXkiLCJzY29wZSI6Im9wZW5pZCIsImV4cCI6NDEwMjQ0NDgwMH0.";

struct WrongToken {
  const char* what;
  std::string field;
};

std::vector<WrongToken> wrong_tokens() {
  return {{"a token that was never issued", "Bearer assay-token-never-issued"},
          {"an unsigned token", std::string("Bearer ") + kUnsigned},
          {"a password in place of a token", "Basic YXNzYXk6bm90LWEtcGFzc3dvcmQ="}};
}

void judge_wrong_token(Script& script, const HttpAnswer& answer, const std::string& what,
                       bool is_token = true) {
  constexpr RequirementId kValidated("authorization.token-validated");
  const std::string detail = fmt::format("{} was answered with {}", what, answer.describe());
  if (says_nothing(answer)) {
    script.unclear(kValidated, detail, answer.events);
    if (is_token) script.unclear(kInvalidToken401, detail, answer.events);
    return;
  }
  const bool is_served = is_let_in(answer);
  script.check(kValidated, !is_served, answer.events, detail);
  // A password is no token, so the status that a wrong token gets need not be its own.
  if (is_token) {
    script.check(kInvalidToken401, answer.status == kUnauthorized, answer.events, detail);
  }
  if (script.revision().has_audiences()) {
    script.check("authorization.other-tokens-not-accepted", !is_served, answer.events, detail);
    // An error of the protocol tells that somebody has read the request, and looked for its method.
    script.check("authorization.validated-before-processing", !is_served, answer.events, detail);
  }
  judge_challenge(script, answer, what, is_token ? Credential::kOdd : Credential::kNone);
}

// A wrong token is no beginning. That it opens nothing else either, authorization_places.cc sees.
SCENARIO(authorization_refuses_wrong_tokens, in_both_eras(), own_session(), over_http(),
         before_login(), in_revisions(&Revision::has_authorization),
         judges({"authorization.token-validated", "authorization.invalid-token-401",
                 "authorization.other-tokens-not-accepted",
                 "authorization.validated-before-processing"}),
         judges_challenges()) {
  const Door door = try_door(script);
  if (!is_shut(script, door,
               {"authorization.token-validated", "authorization.invalid-token-401",
                "authorization.other-tokens-not-accepted",
                "authorization.validated-before-processing", "authorization.failure-per-oauth"})) {
    return;
  }
  for (const WrongToken& token : wrong_tokens()) {
    const HttpAnswer answer = knock(script, {{"Authorization", token.field}});
    judge_wrong_token(script, answer, fmt::format("a first request with {}", token.what),
                      token.field.starts_with("Bearer "));
  }
}

void judge_malformed(Script& script, const HttpAnswer& answer, std::string_view what) {
  constexpr RequirementId kRule("authorization.malformed-request-400");
  const std::string detail = fmt::format("{} was answered with {}", what, answer.describe());
  // Who reads no further than the first word finds a wrong token, and may say so.
  if (says_nothing(answer) || answer.status == kUnauthorized) {
    return script.unclear(kRule, detail, answer.events);
  }
  script.check(kRule, answer.status == kBadRequest, answer.events, detail);
}

// What cannot be a token at all is a malformed request.
SCENARIO(authorization_refuses_malformed_fields, in_both_eras(), own_session(), over_http(),
         before_login(), in_revisions(&Revision::has_authorization),
         judges({"authorization.malformed-request-400"})) {
  constexpr RequirementId kRule("authorization.malformed-request-400");
  const Door door = try_door(script);
  if (!is_shut(script, door, {kRule})) return;
  judge_malformed(script, knock(script, {{"Authorization", "Bearer two words"}}),
                  "\"Authorization: Bearer two words\"");
}

// --- Who shows the token elsewhere ---

// What is written into a URL as it is, and so is known again and masked wherever the URL is told.
bool is_plain_text(std::string_view token) {
  return wire::encode_percent(token) == token;
}

// URLs are kept in logs: a token that was given for more than trial stays on this machine.
bool may_stand_in_url(Script& script) {
  return script.issuer() != nullptr || transport::is_loopback(url_of(script.open_connection()));
}

HttpAnswer knock_with_query(Script& script, const UserToken& token) {
  Connection& connection = script.open_connection();
  const Json opening = opening_request(connection);
  const std::string& target = url_of(connection).target;
  transport::HttpRequest request;
  request.target = fmt::format("{}{}access_token={}", target,
                               target.find('?') == std::string::npos ? '?' : '&', token.text);
  request.headers = no_token();
  for (auto& field : connection.fields_of(opening)) request.headers.push_back(std::move(field));
  request.body = wire::encode(opening);
  return exchange(connection, std::move(request));
}

// By the names that servers and their proxies give such cookies.
HttpAnswer knock_with_cookie(Script& script, const UserToken& token) {
  std::string cookies;
  for (const char* name : {"access_token", "token", "session", "Authorization", "jwt"}) {
    cookies += fmt::format("{}{}={}", cookies.empty() ? "" : "; ", name, token.text);
  }
  transport::Headers headers = no_token();
  headers.emplace_back("Cookie", cookies);
  return knock(script, headers);
}

struct OtherPlace {
  std::string_view what;
  HttpAnswer (*knock)(Script& script, const UserToken& token);
};

constexpr OtherPlace kInQuery{
    "a first request with a good token in its query (access_token) and "
    "none in its header",
    knock_with_query};
constexpr OtherPlace kInCookie{
    "a first request with a good token in its cookies (access_token, "
    "token, session and others) and none in its header",
    knock_with_cookie};

void judge_other_place(Script& script, const UserToken& token, const OtherPlace& place) {
  constexpr RequirementId kStatus("authorization.unauthenticated-401");
  const HttpAnswer answer = place.knock(script, token);
  if (!is_let_in(knock(script, {}))) return;
  // Who refuses what he does not support says 400, and who asks for patience something else.
  if (answer.status != kUnauthorized) {
    return script.unclear(kStatus,
                          fmt::format("{} was answered with {}; clients must not show it there, "
                                      "and a server may take it or not",
                                      place.what, answer.describe()),
                          answer.events);
  }
  script.check(kStatus, true, answer.events, "");
  judge_challenge(script, answer, place.what, Credential::kNone);
}

// Clients must not put a token into the query of a URI, and show it in the header field: who shows
// it elsewhere alone has shown none. No sentence forbids a server to take it, so that one who does
// is accused of nothing.
SCENARIO(authorization_tokens_elsewhere_count_for_nothing, in_both_eras(), own_session(),
         over_http(), in_revisions(&Revision::has_authorization),
         judges({"authorization.unauthenticated-401"}), judges_challenges()) {
  constexpr RequirementId kStatus("authorization.unauthenticated-401");
  const std::vector<UserToken> good = tokens_of(script, UserToken::Standing::kGood);
  if (good.empty() || !is_plain_text(good.front().text)) return;
  if (!is_shut(script, try_door(script), {kStatus}) || !is_let_in(knock(script, {}))) return;
  if (may_stand_in_url(script)) judge_other_place(script, good.front(), kInQuery);
  judge_other_place(script, good.front(), kInCookie);
}

}  // namespace
}  // namespace assay::scenarios
