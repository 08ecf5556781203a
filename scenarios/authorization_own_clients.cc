// Scenarios about what a server that is its own authorization server offers to clients that nobody
// has introduced to it, as 2025-03-26 recommends: metadata, registration, refresh tokens that
// rotate, and codes that are of no use without their verifier.
//
// Where a client has to be registered for it, only servers on this machine are asked: elsewhere a
// registration may stay for ever.
//
// Specification: basic/authorization (2025-03-26), "Overview", "Server Metadata Discovery",
// "Dynamic Client Registration", "Security Considerations".
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/json_member.h"
#include "reference/transport/http_url.h"
#include "reference/transport/loopback.h"
#include "reference/wire/form.h"
#include "scenarios/own_office.h"
#include "scenarios/token_door.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;
using transport::HttpUrl;

constexpr RequirementId kOfficeServed("authorization.server-metadata-served");
constexpr RequirementId kOfficeRegisters("authorization.dynamic-registration-server");
constexpr RequirementId kOfficeRotates("authorization.token-rotation");
constexpr RequirementId kOfficeOauth21("authorization.oauth21-implemented");
constexpr const char* kFormType = "application/x-www-form-urlencoded";

// Its metadata may be there, though not where they should be: that is another rule's.
bool may_have_metadata_elsewhere(Connection& office) {
  const std::string path = path_of(office);
  for (const std::string& place : {kOfficeDocument + path, path + kOfficeDocument}) {
    const HttpAnswer answer = ask_office(office, place);
    // The endpoint may answer below its path, and refuse what is no message.
    const bool is_refused = answer.status / 100 == 4 && tells_something(answer.status);
    if (!is_refused && (!answer.is_success() || is_office_metadata(answer))) return true;
  }
  return false;
}

// An authorization server answers at the default paths, so the server is one.
bool is_at_default_paths(Connection& office) {
  return has_default_authorize(office) &&
         is_oauth_endpoint(office, kTokenTrial, try_endpoint(office, kTokenTrial));
}

// Nobody is there; behind who lets in by a cookie, which we left out, somebody may be.
bool is_surely_nowhere(Connection& office, int status) {
  return is_nowhere(status) && !has_cookie(office);
}

// What says that there is something at /register, on this machine. Silence says nothing, and who
// asks for a token there may register those who have one (RFC 7591, section 3).
OfficeAnswer try_registration(Connection& office) {
  return transport::is_loopback(url_of(office)) ? try_endpoint(office, kRegistrationTrial)
                                                : OfficeAnswer();
}

// Both, in their order.
std::vector<EventPtr> both_of(const HttpAnswer& base, const std::vector<EventPtr>& events) {
  std::vector<EventPtr> all = base.events;
  all.insert(all.end(), events.begin(), events.end());
  return all;
}

std::string words_about_registration(Connection& office, const OfficeAnswer& answer) {
  if (answer.status != 0) {
    return fmt::format("POST /register is answered with HTTP {}", answer.status);
  }
  return transport::is_loopback(url_of(office))
             ? "POST /register had no answer"
             : "POST /register was not tried, for the server is not on this machine";
}

// Where its metadata name no endpoint, which they need not (RFC 8414, section 2), one may be at the
// default path all the same.
void judge_unnamed_registration(Script& script, Connection& office, const HttpAnswer& base) {
  const OfficeAnswer answer = try_registration(office);
  const std::string detail =
      "its metadata name no registration_endpoint, and " + words_about_registration(office, answer);
  if (is_surely_nowhere(office, answer.status)) {
    return script.check(kOfficeRegisters, false, both_of(base, answer.events), detail);
  }
  script.unclear(kOfficeRegisters, detail, both_of(base, answer.events));
}

void judge_named_registration(Script& script, Connection& office, const HttpAnswer& base) {
  const Json metadata = object_in(base.body);
  if (text_member(metadata, "registration_endpoint").empty()) {
    return judge_unnamed_registration(script, office, base);
  }
  const auto named = HttpUrl::parse(text_member(metadata, "registration_endpoint"));
  const std::string target = own_target(office, metadata, "registration_endpoint", "/register");
  if (!std::holds_alternative<HttpUrl>(named)) {
    return script.unclear(kOfficeRegisters,
                          "the registration_endpoint of its metadata is no URL of http or https",
                          base.events);
  }
  // Elsewhere, the metadata are believed.
  if (!transport::is_loopback(url_of(office)) || target.empty()) {
    return script.check(kOfficeRegisters, true, base.events, "");
  }
  const RegisteredClient client = register_client(office, target);
  if (!client.id.empty()) {
    return script.check(kOfficeRegisters, true, both_of(base, client.events), "");
  }
  const std::string detail = fmt::format(
      "its registration_endpoint registers no public client of ours: it {}",
      client.status == 0 ? "did not answer" : fmt::format("answered with HTTP {}", client.status));
  if (is_surely_nowhere(office, client.status)) {
    return script.check(kOfficeRegisters, false, both_of(base, client.events), detail);
  }
  script.unclear(kOfficeRegisters, detail, both_of(base, client.events));
}

