// What a server can overlook when it registers clients, and when they show their secrets for a code
// or a refresh token.
//
// RFC 7591, section 3.2.1; OAuth 2.1, sections 4.1.3 and 4.3.1.
#include "reference/authorization/fault.h"
#include "reference/wire/form.h"

namespace assay::authorization {
namespace {

using model::Revision;

constexpr std::string_view kRegistration =
    "authorization.dynamic-registration-authorization-server";

Fault of_registration(std::string_view id, std::string_view description,
                      void (*spoil)(Knobs& knobs)) {
  return {.id = id,
          .description = description,
          .breaks = {kRegistration},
          .concerns = &Revision::needs_dynamic_registration,
          .spoil = spoil};
}

// Spoils the answer to a registration.
template <auto Spoil>
void spoil_registration(Knobs& knobs) {
  knobs.conduct.registration = Spoil;
}

void leave_expiry_out(Json& answer) {
  answer.erase("client_secret_expires_at");
}
void write_expiry_as_text(Json& answer) {
  if (answer.contains("client_secret_expires_at")) answer["client_secret_expires_at"] = "0";
}
void name_other_redirects(Json& answer) {
  if (answer.contains("redirect_uris")) {
    answer["redirect_uris"] = Json::array({"https://client.assay.invalid/callback"});
  }
}

// Of those that clients get who ask for none, too.
template <auto Spoil>
void spoil_secrets(Knobs& knobs) {
  knobs.auth_methods = {kSecretInHeader, kSecretInBody};
  knobs.conduct.registration = Spoil;
}

std::vector<Fault> faults_of_registration() {
  return {
      of_registration("as-without-registration", "Registers no clients",
                      [](Knobs& k) { k.registers = false; }),
      of_registration("as-registration-without-id", "Registers clients and does not tell their ids",
                      spoil_registration<[](Json& json) { json.erase("client_id"); }>),
      of_registration(
          "as-registration-200", "Answers a registration with 200",
          [](Knobs& k) {
            k.conduct.reply = [](const transport::HttpHead& request, transport::HttpReply& reply) {
              const bool is_registration = wire::path_in(request.target).ends_with("/register");
              if (is_registration && reply.status == 201) reply.status = 200;
            };
          }),
      of_registration("as-registration-of-other-redirects",
                      "Answers a registration with redirect URIs that no client registered",
                      spoil_registration<name_other_redirects>),
      of_registration("as-registration-without-redirects",
                      "Does not say which redirect URIs it has registered",
                      spoil_registration<[](Json& json) { json.erase("redirect_uris"); }>),
      of_registration("as-secret-without-expiry",
                      "Gives clients a secret, and does not say when it expires",
                      spoil_secrets<leave_expiry_out>),
      of_registration("as-secret-expiry-as-text", "Writes client_secret_expires_at as a text",
                      spoil_secrets<write_expiry_as_text>),
  };
}

std::vector<Fault> faults_of_secrets() {
  return {
      {.id = "as-any-secret-at-renewal",
       .description = "Takes any secret of a client that renews its tokens",
       .breaks = {kOauth21},
       .spoil = [](Knobs& k) { k.conduct.checks_secret_at_renewal = false; }},
  };
}

}  // namespace

std::vector<Fault> client_faults() {
  std::vector<Fault> faults = faults_of_registration();
  for (Fault& fault : faults_of_secrets()) faults.push_back(std::move(fault));
  return faults;
}

}  // namespace assay::authorization
