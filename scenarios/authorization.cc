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

// What every server of the revision reads, with another method.
HttpAnswer send_method(Connection& connection, const char* method, const Headers& headers) {
  Json request = connection.fence_request(connection.next_id());
  request["method"] = method;
  return post(connection, request, headers);
}

void judge_challenge(Script& script, const HttpAnswer& answer, std::string_view what) {
  if (answer.status != kUnauthorized) return;
  script.check(
      "authorization.failure-per-oauth", bearer_challenge(answer).has_value(), answer.events,
      fmt::format("{} was answered with 401 and no Bearer challenge in WWW-Authenticate", what));
}

// --- Who shows no token ---

void judge_without_token(Script& script, const HttpAnswer& answer, std::string_view what) {
  constexpr RequirementId kStatus("authorization.unauthenticated-401");
  if (says_nothing(answer)) {
    return script.unclear(kStatus, fmt::format("{} was met with {}", what, answer.describe()),
                          answer.events);
  }
  script.check(kStatus, answer.status == kUnauthorized, answer.events,
               fmt::format("{} was answered with {}", what, answer.describe()));
  if (script.revision() >= Revision::v2025_06_18) {
    script.check("authorization.no-data-to-unauthorized", !is_let_in(answer), answer.events,
                 fmt::format("{} was served: {}", what, answer.describe()));
  }
  judge_challenge(script, answer, what);
}

// Who shows no token is sent away, whatever it asks for, also within a session that began with one:
// a token belongs to every request.
SCENARIO(authorization_is_asked_for, in_both_eras(), own_session(), over_http(), before_login(),
         in_revisions(&Revision::has_authorization),
         judges({"authorization.unauthenticated-401", "authorization.no-data-to-unauthorized",
                 "authorization.failure-per-oauth"})) {
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
  // Who lets everybody begin may serve whom it likes, but for what it has refused.
  if (script.is_locked_out() || is_inner) return;
  Connection& session = script.session();
  const HttpAnswer probe = post_probe(session, no_token());
  const HttpAnswer listed = send_method(session, "tools/list", no_token());
  const bool has_streams = session.revision().has_handshake();
  const HttpAnswer stream = has_streams ? get_stream(session, no_token()) : HttpAnswer();
  const bool streams = has_streams && (stream.is_stream() || get_stream(session).is_stream());
  if (!post_probe(session).is_served()) return;
  judge_without_token(script, probe, "a request without a token, within a session that has one,");
  judge_without_token(script, listed, "tools/list without a token, within a session that has one,");
  if (streams) judge_without_token(script, stream, "a GET without a token");
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
  if (script.revision() >= Revision::v2025_06_18) {
    script.check("authorization.other-tokens-not-accepted", !is_served, answer.events, detail);
    // An error of the protocol tells that somebody has read the request, and looked for its method.
    script.check("authorization.validated-before-processing", !is_served, answer.events, detail);
  }
  judge_challenge(script, answer, what);
}

// A wrong token opens nothing: no session, no stream, and nothing within a session of somebody
// else's.
SCENARIO(authorization_refuses_wrong_tokens, in_both_eras(), own_session(), over_http(),
         before_login(), in_revisions(&Revision::has_authorization),
         judges({"authorization.token-validated", "authorization.invalid-token-401",
                 "authorization.other-tokens-not-accepted",
                 "authorization.validated-before-processing", "authorization.failure-per-oauth"})) {
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
  if (script.is_locked_out()) return;
  Connection& session = script.session();
  const Headers wrong = {{"Authorization", wrong_tokens().front().field}};
  const HttpAnswer probe = post_probe(session, wrong);
  const HttpAnswer unknown = send_method(session, "assay/no-such-method", wrong);
  const bool has_streams = session.revision().has_handshake();
  const HttpAnswer stream = has_streams ? get_stream(session, wrong) : HttpAnswer();
  const bool streams = has_streams && (stream.is_stream() || get_stream(session).is_stream());
  if (!post_probe(session).is_served()) return;
  judge_wrong_token(script, probe, "a request with a token that was never issued");
  judge_wrong_token(script, unknown, "an unknown method with a token that was never issued");
  if (streams) judge_wrong_token(script, stream, "a GET with a token that was never issued");
}

// What cannot be a token at all is a malformed request.
SCENARIO(authorization_refuses_malformed_fields, in_both_eras(), own_session(), over_http(),
         before_login(), in_revisions(&Revision::has_authorization),
         judges({"authorization.malformed-request-400"})) {
  constexpr RequirementId kRule("authorization.malformed-request-400");
  const Door door = try_door(script);
  if (!is_shut(script, door, {kRule})) return;
  const HttpAnswer answer = knock(script, {{"Authorization", "Bearer two words"}});
  const std::string detail =
      fmt::format("\"Authorization: Bearer two words\" was answered with {}", answer.describe());
  // Who reads no further than the first word finds a wrong token, and may say so.
  if (says_nothing(answer) || answer.status == kUnauthorized) {
    return script.unclear(kRule, detail, answer.events);
  }
  script.check(kRule, answer.status == kBadRequest, answer.events, detail);
}

// --- Who shows the token elsewhere ---

// What is written into a URL as it is, and so is known again and masked wherever the URL is told.
bool is_plain_text(std::string_view token) {
  return wire::encode_percent(token) == token;
}

// URLs are kept in logs: a token that was given for more than trial stays on this machine.
bool may_stand_in_url(Script& script, const UserToken& token) {
  const bool is_for_trial =
      script.issuer() != nullptr || transport::is_loopback(url_of(script.open_connection()));
  return is_for_trial && is_plain_text(token.text);
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

// Clients must not put a token into the query of a URI: who shows it there alone has shown none. No
// sentence forbids a server to take it, so that one who does is accused of nothing.
SCENARIO(authorization_tokens_in_queries_count_for_nothing, in_both_eras(), own_session(),
         over_http(), in_revisions(&Revision::has_authorization),
         judges({"authorization.unauthenticated-401", "authorization.failure-per-oauth"})) {
  constexpr RequirementId kStatus("authorization.unauthenticated-401");
  constexpr std::string_view kWhat =
      "a first request with a good token in its query (access_token) and none in its header";
  const std::vector<UserToken> good = tokens_of(script, UserToken::Standing::kGood);
  if (good.empty() || !may_stand_in_url(script, good.front())) return;
  if (!is_shut(script, try_door(script), {kStatus}) || !is_let_in(knock(script, {}))) return;
  const HttpAnswer answer = knock_with_query(script, good.front());
  if (!is_let_in(knock(script, {}))) return;
  // Who refuses what he does not support says 400, and who asks for patience something else.
  if (answer.status != kUnauthorized) {
    return script.unclear(kStatus,
                          fmt::format("{} was answered with {}; clients must not show it there, "
                                      "and a server may take it or not",
                                      kWhat, answer.describe()),
                          answer.events);
  }
  script.check(kStatus, true, answer.events, "");
  judge_challenge(script, answer, kWhat);
}

}  // namespace
}  // namespace assay::scenarios
