// One table about a server that asks for tokens: kinds of tokens that it may not take, by the
// places where a client shows one. Each cell is a request, and the report names it.
//
// A place is judged where a good token is served before and after the others, so that the token is
// why they are not.
//
// Specification: basic/authorization, "Token Requirements", "Token Handling", "Error Handling",
// "Access Token Privilege Restriction".
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "scenarios/forged_tokens.h"
#include "scenarios/token_door.h"
#include "scenarios/token_places.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;
using transport::Headers;
using Standing = UserToken::Standing;

constexpr RequirementId kNoToken401("authorization.unauthenticated-401");

Trait judges_each_kind() {
  return judges({"authorization.unauthenticated-401", "authorization.no-data-to-unauthorized",
                 "authorization.token-validated", "authorization.invalid-token-401",
                 "authorization.token-expiration", "authorization.other-tokens-not-accepted",
                 "authorization.validated-before-processing", "authorization.audience-validated",
                 "authorization.intended-tokens-only", "authorization.wrong-audience-rejected",
                 "authorization.own-tokens-only"});
}

// A row of the table.
struct TokenKind {
  std::string what;
  Headers headers;
  RequirementId status;                  // says that it gets 401
  std::vector<RequirementId> admission;  // say that it opens nothing
  Credential as = Credential::kNone;
};

std::vector<RequirementId> rules_of_expired(Revision revision) {
  std::vector<RequirementId> rules = {"authorization.token-validated"};
  if (!revision.has_resource_metadata()) rules.push_back("authorization.token-expiration");
  return rules;
}

std::vector<RequirementId> rules_of_foreign(Revision revision) {
  std::vector<RequirementId> rules = {
      "authorization.audience-validated", "authorization.intended-tokens-only",
      "authorization.wrong-audience-rejected", "authorization.other-tokens-not-accepted",
      "authorization.validated-before-processing"};
  constexpr RequirementId kOwnTokens("authorization.own-tokens-only");
  if (catalogue::holds(kOwnTokens, revision)) rules.push_back(kOwnTokens);
  return rules;
}

std::vector<TokenKind> token_kinds(const Script& script) {
  const Revision revision = script.revision();
  std::vector<RequirementId> unauthorized;
  if (revision.has_resource_metadata()) {
    unauthorized.push_back("authorization.no-data-to-unauthorized");
  }
  std::vector<TokenKind> kinds = {{"no token", no_token(), kNoToken401, unauthorized}};
  const std::string forged = script.issuer() == nullptr ? "assay-token-that-nobody-issued"
                                                        : token_of_stranger(*script.issuer());
  kinds.push_back({script.issuer() == nullptr ? "a token that was never issued"
                                              : "a token that another key has signed",
                   {{"Authorization", "Bearer " + forged}},
                   kInvalidToken401,
                   rules_about_wrong_tokens(revision),
                   script.issuer() == nullptr ? Credential::kOdd : Credential::kWrong});
  for (const UserToken& token : tokens_of(script, Standing::kExpired)) {
    kinds.push_back({"a token that has expired", shown(token), kInvalidToken401,
                     rules_of_expired(revision), Credential::kWrong});
    break;
  }
  // Before tokens had an audience by the pages, one for another server need not be invalid.
  if (!revision.has_resource_metadata()) return kinds;
  for (const UserToken& token : tokens_of(script, Standing::kForeign)) {
    kinds.push_back({"a token that was issued for another server", shown(token), kInvalidToken401,
                     rules_of_foreign(revision), Credential::kForeign});
    break;
  }
  return kinds;
}

struct Cell {
  const TokenKind& kind;
  std::string_view place;
  const HttpAnswer& answer;
  bool is_let_in;
};

void judge(Script& script, const Cell& cell) {
  const std::string detail = fmt::format("{} with {} was answered with {}", cell.place,
                                         cell.kind.what, cell.answer.describe());
  if (says_nothing(cell.answer)) {
    return script.unclear(cell.kind.status, detail, cell.answer.events);
  }
  for (const RequirementId rule : cell.kind.admission) {
    script.check(rule, !cell.is_let_in, cell.answer.events, detail);
  }
  script.check(cell.kind.status, cell.answer.status == kUnauthorized, cell.answer.events, detail);
  judge_challenge(script, cell.answer, fmt::format("{} with {}", cell.place, cell.kind.what),
                  cell.kind.as);
}

