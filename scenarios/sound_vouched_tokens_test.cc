// Clients for which somebody else vouches, a platform or an identity provider, and that do so in
// ways that are sound, though they are not those of most: no scenario may blame them; and next to
// each is what it does blame.
//
// Extensions workload-identity-federation and enterprise-managed-authorization.
#include <gtest/gtest.h>

#include <string>

#include "reference/authorization/jws.h"
#include "scenarios/staged_login_testing.h"

namespace assay::scenarios {
namespace {

using authorization::SigningKey;
using harness::Finding;

const RuleNames kNoRuleAtAll;

constexpr const char* kByIdp = "auth/enterprise-managed-authorization";

// --- By the JWT of a workload ---

constexpr const char* kByWorkload = "auth/wif-jwt-bearer";

wire::Form workload_form(const std::string& jwt) {
  return {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
          {"assertion", jwt},
          {"resource", kStagedEndpoint}};
}

TEST(SoundWorkloads, MayLeaveOutWhoTheClientIs) {
  StagedLogin login(kByWorkload);
  const Json token = login.ask(login.token_endpoint(), workload_form(login.told("valid_jwt")));
  EXPECT_TRUE(token.contains("access_token")) << token.dump();
  EXPECT_EQ(login.broken(), kNoRuleAtAll);
  EXPECT_EQ(login.rules(Finding::Kind::kHeld).size(), 7u);
}

// That it has expired is for the authorization server to say.
TEST(SoundWorkloads, MayShowAJwtThatHasExpired) {
  StagedLogin login(kByWorkload);
  login.ask(login.token_endpoint(), workload_form(login.told("expired_jwt")));
  EXPECT_EQ(login.broken(), kNoRuleAtAll);
  StagedLogin other(kByWorkload);
  other.ask(other.token_endpoint(), workload_form(other.told("wrong_audience_jwt")));
  EXPECT_EQ(other.broken(), RuleNames{".jwt-for-token-endpoint"});
}

TEST(SoundWorkloads, MayHaveAnotherPlatform) {
  StagedLogin login(kByWorkload);
  const SigningKey key(authorization::Signing::kRs256);
  const std::string jwt =
      key.sign({{"iss", "spiffe://example.org"},
                {"sub", "spiffe://example.org/agent"},
                {"aud", Json::array({login.token_endpoint(), "https://elsewhere.example"})},
                {"iat", seconds_from_now(-5)},
                {"exp", seconds_from_now(60)},
                {"jti", "1"}},
               "JWT");
  login.ask(login.token_endpoint(), workload_form(jwt));
  EXPECT_EQ(login.broken(), kNoRuleAtAll);
  EXPECT_TRUE(login.rules(Finding::Kind::kUnclear).contains(".jwt-signed"));
}

// --- By an identity provider ---

wire::Form exchange_form(const StagedLogin& login) {
  return {{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
          {"requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"},
          {"audience", login.issuer()},
          {"resource", kStagedEndpoint},
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
  EXPECT_EQ(login.broken(), kNoRuleAtAll);
  EXPECT_EQ(login.rules(Finding::Kind::kHeld).size(), 9u);
}

TEST(SoundIdentityGrants, MayNameTheIssuerWithASlash) {
  StagedLogin login(kByIdp);
  wire::Form form = exchange_form(login);
  set(form, "audience", login.issuer() + "/");
  present(login, login.ask(login.told("idp_token_endpoint"), form), login.as_basic());
  EXPECT_EQ(login.broken(), kNoRuleAtAll);
}

// An ID token is a JWT.
TEST(SoundIdentityGrants, MayCallAnIdTokenAJwt) {
  StagedLogin login(kByIdp);
  wire::Form form = exchange_form(login);
  set(form, "subject_token_type", "urn:ietf:params:oauth:token-type:jwt");
  present(login, login.ask(login.told("idp_token_endpoint"), form), login.as_basic());
  EXPECT_EQ(login.broken(), kNoRuleAtAll);
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
  EXPECT_EQ(login.broken(), kNoRuleAtAll);
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
  EXPECT_EQ(login.broken(), kNoRuleAtAll);
  StagedLogin wrong(kByIdp);
  other = exchange_form(wrong);
  set(other, "audience", "https://elsewhere.example");
  wrong.ask(wrong.told("idp_token_endpoint"), other);
  EXPECT_EQ(wrong.broken(), RuleNames{".audience"});
}

TEST(SoundIdentityGrants, MayUseAGrantOfItsOwn) {
  StagedLogin login(kByIdp);
  present(login, {{"access_token", "a.grant.of-yesterday"}}, login.as_basic());
  EXPECT_EQ(login.broken(), kNoRuleAtAll);
  StagedLogin other(kByIdp);
  present(other, {{"access_token", other.told("idp_id_token")}}, other.as_basic());
  EXPECT_EQ(other.broken(), (RuleNames{".assertion-sent", ".exchange-made"}));
}

}  // namespace
}  // namespace assay::scenarios
