#include "scenarios/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>
#include <variant>

#include "harness/catalogue/catalogue.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/dpop.h"
#include "reference/wire/http_text.h"
#include "reference/wire/message.h"
#include "reference/wire/peer_json.h"
#include "scenarios/scope_trials.h"
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

std::vector<RequirementId> rules_about_wrong_tokens(model::Revision revision) {
  std::vector<RequirementId> rules = {"authorization.token-validated"};
  if (revision.has_resource_metadata()) {
    rules.push_back("authorization.other-tokens-not-accepted");
    rules.push_back("authorization.validated-before-processing");
  }
  return rules;
}

namespace {

// A parameter that stands twice in the challenge; empty if none does.
std::string repeated_parameter(const wire::Challenge& challenge) {
  std::set<std::string> names;
  for (const auto& [name, value] : challenge.parameters) {
    if (!names.insert(name).second) return name;
  }
  return "";
}

// What is wrong with how the fields are written; empty if nothing is (RFC 9110, sections 11.3 and
// 11.6.1).
std::string defect_of_writing(const HttpAnswer& answer) {
  for (const auto& [name, value] : answer.headers) {
    if (!wire::equals_without_case(name, "WWW-Authenticate")) continue;
    if (wire::breaks_off_in(value, "Bearer")) {
      return fmt::format("with WWW-Authenticate that cannot be read as parameters: {}", value);
    }
    for (const wire::Challenge& challenge : wire::read_challenges(value)) {
      const std::string repeated = repeated_parameter(challenge);
      if (challenge.is_of("Bearer") && !repeated.empty()) {
        return fmt::format("with WWW-Authenticate that says {} twice: {}", repeated, value);
      }
    }
  }
  return "";
}

// An error that means something else than a wrong token (OAuth 2.1, section 5.3.2); empty if none
// is named. Others may be the server's own.
std::string misleading_error(const wire::Challenge& challenge, Credential shown) {
  const std::string error = challenge.parameter("error").value_or("");
  const bool is_token = shown == Credential::kOdd || shown == Credential::kWrong;
  const bool is_about_scopes = is_token && error == "insufficient_scope";
  const bool is_about_form = shown == Credential::kWrong && error == "invalid_request";
  return is_about_scopes || is_about_form ? error : "";
}

// The challenges that ask for a token, whatever their number.
std::vector<wire::Challenge> token_challenges(const HttpAnswer& answer) {
  std::vector<wire::Challenge> all;
  for (const auto& [name, value] : answer.headers) {
    if (!wire::equals_without_case(name, "WWW-Authenticate")) continue;
    for (wire::Challenge& challenge : wire::read_challenges(value)) {
      const bool is_for_token = challenge.is_of("Bearer") || challenge.is_of(wire::kProofName);
      if (is_for_token) all.push_back(std::move(challenge));
    }
  }
  return all;
}

}  // namespace

Trait judges_challenges() {
  return judges({"authorization.failure-per-oauth",
                 "authorization.challenge-names-resource-metadata",
                 "authorization.offline-access-not-in-challenge"});
}

void judge_metadata_named(Script& script, const HttpAnswer& answer, std::string_view what) {
  if (!script.revision().needs_metadata_in_challenge()) return;
  const auto challenges = token_challenges(answer);
  const bool is_named =
      std::any_of(challenges.begin(), challenges.end(), [](const wire::Challenge& challenge) {
        return challenge.parameter("resource_metadata").has_value();
      });
  constexpr RequirementId kRule("authorization.challenge-names-resource-metadata");
  // After a quote within quotes it is not certain where each parameter ends.
  const bool is_there =
      std::any_of(answer.headers.begin(), answer.headers.end(),
                  [](const transport::Headers::value_type& field) {
                    return wire::equals_without_case(field.first, "WWW-Authenticate") &&
                           field.second.find("resource_metadata=") != std::string::npos;
                  });
  if (!is_named && is_there) {
    return script.unclear(kRule,
                          fmt::format("{} was answered with a challenge that cannot be read "
                                      "as far as its resource_metadata",
                                      what),
                          answer.events);
  }
  script.check(
      kRule, is_named, answer.events,
      fmt::format("{} was answered with 401 and no resource_metadata in WWW-Authenticate", what));
}