// With a good token: a result, an error of the server's own, a stream, or the acceptance of what is
// no request. A page that anybody may read is none of these.
bool is_dealt_with(const HttpAnswer& control) {
  constexpr int kAccepted = 202;
  const bool is_taken =
      control.answer() != nullptr || control.is_stream() || control.status == kAccepted;
  return is_taken && control.status != kUnauthorized && control.status != kForbidden;
}

// A column of the table. `is_partly_open`: the server asks for tokens in some places only.
void judge_place(Script& script, const TokenPlace& place, const std::vector<TokenKind>& kinds,
                 bool is_partly_open) {
  const HttpAnswer before = place.ask({});
  if (!is_dealt_with(before)) return;
  std::vector<HttpAnswer> answers;
  for (const TokenKind& kind : kinds) {
    answers.push_back(place.ask(kind.headers));
    const bool is_open = is_partly_open && is_let_in_like(answers.back(), before);
    if (is_open && answers.size() == 1) return;
  }
  const HttpAnswer after = place.ask({});
  if (after.status != before.status || !is_dealt_with(after)) return;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    judge(script, {kinds[i], place.name, answers[i], is_let_in_like(answers[i], before)});
  }
}

// What is wrong with a token is seen in every place where it is shown, and not only where a client
// begins.
SCENARIO(authorization_tokens_are_checked_everywhere, in_both_eras(), own_session(), over_http(),
         in_revisions(&Revision::has_authorization), judges_each_kind(), judges_challenges()) {
  const Door front = try_door(script);
  const bool is_partly_open = front.state == Door::State::kOpen;
  const Door door = is_partly_open ? try_inner_door(script) : front;
  if (door.state != Door::State::kShut) return;
  Connection& session = script.session();
  const std::vector<TokenKind> kinds = token_kinds(script);
  for (const TokenPlace& place : token_places(script, session)) {
    judge_place(script, place, kinds, is_partly_open);
  }
}

// --- Who may end a session ---

HttpAnswer remove(Connection& session, const Headers& headers) {
  transport::HttpRequest request;
  request.method = "DELETE";
  request.headers = headers;
  return exchange(session, std::move(request));
}

// What a DELETE with such a token came to, in a session that lives; and whether it lives on.
struct Ending {
  HttpAnswer answer;
  bool lives_on = true;
};

std::optional<Ending> try_ending(Script& script, const Headers& headers) {
  Connection& session = script.open_session();
  if (!post_probe(session).is_served()) return std::nullopt;
  Ending ending{remove(session, headers)};
  const HttpAnswer after = post_probe(session);
  if (says_nothing(after)) return std::nullopt;
  ending.lives_on = after.is_served();
  return ending;
}

// A session is ended by who shows a good token, and by nobody else: not even where the answer says
// that nothing was done.
SCENARIO(authorization_sessions_end_by_good_tokens, own_session(), over_http(),
         in_revisions(&Revision::has_authorization), judges_each_kind(), judges_challenges()) {
  if (try_door(script).state != Door::State::kShut) return;
  // Who ends no sessions at all refuses our own DELETE as well.
  const auto right = try_ending(script, {});
  if (!right || !right->answer.is_success()) return;
  for (TokenKind& kind : token_kinds(script)) {
    // A session that has ended tells nobody anything.
    if (kind.status == kNoToken401) kind.admission.clear();
    const auto ending = try_ending(script, kind.headers);
    if (!ending) continue;
    const HttpAnswer& answer = ending->answer;
    // A page, or an error in a success, ends nothing.
    judge(script, {kind, "a DELETE", answer, answer.is_success() && !ending->lives_on});
    if (answer.is_success() || !script.revision().has_resource_metadata()) continue;
    script.check("authorization.validated-before-processing", ending->lives_on, answer.events,
                 fmt::format("a DELETE with {} was answered with {}, and the session had ended "
                             "all the same",
                             kind.what, answer.describe()));
  }
}

}  // namespace
}  // namespace assay::scenarios
