// What a client can get wrong when it gets a token by its own credentials.
//
// Extension oauth-client-credentials.
#include <algorithm>

#include "reference/client/faults/authorization.h"
#include "reference/wire/http_text.h"
#include "reference/wire/pkce.h"

namespace assay::client {
namespace {

constexpr std::string_view kOwnBaseline = "ext-oauth-client-credentials.baseline-conforms";
constexpr std::string_view kOwnShown = "ext-oauth-client-credentials.client-authenticated";
constexpr std::string_view kOwnType = "ext-oauth-client-credentials.assertion-type-named";
constexpr std::string_view kOwnNames = "ext-oauth-client-credentials.assertion-names-client";
constexpr std::string_view kOwnAudience =
    "ext-oauth-client-credentials.assertion-for-authorization-server";
constexpr std::string_view kOwnExpires = "ext-oauth-client-credentials.assertion-expires";
constexpr std::string_view kOwnSigned = "ext-oauth-client-credentials.assertion-signed";
constexpr std::string_view kOwnUnregistered =
    "ext-oauth-client-credentials.no-dynamic-registration";
constexpr std::string_view kOwnSecurity = "ext-oauth-client-credentials.security-followed";

// A row of a table: what the login does otherwise.
Fault own_fault(std::string_view id, std::string_view description, std::string_view rule,
                void (*login)(LoginConduct& conduct)) {
  return login_fault(id, description, {rule}, nullptr, login);
}

bool asks_for_own_token(const TokenRequest& request) {
  return value_of(request.form, "grant_type") == "client_credentials";
}

void leave_out_authorization(TokenRequest& request) {
  std::erase_if(request.headers, [](const auto& field) {
    return wire::equals_without_case(field.first, "Authorization");
  });
}

// The claims are others than those that were signed.
std::string changed_after_signing(std::string assertion) {
  const std::size_t first = assertion.find('.');
  const std::size_t last = assertion.rfind('.');
  std::string claims =
      wire::decode_base64url(assertion.substr(first + 1, last - first - 1)).value_or("{}");
  claims.insert(1, R"("admin":true,)");
  return assertion.substr(0, first + 1) + wire::encode_base64url(claims) + assertion.substr(last);
}

std::string without_signature(std::string assertion) {
  return assertion.substr(0, assertion.rfind('.') + 1);
}

std::vector<Fault> own_token_requests() {
  return {
      own_fault("own-token-unauthenticated", "Asks for a token of its own and shows no secret",
                kOwnShown,
                [](LoginConduct& c) {
                  c.token_request = [](TokenRequest& request, const LoginMemory& memory) {
                    if (!asks_for_own_token(request)) return;
                    leave_out_authorization(request);
                    set_value(request.form, "client_id", memory.client_id);
                  };
                }),
      own_fault("own-token-empty-secret", "Asks for a token of its own with an empty secret",
                kOwnShown,
                [](LoginConduct& c) {
                  c.token_request = [](TokenRequest& request, const LoginMemory& memory) {
                    if (!asks_for_own_token(request)) return;
                    leave_out_authorization(request);
                    set_value(request.form, "client_id", memory.client_id);
                    request.form.emplace_back("client_secret", "");
                  };
                }),
      own_fault("own-token-secret-twice",
                "Shows its secret in the header and in the body when it asks for its own token",
                kOwnShown,
                [](LoginConduct& c) {
                  c.token_request = [](TokenRequest& request, const LoginMemory& memory) {
                    if (!asks_for_own_token(request) || memory.secret.empty()) return;
                    set_value(request.form, "client_secret", memory.secret);
                  };
                }),
      own_fault("own-token-without-resource", "Names no resource when it asks for its own token",
                kOwnBaseline,
                [](LoginConduct& c) {
                  c.token_request = [](TokenRequest& request, const LoginMemory&) {
                    if (asks_for_own_token(request)) set_value(request.form, "resource", "");
                  };
                }),
      own_fault("own-token-for-other-resource",
                "Names the authorization server as the resource of its own token", kOwnBaseline,
                [](LoginConduct& c) {
                  c.token_request = [](TokenRequest& request, const LoginMemory&) {
                    if (asks_for_own_token(request)) {
                      set_value(request.form, "resource", request.url);
                    }
                  };
                }),
      own_fault("own-token-secret-in-url",
                "Shows its secret in the URL as well when it asks for its own token", kOwnSecurity,
                [](LoginConduct& c) {
                  c.token_request = [](TokenRequest& request, const LoginMemory& memory) {
                    if (!asks_for_own_token(request) || memory.secret.empty()) return;
                    request.url += "?client_secret=" + memory.secret;
                  };
                }),
      own_fault("own-token-secret-to-server", "Shows its secret to the server", kOwnSecurity,
                [](LoginConduct& c) {
                  c.fields = [](transport::Headers& fields, const LoginMemory& memory) {
                    if (memory.secret.empty() || memory.access_token.empty()) return;
                    fields.emplace_back("X-Client-Secret", memory.secret);
                  };
                }),
      own_fault("own-token-registers",
                "Registers, and asks for a token of its own as the client that came of it",
                kOwnUnregistered,
                [](LoginConduct& c) {
                  c.sources = {ClientSource::kRegistration};
                  c.registration = [](Json& metadata) {
                    metadata["token_endpoint_auth_method"] = "client_secret_basic";
                    metadata["grant_types"] = Json::array({"client_credentials"});
                  };
                }),
  };
}

std::vector<Fault> own_assertions() {
  return {
      own_fault(
          "own-jwt-without-subject", "Leaves sub out of the JWT that shows who it is", kOwnNames,
          [](LoginConduct& c) { c.assertion = [](Json&, Json& claims) { claims.erase("sub"); }; }),
      own_fault("own-jwt-of-other-subject", "Names another subject in the JWT of its own",
                kOwnNames,
                [](LoginConduct& c) {
                  c.assertion = [](Json&, Json& claims) { claims["sub"] = "somebody-else"; };
                }),
      own_fault(
          "own-jwt-without-issuer", "Leaves iss out of the JWT that shows who it is", kOwnNames,
          [](LoginConduct& c) { c.assertion = [](Json&, Json& claims) { claims.erase("iss"); }; }),
      own_fault("own-jwt-of-other-issuer", "Names the audience as the issuer of its own JWT",
                kOwnNames,
                [](LoginConduct& c) {
                  c.assertion = [](Json&, Json& claims) { claims["iss"] = claims["aud"]; };
                }),
      own_fault(
          "own-jwt-without-audience", "Leaves aud out of the JWT that shows who it is",
          kOwnAudience,
          [](LoginConduct& c) { c.assertion = [](Json&, Json& claims) { claims.erase("aud"); }; }),
      own_fault("own-jwt-for-other-audience", "Names another authorization server as audience",
                kOwnAudience,
                [](LoginConduct& c) {
                  c.assertion = [](Json&, Json& claims) {
                    claims["aud"] = "https://auth.elsewhere.example";
                  };
                }),
      own_fault("own-jwt-for-itself", "Names itself as the audience of its own JWT", kOwnAudience,
                [](LoginConduct& c) {
                  c.assertion = [](Json&, Json& claims) {
                    claims["aud"] = Json::array({claims["iss"]});
                  };
                }),
      own_fault(
          "own-jwt-without-expiry", "Never lets its own JWT expire", kOwnExpires,
          [](LoginConduct& c) { c.assertion = [](Json&, Json& claims) { claims.erase("exp"); }; }),
      own_fault("own-jwt-expiry-as-text", "Writes the expiry of its own JWT as a string",
                kOwnExpires,
                [](LoginConduct& c) {
                  c.assertion = [](Json&, Json& claims) { claims["exp"] = claims["exp"].dump(); };
                }),
      own_fault("own-jwt-expired-from-the-start", "Lets its own JWT expire when it is made",
                kOwnExpires,
                [](LoginConduct& c) {
                  c.assertion = [](Json&, Json& claims) { claims["exp"] = claims["iat"]; };
                }),
      own_fault("own-jwt-unsigned", "Does not sign its own JWT, and says so", kOwnSigned,
                [](LoginConduct& c) {
                  c.assertion = [](Json& header, Json&) { header["alg"] = "none"; };
                  c.signed_assertion = without_signature;
                }),
      own_fault("own-jwt-without-signature", "Leaves the signature of its own JWT out", kOwnSigned,
                [](LoginConduct& c) { c.signed_assertion = without_signature; }),
      own_fault("own-jwt-changed-after-signing", "Changes its own JWT after it was signed",
                kOwnSigned, [](LoginConduct& c) { c.signed_assertion = changed_after_signing; }),
      own_fault("own-jwt-without-type", "Does not say that what it shows is a JWT", kOwnType,
                [](LoginConduct& c) {
                  c.token_request = [](TokenRequest& request, const LoginMemory&) {
                    set_value(request.form, "client_assertion_type", "");
                  };
                }),
      own_fault("own-jwt-as-saml", "Says that its own JWT is a SAML assertion", kOwnType,
                [](LoginConduct& c) {
                  c.token_request = [](TokenRequest& request, const LoginMemory&) {
                    if (value_of(request.form, "client_assertion").empty()) return;
                    set_value(request.form, "client_assertion_type",
                              "urn:ietf:params:oauth:client-assertion-type:saml2-bearer");
                  };
                }),
      own_fault("own-jwt-as-grant", "Says that its own JWT is a grant", kOwnType,
                [](LoginConduct& c) {
                  c.token_request = [](TokenRequest& request, const LoginMemory&) {
                    if (value_of(request.form, "client_assertion").empty()) return;
                    set_value(request.form, "client_assertion_type",
                              "urn:ietf:params:oauth:grant-type:jwt-bearer");
                  };
                }),
  };
}

}  // namespace

std::vector<Fault> own_token_faults() {
  std::vector<Fault> all = own_token_requests();
  for (Fault& each : own_assertions()) all.push_back(std::move(each));
  return all;
}

}  // namespace assay::client
