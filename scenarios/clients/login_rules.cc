// What holds of each login: where the metadata are looked for, and what a registration, an
// authorization request and a token request carry.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/script/json_member.h"
#include "reference/authorization/server.h"
#include "reference/transport/http_url.h"
#include "reference/wire/http_text.h"
#include "scenarios/clients/login_review.h"
#include "scenarios/clients/login_sums.h"

namespace assay::scenarios {
namespace {

using harness::EventPtr;
using harness::text_member;
using Kind = LoginStep::Kind;

std::vector<EventPtr> both(const LoginStep& a, const LoginStep& b) {
  return {a.request, b.request};
}

// --- Which server ---

void judge_way_to_server(LoginReview& login) {
  if (login.is_own_office()) return;
  const LoginStep* asked = login.first(Kind::kResourceMetadata);
  bool is_refused = false;
  for (const LoginStep& step : login.steps()) {
    is_refused = is_refused || (step.kind == Kind::kProtected && step.status() == 401);
    // What a client looks for before it needs a token is no login yet.
    const bool is_guess = is_refused && !step.is_at_office && step.kind == Kind::kServerMetadata;
    const bool is_step = step.is_at_office && step.kind != Kind::kOther;
    if (!is_guess && !is_step) continue;
    // What it asks for side by side comes in any order.
    const EventPtr& by_then = is_guess && step.response ? step.response : step.request;
    const bool was_asked = asked != nullptr && asked->request->at < by_then->at;
    return login.check_order("authorization.client-uses-resource-metadata", was_asked,
                             "the client looked for an authorization server, and had not asked for "
                             "the metadata of the resource",
                             step.events());
  }
}

// A refusal is answered by beginning to log in.
void judge_begin(LoginReview& login) {
  const LoginStep* refused = nullptr;
  for (const LoginStep& step : login.steps()) {
    const bool is_refusal = step.kind == Kind::kProtected && step.status() == 401;
    if (is_refusal && refused == nullptr) refused = &step;
    if (refused == nullptr || step.kind == Kind::kProtected || step.kind == Kind::kOther) continue;
    login.check("authorization.client-responds-to-401", true, "", *refused);
    return;
  }
}

// The member of the metadata that names the endpoint of such a step.
std::string_view endpoint_name(Kind kind) {
  switch (kind) {
    case Kind::kRegister:
      return "registration_endpoint";
    case Kind::kAuthorize:
      return "authorization_endpoint";
    case Kind::kToken:
      return "token_endpoint";
    case Kind::kProtected:
    case Kind::kResourceMetadata:
    case Kind::kServerMetadata:
    case Kind::kOther:
      return "";
  }
  return "";
}

std::string endpoint_path(std::string_view url) {
  const auto parsed = transport::HttpUrl::parse(url);
  const auto* read = std::get_if<transport::HttpUrl>(&parsed);
  return read == nullptr ? "" : std::string(wire::path_in(read->target));
}

// The endpoints are where only the metadata say; a server that has none is asked at default paths.
void judge_server_metadata(LoginReview& login) {
  constexpr catalogue::RequirementId kRule = "authorization.client-uses-server-metadata";
  std::map<int, Json> documents;  // by authorization server; null: asked for in vain
  for (const LoginStep& step : login.steps()) {
    const bool is_there = step.is_at_office || login.is_own_office();
    if (step.kind == Kind::kServerMetadata && is_there) {
      Json& document = documents[step.office];
      if (step.status() == 200) document = step.received_json();
      continue;
    }
    const std::string_view name = endpoint_name(step.kind);
    if (name.empty()) continue;
    const auto found = documents.find(step.office);
    if (found == documents.end()) {
      if (login.is_own_office()) continue;
      return login.check(kRule, false,
                         "the client used the authorization server, and had not asked for its "
                         "metadata",
                         step);
    }
    const std::string_view endpoint = text_member(found->second, name);
    if (endpoint.empty()) continue;
    login.check(kRule, endpoint_path(endpoint) == step.path,
                fmt::format("the metadata name another {}", name), step);
  }
}

// --- The authorization request ---

void judge_pkce(LoginReview& login, const LoginStep& step) {
  const bool has_challenge = !step.value("code_challenge").empty();
  login.check("authorization.pkce", has_challenge,
              "the authorization request has no code_challenge", step);
  if (!has_challenge) return;
  login.check("authorization.pkce-s256", step.value("code_challenge_method") == "S256",
              "code_challenge_method is not S256", step);
}

// Upper case in scheme and host is the same URI: nothing is made of it.
void judge_resource_named(LoginReview& login, const LoginStep& step) {
  const std::string named = step.value("resource");
  const std::string& endpoint = login.venue().endpoint;
  const bool is_endpoint = named == endpoint;
  const bool is_slashed = named == endpoint + "/" || named == login.venue().origin + "/";
  const bool is_server = named == login.venue().origin;
  const bool is_same_but_case = transport::lower_case(named) == endpoint ||
                                transport::lower_case(named) == login.venue().origin;
  if (is_same_but_case && !is_endpoint && !is_server) return;
  const std::string detail =
      fmt::format("the resource parameter is not the URI of the server, which is {}", endpoint);
  const bool names_server = is_endpoint || is_slashed || is_server;
  login.check("authorization.resource-names-server", names_server, detail, step);
  login.check("authorization.resource-canonical", names_server, detail, step);
  if (!names_server) return;
  login.check("authorization.no-trailing-slash", !is_slashed,
              "the resource parameter ends with a slash that means nothing", step);
  login.check("authorization.resource-most-specific", is_endpoint || named == endpoint + "/",
              "the resource parameter names the host, and not the endpoint on it", step);
}

void judge_resource(LoginReview& login, const LoginStep& step, catalogue::RequirementId rule,
                    std::string_view what) {
  const bool has_resource = !step.value("resource").empty();
  const std::string detail = fmt::format("the {} has no resource parameter", what);
  login.check(rule, has_resource, detail, step);
  login.check("authorization.resource-indicators", has_resource, detail, step);
  login.check("authorization.resource-always-sent", has_resource, detail, step);
  if (has_resource) judge_resource_named(login, step);
}

void judge_redirect(LoginReview& login, const LoginStep& step) {
  const std::string uri = step.value("redirect_uri");
  if (!uri.empty()) {
    judge_redirect_uri(login, uri, "redirect_uri is neither on localhost nor HTTPS", step);
  }
  for (const LoginStep* registration : login.all(Kind::kRegister)) {
    const Json made = registration->received_json();
    const bool is_refused = registration->status() / 100 != 2;
    if (is_refused || text_member(made, "client_id") != step.value("client_id")) continue;
    const Json& uris = harness::array_member(made, "redirect_uris");
    // OAuth 2.1, section 4.1.1: it may be left out where there is one only.
    if (uri.empty() && uris.size() == 1) continue;
    login.check(
        "authorization.redirects-registered",
        std::any_of(uris.begin(), uris.end(),
                    [&](const Json& each) {
                      return each.is_string() && authorization::Server::is_same_redirect(
                                                     each.get_ref<const std::string&>(), uri);
                    }),
        "redirect_uri is none of those that the client registered", both(*registration, step));
  }
}

// OAuth Client ID Metadata Document, section 3.
void judge_document_url(LoginReview& login, const LoginStep& step, const std::string& id) {
  const std::size_t at = std::min(id.find('@'), id.size());
  const std::size_t begin = id.find("://") + std::string_view("://").size();
  const bool has_user = at < std::min(id.size(), id.find_first_of("/?#", begin));
  const auto parsed =
      transport::HttpUrl::parse(has_user ? id.substr(0, begin) + id.substr(at + 1) : id);
  const auto* url = std::get_if<transport::HttpUrl>(&parsed);
  login.check("authorization.client-id-document-https-hosted",
              transport::lower_case(id.substr(0, id.find("://"))) == "https",
              "client_id is the URL of a document that is not served with https", step);
  login.check("authorization.client-id-document-https-url",
              url != nullptr && url->is_tls && url->target.size() > 1,
              "client_id is a URL, and not one with https and a path", step);
  const std::string path = url == nullptr ? "" : std::string(wire::path_in(url->target)) + "/";
  const bool has_dots =
      path.find("/./") != std::string::npos || path.find("/../") != std::string::npos;
  const bool has_fragment = id.find('#') != std::string::npos;
  login.check("authorization.client-id-document-rules", !has_dots && !has_fragment && !has_user,
              has_fragment ? "client_id is a URL with a fragment"
              : has_user   ? "client_id is a URL with a user name"
                           : "client_id is a URL whose path has the segment '.' or '..'",
              step);
}

// Some server of ours gave it; where not this one, the client has kept it.
bool is_of_ours(std::string_view id) {
  return id.starts_with("client-");
}

// Where nothing but a registration leads to a client_id.
void judge_registered(LoginReview& login, const LoginStep& step, const std::string& id) {
  const std::vector<std::string>& made = login.clients_made();
  const bool is_made = std::find(made.begin(), made.end(), id) != made.end();
  if (is_made) {
    login.check("authorization.dynamic-registration-client", true, "", step);
    return;
  }
  const bool ought_to = !login.review().revision().has_pkce_in_metadata();
  if (!ought_to || id.empty() || id.find("://") != std::string::npos || is_of_ours(id)) return;
  for (const LoginStep* metadata : login.all(Kind::kServerMetadata)) {
    if (metadata->status() != 200 || metadata->request->at > step.request->at) continue;
    const Json document = metadata->received_json();
    if (text_member(document, "registration_endpoint").empty()) continue;
    login.review().unclear("authorization.dynamic-registration-client",
                           "the authorization server registers clients, and the client came with a "
                           "client_id that it did not give: it need not use what it supports",
                           both(*metadata, step));
    return;
  }
}

void judge_client_id(LoginReview& login, const LoginStep& step) {
  const std::string id = step.value("client_id");
  login.check("authorization.client-id-obtained", !id.empty(),
              "the authorization request has no client_id", step);
  judge_registered(login, step, id);
  if (id.find("://") == std::string::npos) return;
  judge_document_url(login, step, id);
  for (const LoginStep* metadata : login.all(Kind::kServerMetadata)) {
    if (metadata->status() != 200 || metadata->request->at > step.request->at) continue;
    const Json document = metadata->received_json();
    const Json& supports = harness::member(document, "client_id_metadata_document_supported");
    login.check("authorization.client-id-document-support-checked", supports == true,
                "client_id is the URL of a document, and the authorization server does not say "
                "that it takes those",
                both(*metadata, step));
    return;
  }
}

void judge_authorization_request(LoginReview& login, const LoginStep& step) {
  judge_client_id(login, step);
  judge_redirect(login, step);
  judge_pkce(login, step);
  if (!login.is_own_office()) {
    judge_resource(login, step, "authorization.resource-in-authorization-request",
                   "authorization request");
  }
  login.check("authorization.state-verified", !step.value("state").empty(),
              "the authorization request has no state", step);
}

// --- The token request ---

// One that we did not give may be kept from an earlier login; what is none was made up. Short words
// are labels, too.
void judge_renewal(LoginReview& login, const LoginStep& step) {
  const std::string shown = step.value("refresh_token");
  const std::string bare = login.bare(shown);
  const bool is_none = bare.empty() || bare == "undefined" || bare == "null" || bare == "None";
  const std::vector<std::string>& access = login.access_tokens_given();
  const bool is_access_token = std::find(access.begin(), access.end(), shown) != access.end();
  if (!is_none && !is_access_token) return;
  login.check("authorization.refresh-token-not-assumed", false,
              "the client asked for a token to be renewed, and has no refresh token", step);
}

void judge_token_request(LoginReview& login, const LoginStep& step) {
  const std::string grant = step.value("grant_type");
  if (grant != "authorization_code" && grant != "refresh_token") return;
  if (!login.is_own_office()) {
    judge_resource(login, step, "authorization.resource-in-token-request", "token request");
  }
  if (grant == "refresh_token") judge_renewal(login, step);
  if (grant != "authorization_code") return;
  const Json answer = step.received_json();
  const bool has_verifier = !step.value("code_verifier").empty();
  const bool is_mismatch =
      text_member(answer, "error_description") == "code_verifier does not match code_challenge";
  login.check("authorization.pkce", has_verifier && !is_mismatch,
              has_verifier ? "code_verifier does not match code_challenge"
                           : "the token request has no code_verifier",
              step);
}

}  // namespace

std::vector<catalogue::RequirementId> common_login_rules() {
  std::vector<catalogue::RequirementId> rules = {"authorization.application-type-given",
                                                 "authorization.application-type-native",
                                                 "authorization.bearer-header",
                                                 "authorization.client-id-document-https-hosted",
                                                 "authorization.client-id-document-https-url",
                                                 "authorization.client-id-document-support-checked",
                                                 "authorization.client-id-obtained",
                                                 "authorization.client-responds-to-401",
                                                 "authorization.client-uses-resource-metadata",
                                                 "authorization.client-uses-server-metadata",
                                                 "authorization.dynamic-registration-client",
                                                 "authorization.foreign-token-not-sent",
                                                 "authorization.no-token-in-query",
                                                 "authorization.no-trailing-slash",
                                                 "authorization.pkce",
                                                 "authorization.pkce-s256",
                                                 "authorization.redirect-localhost-or-https",
                                                 "authorization.redirects-registered",
                                                 "authorization.refresh-token-confidential",
                                                 "authorization.refresh-token-not-assumed",
                                                 "authorization.resource-always-sent",
                                                 "authorization.resource-canonical",
                                                 "authorization.resource-in-authorization-request",
                                                 "authorization.resource-in-token-request",
                                                 "authorization.resource-indicators",
                                                 "authorization.resource-most-specific",
                                                 "authorization.resource-names-server",
                                                 "authorization.state-verified",
                                                 "authorization.token-in-every-request"};
  const std::vector<catalogue::RequirementId> sums = login_sums();
  rules.insert(rules.end(), sums.begin(), sums.end());
  return rules;
}

void judge_login(LoginReview& login) {
  judge_begin(login);
  judge_way_to_server(login);
  judge_server_metadata(login);
  for (const LoginStep* step : login.all(Kind::kRegister)) judge_registration(login, *step);
  for (const LoginStep* step : login.all(Kind::kAuthorize)) {
    judge_authorization_request(login, *step);
  }
  for (const LoginStep* step : login.all(Kind::kToken)) judge_token_request(login, *step);
  judge_token_use(login);
  judge_pkce_values(login);
  judge_credential_places(login);
  judge_oauth(login);
}

}  // namespace assay::scenarios
