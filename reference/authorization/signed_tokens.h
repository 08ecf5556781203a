// How a resource server reads the tokens that an authorization server signed.
//
// Specification: basic/authorization, "Token Handling"; OAuth 2.1, section 5.2; RFC 7519 and RFC
// 9068, section 4. The keys come from the jwks_uri of the metadata (RFC 8414), and are fetched
// again when a token names one that is not known.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/authorization/jws.h"
#include "reference/transport/http_protection.h"

namespace assay::authorization {

class SignedTokens : public transport::TokenReader {
 public:
  // `issuer` is the authorization server's URL. What is overlooked is not looked at: the reader is
  // wrong on purpose.
  explicit SignedTokens(std::string issuer, std::vector<transport::TokenDuty> overlooked = {});

  // Waits for the keys where they have to be fetched: not long, as they are on this machine where a
  // reference is used.
  std::optional<transport::AccessToken> read(std::string_view token,
                                             const std::string& resource) override;

 private:
  using Keys = std::map<std::string, std::shared_ptr<const VerifyingKey>>;

  bool does(transport::TokenDuty duty) const;
  bool is_signed(const TokenParts& token);
  bool is_timely(const Json& claims) const;
  bool is_for(const Json& claims, const std::string& resource) const;
  // Null where nobody publishes it.
  std::shared_ptr<const VerifyingKey> key(const std::string& id);
  Keys fetch_keys() const;

  const std::string issuer_;
  const std::vector<transport::TokenDuty> overlooked_;
  std::mutex mutex_;  // guards keys_
  Keys keys_;
};

}  // namespace assay::authorization
