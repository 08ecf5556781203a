#include "reference/authorization/identity_provider.h"

#include <chrono>
#include <utility>

#include "reference/authorization/knobs.h"
#include "reference/authorization/server_replies.h"
#include "reference/transport/random_id.h"
#include "reference/wire/http_text.h"

namespace assay::authorization {
namespace {

using wire::form_value;

constexpr const char* kUser = "user-5b1f";
constexpr std::chrono::seconds kLifeOfTokens{300};
constexpr const char* kIdJag = "urn:ietf:params:oauth:token-type:id-jag";
constexpr const char* kExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
constexpr int kNotGood = 400;

}  // namespace

IdentityProvider::IdentityProvider(std::string issuer, IdpClient client)
    : issuer_(std::move(issuer)),
      client_(std::move(client)),
      id_token_(token("JWT", {{"aud", client_.id}})) {}

std::string IdentityProvider::token(const std::string& type, Json claims) const {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  claims["iss"] = issuer_;
  claims["sub"] = kUser;
  claims["iat"] = now.count();
  claims["exp"] = (now + kLifeOfTokens).count();
  claims["jti"] = transport::random_id();
  return key_.sign(claims, type);
}

std::optional<transport::HttpReply> IdentityProvider::handle(const transport::HttpHead& request,
                                                             std::string_view body) const {
  const std::string_view path = wire::path_in(request.target);
  if (request.method == "POST" && path == kExchangePath) return exchange(wire::read_form(body));
  if (request.method != "GET") return std::nullopt;
  if (path == "/jwks") return json_reply(200, {{"keys", Json::array({key_.jwk()})}});
  if (path != "/.well-known/openid-configuration") return std::nullopt;
  return json_reply(200, {{"issuer", issuer_},
                          {"authorization_endpoint", issuer_ + "/authorize"},
                          {"token_endpoint", exchange_endpoint()},
                          {"jwks_uri", issuer_ + "/jwks"},
                          {"response_types_supported", {"code"}},
                          {"subject_types_supported", {"public"}},
                          {"id_token_signing_alg_values_supported", {"ES256"}},
                          {"grant_types_supported", {kExchange}}});
}

transport::HttpReply IdentityProvider::exchange(const wire::Form& asked) const {
  const auto value = [&](const char* name) { return form_value(asked, name).value_or(""); };
  if (value("grant_type") != kExchange) {
    return refuse(kNotGood, "unsupported_grant_type", "grant_type has to be token-exchange");
  }
  const bool has_all = value("requested_token_type") == kIdJag && !value("audience").empty() &&
                       !value("resource").empty() && !value("subject_token_type").empty();
  if (!has_all) return refuse(kNotGood, "invalid_request", "a parameter is missing or wrong");
  if (value("subject_token") != id_token_) {
    return refuse(kNotGood, "invalid_grant", "subject_token is not the ID token of the user");
  }
  Json claims = {{"aud", value("audience")},
                 {"resource", value("resource")},
                 {"client_id", client_.id_elsewhere}};
  if (const auto scope = form_value(asked, "scope")) claims["scope"] = *scope;
  return json_reply(200, {{"access_token", token(kIdJagType, std::move(claims))},
                          {"issued_token_type", kIdJag},
                          {"token_type", "N_A"},
                          {"expires_in", kLifeOfTokens.count()}});
}

}  // namespace assay::authorization
