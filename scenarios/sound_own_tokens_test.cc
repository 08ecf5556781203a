// Clients that get tokens without a code in ways that are sound, though they are not those of most:
// no scenario may blame them; and next to each is what it does blame.
//
// Extensions oauth-client-credentials and enterprise-managed-authorization.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "harness/host/play.h"
#include "harness/host/review.h"
#include "harness/runner/client_scenario.h"
#include "harness/transcript/transcript.h"
#include "reference/authorization/jws.h"
#include "reference/transport/http_fetch.h"
#include "reference/wire/base64.h"
#include "reference/wire/form.h"

namespace assay::scenarios {
namespace {

using authorization::SigningKey;
using harness::Finding;

constexpr std::chrono::seconds kPatience{20};
constexpr const char* kEndpoint = "http://localhost:3999/mcp";

std::int64_t seconds_from_now(std::int64_t seconds) {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
             .count() +
         seconds;
}

// A play, and a client that says to its authorization servers what a test has it say.
class StagedLogin {
 public:
  explicit StagedLogin(std::string_view name) : name_(name), transcript_({}, vault_) {
    for (const harness::ClientScenario& each : harness::client_scenarios()) {
      if (each.name == name) play_ = each.make();
    }
    harness::Venue venue;
    venue.origin = "http://localhost:3999";
    venue.endpoint = kEndpoint;
    venue.recorder = &transcript_;
    venue.vault = vault_;
    EXPECT_EQ(play_->begin(venue), std::nullopt);
    told_ = play_->context();
    const auto reply =
        play_->on_request({"GET", "/.well-known/oauth-protected-resource/mcp", 0, {}}, "");
    issuer_ = Json::parse(reply->body)["authorization_servers"][0];
    const Json metadata = Json::parse(get(issuer_ + "/.well-known/oauth-authorization-server"));
    token_endpoint_ = metadata["token_endpoint"];
    authorization_endpoint_ = metadata["authorization_endpoint"];
    registration_endpoint_ = metadata["registration_endpoint"];
  }

  std::string told(const char* name) const { return told_.value(name, ""); }
  const std::string& issuer() const { return issuer_; }
  const std::string& token_endpoint() const { return token_endpoint_; }
  const std::string& authorization_endpoint() const { return authorization_endpoint_; }
  const std::string& registration_endpoint() const { return registration_endpoint_; }
  transport::Headers as_basic(std::string_view scheme = "Basic") const {
    return {{"Authorization",
             std::string(scheme) + " " +
                 wire::encode_base64(told("client_id") + ":" + told("client_secret"))}};
  }

  std::string get(const std::string& url) {
    transport::HttpMessage message;
    message.method = "GET";
    return body_of(transport::fetch(url, std::move(message), kPatience));
  }
  Json post(const std::string& url, const std::string& type, const std::string& body,
            transport::Headers headers = {}) {
    transport::HttpMessage message;
    message.headers = std::move(headers);
    message.headers.emplace_back("Content-Type", type);
    message.body = body;
    const std::string text = body_of(transport::fetch(url, std::move(message), kPatience));
    return Json::parse(text, nullptr, false);
  }
  Json ask(const std::string& url, const wire::Form& form, transport::Headers headers = {}) {
    return post(url, "application/x-www-form-urlencoded", wire::write_form(form),
                std::move(headers));
  }

  // The rules of drafts of which the play says so.
  std::set<std::string> rules(Finding::Kind kind) {
    play_->end();
    const auto events = transcript_.events();
    harness::Review review(name_, model::Revision::v2026_07_28, {}, events);
    play_->review(review);
    std::set<std::string> rules;
    for (const Finding& each : review.take_findings()) {
      const std::string rule(each.requirement.text());
      if (each.kind == kind && rule.starts_with("ext-")) rules.insert(rule.substr(rule.find('.')));
    }
    return rules;
  }
  std::set<std::string> broken() { return rules(Finding::Kind::kBroke); }

 private:
  static std::string body_of(const std::variant<transport::Fetched, transport::Failure>& came) {
    const auto* fetched = std::get_if<transport::Fetched>(&came);
    EXPECT_NE(fetched, nullptr);
    return fetched == nullptr ? "" : fetched->body;
  }

