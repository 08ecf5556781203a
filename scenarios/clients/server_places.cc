#include "scenarios/clients/server_places.h"

#include <algorithm>

#include "harness/script/json_member.h"

namespace assay::scenarios {
namespace {

using Kind = LoginStep::Kind;

// One place of server metadata: where it is, and the rule that it is tried in its turn.
struct Place {
  std::string path;
  catalogue::RequirementId rule;
  bool is_openid;
};

std::vector<Place> places_for(const std::string& path) {
  const std::string oauth = "/.well-known/oauth-authorization-server";
  const std::string openid = "/.well-known/openid-configuration";
  if (path.empty()) {
    return {{oauth, "authorization.issuer-without-path-first-oauth", false},
            {openid, "authorization.issuer-without-path-then-openid", true}};
  }
  return {{oauth + path, "authorization.issuer-with-path-first-oauth-inserted", false},
          {openid + path, "authorization.issuer-with-path-then-openid-inserted", true},
          {path + openid, "authorization.issuer-with-path-then-openid-appended", true}};
}

// The client knows the issuer, and asked at none of the places.
void judge_no_place(LoginReview& login, const Place& first,
                    const std::vector<const LoginStep*>& asked) {
  const LoginStep* known = asked.empty() ? nullptr : asked.front();
  for (const LoginStep& step : login.steps()) {
    if (step.kind == Kind::kResourceMetadata && step.status() == 200 && known == nullptr) {
      known = &step;
    }
    const bool is_use =
        step.kind == Kind::kRegister || step.kind == Kind::kAuthorize || step.kind == Kind::kToken;
    if (!is_use || !step.is_at_office || !asked.empty()) continue;
    const std::string detail =
        "the client used the authorization server, and had not asked for its metadata";
    login.check(first.rule, false, detail, step);
    return login.check("authorization.several-well-known-endpoints-tried", false, detail, step);
  }
  if (known == nullptr || !login.venue().has_succeeded) return;
  login.check_came(first.rule, false,
                   "the client logs in elsewhere, and did not ask for the metadata of this "
                   "authorization server at " +
                       first.path,
                   *known);
}

// Who uses it goes on at one of the endpoints that it names. Who leaves it there, and logs in
// elsewhere, cannot read it.
void judge_openid_use(LoginReview& login, const LoginStep& document) {
  const Json metadata = document.received_json();
  const auto is_named = [&](const LoginStep& step, std::string_view endpoint) {
    return harness::text_member(metadata, endpoint).ends_with(step.path);
  };
  const auto& steps = login.steps();
  const bool goes_on = std::any_of(steps.begin(), steps.end(), [&](const LoginStep& step) {
    return (step.kind == Kind::kRegister && is_named(step, "registration_endpoint")) ||
           (step.kind == Kind::kAuthorize && is_named(step, "authorization_endpoint")) ||
           (step.kind == Kind::kToken && is_named(step, "token_endpoint"));
  });
  if (!goes_on && !login.venue().has_succeeded) return;
  login.check_came(
      "authorization.client-supports-both-discoveries", goes_on,
      "the authorization server has OpenID metadata only, and the client, which logs in "
      "elsewhere, read them and did not go on",
      document);
}

}  // namespace

const LoginStep* first_at(const std::vector<const LoginStep*>& steps, std::string_view path) {
  for (const LoginStep* step : steps) {
    if (step->path == path) return step;
  }
  return nullptr;
}

bool was_asked_before(const LoginStep& one, const LoginStep& other) {
  return one.response != nullptr && one.response->at < other.request->at;
}

void judge_server_places(LoginReview& login, const std::string& issuer_path, std::size_t found) {
  const std::vector<Place> places = places_for(issuer_path);
  auto asked = login.all(Kind::kServerMetadata);
  std::erase_if(asked, [](const LoginStep* step) { return !step->is_at_office; });
  const bool is_any = std::any_of(places.begin(), places.end(), [&](const Place& place) {
    return first_at(asked, place.path) != nullptr;
  });
  if (!is_any) return judge_no_place(login, places.front(), asked);
  const LoginStep* last = nullptr;  // that was asked in vain
  for (std::size_t i = 0; i <= found; ++i) {
    const LoginStep* here = first_at(asked, places[i].path);
    const LoginStep* skipped_to = nullptr;
    for (std::size_t later = i + 1; later < places.size(); ++later) {
      const LoginStep* there = first_at(asked, places[later].path);
      const bool is_early =
          there != nullptr && (here == nullptr || was_asked_before(*there, *here));
      if (is_early && skipped_to == nullptr) skipped_to = there;
    }
    if (skipped_to != nullptr) {
      login.check(places[i].rule, false,
                  "a place of lower priority was asked for the metadata of the authorization "
                  "server before " +
                      places[i].path,
                  *skipped_to);
    } else if (here != nullptr) {
      login.check(places[i].rule, true, "", *here);
    } else if (last != nullptr) {
      const std::string detail =
          "the metadata of the authorization server were not asked for at " + places[i].path;
      login.check_came(places[i].rule, false, detail, *last);
      login.check_came("authorization.several-well-known-endpoints-tried", false, detail, *last);
      if (places[found].is_openid) {
        login.check_came("authorization.client-supports-both-discoveries", false, detail, *last);
      }
      return;
    }
    if (here != nullptr) last = here;
  }
  const LoginStep* document = first_at(asked, places[found].path);
  if (document == nullptr || found == 0) return;
  login.check("authorization.several-well-known-endpoints-tried", true, "", *document);
  if (places[found].is_openid) judge_openid_use(login, *document);
}

}  // namespace assay::scenarios