void judge_default_registration(Script& script, Connection& office, const HttpAnswer& base) {
  const OfficeAnswer answer = try_registration(office);
  if (is_oauth_endpoint(office, kRegistrationTrial, answer) || answer.status / 100 == 2) {
    return script.check(kOfficeRegisters, true, both_of(base, answer.events), "");
  }
  const std::string detail =
      "there are no metadata, and " + words_about_registration(office, answer);
  if (is_surely_nowhere(office, answer.status)) {
    return script.check(kOfficeRegisters, false, both_of(base, answer.events), detail);
  }
  script.unclear(kOfficeRegisters, detail, both_of(base, answer.events));
}

// A client that nobody has introduced finds the endpoints, and an id.
SCENARIO(authorization_own_office_takes_strangers, own_session(), over_http(), before_login(),
         in_revisions(&Revision::has_own_authorization_server),
         judges({"authorization.server-metadata-served",
                 "authorization.dynamic-registration-server"})) {
  Connection* const office = find_office(script, {kOfficeServed, kOfficeRegisters});
  if (office == nullptr) return;
  const HttpAnswer base = ask_office(*office, kOfficeDocument);
  if (is_office_metadata(base)) {
    script.check(kOfficeServed, true, base.events, "");
    return judge_named_registration(script, *office, base);
  }
  const bool is_clear = denies_metadata(base) && !may_have_metadata_elsewhere(*office) &&
                        is_at_default_paths(*office);
  if (!is_clear) {
    for (const RequirementId rule : {kOfficeServed, kOfficeRegisters}) {
      script.unclear(rule,
                     fmt::format("{} was answered with {}, and nothing tells for certain whether "
                                 "the server is an authorization server without metadata",
                                 kOfficeDocument, base.describe()),
                     base.events);
    }
    return;
  }
  script.check(kOfficeServed, false, base.events,
               fmt::format("it is an authorization server, and {} was answered with {}",
                           kOfficeDocument, base.describe()));
  judge_default_registration(script, *office, base);
}

// --- Tokens ---

// What became of a request for tokens.
struct TokenAnswer {
  int status;
  Json tokens;  // empty: none were given

  bool is_given() const { return !tokens.empty(); }
  // No silence, and nobody who has no time for us.
  bool is_refusal() const { return status / 100 == 4 && tells_something(status); }
};

// One client at the token endpoint.
class TokenAsker {
 public:
  // `authorization`: the answer to its authorization request.
  TokenAsker(Connection& office, std::string target, const OfficeAnswer& authorization)
      : office_(office), target_(std::move(target)), events_(authorization.events) {}

  TokenAnswer ask(const wire::Form& form) {
    const OfficeAnswer answer = post_to_office(office_, target_, kFormType, wire::write_form(form));
    events_.insert(events_.end(), answer.events.begin(), answer.events.end());
    Json tokens = object_in(answer.body);
    const bool is_given = answer.status == 200 && !text_member(tokens, "access_token").empty();
    return {answer.status, is_given ? std::move(tokens) : Json::object()};
  }
  // All that passed so far: what a finding shows as evidence.
  const std::vector<EventPtr>& events() const { return events_; }

 private:
  Connection& office_;
  const std::string target_;
  std::vector<EventPtr> events_;
};

// A public client that was registered for it, and where it asks.
struct OwnClient {
  std::string id;
  std::string authorize;
  std::string token;

  OfficeAnswer ask_for_code_at(Connection& office) const {
    const char mark = authorize.find('?') == std::string::npos ? '?' : '&';
    return ask_for_code(office, authorize + mark + query_for(id, kOwnCallback, true));
  }
};

// Nothing where none can be registered.
std::optional<OwnClient> public_client(Connection& office) {
  const HttpAnswer base = ask_office(office, kOfficeDocument);
  const Json metadata = is_office_metadata(base) ? object_in(base.body) : Json::object();
  OwnClient client{"", own_target(office, metadata, "authorization_endpoint", "/authorize"),
                   own_target(office, metadata, "token_endpoint", "/token")};
  const bool is_near = transport::is_loopback(url_of(office));
  if (!is_near || client.authorize.empty() || client.token.empty()) return std::nullopt;
  const RegisteredClient registered =
      register_client(office, own_target(office, metadata, "registration_endpoint", "/register"));
  client.id = registered.id;
  return client.id.empty() || !registered.is_public ? std::nullopt : std::optional(client);
}

