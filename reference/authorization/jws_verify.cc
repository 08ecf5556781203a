// How a token is read, and verified by the key of another.
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <array>
#include <utility>

#include "reference/authorization/jws.h"
#include "reference/wire/peer_json.h"
#include "reference/wire/pkce.h"

namespace assay::authorization {
namespace {

// Each of the two numbers of an ECDSA signature with P-256.
constexpr std::size_t kNumberBytes = 32;
// What a number of a key may take: RSA with 16384 bits.
constexpr std::size_t kMostNumberBytes = 2048;
// What a token may take.
constexpr std::size_t kMostTokenBytes = 64u << 10;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string text_member_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// Of a JWK; empty where it is not there, or no number.
std::string number_member(const Json& jwk, const char* name) {
  std::string bytes = wire::decode_base64url(text_member_of(jwk, name)).value_or("");
  return bytes.size() > kMostNumberBytes ? "" : bytes;
}

BIGNUM* number_in(std::string_view bytes) {
  return BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr);
}

EVP_PKEY* key_from(OSSL_PARAM_BLD* parts, const char* kind) {
  OSSL_PARAM* parameters = OSSL_PARAM_BLD_to_param(parts);
  EVP_PKEY_CTX* context = EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr);
  EVP_PKEY* key = nullptr;
  const bool is_made = EVP_PKEY_fromdata_init(context) == 1 &&
                       EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) == 1;
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(parameters);
  return is_made ? key : nullptr;
}

EVP_PKEY* rsa_key(const Json& jwk) {
  const std::string modulus = number_member(jwk, "n");
  const std::string exponent = number_member(jwk, "e");
  if (modulus.empty() || exponent.empty()) return nullptr;
  BIGNUM* n = number_in(modulus);
  BIGNUM* e = number_in(exponent);
  OSSL_PARAM_BLD* parts = OSSL_PARAM_BLD_new();
  OSSL_PARAM_BLD_push_BN(parts, OSSL_PKEY_PARAM_RSA_N, n);
  OSSL_PARAM_BLD_push_BN(parts, OSSL_PKEY_PARAM_RSA_E, e);
  EVP_PKEY* key = key_from(parts, "RSA");
  OSSL_PARAM_BLD_free(parts);
  BN_free(n);
  BN_free(e);
  return key;
}

