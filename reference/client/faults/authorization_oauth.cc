// What a client can get wrong of OAuth 2.1 itself, where a server is its own authorization server.
// Specification: basic/authorization of 2025-03-26, "Overview"; OAuth 2.1, sections 2 to 4.
#include "reference/client/faults/authorization.h"

namespace assay::client {
namespace {

Fault oauth_fault(std::string_view id, std::string_view description,
                  void (*login)(LoginConduct& conduct)) {
  return login_fault(id, description, {"authorization.oauth21-implemented"}, &model::Revision::has_own_authorization_server, login);
}

bool redeems(const TokenRequest& request) {
  return value_of(request.form, "grant_type") == "authorization_code";
}

std::vector<Fault> of_requests() {
  return {
      oauth_fault("login-redeems-by-get", "Exchanges its code for a token by GET",
                  [](LoginConduct& c) {
                    c.token_request = [](TokenRequest& request, const LoginMemory&) {
                      if (!redeems(request)) return;
                      request.method = "GET";
                      request.url += "?" + wire::write_form(request.form);
                    };
                  }),
      oauth_fault("login-redeems-as-json", "Writes its token request as JSON",
                  [](LoginConduct& c) {
                    c.token_request = [](TokenRequest& request, const LoginMemory&) {
                      request.is_json = true;
                    };
                  }),
      oauth_fault("login-redeems-twice", "Exchanges its code for a token a second time",
                  [](LoginConduct& c) { c.redeems_twice = true; }),
      oauth_fault("login-redeems-as-nobody", "Exchanges its code for a token without a client id",
                  [](LoginConduct& c) {
                    c.token = [](wire::Form& form) { set_value(form, "client_id", ""); };
                  }),
      oauth_fault("login-repeats-parameter", "Names its client id twice in one request",
                  [](LoginConduct& c) {
                    c.authorization = [](wire::Form& form) {
                      form.emplace_back("client_id", value_of(form, "client_id"));
                    };
                  }),
      oauth_fault("login-redirect-with-fragment", "Has a redirect URI with a fragment",
                  [](LoginConduct& c) {
                    static constexpr const char* kUri = "http://localhost:3000/callback#home";
                    c.registration = [](Json& metadata) {
                      metadata["redirect_uris"] = Json::array({kUri});
                    };
                    c.authorization = [](wire::Form& form) {
                      set_value(form, "redirect_uri", kUri);
                    };
                  }),
      oauth_fault("login-minds-case-of-token-type",
                  "Takes no token whose type is written in small letters",
                  [](LoginConduct& c) { c.minds_case_of_token_type = true; }),
      oauth_fault("login-needs-lifetime", "Takes no token without a lifetime",
                  [](LoginConduct& c) { c.wants_lifetime = true; }),
  };
}

std::vector<Fault> of_secrets() {
  return {
      oauth_fault("login-secret-in-url", "Puts its secret into the URL of the token request",
                  [](LoginConduct& c) {
                    c.token_request = [](TokenRequest& request, const LoginMemory& memory) {
                      if (memory.secret.empty()) return;
                      request.url += "?" + wire::write_form({{"client_secret", memory.secret}});
                    };
                  }),
      oauth_fault("login-secret-in-authorization-request",
                  "Puts its secret into the authorization request",
                  [](LoginConduct& c) {
                    c.secret_in_authorization = [](wire::Form& form, const LoginMemory& memory) {
                      set_value(form, "client_secret", memory.secret);
                    };
                  }),
      oauth_fault("login-secret-twice",
                  "Shows its secret in Authorization and in the body of one request",
                  [](LoginConduct& c) {
                    c.token_request = [](TokenRequest& request, const LoginMemory& memory) {
                      set_value(request.form, "client_secret", memory.secret);
                    };
                  }),
  };
}

}  // namespace

std::vector<Fault> login_oauth_faults() {
  std::vector<Fault> faults = of_requests();
  for (Fault& each : of_secrets()) faults.push_back(std::move(each));
  return faults;
}

}  // namespace assay::client
