// Clients that prove to have the key of their token in ways that are sound, though they are not
// those of most: no scenario may blame them; and next to each is what it does blame.
//
// Extension io.modelcontextprotocol/auth/dpop.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "reference/authorization/jws.h"
#include "reference/transport/random_id.h"
#include "reference/wire/dpop.h"
#include "reference/wire/pkce.h"
#include "scenarios/staged_login_testing.h"

namespace assay::scenarios {
namespace {

using authorization::SigningKey;
using harness::Finding;

const RuleNames kNoProofRule;

constexpr const char* kBound = "auth/dpop";
constexpr const char* kWithNonce = "auth/dpop-nonce";
constexpr const char* kMessage = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";

using Alter = std::function<void(Json& header, Json& claims)>;

// A client that has a key, and a token that is bound to it.
class StagedProofs {
 public:
  explicit StagedProofs(std::string_view play,
                        authorization::Signing signing = authorization::Signing::kEs256)
      : login(play), key(signing) {}

  std::string proof(const std::string& method, const std::string& place, Json claims,
                    const Alter& alter = nullptr) const {
    Json jwk = key.jwk();
    Json header = {{"typ", "dpop+jwt"}, {"alg", authorization::name(key.signing())}, {"jwk", jwk}};
    claims["htm"] = method;
    claims["htu"] = place;
    claims["jti"] = transport::random_id();
    claims["iat"] = seconds_from_now(0);
    if (alter) alter(header, claims);
    return key.sign_as(header, claims);
  }

  // By a code, as most do.
  void get_token(const Alter& alter = nullptr, bool is_proven = true) {
    const Json made = login.post(login.registration_endpoint(), "application/json",
                                 R"({"redirect_uris":["http://127.0.0.1:1/callback"],)"
                                 R"("application_type":"native"})");
    client = made.value("client_id", "");
    const std::string verifier(50, 'v');
    const std::string code = login.code_for({{"response_type", "code"},
                                             {"client_id", client},
                                             {"redirect_uri", "http://127.0.0.1:1/callback"},
                                             {"state", "s"},
                                             {"resource", kStagedEndpoint},
                                             {"code_challenge", wire::s256_challenge(verifier)},
                                             {"code_challenge_method", "S256"}});
    transport::Headers fields;
    if (is_proven) fields = {{"DPoP", proof("POST", login.token_endpoint(), {}, alter)}};
    answer = login.ask(login.token_endpoint(),
                       {{"grant_type", "authorization_code"},
                        {"code", code},
                        {"client_id", client},
                        {"redirect_uri", "http://127.0.0.1:1/callback"},
                        {"resource", kStagedEndpoint},
                        {"code_verifier", verifier}},
                       fields);
    token = answer.value("access_token", "");
    EXPECT_NE(token, "") << answer.dump();
  }
  Json claims_for(const std::string& body) const {
    return {{"ath", wire::access_token_hash(token)},
            {"content_digest", wire::content_digest(body)}};
  }
  // A message to the server.
  int call(const Alter& alter = nullptr, const std::string& body = kMessage,
           const std::string& scheme = "DPoP") {
    return login.visit("POST",
                       {{"DPoP", proof("POST", kStagedEndpoint, claims_for(body), alter)},
                        {"Authorization", scheme + " " + token}},
                       body);
  }

