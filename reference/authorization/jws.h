// Signed tokens, and the keys that they are verified by: RFC 7515, 7517 and 7518 (ES256, RS256).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reference/wire/json.h"

namespace assay::authorization {

enum class Signing { kEs256, kRs256 };

// "ES256" or "RS256".
const char* name(Signing signing);

// Thread safety: sign() and jwk() may be called from any thread.
class SigningKey {
 public:
  // A new key. To make one for RS256 takes a moment.
  explicit SigningKey(Signing signing);
  // Nothing where the text is no private key for one of them, as PEM.
  static std::shared_ptr<const SigningKey> of_pem(std::string_view pem);
  ~SigningKey();

  Signing signing() const { return signing_; }
  // Its name, the kid.
  const std::string& id() const { return id_; }
  // The public key, as it stands in a JWK set: with kid, alg and use.
  Json jwk() const;
  // The claims as a JWS in its compact form. `type` is the header's "typ": "at+jwt".
  std::string sign(const Json& claims, const std::string& type) const;
  // The same with a header of one's own, be it true or not.
  std::string sign_as(const Json& header, const Json& claims) const;
  // A self-signed certificate of the key: DER.
  std::string certificate() const;
  // The private key, as PEM has it (PKCS #8), with a line end after it.
  std::string private_pem() const;

 private:
  struct Key;  // OpenSSL's

  SigningKey(Signing signing, std::unique_ptr<Key> key);

  const Signing signing_;
  const std::string id_;
  std::unique_ptr<Key> key_;
};

// The public half of such a key, as others publish it. Thread safety: any thread may call it.
class VerifyingKey {
 public:
  // Nothing where it is no public key for RS256 or ES256.
  static std::shared_ptr<const VerifyingKey> read(const Json& jwk);
  // Nothing where it is no certificate of such a key, as DER.
  static std::shared_ptr<const VerifyingKey> of_certificate(std::string_view der);
  ~VerifyingKey();

  const std::string& id() const { return id_; }
  // Whether the signature, as it stands in a token, is this key's; `algorithm` is the header's alg.
  bool verifies(std::string_view algorithm, std::string_view signed_part,
                std::string_view signature) const;
  // As PEM has it, with a line end behind it.
  std::string pem() const;

 private:
  struct Key;  // OpenSSL's

  VerifyingKey(Signing signing, std::string id, std::unique_ptr<Key> key);

  const Signing signing_;
  const std::string id_;
  const std::unique_ptr<Key> key_;
};

// The members of a JWK that are secret (RFC 7518, section 6).
inline constexpr const char* kPrivateMembers[] = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"};

// A token in its parts.
struct TokenParts {
  Json header;
  Json claims;
  std::string signed_part;
  std::string signature;  // bytes
};
// Nothing where the text is no JWS in its compact form with objects in it.
std::optional<TokenParts> read_token(std::string_view token);

// What a signature is made of: header and claims, with a dot between them.
std::string signed_part_of(const Json& header, const Json& claims);
// The token of a header and claims whose signature is HMAC by that secret: with SHA-512 where the
// header says HS512, with SHA-256 otherwise.
std::string sign_by_secret(const Json& header, const Json& claims, std::string_view secret);
bool is_signed_by_secret(const TokenParts& token, std::string_view secret);

}  // namespace assay::authorization
