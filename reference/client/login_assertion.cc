// JWTs in a login: by one the client shows who it is, by another an identity provider says who its
// user is, and by a third a platform says which workload it is.
//
// Extensions oauth-client-credentials, enterprise-managed-authorization and
// workload-identity-federation; RFC 7523 and 8693.
#include "reference/client/login_assertion.h"

#include <fmt/format.h>

#include <chrono>

#include "reference/client/login.h"
#include "reference/client/login_json.h"
#include "reference/transport/http_url.h"
#include "reference/transport/loopback.h"
#include "reference/transport/random_id.h"
#include "reference/wire/peer_json.h"

namespace assay::client {
namespace {

using transport::Failure;
using transport::Fetched;

// No longer than a request may take on its way.
constexpr std::chrono::seconds kLifeOfAssertion{120};

}  // namespace

bool is_safe(const std::string& url) {
  const auto parsed = transport::HttpUrl::parse(url);
  const auto* read = std::get_if<transport::HttpUrl>(&parsed);
  return read != nullptr && (read->is_tls || transport::is_loopback(*read));
}

std::string unsafe_place(const char* which, const std::string& url) {
  return fmt::format("the {} endpoint is neither https nor on this machine: {}", which, url);
}

std::string body_of(const TokenRequest& request) {
  if (!request.is_json) return request.method == "POST" ? wire::write_form(request.form) : "";
  Json body = Json::object();
  for (const auto& [name, value] : request.form) body[name] = value;
  return body.dump();
}

std::string Login::client_assertion() const {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  Json header = {{"alg", options_.signing_algorithm}, {"typ", "JWT"}};
  Json claims = {{"iss", client_.id},
                 {"sub", client_.id},
                 {"aud", issuer_},
                 {"iat", now.count()},
                 {"exp", (now + kLifeOfAssertion).count()},
                 {"jti", transport::random_id()}};
  const LoginConduct& conduct = options_.conduct;
  if (conduct.assertion != nullptr) conduct.assertion(header, claims);
  std::string text = options_.sign(header, claims);
  return conduct.signed_assertion != nullptr ? conduct.signed_assertion(std::move(text)) : text;
}

std::variant<std::string, Failure> Login::exchange_identity() {
  TokenRequest request;
  request.url = options_.idp.token_endpoint;
  request.form = {{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
                  {"requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"},
                  {"audience", issuer_},
                  {"resource", resource()},
                  {"subject_token", options_.idp.id_token},
                  {"subject_token_type", "urn:ietf:params:oauth:token-type:id_token"},
                  {"client_id", options_.idp.client_id}};
  if (!scope_.empty()) request.form.emplace_back("scope", scope_);
  if (options_.conduct.exchange != nullptr) options_.conduct.exchange(request, memory());
  const auto answer =
      post(request.url, "application/x-www-form-urlencoded", body_of(request), request.headers);
  const auto* fetched = std::get_if<Fetched>(&answer);
  if (fetched == nullptr) return std::get<Failure>(answer);
  const Json token = wire::parse_of_peer(fetched->body);
  std::string grant = text_in(token, "access_token");
  if (fetched->status == 200 && !grant.empty()) return grant;
  return Failure{Failure::Kind::kOther,
                 fmt::format("the identity provider refused: {} {}", text_in(token, "error"),
                             text_in(token, "error_description"))};
}

LoginTrouble Login::assert_identity() {
  identity_grant_ = options_.idp.id_token;
  if (options_.conduct.exchanges_identity) {
    auto given = exchange_identity();
    if (const auto* failure = std::get_if<Failure>(&given)) return failure->detail;
    identity_grant_ = std::get<std::string>(std::move(given));
  }
  return ask_token({{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
                    {"assertion", identity_grant_}});
}

LoginTrouble Login::assert_workload() {
  const LoginConduct& conduct = options_.conduct;
  identity_grant_ =
      conduct.picks_workload_jwt ? options_.workload_jwt : options_.other_workload_jwt;
  if (conduct.workload_jwt != nullptr) identity_grant_ = conduct.workload_jwt(identity_grant_);
  return ask_token({{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
                    {"assertion", identity_grant_}});
}

}  // namespace assay::client
