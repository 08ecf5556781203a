// Scenarios about clients that have a secret: without it a code and a refresh token are of no use.
//
// Specification: basic/authorization, 2025-06-18 and later, "Overview" (OAuth 2.1, sections 4.1.3
// and 4.3.1: an authorization server demands of a client with credentials that it shows them).
#include <optional>
#include <string>
#include <utility>

#include "scenarios/authorities/assertions.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// The client of the user, or one that is registered for this; not known where there is neither.
AuthorityClient client_with_secret(AuthorityScript& script) {
  if (!script.client().is_public()) return script.client();
  const Json method = std::string(secret_method(script.facts().metadata));
  return script.another_client({{"token_endpoint_auth_method", method}});
}

class SecretTrial {
 public:
  SecretTrial(AuthorityScript& script, AuthorityClient client)
      : script_(script), client_(std::move(client)) {
    // Some look at no more than the first letters of a long secret.
    other_ = client_;
    other_.secret.front() = other_.secret.front() == 'x' ? 'y' : 'x';
    bare_ = client_;
    bare_.method = "none";
    beginning_ = client_;
    beginning_.secret.resize(client_.secret.size() / 2);
  }

  void play() {
    const auto token = exchange_as(client_);
    if (!token || !gives_any_token(*token)) return;
    judge_exchange(other_, "a code and a wrong secret");
    judge_exchange(bare_, "a code of a client that has a secret, and did not show it");
    const std::string refresh(text_member(token->json, "refresh_token"));
    if (refresh.empty()) return;
    judge_renewal(other_, refresh, "a refresh token and a wrong secret");
    judge_renewal(beginning_, refresh, "a refresh token and the beginning of the secret");
    judge_renewal(bare_, refresh,
                  "a refresh token of a client that has a secret, and did not show it");
  }

 private:
  // A new code for each: what is refused may use it up. Nothing where there is none.
  std::optional<AuthorityAnswer> exchange_as(const AuthorityClient& shown) {
    CodeRequest request = script_.code_request();
    request.client_id = client_.id;
    const CodeResponse code = script_.ask_for_code(request, true);
    if (!code.has_code()) return std::nullopt;
    return script_.exchange_code_as(shown, code, request, request.verifier);
  }

  void judge_exchange(const AuthorityClient& shown, const char* what) {
    const auto answer = exchange_as(shown);
    if (answer) judge_forged(script_, *answer, kAuthorityOauth21, what);
  }
  void judge_renewal(const AuthorityClient& shown, const std::string& refresh, const char* what) {
    const AuthorityAnswer answer = script_.ask_for_token_as(
        shown, {{"grant_type", "refresh_token"}, {"refresh_token", refresh}});
    judge_forged(script_, answer, kAuthorityOauth21, what);
  }

  AuthorityScript& script_;
  const AuthorityClient client_;
  AuthorityClient other_;
  AuthorityClient bare_;
  AuthorityClient beginning_;
};

// A client that has a secret shows it with each code and each refresh token.
const AuthorityScenarioRegistration kDemandsSecrets({
    .name = "authority_demands_secrets_for_codes",
    .requirements = {kAuthorityOauth21},
    .body =
        [](AuthorityScript& script) {
          if (script.lacks_means({kAuthorityOauth21})) return;
          const AuthorityClient client = client_with_secret(script);
          const bool shows_secret =
              client.method == "client_secret_basic" || client.method == "client_secret_post";
          if (!shows_secret || client.secret.empty()) return;
          SecretTrial(script, client).play();
        },
});

}  // namespace
}  // namespace assay::scenarios