  const std::string name_;
  std::shared_ptr<reports::Vault> vault_ = std::make_shared<reports::Vault>();
  harness::Transcript transcript_;
  std::unique_ptr<harness::Play> play_;
  Json told_;
  std::string issuer_;
  std::string token_endpoint_;
  std::string authorization_endpoint_;
  std::string registration_endpoint_;
};

using Rules = std::set<std::string>;
const Rules kNothing;

constexpr const char* kBySecret = "auth/client-credentials-basic";
constexpr const char* kByJwt = "auth/client-credentials-jwt";
constexpr const char* kByIdp = "auth/enterprise-managed-authorization";

wire::Form own_token_form() {
  return {{"grant_type", "client_credentials"}, {"resource", kEndpoint}};
}

// --- By a secret ---

TEST(SoundOwnTokens, MayShowTheSecretInTheBody) {
  StagedLogin login(kBySecret);
  wire::Form form = own_token_form();
  form.emplace_back("client_id", login.told("client_id"));
  form.emplace_back("client_secret", login.told("client_secret"));
  login.ask(login.token_endpoint(), form);
  EXPECT_EQ(login.broken(), kNothing);
}

TEST(SoundOwnTokens, MayWriteBasicInAnyCaseAndNameTheClientTwice) {
  StagedLogin login(kBySecret);
  wire::Form form = own_token_form();
  form.emplace_back("client_id", login.told("client_id"));
  login.ask(login.token_endpoint(), form, login.as_basic("basic"));
  EXPECT_EQ(login.broken(), kNothing);
}

TEST(SoundOwnTokens, ShowThemselvesOnce) {
  StagedLogin login(kBySecret);
  wire::Form form = own_token_form();
  form.emplace_back("client_secret", login.told("client_secret"));
  login.ask(login.token_endpoint(), form, login.as_basic());
  EXPECT_EQ(login.broken(), Rules{".client-authenticated"});
}

TEST(SoundOwnTokens, MayNameTheServerWithASlash) {
  StagedLogin login(kBySecret);
  login.ask(login.token_endpoint(),
            {{"grant_type", "client_credentials"}, {"resource", std::string(kEndpoint) + "/"}},
            login.as_basic());
  EXPECT_EQ(login.broken(), kNothing);
}

// A flow of its own, which came to nothing.
TEST(SoundOwnTokens, MayTryToLogInAPersonFirst) {
  StagedLogin login(kBySecret);
  login.get(login.authorization_endpoint() + "?" +
            wire::write_form({{"response_type", "code"},
                              {"client_id", login.told("client_id")},
                              {"redirect_uri", "http://localhost:3000/callback"},
                              {"state", "s"},
                              {"code_challenge", "c"},
                              {"code_challenge_method", "S256"},
                              {"resource", kEndpoint}}));
  login.ask(login.token_endpoint(), own_token_form(), login.as_basic());
  EXPECT_EQ(login.broken(), kNothing);
  EXPECT_TRUE(login.rules(Finding::Kind::kHeld).contains(".client-authenticated"));
}

// For another flow, and not as this client.
TEST(SoundOwnTokens, MayRegisterForSomethingElse) {
  StagedLogin login(kBySecret);
  const Json made = login.post(login.registration_endpoint(), "application/json",
                               R"({"redirect_uris": ["http://localhost:3000/callback"]})");
  EXPECT_TRUE(made.contains("client_id"));
  login.ask(login.token_endpoint(), own_token_form(), login.as_basic());
  EXPECT_EQ(login.broken(), kNothing);
}

TEST(SoundOwnTokens, MayUseAnotherGrant) {
  StagedLogin login(kBySecret);
  login.ask(login.token_endpoint(),
            {{"grant_type", "authorization_code"}, {"code", "c"}, {"client_id", "c"}});
  EXPECT_EQ(login.broken(), kNothing);
}

// --- By a JWT ---

// What is told of a client whose JWT has these claims.
Rules told_of_jwt(Finding::Kind kind, const std::function<void(StagedLogin&, Json&)>& change,
                  const wire::Form& more = {}) {
  StagedLogin login(kByJwt);
  const auto key = SigningKey::of_pem(login.told("private_key_pem"));
  Json claims = {{"iss", login.told("client_id")},
                 {"sub", login.told("client_id")},
                 {"aud", login.issuer()},
                 {"exp", seconds_from_now(60)}};
  if (change) change(login, claims);
  wire::Form form = own_token_form();
  form.emplace_back("client_assertion_type",
                    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  form.emplace_back("client_assertion", key->sign_as({{"alg", "ES256"}}, claims));
  form.insert(form.end(), more.begin(), more.end());
  login.ask(login.token_endpoint(), form);
  return login.rules(kind);
}

TEST(SoundOwnTokens, MayLeaveOutWhatAJwtNeedNotHave) {
  EXPECT_EQ(told_of_jwt(Finding::Kind::kBroke, nullptr), kNothing);
  EXPECT_TRUE(told_of_jwt(Finding::Kind::kHeld, nullptr).contains(".assertion-signed"));
}

TEST(SoundOwnTokens, MayNameTheAuthorizationServerInSeveralWays) {
  const auto broken = [](const std::function<Json(StagedLogin&)>& audience) {
    return told_of_jwt(Finding::Kind::kBroke,
                       [&](StagedLogin& login, Json& claims) { claims["aud"] = audience(login); });
  };
  EXPECT_EQ(broken([](StagedLogin& login) { return login.issuer() + "/"; }), kNothing);
  EXPECT_EQ(broken([](StagedLogin& login) { return login.token_endpoint(); }), kNothing);
  EXPECT_EQ(broken([](StagedLogin& login) {
              return Json::array({"https://elsewhere.example", login.issuer()});
            }),
            kNothing);
  // Some mean the authorization server by another place on its host.
  EXPECT_EQ(broken([](StagedLogin& login) { return login.issuer() + "/other"; }), kNothing);
  EXPECT_EQ(broken([](StagedLogin& login) { return login.issuer() + "0"; }),
            Rules{".assertion-for-authorization-server"});
}

TEST(SoundOwnTokens, MayLetAJwtHoldForLongAndInParts) {
  const auto broken = [](const Json& expiry) {
    return told_of_jwt(Finding::Kind::kBroke,
                       [&](StagedLogin&, Json& claims) { claims["exp"] = expiry; });
  };
  EXPECT_EQ(broken(seconds_from_now(10L * 365 * 24 * 3600)), kNothing);
  EXPECT_EQ(broken(static_cast<double>(seconds_from_now(60)) + 0.5), kNothing);
  // Its clock may be slow.
  EXPECT_EQ(broken(seconds_from_now(-60)), kNothing);
  EXPECT_EQ(broken("tomorrow"), Rules{".assertion-expires"});
}

TEST(SoundOwnTokens, MayNameTheClientBesideTheJwt) {
  EXPECT_EQ(told_of_jwt(Finding::Kind::kBroke, nullptr, {{"client_id", "machine-client-81d0"}}),
            kNothing);
}

// A client that does not read its context may have another identity.
TEST(SoundOwnTokens, MayBeAnotherClientThanWasGiven) {
  const auto other = [](StagedLogin&, Json& claims) {
    claims["iss"] = claims["sub"] = "a-client-of-its-own";
  };
  EXPECT_EQ(told_of_jwt(Finding::Kind::kBroke, other), kNothing);
  EXPECT_TRUE(told_of_jwt(Finding::Kind::kUnclear, other).contains(".assertion-signed"));
}

// --- By an identity provider ---

wire::Form exchange_form(const StagedLogin& login) {
  return {{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
          {"requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"},
          {"audience", login.issuer()},
          {"resource", kEndpoint},
          {"subject_token", login.told("idp_id_token")},
          {"subject_token_type", "urn:ietf:params:oauth:token-type:id_token"}};
}

void set(wire::Form& form, std::string_view name, const std::string& value) {
  for (auto& [each, old] : form) {
    if (each == name) old = value;
  }
}

Json present(StagedLogin& login, const Json& exchanged, transport::Headers headers,
             const wire::Form& more = {}) {
  wire::Form form = {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
                     {"assertion", exchanged.value("access_token", "")}};
  form.insert(form.end(), more.begin(), more.end());
  return login.ask(login.token_endpoint(), form, std::move(headers));
}

TEST(SoundIdentityGrants, MayAskForScopesAndShowWhoTheyAreToTheIdp) {
  StagedLogin login(kByIdp);
  wire::Form form = exchange_form(login);
  form.emplace_back("scope", "tools:read tools:call");
  form.emplace_back("client_id", login.told("idp_client_id"));
  form.emplace_back("client_secret", "a secret of that place");
  const Json token =
      present(login, login.ask(login.told("idp_token_endpoint"), form), login.as_basic());
  EXPECT_TRUE(token.contains("access_token")) << token.dump();
  EXPECT_EQ(login.broken(), kNothing);
  EXPECT_EQ(login.rules(Finding::Kind::kHeld).size(), 9u);
}

TEST(SoundIdentityGrants, MayNameTheIssuerWithASlash) {
  StagedLogin login(kByIdp);
  wire::Form form = exchange_form(login);
  set(form, "audience", login.issuer() + "/");
  present(login, login.ask(login.told("idp_token_endpoint"), form), login.as_basic());
  EXPECT_EQ(login.broken(), kNothing);
}

// An ID token is a JWT.
TEST(SoundIdentityGrants, MayCallAnIdTokenAJwt) {
  StagedLogin login(kByIdp);
  wire::Form form = exchange_form(login);
  set(form, "subject_token_type", "urn:ietf:params:oauth:token-type:jwt");
  present(login, login.ask(login.told("idp_token_endpoint"), form), login.as_basic());
  EXPECT_EQ(login.broken(), kNothing);
  EXPECT_TRUE(login.rules(Finding::Kind::kUnclear).contains(".subject-token-type"));
}

// What it knows of the identity provider it knows from somebody else than the server.
TEST(SoundIdentityGrants, MayAskTheIdpBeforeTheServer) {
  StagedLogin login(kByIdp);
  login.get(login.told("idp_issuer") + "/.well-known/openid-configuration");
  const Json first = login.ask(login.told("idp_token_endpoint"), exchange_form(login));
  login.ask(login.told("idp_token_endpoint"), exchange_form(login));
  present(login, first, {},
          {{"client_id", login.told("client_id")}, {"client_secret", login.told("client_secret")}});
  EXPECT_EQ(login.broken(), kNothing);
}

// It has another ID token to fetch, or a token for another place.
TEST(SoundIdentityGrants, MayAskTheIdpForMore) {
  StagedLogin login(kByIdp);
  const std::string idp = login.told("idp_token_endpoint");
  login.ask(idp, {{"grant_type", "refresh_token"}, {"refresh_token", "r"}});
  wire::Form other = exchange_form(login);
  set(other, "requested_token_type", "urn:ietf:params:oauth:token-type:access_token");
  set(other, "audience", "https://elsewhere.example");
  login.ask(idp, other);
  present(login, login.ask(idp, exchange_form(login)), login.as_basic());
  EXPECT_EQ(login.broken(), kNothing);
  StagedLogin wrong(kByIdp);
  other = exchange_form(wrong);
  set(other, "audience", "https://elsewhere.example");
  wrong.ask(wrong.told("idp_token_endpoint"), other);
  EXPECT_EQ(wrong.broken(), Rules{".audience"});
}

TEST(SoundIdentityGrants, MayUseAGrantOfItsOwn) {
  StagedLogin login(kByIdp);
  present(login, {{"access_token", "a.grant.of-yesterday"}}, login.as_basic());
  EXPECT_EQ(login.broken(), kNothing);
  StagedLogin other(kByIdp);
  present(other, {{"access_token", other.told("idp_id_token")}}, other.as_basic());
  EXPECT_EQ(other.broken(), (Rules{".assertion-sent", ".exchange-made"}));
}

}  // namespace
}  // namespace assay::scenarios
