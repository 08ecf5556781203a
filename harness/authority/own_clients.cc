// Clients that ask for tokens without a code: by their own credentials, or for a user whom an
// identity provider vouches for.
#include <fmt/format.h>

#include <algorithm>

#include "harness/authority/authority_script.h"
#include "harness/script/json_member.h"

namespace assay::harness {
namespace {

constexpr std::string_view kSigns = "private_key_jwt";

AuthorityClient named_client(const CertifyAuthorityOptions& options, std::string_view method) {
  AuthorityClient client;
  const bool signs = method == kSigns;
  if (signs ? options.client_key == nullptr : options.client_secret.empty()) {
    client.why = signs ? "the client that was named has no private key"
                       : "the client that was named has no secret";
    client.hint = signs ? "give it: --client-key FILE" : "give it: MCP_ASSAY_CLIENT_SECRET";
    return client;
  }
  client.id = options.client_id;
  client.method = method;
  if (signs) client.key = options.client_key;
  if (!signs) client.secret = options.client_secret;
  return client;
}

}  // namespace

AuthorityClient AuthorityScript::client_for(std::string_view grant, std::string_view method) {
  if (!options_.client_id.empty()) return named_client(options_, method);
  AuthorityClient client;
  const std::string url = registration_url(inquirer_, options_, facts_.metadata, client);
  if (url.empty()) return client;
  Json asked = {{"client_name", "mcp-assay"},
                {"grant_types", Json::array({std::string(grant)})},
                {"response_types", Json::array()},
                {"token_endpoint_auth_method", std::string(method)}};
  std::shared_ptr<const authorization::SigningKey> key;
  if (method == kSigns) {
    key = std::make_shared<const authorization::SigningKey>(authorization::Signing::kEs256);
    asked["jwks"] = {{"keys", Json::array({key->jwk()})}};
  }
  client.registration = inquirer_.post_json(url, asked);
  const Json& made = client.registration.json;
  const std::string_view id = text_member(made, "client_id");
  client.secret = text_member(made, "client_secret");
  const bool is_usable = key != nullptr || !client.secret.empty();
  if (!client.registration.is_success() || id.empty() || !is_usable) {
    client.why = fmt::format("a registration with {} was answered with {}", method,
                             client.registration.describe());
    client.hint = "name a client that is registered: --client-id";
    return client;
  }
  client.id = id;
  client.method = method;
  client.key = std::move(key);
  if (!client.secret.empty()) options_.vault->add(client.secret);
  return client;
}

}  // namespace assay::harness
