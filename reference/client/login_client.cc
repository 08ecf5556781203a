// As whom a client logs in.
#include <fmt/format.h>

#include <algorithm>

#include "reference/client/login.h"
#include "reference/client/login_assertion.h"
#include "reference/client/login_json.h"
#include "reference/wire/peer_json.h"

namespace assay::client {
namespace {

using transport::Failure;
using transport::Fetched;

}  // namespace

LoginTrouble Login::choose_client() {
  const LoginConduct& conduct = options_.conduct;
  const bool overlooks = moves_ > 1 && !conduct.notices_each_move;
  const bool is_known = client_.issuer == issuer_ || !conduct.keeps_clients_apart || overlooks;
  if (!client_.id.empty() && is_known) return std::nullopt;
  if (!client_.id.empty() && client_.id == options_.client_id) {
    return "the client is not registered with this authorization server";
  }
  for (const ClientSource source : conduct.sources) {
    LoginTrouble trouble;
    if (take_client(source, trouble)) return trouble;
  }
  return "the authorization server registers no clients";
}

// False where there is no such client here.
bool Login::take_client(ClientSource source, LoginTrouble& trouble) {
  const LoginConduct& conduct = options_.conduct;
  switch (source) {
    case ClientSource::kGiven:
      if (options_.client_id.empty()) return false;
      take_given_client();
      return true;
    case ClientSource::kDocument: {
      constexpr const char* kSupport = "client_id_metadata_document_supported";
      const std::string document =
          conduct.document.empty() ? options_.client_document : conduct.document;
      const bool is_taken = says_yes(server_, kSupport) || !conduct.checks_document_support ||
                            (!conduct.reads_document_support && server_.contains(kSupport));
      if (document.empty() || !conduct.has_document || !is_taken) return false;
      client_ = {issuer_, document, "", "none"};
      return true;
    }
    case ClientSource::kRegistration:
      if (text_in(server_, "registration_endpoint").empty()) return false;
      trouble = register_client();
      return true;
  }
  return false;
}

void Login::take_given_client() {
  client_ = {issuer_, options_.client_id, options_.client_secret, "none"};
  const Json methods = server_.value("token_endpoint_auth_methods_supported", Json());
  const auto has = [&](const char* method) {
    return methods.is_array() && std::find(methods.begin(), methods.end(), method) != methods.end();
  };
  const bool signs = options_.sign != nullptr && (has(kSignsAssertions) || client_.secret.empty());
  if (signs) client_.method = kSignsAssertions;
  if (signs || client_.secret.empty() || !options_.conduct.shows_secret) return;
  const bool is_in_body = has("client_secret_post") && !has("client_secret_basic");
  client_.method = is_in_body ? "client_secret_post" : "client_secret_basic";
}

LoginTrouble Login::register_client() {
  const std::string url = text_in(server_, "registration_endpoint");
  Json metadata = {{"client_name", options_.client_name},
                   {"redirect_uris", Json::array({options_.redirect_uri})},
                   {"grant_types", Json::array({"authorization_code"})},
                   {"response_types", Json::array({"code"})},
                   {"application_type", "native"}};
  // Who says which grants there are refuses others.
  const Json grants = server_.value("grant_types_supported", Json());
  const bool may_renew = !grants.is_array() ||
                         std::find(grants.begin(), grants.end(), "refresh_token") != grants.end();
  if (may_renew) metadata["grant_types"].push_back("refresh_token");
  const Json methods = server_.value("token_endpoint_auth_methods_supported", Json());
  const bool has_methods = methods.is_array() && !methods.empty();
  const bool has_none =
      !has_methods || std::find(methods.begin(), methods.end(), "none") != methods.end();
  metadata["token_endpoint_auth_method"] = has_none ? Json("none") : methods.front();
  if (options_.conduct.registration != nullptr) options_.conduct.registration(metadata);
  LoginTrouble trouble;
  for (int i = 0; i < options_.conduct.registrations; ++i) {
    trouble = try_to_register(url, metadata);
    if (!trouble) break;
  }
  return trouble;
}

LoginTrouble Login::try_to_register(const std::string& url, const Json& metadata) {
  transport::Headers more;
  if (options_.conduct.registration_fields != nullptr) {
    options_.conduct.registration_fields(more, memory());
  }
  const auto answer = post(url, "application/json", metadata.dump(), more);
  const auto* fetched = std::get_if<Fetched>(&answer);
  if (fetched == nullptr) return std::get<Failure>(answer).detail;
  const Json made = wire::parse_of_peer(fetched->body);
  const std::string former_secret = client_.secret;
  client_ = {issuer_, text_in(made, "client_id"), text_in(made, "client_secret"),
             text_in(made, "token_endpoint_auth_method")};
  const bool keeps_former = !options_.conduct.keeps_secrets_apart && !former_secret.empty();
  if (keeps_former) client_.secret = former_secret;
  const bool is_made = fetched->status / 100 == 2 && !client_.id.empty();
  if (is_made || !options_.conduct.heeds_refused_registration) return std::nullopt;
  return fmt::format("the registration was refused: {} {}", text_in(made, "error"),
                     text_in(made, "error_description"));
}

}  // namespace assay::client
