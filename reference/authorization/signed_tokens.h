// How a resource server reads the tokens that an authorization server signed.
//
// Specification: basic/authorization, "Token Handling"; OAuth 2.1, section 5.2; RFC 7519 and RFC
// 9068, section 4. The keys come from the jwks_uri of the metadata (RFC 8414), and are fetched
// again when a token names one that is not known.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
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
  std::optional<transport::AccessToken> read_anew(std::string_view token,
                                                  const std::string& resource);
  bool is_signed(const TokenParts& token);
  // Whether a signature passes that only a careless reader takes for one.
  bool passes_by_neglect(const TokenParts& token, const std::string& algorithm) const;
  bool passes_by_certificate(const TokenParts& token, const std::string& algorithm) const;
  // Its type, and that it has no extensions which one has to know.
  bool knows_header(const TokenParts& token) const;
  // Whether it asks that issuer, which is another one of the same host, for keys as well.
  bool asks(const std::string& issuer) const;
  bool is_of_issuer(const Json& claims) const;
  std::vector<std::string> scopes_in(std::string text) const;
  std::vector<std::string> scopes_of(const std::string& user, std::vector<std::string> scopes);
  bool is_timely(const Json& claims) const;
  bool is_for(const Json& claims, const std::string& resource) const;
  bool names(const std::string& audience, const std::string& resource) const;
  // Null where nobody publishes it.
  std::shared_ptr<const VerifyingKey> key(const std::string& id);
  static Keys keys_of(const std::string& issuer);
  static Keys keys_at(const std::string& url);

  const std::string issuer_;
  const std::vector<transport::TokenDuty> overlooked_;
  std::mutex mutex_;  // guards all below
  Keys keys_;
  // What was good once, and is remembered by who does not forget tokens.
  std::map<std::string, transport::AccessToken, std::less<>> seen_;
  // And which scopes each user has shown.
  std::map<std::string, std::set<std::string>> shown_;
};

}  // namespace assay::authorization
