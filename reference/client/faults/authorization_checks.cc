// What a client can compare too loosely, too late or at some times only: state, PKCE, issuers.
// Specification: basic/authorization, "Authorization Response Validation", "Authorization Code
// Protection", "Open Redirection"; its page authorization-server-discovery.
#include "reference/client/faults/authorization.h"
#include "reference/transport/observer.h"
#include "reference/wire/pkce.h"

namespace assay::client {
namespace {

Rules of_code_protection() {
  return {"authorization.pkce", "authorization.oauth21-implemented",
          "authorization.oauth-security-followed", "authorization.security-followed"};
}

Rules of_compared_issuer() {
  return {"authorization.advertised-issuer-compared", "authorization.issuer-validated",
          "authorization.oauth-security-followed", "authorization.security-followed"};
}

Rules of_metadata_issuer() {
  return {"authorization.metadata-issuer-identical",
          "authorization.metadata-of-other-issuer-unused", "authorization.metadata-validated",
          "authorization.discovery-followed"};
}

std::string in_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    out += kDigits[static_cast<std::size_t>(byte >> 4)];
    out += kDigits[static_cast<std::size_t>(byte & 15)];
  }
  return out;
}

std::vector<Fault> state_checks() {
  const Rules rules = {"authorization.state-verified"};
  const auto concerns = &model::Revision::has_resource_metadata;
  return {
      login_fault("login-empty-state", "Sends a state that is empty", rules, concerns,
                  [](LoginConduct& c) {
                    c.checks_state = false;
                    c.authorization = [](wire::Form& form) {
                      set_value(form, "state", "");
                      form.emplace_back("state", "");
                    };
                  }),
      login_fault("login-takes-empty-state", "Takes a response whose state is empty", rules,
                  concerns,
                  [](LoginConduct& c) {
                    c.matches_state = [](const std::string& came, const std::string& sent) {
                      return came.empty() || came == sent;
                    };
                  }),
      login_fault("login-state-any-case", "Compares states without regard to case", rules, concerns,
                  [](LoginConduct& c) {
                    c.matches_state = [](const std::string& came, const std::string& sent) {
                      return transport::lower_case(came) == transport::lower_case(sent);
                    };
                  }),
      login_fault("login-state-in-part", "Takes a response with a part of the state", rules,
                  concerns,
                  [](LoginConduct& c) {
                    c.matches_state = [](const std::string& came, const std::string& sent) {
                      return !came.empty() && sent.starts_with(came);
                    };
                  }),
  };
}

std::vector<Fault> pkce_checks() {
  return {
      login_fault("login-verifier-is-state", "Uses the code verifier as the state as well",
                  of_code_protection(), &model::Revision::has_authorization,
                  [](LoginConduct& c) { c.shows_verifier_as_state = true; }),
      login_fault("login-challenge-in-hex", "Writes the challenge in hexadecimal digits",
                  of_code_protection(), &model::Revision::has_authorization,
                  [](LoginConduct& c) {
                    c.authorization = [](wire::Form& form) {
                      const auto bytes = wire::decode_base64url(value_of(form, "code_challenge"));
                      set_value(form, "code_challenge", in_hex(bytes.value_or("")));
                    };
                  }),
      login_fault("login-method-in-small-letters", "Writes the challenge method as s256",
                  {"authorization.pkce-s256", "authorization.security-followed"},
                  &model::Revision::has_pkce_in_metadata,
                  [](LoginConduct& c) {
                    c.authorization = [](wire::Form& form) {
                      set_value(form, "code_challenge_method", "s256");
                    };
                  }),
      login_fault(
          "login-assumes-pkce-of-openid", "Verifies that PKCE is supported in OAuth metadata only",
          {"authorization.pkce-openid-verified", "authorization.pkce-unsupported-openid-refused",
           "authorization.pkce-support-verified", "authorization.pkce-support-from-metadata",
           "authorization.security-followed"},
          &model::Revision::has_pkce_in_metadata,
          [](LoginConduct& c) { c.wants_challenge_method_of_openid = false; }),
  };
}