EVP_PKEY* curve_key(const Json& jwk) {
  const std::string x = number_member(jwk, "x");
  const std::string y = number_member(jwk, "y");
  if (text_member_of(jwk, "crv") != "P-256" || x.size() != kNumberBytes ||
      y.size() != kNumberBytes) {
    return nullptr;
  }
  const std::string point = '\x04' + x + y;
  OSSL_PARAM_BLD* parts = OSSL_PARAM_BLD_new();
  OSSL_PARAM_BLD_push_utf8_string(parts, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0);
  OSSL_PARAM_BLD_push_octet_string(parts, OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
  EVP_PKEY* key = key_from(parts, "EC");
  OSSL_PARAM_BLD_free(parts);
  return key;
}

// As OpenSSL wants it: DER; empty where it is none.
std::string as_der(std::string_view signature) {
  if (signature.size() != 2 * kNumberBytes) return "";
  ECDSA_SIG* numbers = ECDSA_SIG_new();
  ECDSA_SIG_set0(numbers, number_in(signature.substr(0, kNumberBytes)),
                 number_in(signature.substr(kNumberBytes)));
  std::string der(static_cast<std::size_t>(i2d_ECDSA_SIG(numbers, nullptr)), '\0');
  auto* at = reinterpret_cast<unsigned char*>(der.data());
  i2d_ECDSA_SIG(numbers, &at);
  ECDSA_SIG_free(numbers);
  return der;
}

std::string hmac_of(const Json& header, std::string_view text, std::string_view secret) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(text_member_of(header, "alg") == "HS512" ? EVP_sha512() : EVP_sha256(), secret.data(),
       static_cast<int>(secret.size()), bytes_of(text), text.size(), digest.data(), &size);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace

struct VerifyingKey::Key {
  EVP_PKEY* key = nullptr;
  ~Key() { EVP_PKEY_free(key); }
};

VerifyingKey::VerifyingKey(Signing signing, std::string id, std::unique_ptr<Key> key)
    : signing_(signing), id_(std::move(id)), key_(std::move(key)) {}

VerifyingKey::~VerifyingKey() = default;

std::shared_ptr<const VerifyingKey> VerifyingKey::read(const Json& jwk) {
  if (!jwk.is_object()) return nullptr;
  const std::string kind = text_member_of(jwk, "kty");
  const bool is_rsa = kind == "RSA";
  EVP_PKEY* made = is_rsa ? rsa_key(jwk) : kind == "EC" ? curve_key(jwk) : nullptr;
  if (made == nullptr) return nullptr;
  auto key = std::make_unique<Key>();
  key->key = made;
  return std::shared_ptr<const VerifyingKey>(new VerifyingKey(
      is_rsa ? Signing::kRs256 : Signing::kEs256, text_member_of(jwk, "kid"), std::move(key)));
}

std::shared_ptr<const VerifyingKey> VerifyingKey::of_certificate(std::string_view der) {
  const unsigned char* at = bytes_of(der);
  X509* certificate = d2i_X509(nullptr, &at, static_cast<long>(der.size()));
  if (certificate == nullptr) return nullptr;
  auto key = std::make_unique<Key>();
  key->key = X509_get_pubkey(certificate);
  X509_free(certificate);
  if (key->key == nullptr) return nullptr;
  const bool is_rsa = EVP_PKEY_is_a(key->key, "RSA") == 1;
  return std::shared_ptr<const VerifyingKey>(
      new VerifyingKey(is_rsa ? Signing::kRs256 : Signing::kEs256, "", std::move(key)));
}

bool VerifyingKey::verifies(std::string_view algorithm, std::string_view signed_part,
                            std::string_view signature) const {
  if (algorithm != name(signing_)) return false;
  const std::string bytes =
      signing_ == Signing::kEs256 ? as_der(signature) : std::string(signature);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  const bool is_begun =
      EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key_->key) == 1;
  const bool is_its = is_begun && EVP_DigestVerify(context, bytes_of(bytes), bytes.size(),
                                                   bytes_of(signed_part), signed_part.size()) == 1;
  EVP_MD_CTX_free(context);
  return is_its;
}

std::string VerifyingKey::pem() const {
  BIO* out = BIO_new(BIO_s_mem());
  PEM_write_bio_PUBKEY(out, key_->key);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out, &text);
  std::string pem(text, static_cast<std::size_t>(size));
  BIO_free(out);
  return pem;
}

std::optional<TokenParts> read_token(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  const bool has_three = first != token.npos && first != last &&
                         token.find('.', first + 1) == last && token.size() <= kMostTokenBytes;
  if (!has_three) return std::nullopt;
  const auto header = wire::decode_base64url(token.substr(0, first));
  const auto claims = wire::decode_base64url(token.substr(first + 1, last - first - 1));
  const auto signature = wire::decode_base64url(token.substr(last + 1));
  if (!header || !claims || !signature) return std::nullopt;
  TokenParts parts{wire::parse_of_peer(*header), wire::parse_of_peer(*claims),
                   std::string(token.substr(0, last)), *signature};
  if (!parts.header.is_object() || !parts.claims.is_object()) return std::nullopt;
  return parts;
}

std::string sign_by_secret(const Json& header, const Json& claims, std::string_view secret) {
  const std::string signed_part = signed_part_of(header, claims);
  return signed_part + '.' + wire::encode_base64url(hmac_of(header, signed_part, secret));
}

bool is_signed_by_secret(const TokenParts& token, std::string_view secret) {
  const std::string right = hmac_of(token.header, token.signed_part, secret);
  return right.size() == token.signature.size() &&
         CRYPTO_memcmp(right.data(), token.signature.data(), right.size()) == 0;
}

}  // namespace assay::authorization
