// An identity provider of an enterprise: it says who a user is, and gives clients grants by which
// they get tokens of other authorization servers for that user.
//
// Extension enterprise-managed-authorization; RFC 8693;
// draft-ietf-oauth-identity-assertion-authz-grant.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reference/authorization/jws.h"
#include "reference/transport/http_listener.h"
#include "reference/wire/form.h"

namespace assay::authorization {

// A client, as it is known here, and at the authorization server that grants are for.
struct IdpClient {
  std::string id;
  std::string id_elsewhere;
};

// Thread safety: any thread may call any member.
class IdentityProvider {
 public:
  // Where grants are asked for. Like no place that can be guessed.
  static constexpr const char* kExchangePath = "/exchange-5c08";

  // `issuer` is where it is reached: "http://127.0.0.1:1234".
  IdentityProvider(std::string issuer, IdpClient client);

  const std::string& issuer() const { return issuer_; }
  std::string exchange_endpoint() const { return issuer_ + kExchangePath; }
  // What its grants are verified by.
  std::shared_ptr<const VerifyingKey> verifying_key() const {
    return VerifyingKey::read(key_.jwk());
  }
  // Of its user, who has logged in before.
  const std::string& id_token() const { return id_token_; }
  // Nothing where the request is for none of its endpoints.
  std::optional<transport::HttpReply> handle(const transport::HttpHead& request,
                                             std::string_view body) const;

 private:
  std::string token(const std::string& type, Json claims) const;
  transport::HttpReply exchange(const wire::Form& asked) const;

  const std::string issuer_;
  const IdpClient client_;
  const SigningKey key_{Signing::kEs256};
  const std::string id_token_;
};

}  // namespace assay::authorization
