#include "reference/authorization/jws.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <cassert>
#include <utility>
#include <vector>

#include "reference/transport/random_id.h"
#include "reference/wire/pkce.h"

namespace assay::authorization {
namespace {

// Of P-256.
constexpr std::size_t kCoordinateBytes = 32;
constexpr unsigned kRsaBits = 2048;

std::string_view text_of(const std::vector<unsigned char>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string number_of(const EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  EVP_PKEY_get_bn_param(key, name, &number);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(BN_num_bytes(number)));
  BN_bn2bin(number, bytes.data());
  BN_free(number);
  return wire::encode_base64url(text_of(bytes));
}

// The two numbers of an ECDSA signature, which OpenSSL gives as DER, side by side.
std::vector<unsigned char> side_by_side(const std::vector<unsigned char>& der) {
  const unsigned char* at = der.data();
  ECDSA_SIG* signature = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
  std::vector<unsigned char> out(2 * kCoordinateBytes);
  constexpr int kWidth = static_cast<int>(kCoordinateBytes);
  BN_bn2binpad(ECDSA_SIG_get0_r(signature), out.data(), kWidth);
  BN_bn2binpad(ECDSA_SIG_get0_s(signature), out.data() + kCoordinateBytes, kWidth);
  ECDSA_SIG_free(signature);
  return out;
}

}  // namespace

struct SigningKey::Key {
  EVP_PKEY* key = nullptr;
  ~Key() { EVP_PKEY_free(key); }
};

const char* name(Signing signing) {
  switch (signing) {
    case Signing::kEs256:
      return "ES256";
    case Signing::kRs256:
      return "RS256";
  }
  return "";
}

SigningKey::SigningKey(Signing signing)
    : signing_(signing), id_(transport::random_id()), key_(std::make_unique<Key>()) {
  key_->key = signing == Signing::kEs256 ? EVP_EC_gen("P-256") : EVP_RSA_gen(kRsaBits);
  assert(key_->key != nullptr);
}

SigningKey::SigningKey(Signing signing, std::unique_ptr<Key> key)
    : signing_(signing), id_(transport::random_id()), key_(std::move(key)) {}

SigningKey::~SigningKey() = default;

std::shared_ptr<const SigningKey> SigningKey::of_pem(std::string_view pem) {
  BIO* text = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  auto key = std::make_unique<Key>();
  key->key = PEM_read_bio_PrivateKey(text, nullptr, nullptr, nullptr);
  BIO_free(text);
  if (key->key == nullptr) return nullptr;
  const bool is_rsa = EVP_PKEY_is_a(key->key, "RSA") == 1;
  constexpr int kBitsOfP256 = 256;
  const bool is_curve =
      EVP_PKEY_is_a(key->key, "EC") == 1 && EVP_PKEY_get_bits(key->key) == kBitsOfP256;
  if (!is_rsa && !is_curve) return nullptr;
  return std::shared_ptr<const SigningKey>(
      new SigningKey(is_rsa ? Signing::kRs256 : Signing::kEs256, std::move(key)));
}

std::string SigningKey::private_pem() const {
  BIO* out = BIO_new(BIO_s_mem());
  PEM_write_bio_PKCS8PrivateKey(out, key_->key, nullptr, nullptr, 0, nullptr, nullptr);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out, &text);
  std::string pem(text, static_cast<std::size_t>(size));
  BIO_free(out);
  return pem;
}

Json SigningKey::jwk() const {
  Json out = {{"kid", id_}, {"alg", name(signing_)}, {"use", "sig"}};
  if (signing_ == Signing::kRs256) {
    out["kty"] = "RSA";
    out["n"] = number_of(key_->key, OSSL_PKEY_PARAM_RSA_N);
    out["e"] = number_of(key_->key, OSSL_PKEY_PARAM_RSA_E);
    return out;
  }
  // A byte that says that both coordinates follow, and the two.
  std::vector<unsigned char> point(1 + 2 * kCoordinateBytes);
  std::size_t size = 0;
  EVP_PKEY_get_octet_string_param(key_->key, OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size(),
                                  &size);
  assert(size == point.size());
  out["kty"] = "EC";
  out["crv"] = "P-256";
  out["x"] = wire::encode_base64url(text_of(point).substr(1, kCoordinateBytes));
  out["y"] = wire::encode_base64url(text_of(point).substr(1 + kCoordinateBytes));
  return out;
}

std::string SigningKey::certificate() const {
  constexpr long kYear = 365L * 24 * 3600;
  X509* made = X509_new();
  X509_set_version(made, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
  X509_gmtime_adj(X509_getm_notBefore(made), -kYear);
  X509_gmtime_adj(X509_getm_notAfter(made), kYear);
  X509_NAME* subject = X509_get_subject_name(made);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("assay"), -1, -1, 0);
  X509_set_issuer_name(made, subject);
  X509_set_pubkey(made, key_->key);
  X509_sign(made, key_->key, EVP_sha256());
  std::string der(static_cast<std::size_t>(i2d_X509(made, nullptr)), '\0');
  auto* at = reinterpret_cast<unsigned char*>(der.data());
  i2d_X509(made, &at);
  X509_free(made);
  return der;
}

std::string signed_part_of(const Json& header, const Json& claims) {
  const auto dump = [](const Json& json) {
    return wire::encode_base64url(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  };
  return dump(header) + '.' + dump(claims);
}

std::string SigningKey::sign(const Json& claims, const std::string& type) const {
  return sign_as({{"alg", name(signing_)}, {"kid", id_}, {"typ", type}}, claims);
}

std::string SigningKey::sign_as(const Json& header, const Json& claims) const {
  const std::string signed_part = signed_part_of(header, claims);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, key_->key);
  const auto* bytes = reinterpret_cast<const unsigned char*>(signed_part.data());
  std::size_t size = 0;
  EVP_DigestSign(context, nullptr, &size, bytes, signed_part.size());
  std::vector<unsigned char> signature(size);
  EVP_DigestSign(context, signature.data(), &size, bytes, signed_part.size());
  EVP_MD_CTX_free(context);
  signature.resize(size);
  if (signing_ == Signing::kEs256) signature = side_by_side(signature);
  return signed_part + '.' + wire::encode_base64url(text_of(signature));
}

}  // namespace assay::authorization
