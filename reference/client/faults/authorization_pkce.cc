// What a client can get wrong with PKCE and state, by their values and not by whether they are
// there. Specification: basic/authorization, "Authorization Code Protection", "Open Redirection".
#include "reference/client/faults/authorization.h"
#include "reference/transport/random_id.h"

namespace assay::client {
namespace {

// What a breach of the rule about PKCE breaks besides.
const std::vector<std::string_view> kPkce = {
    "authorization.pkce", "authorization.oauth21-implemented",
    "authorization.oauth-security-followed", "authorization.security-followed"};

Fault pkce_fault(std::string_view id, std::string_view description,
                 void (*login)(LoginConduct& conduct)) {
  return login_fault(id, description, kPkce, &model::Revision::has_authorization, login);
}

Fault state_fault(std::string_view id, std::string_view description,
                  void (*login)(LoginConduct& conduct)) {
  return login_fault(id, description, {"authorization.state-verified"}, &model::Revision::has_resource_metadata, login);
}

}  // namespace

std::vector<Fault> login_pkce_faults() {
  std::vector<Fault> faults = {
      pkce_fault("login-short-verifier", "Makes verifiers of 20 characters",
                 [](LoginConduct& c) {
                   c.verifier = [] { return transport::random_id().substr(0, 20); };
                 }),
      pkce_fault("login-long-verifier", "Makes verifiers of 160 characters",
                 [](LoginConduct& c) {
                   c.verifier = [] {
                     std::string out;
                     for (int i = 0; i < 5; ++i) out += transport::random_id();
                     return out;
                   };
                 }),
      pkce_fault("login-verifier-in-base64", "Makes verifiers of characters that they may not have",
                 [](LoginConduct& c) {
                   c.verifier = [] {
                     return transport::random_id() + "+/" + transport::random_id() + "==";
                   };
                 }),
      pkce_fault("login-same-verifier", "Uses one verifier for each login",
                 [](LoginConduct& c) {
                   c.verifier = [] {
                     return std::string("one-verifier-for-all-logins-0123456789-abcdef");
                   };
                 }),
      pkce_fault("login-shows-verifier", "Puts the verifier into the authorization request",
                 [](LoginConduct& c) { c.shows_verifier = true; }),
      pkce_fault("login-next-without-pkce", "Uses PKCE for its first login only",
                 [](LoginConduct& c) {
                   c.next_authorization = [](wire::Form& form) {
                     set_value(form, "code_challenge", "");
                     set_value(form, "code_challenge_method", "");
                   };
                 }),
      state_fault("login-any-response-without-state", "Takes a response without a state",
                  [](LoginConduct& c) { c.wants_state = false; }),
      state_fault("login-state-by-its-beginning", "Compares the beginning of the state only",
                  [](LoginConduct& c) {
                    c.matches_state = [](const std::string& came, const std::string& sent) {
                      return came.starts_with(sent);
                    };
                  }),
      state_fault("login-next-without-state", "Sends a state with its first login only",
                  [](LoginConduct& c) {
                    c.wants_state = false;
                    c.next_authorization = [](wire::Form& form) { set_value(form, "state", ""); };
                  }),
  };
  Fault plain = pkce_fault("login-challenge-is-verifier",
                           "Shows the verifier itself as the challenge, and says S256",
                           [](LoginConduct& c) { c.shows_verifier_as_challenge = true; });
  plain.breaks.push_back("authorization.pkce-s256");
  faults.push_back(plain);
  Fault unsaid = pkce_fault("login-method-left-out",
                            "Sends a challenge by S256, and does not say so", [](LoginConduct& c) {
                              c.authorization = [](wire::Form& form) {
                                set_value(form, "code_challenge_method", "");
                              };
                            });
  unsaid.breaks = {"authorization.pkce-s256", "authorization.security-followed"};
  unsaid.concerns = &model::Revision::has_pkce_in_metadata;
  faults.push_back(unsaid);
  return faults;
}

}  // namespace assay::client
