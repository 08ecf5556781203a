// What holds of each login: where credentials are shown.
//
// Specification: basic/authorization, "Access Token Usage" and "Refresh Tokens".
#include <algorithm>

#include "reference/wire/http_text.h"
#include "scenarios/clients/login_review.h"

namespace assay::scenarios {
namespace {

using Kind = LoginStep::Kind;

const std::string* credential_in(const LoginReview& login, std::string_view text,
                                 const std::vector<std::string>& labels) {
  const auto found = std::find_if(labels.begin(), labels.end(), [&](const std::string& label) {
    return login.holds(text, label);
  });
  return found == labels.end() ? nullptr : &*found;
}

// URLs are written to logs, and handed on in Referer.
void judge_query(LoginReview& login, const LoginStep& step) {
  // The label of a credential holds a '#', which ends no query here.
  const std::string& target = step.head().target;
  const std::string query = wire::decode_form_text(
      std::string_view(target).substr(std::min(target.find('?'), target.size())));
  if (query.empty()) return;
  const bool has_token = credential_in(login, query, login.access_tokens_given()) != nullptr;
  if (has_token) {
    login.check("authorization.no-token-in-query", false,
                "an access token is in the query of the URL", step);
  }
  if (credential_in(login, query, login.refresh_tokens_given()) != nullptr) {
    login.check("authorization.refresh-token-confidential", false,
                "a refresh token is in the query of the URL", step);
  }
}

// Where the token is, of a request without a proper Authorization field; empty if it is nowhere.
std::string misplaced(const LoginReview& login, const LoginStep& step) {
  const std::vector<std::string>& given = login.access_tokens_given();
  for (const auto& [name, value] : step.head().headers) {
    if (credential_in(login, value, given) == nullptr) continue;
    return wire::equals_without_case(name, "Authorization")
               ? "the access token is in Authorization without the scheme Bearer"
               : "the access token is in another header field than Authorization";
  }
  const bool is_in_body = credential_in(login, step.request->observation.bytes(), given) != nullptr;
  return is_in_body ? "the access token is in the body of the request" : "";
}

// A token was given, the client came back, and no request of its has ever shown one.
void judge_never_shown(LoginReview& login, bool is_shown_anywhere) {
  const auto granted = login.granted();
  if (granted.empty() || granted.front()->response == nullptr || is_shown_anywhere) return;
  for (const LoginStep* step : login.all(Kind::kProtected)) {
    const bool is_later = step->request->at > granted.front()->response->at;
    if (!is_later || step->head().method != "POST" || step->status() != 401) continue;
    return login.check_order("authorization.token-in-every-request", false,
                             "the client was given a token, and shows it in no request",
                             {granted.front()->request, step->request});
  }
}

}  // namespace

void judge_credential_places(LoginReview& login) {
  bool is_shown_anywhere = false;
  for (const LoginStep& step : login.steps()) {
    judge_query(login, step);
    if (step.kind != Kind::kProtected) continue;
    if (LoginReview::bearer_of(step) || step.has("access_token")) {
      is_shown_anywhere = true;
      continue;
    }
    const std::string where = misplaced(login, step);
    if (where.empty()) continue;
    is_shown_anywhere = true;
    login.check("authorization.bearer-header", false, where, step);
  }
  judge_never_shown(login, is_shown_anywhere);
}

}  // namespace assay::scenarios