  StagedLogin login;
  const SigningKey key;
  std::string client;
  std::string token;
  Json answer;
};

TEST(SoundProofs, HoldAsMostMakeThem) {
  StagedProofs staged(kBound);
  staged.get_token();
  EXPECT_EQ(staged.answer.value("token_type", ""), "DPoP");
  EXPECT_EQ(staged.call(), 200);
  EXPECT_EQ(staged.call(), 200);
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
  EXPECT_EQ(staged.login.rules(Finding::Kind::kHeld).size(), 12u);
}

TEST(SoundProofs, MayBeSignedByRsaAndUnderASchemeInSmallLetters) {
  StagedProofs staged(kBound, authorization::Signing::kRs256);
  staged.get_token();
  staged.call(nullptr, kMessage, "dpop");
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
  EXPECT_EQ(staged.login.rules(Finding::Kind::kHeld).size(), 12u);
}

// Other asymmetric algorithms are as good, and cannot be verified here.
TEST(SoundProofs, MayBeSignedByAnAlgorithmThatIsNotKnown) {
  StagedProofs staged(kBound);
  const Alter curve = [](Json& header, Json&) {
    header["alg"] = "EdDSA";
    header["jwk"] = {{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", std::string(43, 'x')}};
  };
  staged.get_token(curve);
  staged.call(curve);
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
  EXPECT_TRUE(staged.login.rules(Finding::Kind::kUnclear).contains(".proof-signed"));
}

TEST(SoundProofs, MayWriteTheSamePlaceInAnotherWay) {
  StagedProofs staged(kBound);
  staged.get_token();
  for (const char* place :
       {"http://LOCALHOST:3999/mcp", "http://localhost:3999/mcp/", "HTTP://localhost:3999/%6dcp"}) {
    staged.call([&](Json&, Json& claims) { claims["htu"] = place; });
  }
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
  staged.call([](Json&, Json& claims) { claims["htu"] = "http://localhost:4000/mcp"; });
  EXPECT_EQ(staged.login.broken(), RuleNames{".proof-claims"});
}

// A clock may be wrong, and a time may have a fraction.
TEST(SoundProofs, MayHaveAnotherTimeAndMoreClaims) {
  StagedProofs staged(kBound);
  staged.get_token([](Json&, Json& claims) { claims["exp"] = seconds_from_now(60); });
  staged.call([](Json& header, Json& claims) {
    claims["iat"] = 1.5;
    claims["nonce"] = "never given";
    claims["extra"] = true;
    header["kid"] = "a key";
  });
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
}

TEST(SoundProofs, MayBeNumberedAnewForEachReceiver) {
  StagedProofs staged(kBound);
  const Alter first = [](Json&, Json& claims) { claims["jti"] = "1"; };
  staged.get_token(first);
  staged.call(first);
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
  staged.call(first, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(staged.login.broken(), RuleNames{".proof-fresh"});
}

// What has no body needs no digest, and its method is its own.
TEST(SoundProofs, OfRequestsWithoutABodyNeedNoDigest) {
  StagedProofs staged(kBound);
  staged.get_token();
  for (const char* method : {"GET", "DELETE"}) {
    const Json claims = {{"ath", wire::access_token_hash(staged.token)}};
    staged.login.visit(method,
                       {{"Authorization", "DPoP " + staged.token},
                        {"DPoP", staged.proof(method, kStagedEndpoint, claims)}},
                       "");
  }
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
}

// Every byte of the body counts, be it written as it likes.
TEST(SoundProofs, DigestWhateverBytesAreSent) {
  StagedProofs staged(kBound);
  staged.get_token();
  staged.call(nullptr,
              "\n {\"jsonrpc\": \"2.0\",\r\n \"method\":\"notifications/\\u0069nitialized\"} ");
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
  staged.call([](Json&, Json& claims) { claims["content_digest"] = wire::content_digest(""); });
  EXPECT_EQ(staged.login.broken(), RuleNames{".content-digest-calculated"});
}

TEST(SoundProofs, MayHaveMoreThanOneDigest) {
  StagedProofs staged(kBound);
  staged.get_token();
  staged.call([](Json&, Json& claims) {
    claims["content_digest"] = "sha-512=:AAAA:, " + claims["content_digest"].get<std::string>();
  });
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
  EXPECT_TRUE(staged.login.rules(Finding::Kind::kUnclear).contains(".content-digest-calculated"));
}

// A client need not support the extension.
TEST(SoundProofs, NeedNotBeMade) {
  StagedProofs staged(kBound);
  staged.get_token(nullptr, false);
  EXPECT_EQ(staged.answer.value("token_type", ""), "Bearer");
  staged.login.visit("POST", {{"Authorization", "Bearer " + staged.token}}, kMessage);
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
  EXPECT_TRUE(staged.login.rules(Finding::Kind::kHeld).empty());
}

// A connection broke, and the request is sent as it was.
TEST(SoundProofs, MayBeSentAgainWhereNoAnswerCame) {
  StagedProofs staged(kBound);
  staged.get_token();
  const transport::Headers fields = {
      {"Authorization", "DPoP " + staged.token},
      {"DPoP", staged.proof("POST", kStagedEndpoint, staged.claims_for(kMessage))}};
  staged.login.visit("POST", fields, kMessage, false);
  staged.login.visit("POST", fields, kMessage);
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
  EXPECT_TRUE(staged.login.rules(Finding::Kind::kUnclear).contains(".proof-fresh"));
  staged.login.visit("POST", fields, kMessage);
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
}

TEST(SoundProofs, AreMadeAnewForEachRequest) {
  StagedProofs staged(kBound);
  staged.get_token();
  const transport::Headers fields = {
      {"Authorization", "DPoP " + staged.token},
      {"DPoP", staged.proof("POST", kStagedEndpoint, staged.claims_for(kMessage))}};
  staged.login.visit("POST", fields, kMessage);
  staged.login.visit("POST", fields, kMessage);
  EXPECT_EQ(staged.login.broken(), RuleNames{".proof-fresh"});
}

// A nonce may be kept for later requests, and each server has its own.
TEST(SoundProofs, HaveTheNonceOfTheirReceiver) {
  StagedProofs staged(kWithNonce);
  const Alter with_token_nonce = [](Json&, Json& claims) {
    claims["nonce"] = "nonce-of-the-token-endpoint-9e07";
  };
  const Alter with_server_nonce = [](Json&, Json& claims) {
    claims["nonce"] = "nonce-of-the-server-51c2";
  };
  staged.get_token(with_token_nonce);
  EXPECT_EQ(staged.call(), 401);
  EXPECT_EQ(staged.call(with_server_nonce), 200);
  EXPECT_EQ(staged.call(with_server_nonce), 200);
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
  EXPECT_TRUE(staged.login.rules(Finding::Kind::kHeld).contains(".nonce-used"));
  EXPECT_EQ(staged.call(with_token_nonce), 401);
  EXPECT_EQ(staged.login.broken(), RuleNames{".nonce-used"});
}

// Two connections begin at the same time, and learn of the nonce one after the other.
TEST(SoundProofs, MayBeOnTheirWayWhenANonceComes) {
  StagedProofs staged(kWithNonce);
  staged.get_token(
      [](Json&, Json& claims) { claims["nonce"] = "nonce-of-the-token-endpoint-9e07"; });
  staged.call();
  staged.call();
  staged.call([](Json&, Json& claims) { claims["nonce"] = "nonce-of-the-server-51c2"; });
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
}

// What the page says of new proofs is about requests to the server.
TEST(SoundProofs, MayBeShownAgainAtTheTokenEndpoint) {
  StagedProofs staged(kBound);
  const std::string proof = staged.proof("POST", staged.login.token_endpoint(), Json::object());
  for (int i = 0; i < 2; ++i) {
    staged.login.ask(staged.login.token_endpoint(),
                     {{"grant_type", "authorization_code"}, {"code", "none"}}, {{"DPoP", proof}});
  }
  EXPECT_EQ(staged.login.broken(), kNoProofRule);
}

}  // namespace
}  // namespace assay::scenarios