// What the token endpoint gives for the code that a redirect carries; nothing where it has none.
std::optional<TokenAnswer> tokens_for_code(TokenAsker& asker, const std::string& client,
                                           const OfficeAnswer& redirect,
                                           const std::string& verifier = kOwnVerifier) {
  const wire::Form response = wire::read_form(wire::query_in(location_of(redirect)));
  const auto code = wire::form_value(response, "code");
  if (!code) return std::nullopt;
  wire::Form form = {{"grant_type", "authorization_code"},
                     {"code", *code},
                     {"client_id", client},
                     {"redirect_uri", kOwnCallback}};
  if (!verifier.empty()) form.emplace_back("code_verifier", verifier);
  return asker.ask(form);
}

void judge_rotation(Script& script, TokenAsker& asker, const std::string& client,
                    const OfficeAnswer& redirect) {
  const auto given = tokens_for_code(asker, client, redirect);
  const std::string first(given ? text_member(given->tokens, "refresh_token") : "");
  if (first.empty()) {
    return script.not_exercised(kOfficeRotates, "the server gave us no refresh token",
                                "give codes without a page for people to clients on this machine, "
                                "and refresh tokens for them");
  }
  const wire::Form form = {
      {"grant_type", "refresh_token"}, {"refresh_token", first}, {"client_id", client}};
  const TokenAnswer renewed = asker.ask(form);
  if (!renewed.is_given()) {
    return script.unclear(kOfficeRotates, "a refresh token was refused when it was shown first",
                          asker.events());
  }
  const std::string second(text_member(renewed.tokens, "refresh_token"));
  const bool has_other = !second.empty() && second != first;
  const TokenAnswer again = asker.ask(form);
  if (has_other && again.is_refusal()) {
    return script.check(kOfficeRotates, true, asker.events(), "");
  }
  const std::string detail = fmt::format("a refresh token of a public client was renewed with {}",
                                         has_other        ? "another"
                                         : second.empty() ? "none"
                                                          : "itself");
  // Some let the old one pass for a moment, for who lost the answer.
  if (again.is_given() && !has_other) {
    return script.check(kOfficeRotates, false, asker.events(), detail + ", and taken again");
  }
  // A server may give none and take none any more: that is no renewal, but the end.
  script.unclear(
      kOfficeRotates,
      fmt::format("{}, and when it was used once more {}", detail,
                  again.is_given()    ? "taken once more"
                  : again.status == 0 ? "not answered"
                                      : fmt::format("answered with HTTP {}", again.status)),
      asker.events());
}

// A refresh token is good for one renewal, which gives the next.
SCENARIO(authorization_own_refresh_tokens_rotate, own_session(), over_http(), before_login(),
         in_revisions(&Revision::has_own_authorization_server),
         judges({"authorization.token-rotation"})) {
  Connection* const office = find_office(script, {kOfficeRotates});
  if (office == nullptr) return;
  const auto client = public_client(*office);
  if (!client) {
    return script.not_exercised(
        kOfficeRotates, "it takes a public client that is registered with the server",
        "certify it on this machine, and let it register clients (RFC 7591)");
  }
  const OfficeAnswer redirect = client->ask_for_code_at(*office);
  TokenAsker asker(*office, client->token, redirect);
  judge_rotation(script, asker, client->id, redirect);
}

// --- Verifiers ---

// A new code for each: what is refused may use it up.
void judge_verifier(Script& script, Connection& office, const OwnClient& client,
                    const std::string& verifier, const char* what) {
  const OfficeAnswer redirect = client.ask_for_code_at(office);
  TokenAsker asker(office, client.token, redirect);
  const auto answer = tokens_for_code(asker, client.id, redirect, verifier);
  if (!answer) return;
  const std::string detail = fmt::format(
      "a code that was asked for with a code_challenge was shown {} (PKCE), and answered with {}",
      what, answer->is_given() ? "a token" : fmt::format("HTTP {}", answer->status));
  if (!answer->is_given() && !answer->is_refusal()) {
    return script.unclear(kOfficeOauth21, detail, asker.events());
  }
  script.check(kOfficeOauth21, !answer->is_given(), asker.events(), detail);
}

// A code that was asked for with a challenge is good with its verifier, and with nothing else.
SCENARIO(authorization_own_codes_want_their_verifier, own_session(), over_http(), before_login(),
         in_revisions(&Revision::has_own_authorization_server),
         judges({"authorization.oauth21-implemented"})) {
  Connection* const office = find_office(script, {kOfficeOauth21});
  if (office == nullptr) return;
  // Without a client or a code, the scenario about codes says why nothing is judged.
  const auto client = public_client(*office);
  if (!client) return;
  const OfficeAnswer redirect = client->ask_for_code_at(*office);
  TokenAsker asker(*office, client->token, redirect);
  const auto right = tokens_for_code(asker, client->id, redirect);
  if (!right || !right->is_given()) return;
  judge_verifier(script, *office, *client, "assay-another-verifier-than-that-of-the-challenge-0123",
                 "with another code_verifier");
  judge_verifier(script, *office, *client, "", "without a code_verifier");
}

}  // namespace
}  // namespace assay::scenarios
