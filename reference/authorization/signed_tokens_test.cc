#include "reference/authorization/signed_tokens.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "reference/authorization/server.h"
#include "reference/transport/http_listener.h"

namespace assay::authorization {
namespace {

using transport::TokenDuty;

constexpr const char* kResource = "http://127.0.0.1:3001/mcp";

std::int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// An authorization server on this machine, whose tokens are read.
class SignedTokensTest : public testing::TestWithParam<Signing> {
 protected:
  SignedTokensTest()
      : listener_({}, [this](const transport::HttpHead& request, std::string_view body) {
          return server_->handle(request, body)
              .value_or(transport::HttpReply{404, {}, "", nullptr});
        }) {
    EXPECT_EQ(listener_.start(), std::nullopt);
    Knobs knobs;
    knobs.signing = GetParam();
    server_ =
        std::make_unique<Server>(knobs, "http://127.0.0.1:" + std::to_string(listener_.port()));
  }
  ~SignedTokensTest() override { listener_.stop(); }

  Json claims() const {
    return {{"iss", server_->issuer()},
            {"sub", "alice"},
            {"aud", kResource},
            {"scope", "a b"},
            {"exp", seconds_now() + 60}};
  }
  std::string signed_by_server(const Json& claims) const {
    return server_->key()->sign(claims, "at+jwt");
  }
  bool takes(const std::string& token, std::vector<TokenDuty> overlooked = {}) const {
    SignedTokens reader(server_->issuer(), std::move(overlooked));
    return reader.read(token, kResource).has_value();
  }

  std::unique_ptr<Server> server_;
  transport::HttpListener listener_;
};

TEST_P(SignedTokensTest, SayWhoseTheyAreAndWhatTheyOpen) {
  SignedTokens reader(server_->issuer());
  const auto token = reader.read(signed_by_server(claims()), kResource);
  ASSERT_TRUE(token);
  EXPECT_EQ(token->user, "alice");
  EXPECT_EQ(token->scopes, (std::vector<std::string>{"a", "b"}));
}

TEST_P(SignedTokensTest, HoldWhereOneOfSeveralAudiencesIsMeant) {
  Json shown = claims();
  shown["aud"] = Json::array({"https://other.invalid", kResource});
  EXPECT_TRUE(takes(signed_by_server(shown)));
}

TEST_P(SignedTokensTest, OfAnotherTimeIssuerOrAudienceDoNotHold) {
  const auto changed = [&](const char* name, Json value) {
    Json shown = claims();
    shown[name] = std::move(value);
    return signed_by_server(shown);
  };
  EXPECT_FALSE(takes(changed("exp", seconds_now() - 1)));
  EXPECT_FALSE(takes(changed("exp", "tomorrow")));
  EXPECT_FALSE(takes(changed("nbf", seconds_now() + 60)));
  EXPECT_FALSE(takes(changed("iss", "https://other.invalid")));
  EXPECT_FALSE(takes(changed("aud", std::string(kResource) + "-of-another")));
  EXPECT_FALSE(takes(changed("aud", "http://127.0.0.1:3001")));
  EXPECT_FALSE(takes(changed("aud", nullptr)));
}

TEST_P(SignedTokensTest, OfAnotherKeyDoNotHold) {
  const SigningKey other(GetParam());
  EXPECT_FALSE(takes(other.sign(claims(), "at+jwt")));
  const Json header = {{"alg", name(GetParam())}, {"kid", server_->key()->id()}};
  EXPECT_FALSE(takes(other.sign_as(header, claims())));
  const std::string good = signed_by_server(claims());
  EXPECT_FALSE(takes(good.substr(0, good.size() - 8)));
  EXPECT_FALSE(takes(good.substr(0, good.rfind('.') + 1)));
  EXPECT_FALSE(takes(signed_part_of({{"alg", "none"}}, claims()) + "."));
  const auto published = VerifyingKey::read(server_->key()->jwk());
  ASSERT_TRUE(published);
  EXPECT_FALSE(takes(sign_by_secret({{"alg", "HS256"}, {"kid", server_->key()->id()}}, claims(),
                                    published->pem())));
}

TEST_P(SignedTokensTest, OfAWithdrawnKeyHoldUntilTheKeysAreReadAnew) {
  const auto first = std::make_shared<SigningKey>(GetParam());
  const auto second = std::make_shared<SigningKey>(GetParam());
  server_->publish(first);
  SignedTokens reader(server_->issuer());
  const std::string token = first->sign(claims(), "at+jwt");
  EXPECT_TRUE(reader.read(token, kResource));
  server_->withdraw(first->id());
  EXPECT_TRUE(reader.read(token, kResource));
  server_->publish(second);
  EXPECT_TRUE(reader.read(second->sign(claims(), "at+jwt"), kResource));
  EXPECT_FALSE(reader.read(token, kResource));
}

TEST_P(SignedTokensTest, AreNoneWhereTheTextIsNone) {
  for (const char* text :
       {"", ".", "..", "a.b", "a.b.c", "e30.e30.", "e30.e30.e30.e30", "W10.e30.AA"}) {
    EXPECT_FALSE(takes(text)) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(OfBothKinds, SignedTokensTest,
                         testing::Values(Signing::kEs256, Signing::kRs256),
                         [](const auto& signing) { return name(signing.param); });

}  // namespace
}  // namespace assay::authorization