std::vector<Fault> response_checks() {
  const auto concerns = &model::Revision::has_issuer_validation;
  std::vector<Fault> faults = {
      login_fault("login-takes-empty-issuer", "Takes a response whose issuer is empty",
                  of_compared_issuer(), concerns,
                  [](LoginConduct& c) {
                    c.matches_response = [](const std::string& said, const std::string& meant) {
                      return said.empty() || said == meant;
                    };
                  }),
      login_fault("login-issuer-in-part", "Takes a response with a part of the issuer",
                  of_compared_issuer(), concerns,
                  [](LoginConduct& c) {
                    c.matches_response = [](const std::string& said, const std::string& meant) {
                      return !said.empty() && meant.starts_with(said);
                    };
                  }),
      login_fault("login-issuer-of-any-port", "Compares issuers without their ports",
                  of_compared_issuer(), concerns,
                  [](LoginConduct& c) {
                    c.matches_response = [](const std::string& said, const std::string& meant) {
                      return said == meant || said == meant.substr(0, meant.rfind(':'));
                    };
                  }),
      login_fault("login-checks-advertised-issuer-only",
                  "Compares the issuer only where it was announced",
                  {"authorization.unadvertised-issuer-compared", "authorization.issuer-validated",
                   "authorization.oauth-security-followed", "authorization.security-followed"},
                  concerns, [](LoginConduct& c) { c.checks_unadvertised_issuer = false; }),
      login_fault("login-opens-foreign-error-page",
                  "Opens the page of an error that another issuer sends",
                  {"authorization.mismatched-error-ignored"}, concerns,
                  [](LoginConduct& c) { c.opens_error_page = true; }),
  };
  Rules late = of_compared_issuer();
  late.insert(
      late.end(),
      {"authorization.state-verified", "authorization.unadvertised-issuer-compared",
       "authorization.issuer-not-normalized", "authorization.advertised-issuer-missing-rejected"});
  faults.push_back(login_fault("login-checks-response-late",
                               "Redeems the code, and looks at state and issuer afterwards", late,
                               concerns, [](LoginConduct& c) { c.redeems_before_checks = true; }));
  // A part of an issuer, or one without its port, may be one that is normalized.
  faults[1].may_break = {"authorization.unadvertised-issuer-compared"};
  return faults;
}

std::vector<Fault> metadata_checks() {
  const auto concerns = &model::Revision::has_issuer_validation;
  Rules of_openid = of_metadata_issuer();
  of_openid.push_back("authorization.metadata-of-other-issuer-rejected");
  return {
      login_fault("login-metadata-issuer-in-part",
                  "Accepts metadata that name a part of the right issuer", of_metadata_issuer(),
                  concerns,
                  [](LoginConduct& c) {
                    c.matches_metadata = [](const std::string& said, const std::string& meant) {
                      return !said.empty() && meant.starts_with(said);
                    };
                  }),
      login_fault("login-metadata-issuer-decoded",
                  "Decodes the issuer of metadata before it compares it", of_metadata_issuer(),
                  concerns,
                  [](LoginConduct& c) {
                    c.matches_metadata = [](const std::string& said, const std::string& meant) {
                      return wire::decode_form_text(said) == meant;
                    };
                  }),
      login_fault("login-checks-oauth-issuer-only", "Compares the issuer of OAuth metadata only",
                  of_openid, concerns, [](LoginConduct& c) { c.checks_issuer_of_openid = false; }),
      login_fault("login-checks-first-issuer-only",
                  "Compares the issuer of the first authorization server's metadata only",
                  of_openid, concerns, [](LoginConduct& c) { c.checks_next_issuer = false; }),
  };
}

}  // namespace

std::vector<Fault> login_check_faults() {
  std::vector<Fault> faults = state_checks();
  for (auto table : {pkce_checks(), response_checks(), metadata_checks()}) {
    for (Fault& each : table) faults.push_back(std::move(each));
  }
  return faults;
}

}  // namespace assay::client