void judge_offline_access(Script& script, const HttpAnswer& answer, std::string_view what) {
  constexpr RequirementId kRule("authorization.offline-access-not-in-challenge");
  if (!catalogue::holds(kRule, script.revision())) return;
  const auto challenges = token_challenges(answer);
  const bool is_asked_for =
      std::any_of(challenges.begin(), challenges.end(), [](const wire::Challenge& challenge) {
        return scopes_in(challenge.parameter("scope").value_or("")).contains("offline_access");
      });
  script.check(kRule, !is_asked_for, answer.events,
               fmt::format("{} was answered with {} and a challenge that asks for offline_access",
                           what, answer.describe()));
}

void judge_challenge(Script& script, const HttpAnswer& answer, std::string_view what,
                     Credential shown) {
  constexpr RequirementId kRule("authorization.failure-per-oauth");
  if (answer.status != kUnauthorized) return;
  const auto challenge = token_challenge(answer);
  if (!challenge) {
    judge_metadata_named(script, answer, what);
    return script.check(
        kRule, false, answer.events,
        fmt::format("{} was answered with 401 and no Bearer challenge in WWW-Authenticate", what));
  }
  std::string defect = defect_of_writing(answer);
  // What cannot be read may name the place.
  if (defect.empty()) judge_metadata_named(script, answer, what);
  judge_offline_access(script, answer, what);
  if (const std::string error = misleading_error(*challenge, shown);
      defect.empty() && !error.empty()) {
    defect = fmt::format("and error=\"{}\", and not invalid_token", error);
  }
  script.check(kRule, defect.empty(), answer.events,
               fmt::format("{} was answered with 401 {}", what, defect));
}

std::optional<wire::Challenge> challenge_of(const HttpAnswer& answer, std::string_view scheme) {
  for (const auto& [name, value] : answer.headers) {
    if (!wire::equals_without_case(name, "WWW-Authenticate")) continue;
    for (wire::Challenge& challenge : wire::read_challenges(value)) {
      if (challenge.is_of(scheme)) return std::move(challenge);
    }
  }
  return std::nullopt;
}

std::optional<wire::Challenge> token_challenge(const HttpAnswer& answer) {
  auto challenge = challenge_of(answer, "Bearer");
  return challenge ? challenge : challenge_of(answer, wire::kProofName);
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

// Where the metadata are is a URL, and on the server's own origin they are there.
void judge_metadata_place(Script& script, const HttpAnswer& answer,
                          const std::optional<std::string>& named, const std::string& what) {
  constexpr RequirementId kRule("authorization.insufficient-scope-metadata");
  if (!named) {
    return script.check(kRule, false, answer.events, what + " names no resource_metadata");
  }
  const auto parsed = transport::HttpUrl::parse(*named);
  const auto* const url = std::get_if<transport::HttpUrl>(&parsed);
  if (url == nullptr) {
    return script.check(
        kRule, false, answer.events,
        fmt::format("{} says resource_metadata=\"{}\", which is not a URL", what, *named));
  }
  Connection& connection = script.open_connection();
  if (url->origin() != url_of(connection).origin()) {
    return script.check(kRule, true, answer.events, "");
  }
  const HttpAnswer found = get_document(connection, url->target);
  std::vector<EventPtr> events = answer.events;
  events.insert(events.end(), found.events.begin(), found.events.end());
  const std::string detail =
      fmt::format("{} says that the resource metadata are at {}, and that was answered with {}",
                  what, *named, found.describe());
  // A client that follows the redirect may find them.
  if (says_nothing(found) || (found.status >= 300 && found.status < 400)) {
    return script.unclear(kRule, detail, std::move(events));
  }
  const Json document = wire::parse_of_peer(found.body);
  script.check(kRule, found.is_success() && document.is_object() && document.contains("resource"),
               std::move(events), detail);
}

// What a challenge has to say that asks for more scopes.
void judge_scope_challenge(Script& script, const HttpAnswer& answer, std::string_view refused) {
  const auto challenge = token_challenge(answer);
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
  judge_metadata_place(script, answer, challenge->parameter("resource_metadata"), what);
  judge_offline_access(script, answer, refused);
}

}  // namespace

bool judge_scope_refusal(Script& script, const HttpAnswer& answer, std::string_view what,
                         bool is_ours) {
  constexpr int kBadStatus = 400;
  if (says_nothing(answer)) return false;
  const bool names_scope = error_in(token_challenge(answer)) == "insufficient_scope";
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
