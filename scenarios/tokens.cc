#include "scenarios/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/http_text.h"
#include "reference/wire/message.h"
#include "scenarios/token_door.h"

namespace assay::scenarios {

using namespace harness;
using catalogue::RequirementId;

transport::Headers no_token() {
  return {{"Authorization", ""}};
}

transport::Headers shown(const UserToken& token) {
  return {{"Authorization", token.field()}};
}

std::optional<wire::Challenge> bearer_challenge(const HttpAnswer& answer) {
  for (const auto& [name, value] : answer.headers) {
    if (!wire::equals_without_case(name, "WWW-Authenticate")) continue;
    for (wire::Challenge& challenge : wire::read_challenges(value)) {
      if (challenge.is_of("Bearer")) return std::move(challenge);
    }
  }
  return std::nullopt;
}

bool is_let_in(const HttpAnswer& answer) {
  const wire::Message* const message = answer.answer();
  if (message == nullptr) return answer.is_stream();
  if (message->kind() != wire::MessageKind::kResult) {
    return message->error_code() == wire::kMethodNotFound;
  }
  return member(message->result(), "isError") != true;
}

bool says_nothing(const HttpAnswer& answer) {
  constexpr int kTooMany = 429;
  constexpr int kBadGateway = 502;
  constexpr int kUnavailable = 503;
  constexpr int kGatewayTimeout = 504;
  constexpr std::array kStatuses = {0, kTooMany, kBadGateway, kUnavailable, kGatewayTimeout};
  return std::find(kStatuses.begin(), kStatuses.end(), answer.status) != kStatuses.end();
}

HttpAnswer knock(Script& script, const transport::Headers& headers) {
  Connection& connection = script.open_connection();
  return post(connection, opening_request(connection), headers);
}

Json call_request(Connection& session, const ToolUse& tool) {
  Json request = session.fence_request(session.next_id());
  request["method"] = "tools/call";
  request["params"]["name"] = tool.name;
  request["params"]["arguments"] = tool.arguments;
  return request;
}

HttpAnswer call_over_http(Connection& session, const ToolUse& tool,
                          std::chrono::milliseconds at_most) {
  return post(session, call_request(session, tool), {}, at_most);
}

std::vector<UserToken> tokens_of(const Script& script, UserToken::Standing standing) {
  std::vector<UserToken> tokens;
  std::copy_if(script.tokens().begin(), script.tokens().end(), std::back_inserter(tokens),
               [&](const UserToken& token) { return token.standing == standing; });
  return tokens;
}

std::optional<UserToken> other_users_token(Script& script,
                                           std::initializer_list<RequirementId> rules) {
  const std::vector<UserToken> good = tokens_of(script, UserToken::Standing::kGood);
  const auto other = std::find_if(good.begin(), good.end(), [&](const UserToken& token) {
    return token.user != good.front().user;
  });
  if (other == good.end()) {
    for (const RequirementId rule : rules) {
      script.not_exercised(rule, "it takes the tokens of two users",
                           "give one of each: --auth-token alice=TOKEN --auth-token bob=TOKEN, or "
                           "two lines in --auth-token-file");
    }
    return std::nullopt;
  }
  const bool is_open =
      is_let_in(knock(script, no_token())) && try_inner_door(script).state == Door::State::kOpen;
  if (is_open) {
    for (const RequirementId rule : rules) {
      script.not_applicable(rule, "the server serves who shows no token");
    }
    return std::nullopt;
  }
  return *other;
}

namespace {

std::string error_in(const std::optional<wire::Challenge>& challenge) {
  return challenge ? challenge->parameter("error").value_or("") : "";
}

// What a challenge has to say that asks for more scopes.
void judge_scope_challenge(Script& script, const HttpAnswer& answer, std::string_view refused) {
  const auto challenge = bearer_challenge(answer);
  const std::string what = fmt::format("the refusal of {} to a token that lacks a scope", refused);
  script.check("authorization.insufficient-scope-challenge", challenge.has_value(), answer.events,
               what + " has no Bearer challenge in WWW-Authenticate");
  if (!challenge) return;
  script.check("authorization.insufficient-scope-error",
               error_in(challenge) == "insufficient_scope", answer.events,
               fmt::format("{} says error=\"{}\"", what, error_in(challenge)));
  script.check("authorization.insufficient-scope-scopes",
               !challenge->parameter("scope").value_or("").empty(), answer.events,
               what + " names no scope");
  script.check("authorization.insufficient-scope-metadata",
               challenge->parameter("resource_metadata").has_value(), answer.events,
               what + " names no resource_metadata");
}

}  // namespace

bool judge_scope_refusal(Script& script, const HttpAnswer& answer, std::string_view what,
                         bool is_ours) {
  constexpr int kBadStatus = 400;
  if (says_nothing(answer)) return false;
  const bool names_scope = error_in(bearer_challenge(answer)) == "insufficient_scope";
  const bool is_forbidden = answer.status == kForbidden;
  const wire::Message* const message = answer.answer();
  const bool is_error = message != nullptr && message->kind() == wire::MessageKind::kError;
  // Another user may lack more than scopes, and other statuses may mean something else: 401 asks
  // for a stronger login, 404 hides what is there.
  const bool is_told_otherwise =
      is_ours && (answer.status == kBadStatus || (answer.is_success() && is_error));
  if (!is_forbidden && !names_scope && !is_told_otherwise) return false;
  const std::string detail = fmt::format(
      "{} was served with our token, and answered with {} to a token that lacks a scope", what,
      answer.describe());
  script.check("authorization.insufficient-permission-403", is_forbidden, answer.events, detail);
  const bool is_about_scopes = is_ours || names_scope;
  if (!script.revision().has_scope_challenges() || !is_about_scopes) return true;
  script.check("authorization.insufficient-scope-403", is_forbidden, answer.events, detail);
  if (is_forbidden) judge_scope_challenge(script, answer, what);
  return true;
}

}  // namespace assay::scenarios
