// What holds of each login where the server is its own authorization server: OAuth 2.1, as far as
// requests show it.
//
// Specification: basic/authorization of 2025-03-26, "Overview"; OAuth 2.1, sections 2.3, 2.4, 3.1,
// 3.2 and 4.1.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "harness/script/json_member.h"
#include "reference/transport/observer.h"
#include "reference/wire/form.h"
#include "scenarios/clients/login_review.h"

namespace assay::scenarios {
namespace {

using Kind = LoginStep::Kind;

constexpr catalogue::RequirementId kOauthRule = "authorization.oauth21-implemented";

// The parameters of an authorization request; resource (RFC 8707) may come more than once.
constexpr std::array<std::string_view, 7> kOnce = {
    "client_id", "code_challenge", "code_challenge_method", "redirect_uri", "response_type",
    "scope",     "state"};

bool shows_itself(const LoginStep& step) {
  return !step.value("client_id").empty() || step.has("client_assertion") ||
         transport::find_header(step.head().headers, "Authorization").has_value();
}

void judge_oauth_authorization(LoginReview& login, const LoginStep& step) {
  for (const std::string_view name : kOnce) {
    const auto times = std::count_if(step.asked.begin(), step.asked.end(),
                                     [&](const auto& pair) { return pair.first == name; });
    if (times <= 1) continue;
    login.check(kOauthRule, false,
                fmt::format("the authorization request has {} more than once", name), step);
  }
  if (!step.value("client_secret").empty()) {
    login.check(kOauthRule, false, "the URL of the authorization request has the client's secret",
                step);
  }
  if (step.value("redirect_uri").find('#') != std::string::npos) {
    login.check(kOauthRule, false, "redirect_uri has a fragment", step);
  }
}

void judge_oauth_token(LoginReview& login, const LoginStep& step) {
  const std::string& method = step.head().method;
  if (method == "OPTIONS") return;
  if (method != "POST") {
    return login.check(kOauthRule, false, "the token request comes by another method than POST",
                       step);
  }
  const bool is_form =
      transport::media_type(step.head().headers) == "application/x-www-form-urlencoded";
  if (!is_form) {
    return login.check(kOauthRule, false,
                       "the token request is no application/x-www-form-urlencoded", step);
  }
  login.check(kOauthRule, shows_itself(step),
              "the token request has neither client_id nor Authorization", step);
  if (wire::form_value(step.query(), "client_secret")) {
    login.check(kOauthRule, false, "the URL of the token request has the client's secret", step);
  }
  const auto field = transport::find_header(step.head().headers, "Authorization");
  if (field && field->starts_with("Basic ") && !step.value("client_secret").empty()) {
    login.check(kOauthRule, false,
                "the token request shows the secret both in Authorization and in its body", step);
  }
}

// A client that had no answer may try again.
void judge_oauth_codes(LoginReview& login) {
  std::map<std::string, const LoginStep*> redeemed;
  for (const LoginStep* step : login.all(Kind::kToken)) {
    const std::string code = step->value("code");
    if (code.empty() || step->value("grant_type") != "authorization_code") continue;
    const auto [found, is_first] = redeemed.emplace(code, step);
    if (is_first || found->second->status() != 200) continue;
    if (found->second->response->at > step->request->at) continue;
    return login.check(kOauthRule, false, "the client used its authorization code a second time",
                       {found->second->request, found->second->response, step->request});
  }
}

}  // namespace

void judge_oauth(LoginReview& login) {
  if (!login.is_own_office()) return;
  for (const LoginStep* step : login.all(Kind::kAuthorize)) judge_oauth_authorization(login, *step);
  for (const LoginStep* step : login.all(Kind::kToken)) judge_oauth_token(login, *step);
  judge_oauth_codes(login);
}

}  // namespace assay::scenarios
