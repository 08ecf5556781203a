// Clients that get tokens by their own credentials in ways that are sound, though they are not
// those of most: no scenario may blame them; and next to each is what it does blame.
//
// Extension oauth-client-credentials.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "reference/authorization/jws.h"
#include "scenarios/staged_login_testing.h"

namespace assay::scenarios {
namespace {

using authorization::SigningKey;
using harness::Finding;

const RuleNames kNoTokenRule;

constexpr const char* kBySecret = "auth/client-credentials-basic";
constexpr const char* kByJwt = "auth/client-credentials-jwt";

wire::Form own_token_form() {
  return {{"grant_type", "client_credentials"}, {"resource", kStagedEndpoint}};
}

// --- By a secret ---

TEST(SoundOwnTokens, MayShowTheSecretInTheBody) {
  StagedLogin login(kBySecret);
  wire::Form form = own_token_form();
  form.emplace_back("client_id", login.told("client_id"));
  form.emplace_back("client_secret", login.told("client_secret"));
  login.ask(login.token_endpoint(), form);
  EXPECT_EQ(login.broken(), kNoTokenRule);
}

TEST(SoundOwnTokens, MayWriteBasicInAnyCaseAndNameTheClientTwice) {
  StagedLogin login(kBySecret);
  wire::Form form = own_token_form();
  form.emplace_back("client_id", login.told("client_id"));
  login.ask(login.token_endpoint(), form, login.as_basic("basic"));
  EXPECT_EQ(login.broken(), kNoTokenRule);
}

TEST(SoundOwnTokens, ShowThemselvesOnce) {
  StagedLogin login(kBySecret);
  wire::Form form = own_token_form();
  form.emplace_back("client_secret", login.told("client_secret"));
  login.ask(login.token_endpoint(), form, login.as_basic());
  EXPECT_EQ(login.broken(), RuleNames{".client-authenticated"});
}

TEST(SoundOwnTokens, MayNameTheServerWithASlash) {
  StagedLogin login(kBySecret);
  login.ask(
      login.token_endpoint(),
      {{"grant_type", "client_credentials"}, {"resource", std::string(kStagedEndpoint) + "/"}},
      login.as_basic());
  EXPECT_EQ(login.broken(), kNoTokenRule);
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
                              {"resource", kStagedEndpoint}}));
  login.ask(login.token_endpoint(), own_token_form(), login.as_basic());
  EXPECT_EQ(login.broken(), kNoTokenRule);
  EXPECT_TRUE(login.rules(Finding::Kind::kHeld).contains(".client-authenticated"));
}

// For another flow, and not as this client.
TEST(SoundOwnTokens, MayRegisterForSomethingElse) {
  StagedLogin login(kBySecret);
  const Json made = login.post(login.registration_endpoint(), "application/json",
                               R"({"redirect_uris": ["http://localhost:3000/callback"]})");
  EXPECT_TRUE(made.contains("client_id"));
  login.ask(login.token_endpoint(), own_token_form(), login.as_basic());
  EXPECT_EQ(login.broken(), kNoTokenRule);
}

TEST(SoundOwnTokens, MayUseAnotherGrant) {
  StagedLogin login(kBySecret);
  login.ask(login.token_endpoint(),
            {{"grant_type", "authorization_code"}, {"code", "c"}, {"client_id", "c"}});
  EXPECT_EQ(login.broken(), kNoTokenRule);
}

// --- By a JWT ---

// What is told of a client whose JWT has these claims.
RuleNames told_of_jwt(Finding::Kind kind, const std::function<void(StagedLogin&, Json&)>& change,
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
  EXPECT_EQ(told_of_jwt(Finding::Kind::kBroke, nullptr), kNoTokenRule);
  EXPECT_TRUE(told_of_jwt(Finding::Kind::kHeld, nullptr).contains(".assertion-signed"));
}

TEST(SoundOwnTokens, MayNameTheAuthorizationServerInSeveralWays) {
  const auto broken = [](const std::function<Json(StagedLogin&)>& audience) {
    return told_of_jwt(Finding::Kind::kBroke,
                       [&](StagedLogin& login, Json& claims) { claims["aud"] = audience(login); });
  };
  EXPECT_EQ(broken([](StagedLogin& login) { return login.issuer() + "/"; }), kNoTokenRule);
  EXPECT_EQ(broken([](StagedLogin& login) { return login.token_endpoint(); }), kNoTokenRule);
  EXPECT_EQ(broken([](StagedLogin& login) {
              return Json::array({"https://elsewhere.example", login.issuer()});
            }),
            kNoTokenRule);
  // Some mean the authorization server by another place on its host.
  EXPECT_EQ(broken([](StagedLogin& login) { return login.issuer() + "/other"; }), kNoTokenRule);
  EXPECT_EQ(broken([](StagedLogin& login) { return login.issuer() + "0"; }),
            RuleNames{".assertion-for-authorization-server"});
}

TEST(SoundOwnTokens, MayLetAJwtHoldForLongAndInParts) {
  const auto broken = [](const Json& expiry) {
    return told_of_jwt(Finding::Kind::kBroke,
                       [&](StagedLogin&, Json& claims) { claims["exp"] = expiry; });
  };
  EXPECT_EQ(broken(seconds_from_now(10L * 365 * 24 * 3600)), kNoTokenRule);
  EXPECT_EQ(broken(static_cast<double>(seconds_from_now(60)) + 0.5), kNoTokenRule);
  // Its clock may be slow.
  EXPECT_EQ(broken(seconds_from_now(-60)), kNoTokenRule);
  EXPECT_EQ(broken("tomorrow"), RuleNames{".assertion-expires"});
}

TEST(SoundOwnTokens, MayNameTheClientBesideTheJwt) {
  EXPECT_EQ(told_of_jwt(Finding::Kind::kBroke, nullptr, {{"client_id", "machine-client-81d0"}}),
            kNoTokenRule);
}

// A client that does not read its context may have another identity.
TEST(SoundOwnTokens, MayBeAnotherClientThanWasGiven) {
  const auto other = [](StagedLogin&, Json& claims) {
    claims["iss"] = claims["sub"] = "a-client-of-its-own";
  };
  EXPECT_EQ(told_of_jwt(Finding::Kind::kBroke, other), kNoTokenRule);
  EXPECT_TRUE(told_of_jwt(Finding::Kind::kUnclear, other).contains(".assertion-signed"));
}

}  // namespace
}  // namespace assay::scenarios
