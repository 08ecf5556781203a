// What holds of each login: PKCE, by the values of verifiers and challenges.
//
// OAuth 2.1, sections 4.1.1 and 7.5.2; RFC 7636, section 4.1.
#include <fmt/format.h>

#include "reference/wire/pkce.h"
#include "scenarios/clients/login_review.h"

namespace assay::scenarios {
namespace {

using Kind = LoginStep::Kind;

bool redeems_code(const LoginStep& step) {
  return step.value("grant_type") == "authorization_code" && step.has("code_verifier");
}

// A verifier is as hard to guess as it is long, and must be so by its characters.
void judge_form(LoginReview& login, const LoginStep& step) {
  const std::string verifier = login.bare(step.value("code_verifier"));
  if (verifier.empty()) return;
  login.check("authorization.pkce", wire::is_code_verifier(verifier),
              "code_verifier is not made of 43 to 128 letters, digits and \"-._~\"", step);
}

// A verifier is made for one authorization request: who learns it from one login can redeem the
// code of the next.
void judge_reuse(LoginReview& login, const std::vector<const LoginStep*>& redeemed) {
  for (std::size_t i = 0; i < redeemed.size(); ++i) {
    for (std::size_t j = i + 1; j < redeemed.size(); ++j) {
      const LoginStep& first = *redeemed[i];
      const LoginStep& next = *redeemed[j];
      const bool is_same = first.value("code_verifier") == next.value("code_verifier") &&
                           first.value("code") != next.value("code");
      if (!is_same || first.status() != 200 || next.status() != 200) continue;
      return login.check("authorization.pkce", false,
                         "the client used one code_verifier for two logins",
                         {first.request, next.request});
    }
  }
}

// It is there under another name, such as state.
void judge_sight(LoginReview& login, const LoginStep& asked, const LoginStep& redeemed,
                 const std::string& verifier) {
  for (const auto& [name, value] : asked.asked) {
    const bool is_judged = name == "code_verifier" || name == "code_challenge";
    if (is_judged || login.bare(value) != verifier) continue;
    login.check("authorization.pkce", false,
                fmt::format("the authorization request shows the code_verifier as {}", name),
                {asked.request, redeemed.request});
  }
}

// The challenge travels through the browser, and what is known there is no secret.
void judge_secrecy(LoginReview& login, const std::vector<const LoginStep*>& redeemed) {
  for (const LoginStep* asked : login.all(Kind::kAuthorize)) {
    if (asked->has("code_verifier")) {
      login.check("authorization.pkce", false,
                  "the authorization request shows the code_verifier, which is secret until the "
                  "token request",
                  *asked);
    }
    for (const LoginStep* step : redeemed) {
      const std::string verifier = login.bare(step->value("code_verifier"));
      if (verifier.empty()) continue;
      judge_sight(login, *asked, *step, verifier);
      if (verifier != asked->value("code_challenge")) continue;
      login.check("authorization.pkce-s256", false,
                  "code_challenge is the code_verifier itself, and not its S256 value",
                  {asked->request, step->request});
    }
  }
}

}  // namespace

void judge_pkce_values(LoginReview& login) {
  std::vector<const LoginStep*> redeemed = login.all(Kind::kToken);
  std::erase_if(redeemed, [](const LoginStep* step) { return !redeems_code(*step); });
  for (const LoginStep* step : redeemed) judge_form(login, *step);
  judge_reuse(login, redeemed);
  judge_secrecy(login, redeemed);
}

}  // namespace assay::scenarios
