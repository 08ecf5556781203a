// What holds of each login: where credentials are shown.
//
// Specification: basic/authorization, "Access Token Usage" and "Refresh Tokens".
#include <algorithm>
#include <array>
#include <utility>

#include "reference/wire/http_text.h"
#include "scenarios/clients/login_review.h"

namespace assay::scenarios {
namespace {

using Kind = LoginStep::Kind;

// URLs are written to logs, and handed on in Referer.
void judge_query(LoginReview& login, const LoginStep& step) {
  // The label of a credential holds a '#', which ends no query here.
  const auto referer = transport::find_header(step.head().headers, "Referer");
  const std::array<std::pair<std::string_view, std::string>, 2> urls = {
      {{step.head().target, "the URL"}, {referer.value_or(""), "the URL in Referer"}}};
  for (const auto& [url, where] : urls) {
    const std::string query =
        wire::decode_form_text(url.substr(std::min(url.find('?'), url.size())));
    if (query.empty()) continue;
    if (login.held_in(query, login.access_tokens_given()) != nullptr) {
      login.check("authorization.no-token-in-query", false,
                  "an access token is in the query of " + where, step);
    }
    if (login.held_in(query, login.refresh_tokens_given()) != nullptr) {
      login.check("authorization.refresh-token-confidential", false,
                  "a refresh token is in the query of " + where, step);
    }
  }
}

// Where else than behind Bearer the token is; empty if it is nowhere.
std::string misplaced(const LoginReview& login, const LoginStep& step, bool has_bearer) {
  const std::vector<std::string>& given = login.access_tokens_given();
  for (const auto& [name, value] : step.head().headers) {
    const bool is_authorization = wire::equals_without_case(name, "Authorization");
    const bool is_skipped =
        (has_bearer && is_authorization) || wire::equals_without_case(name, "Referer");
    if (is_skipped || login.held_in(value, given) == nullptr) continue;
    return is_authorization ? "the access token is in Authorization without the scheme Bearer"
                            : "the access token is in another header field than Authorization";
  }
  const bool is_in_body = login.held_in(step.request->observation.bytes(), given) != nullptr;
  return is_in_body ? "the access token is in the body of the request" : "";
}

// OAuth 2.1, section 5.1.1: "Bearer", blanks, and characters among which there is no blank and no
// quote.
void judge_spelling(LoginReview& login, const LoginStep& step, const std::string& bearer) {
  const std::vector<std::string>& given = login.access_tokens_given();
  const std::string text = login.bare(bearer);
  const bool is_alone = std::find(given.begin(), given.end(), bearer) != given.end();
  const bool has_more = text.find_first_of(" \"'<>,") != std::string::npos;
  if (is_alone || !has_more || login.held_in(text, given) == nullptr) return;
  login.check("authorization.bearer-header", false,
              "more than the access token stands after Bearer in Authorization", step);
}

// A server has no use for the refresh token, wherever it stands.
void judge_shown_refresh_token(LoginReview& login, const LoginStep& step) {
  const std::vector<std::string>& given = login.refresh_tokens_given();
  bool is_shown = login.held_in(step.request->observation.bytes(), given) != nullptr;
  for (const auto& [name, value] : step.head().headers) {
    const bool is_judged = wire::equals_without_case(name, "Authorization") ||
                           wire::equals_without_case(name, "Referer");
    is_shown = is_shown || (!is_judged && login.held_in(value, given) != nullptr);
  }
  if (!is_shown) return;
  login.check("authorization.refresh-token-confidential", false,
              "the server was shown the refresh token", step);
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
    judge_shown_refresh_token(login, step);
    const auto bearer = LoginReview::bearer_of(step);
    if (bearer) judge_spelling(login, step, *bearer);
    const std::string where = misplaced(login, step, bearer.has_value());
    const bool is_shown = bearer || step.has("access_token");
    is_shown_anywhere = is_shown_anywhere || is_shown || !where.empty();
    if (where.empty()) continue;
    if (bearer) {
      // OAuth 2.1, section 5.1: by no more than one method in each request.
      login.check("authorization.token-use-conforms", false, where + ", and in Authorization",
                  step);
    } else if (!is_shown) {
      login.check("authorization.bearer-header", false, where, step);
    }
  }
  judge_never_shown(login, is_shown_anywhere);
}

}  // namespace assay::scenarios
