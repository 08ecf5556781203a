#include "reference/authorization/jws.h"

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reference/wire/base64.h"

namespace assay::authorization {
namespace {

std::string decoded(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  text.resize((text.size() + 3) / 4 * 4, '=');
  return wire::decode_base64(text).value_or("not base64url");
}

const unsigned char* bytes_of(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

BIGNUM* number_in(const std::string& bytes, std::size_t from = 0,
                  std::size_t size = std::string::npos) {
  const std::string part = bytes.substr(from, size);
  return BN_bin2bn(bytes_of(part), static_cast<int>(part.size()), nullptr);
}

// The public key of a JWK, as OpenSSL has it.
EVP_PKEY* key_of(const Json& jwk) {
  OSSL_PARAM_BLD* parts = OSSL_PARAM_BLD_new();
  const bool is_rsa = jwk.at("kty") == "RSA";
  BIGNUM* n = nullptr;
  BIGNUM* e = nullptr;
  std::string point;
  if (is_rsa) {
    n = number_in(decoded(jwk.at("n")));
    e = number_in(decoded(jwk.at("e")));
    OSSL_PARAM_BLD_push_BN(parts, OSSL_PKEY_PARAM_RSA_N, n);
    OSSL_PARAM_BLD_push_BN(parts, OSSL_PKEY_PARAM_RSA_E, e);
  } else {
    point = '\x04' + decoded(jwk.at("x")) + decoded(jwk.at("y"));
    OSSL_PARAM_BLD_push_utf8_string(parts, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0);
    OSSL_PARAM_BLD_push_octet_string(parts, OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
  }
  OSSL_PARAM* parameters = OSSL_PARAM_BLD_to_param(parts);
  EVP_PKEY_CTX* context = EVP_PKEY_CTX_new_from_name(nullptr, is_rsa ? "RSA" : "EC", nullptr);
  EVP_PKEY* key = nullptr;
  EVP_PKEY_fromdata_init(context);
  EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(parameters);
  OSSL_PARAM_BLD_free(parts);
  BN_free(n);
  BN_free(e);
  return key;
}

// As OpenSSL wants it: of ES256 as DER.
std::string signature_of(const Json& jwk, const std::string& bytes) {
  if (jwk.at("kty") == "RSA") return bytes;
  EXPECT_EQ(bytes.size(), 64u);
  ECDSA_SIG* signature = ECDSA_SIG_new();
  ECDSA_SIG_set0(signature, number_in(bytes, 0, 32), number_in(bytes, 32));
  std::string der(static_cast<std::size_t>(i2d_ECDSA_SIG(signature, nullptr)), '\0');
  auto* at = reinterpret_cast<unsigned char*>(der.data());
  i2d_ECDSA_SIG(signature, &at);
  ECDSA_SIG_free(signature);
  return der;
}

bool verifies(const Json& jwk, const std::string& token) {
  const std::size_t dot = token.rfind('.');
  const std::string signed_part = token.substr(0, dot);
  const std::string signature = signature_of(jwk, decoded(token.substr(dot + 1)));
  EVP_PKEY* key = key_of(jwk);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key);
  const int outcome = EVP_DigestVerify(context, bytes_of(signature), signature.size(),
                                       bytes_of(signed_part), signed_part.size());
  EVP_MD_CTX_free(context);
  EVP_PKEY_free(key);
  return outcome == 1;
}

class Jws : public testing::TestWithParam<Signing> {};

TEST_P(Jws, IsVerifiedByItsKeyAndNoOther) {
  const SigningKey key(GetParam());
  const SigningKey other(GetParam());
  const std::string token = key.sign({{"sub", "user"}}, "at+jwt");
  EXPECT_TRUE(verifies(key.jwk(), token));
  EXPECT_FALSE(verifies(other.jwk(), token));
}

TEST_P(Jws, SaysHowItIsSignedAndWhatItClaims) {
  const SigningKey key(GetParam());
  const std::string token = key.sign({{"sub", "user"}}, "at+jwt");
  const Json header = Json::parse(decoded(token.substr(0, token.find('.'))));
  EXPECT_EQ(header,
            (Json{{"alg", name(GetParam())}, {"kid", key.jwk().at("kid")}, {"typ", "at+jwt"}}));
  const std::size_t begin = token.find('.') + 1;
  EXPECT_EQ(Json::parse(decoded(token.substr(begin, token.rfind('.') - begin))),
            (Json{{"sub", "user"}}));
  EXPECT_EQ(key.jwk().at("alg"), name(GetParam()));
  EXPECT_FALSE(key.jwk().contains("d"));
}

TEST_P(Jws, IsMadeByAKeyThatWasWrittenAndReadAgain) {
  const SigningKey key(GetParam());
  const auto again = SigningKey::of_pem(key.private_pem());
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->signing(), GetParam());
  EXPECT_TRUE(verifies(key.jwk(), again->sign({{"sub", "user"}}, "at+jwt")));
}

TEST(SigningKey, IsReadFromNothingElse) {
  EXPECT_EQ(SigningKey::of_pem(""), nullptr);
  EXPECT_EQ(SigningKey::of_pem("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
            nullptr);
}

INSTANTIATE_TEST_SUITE_P(OfBothKinds, Jws, testing::Values(Signing::kEs256, Signing::kRs256),
                         [](const auto& signing) { return name(signing.param); });

}  // namespace
}  // namespace assay::authorization
