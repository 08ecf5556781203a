// What holds of each login: where tokens go.
#include <algorithm>

#include "harness/script/json_member.h"
#include "scenarios/clients/login_review.h"

namespace assay::scenarios {
namespace {

using harness::text_member;
using Kind = LoginStep::Kind;

bool is_in(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// More than one of our tokens: see judge_spelling() of login_places.cc.
bool is_misspelt(const LoginReview& login, const std::string& bearer) {
  const std::vector<std::string>& access = login.access_tokens_given();
  return !is_in(access, bearer) && login.held_in(login.bare(bearer), access) != nullptr;
}

// From the first token on that was given.
void judge_places(LoginReview& login) {
  const std::vector<std::string>& access = login.access_tokens_given();
  const std::vector<std::string>& refresh = login.refresh_tokens_given();
  for (const LoginStep* step : login.all(Kind::kProtected)) {
    const bool names_query = step->has("access_token");
    login.check("authorization.no-token-in-query", !names_query,
                "an access token is in the query of the URL", *step);
    const auto bearer = LoginReview::bearer_of(*step);
    // One of ours with more around it is none of another issuer.
    if (!bearer || is_misspelt(login, *bearer)) continue;
    if (is_in(access, *bearer)) login.check("authorization.bearer-header", true, "", *step);
    if (!refresh.empty()) {
      login.check("authorization.refresh-token-confidential", !is_in(refresh, *bearer),
                  "the server was shown the refresh token", *step);
    }
    login.check("authorization.foreign-token-not-sent",
                is_in(access, *bearer) || is_in(refresh, *bearer),
                "the server was shown a token that its authorization server did not issue", *step);
  }
}

// A token came without another one to renew it with, and is good enough.
void judge_lone_tokens(LoginReview& login) {
  std::vector<std::string> lone;
  for (const LoginStep* step : login.granted()) {
    const Json answer = step->received_json();
    if (text_member(answer, "refresh_token").empty()) {
      lone.emplace_back(text_member(answer, "access_token"));
    }
  }
  for (const LoginStep* step : login.all(Kind::kProtected)) {
    const auto bearer = LoginReview::bearer_of(*step);
    if (!bearer || bearer->empty() || !is_in(lone, *bearer)) continue;
    login.check("authorization.refresh-token-not-assumed", true, "", *step);
    return;
  }
}

bool is_admitted(const LoginStep& step) {
  return LoginReview::bearer_of(step) && step.status() != 401 && step.status() != 0;
}

// A client that begins anew, or a second one, shows none in its first request. So without one is a
// request in a session, and one behind which nobody got a token any more.
void judge_every_request(LoginReview& login) {
  const auto steps = login.all(Kind::kProtected);
  const auto granted = login.granted();
  const LoginStep* discovery = nullptr;  // the last
  for (const LoginStep& step : login.steps()) {
    const bool is_it = step.kind == Kind::kResourceMetadata || step.kind == Kind::kServerMetadata;
    if (is_it) discovery = &step;
  }
  const LoginStep* earlier = nullptr;
  for (const LoginStep* step : steps) {
    if (is_admitted(*step)) {
      if (earlier != nullptr) {
        login.check("authorization.token-in-every-request", true, "", *step);
      }
      if (earlier == nullptr) earlier = step;
      continue;
    }
    // Whose token does not hold any more has none to show until there is another one.
    if (LoginReview::bearer_of(*step) && step->status() == 401) earlier = nullptr;
    const bool is_bare = !transport::find_header(step->head().headers, "Authorization") &&
                         step->head().method != "OPTIONS" && !step->has("access_token");
    if (earlier == nullptr || !is_bare) continue;
    const bool is_in_session =
        transport::find_header(step->head().headers, "Mcp-Session-Id").has_value();
    const bool is_anew = !granted.empty() && granted.back()->request->at > step->request->at;
    const bool has_left = earlier->response == nullptr || earlier->response->at > step->request->at;
    // A session of its own, which logs in by itself; that may come to nothing.
    const bool begins =
        step->status() == 401 && discovery != nullptr && discovery->request->at > step->request->at;
    if (!is_in_session && (is_anew || has_left || begins)) continue;
    login.check("authorization.token-in-every-request", false,
                "a request carries no token, and one before it did",
                {earlier->request, step->request});
  }
}

}  // namespace

void judge_token_use(LoginReview& login) {
  judge_places(login);
  judge_lone_tokens(login);
  judge_every_request(login);
}

}  // namespace assay::scenarios
