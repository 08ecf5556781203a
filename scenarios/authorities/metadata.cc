// Scenarios about what an authorization server says of itself: its metadata, whether they say that
// PKCE is supported, where its endpoints are, and which clients it takes.
//
// Specification: basic/authorization, 2025-06-18 and later, "Overview", "Communication Security",
// "Authorization Code Protection".
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/authority/authority_script.h"
#include "harness/runner/authority_scenario.h"
#include "harness/script/json_member.h"
#include "reference/authorization/server.h"
#include "reference/transport/http_url.h"
#include "reference/transport/loopback.h"
#include "scenarios/authorities/rules.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using model::Revision;
using transport::HttpUrl;

constexpr std::string_view kMethods = "code_challenge_methods_supported";

// Nobody keeps metadata there: an answer that says so, and no failure or wall before it.
bool is_absent(const AuthorityDocument& document) {
  const int status = document.answer.status;
  const bool says_so = status == 400 || status == 404 || status == 405 || status == 410;
  return says_so || (status == 200 && document.answer.json.is_object() && !document.is_there());
}

std::vector<EventPtr> events_of(const std::vector<AuthorityDocument>& documents) {
  std::vector<EventPtr> all;
  for (const AuthorityDocument& each : documents) {
    all.insert(all.end(), each.answer.events.begin(), each.answer.events.end());
  }
  return all;
}

// The metadata say that they are another issuer's. Who goes by that issuer has to find them, too:
// if there are none the metadata serve nobody. An issuer elsewhere may be known by two names.
void judge_other_issuer(AuthorityScript& script, const AuthorityDocument& found,
                        catalogue::RequirementId rule) {
  const std::string said(text_member(found.answer.json, "issuer"));
  const std::string detail =
      fmt::format("the metadata at {} are those of the issuer {}", found.url, said);
  std::vector<AuthorityDocument> places = metadata_places(said);
  bool is_nowhere = !places.empty();
  for (AuthorityDocument& each : places) {
    if (!script.inquirer().may_ask(each.url)) is_nowhere = false;
    if (!is_nowhere) break;
    each.answer = script.inquirer().get(each.url, "application/json");
    is_nowhere = is_absent(each);
  }
  if (is_nowhere) {
    return script.check(rule, false, found.answer.events,
                        detail + ", which has none: a client may use them for neither");
  }
  script.unclear(rule, detail + "; certify it by that name", found.answer.events);
}

// What RFC 8414 (sections 2 and 3.2) and OpenID Connect Discovery both ask of metadata, and these
// lack; empty where they lack nothing of it.
std::string defect_of(const AuthorityDocument& document) {
  if (!transport::has_media_type(document.answer.headers, "application/json")) {
    return fmt::format("the metadata at {} have the Content-Type \"{}\", and not application/json",
                       document.url, transport::media_type(document.answer.headers));
  }
  const Json& json = document.answer.json;
  if (text_member(json, "token_endpoint").empty()) {
    return fmt::format("the metadata at {} name no token_endpoint", document.url);
  }
  const Json& grants = member(json, "grant_types_supported");
  const bool gives_codes =
      grants.is_null() ||
      std::find(grants.begin(), grants.end(), Json("authorization_code")) != grants.end();
  if (gives_codes && text_member(json, "authorization_endpoint").empty()) {
    return fmt::format("the metadata at {} name no authorization_endpoint", document.url);
  }
  for (const auto& [name, value] : json.items()) {
    const bool is_place = name.ends_with("_endpoint") && value.is_string();
    if (is_place && value.get_ref<const std::string&>().find("://") == std::string::npos) {
      return fmt::format("the metadata at {} have a {} that is not a URL", document.url, name);
    }
  }
  for (const char* name :
       {"scopes_supported", "grant_types_supported", "token_endpoint_auth_methods_supported"}) {
    if (member(json, name).is_null() || member(json, name).is_array()) continue;
    return fmt::format("the metadata at {} have a {} that is not an array", document.url, name);
  }
  if (!member(document.answer.json, "response_types_supported").is_array()) {
    return fmt::format("the metadata at {} hold no response_types_supported", document.url);
  }
  return "";
}

void judge_metadata_served(AuthorityScript& script, catalogue::RequirementId rule,
                           bool takes_openid) {
  const auto& documents = script.facts().documents;
  const AuthorityDocument* found = nullptr;
  const AuthorityDocument* spoilt = nullptr;
  for (const AuthorityDocument& each : documents) {
    if (!each.is_there() || (each.is_openid && !takes_openid)) continue;
    if (each.is_of(script.facts().issuer)) {
      if (defect_of(each).empty()) return script.check(rule, true, each.answer.events, "");
      if (spoilt == nullptr) spoilt = &each;
    }
    if (found == nullptr) found = &each;
  }
  if (spoilt != nullptr) {
    return script.check(rule, false, spoilt->answer.events, defect_of(*spoilt));
  }
  if (found != nullptr) return judge_other_issuer(script, *found, rule);
  const bool is_absent_everywhere = std::all_of(documents.begin(), documents.end(), is_absent);
  if (is_absent_everywhere) {
    return script.check(
        rule, false, events_of(documents),
        "there are no metadata of the issuer at any of the well-known places; is it the "
        "issuer, and not the MCP server?");
  }
  const bool has_openid = std::any_of(documents.begin(), documents.end(),
                                      [](const auto& each) { return each.is_there(); });
  script.unclear(rule,
                 has_openid ? "its metadata are at a place of OpenID Connect Discovery only, which "
                              "RFC 8414 (section 5) lets stand for its own"
                            : "what was answered where metadata may be tells not whether there are "
                              "any",
                 events_of(documents));
}

const AuthorityScenarioRegistration kMetadataAreServed({
    .name = "authority_metadata_are_served",
    .requirements = {kAuthorityMetadata, kAuthorityDiscovery},
    .body =
        [](AuthorityScript& script) {
          judge_metadata_served(script, kAuthorityMetadata, false);
          judge_metadata_served(script, kAuthorityDiscovery, true);
        },
});

bool names_s256(const Json& metadata) {
  const Json& methods = array_member(metadata, kMethods);
  return std::find(methods.begin(), methods.end(), Json("S256")) != methods.end();
}

// Clients have no other way to know that PKCE is supported, and S256 is what each server has to.
const AuthorityScenarioRegistration kPkceIsAdvertised({
    .name = "authority_advertises_pkce",
    .requirements = {kAuthorityOauth21, kAuthorityPkceInOpenId},
    .concerns = &Revision::has_pkce_in_metadata,
    .body =
        [](AuthorityScript& script) {
          bool has_openid = false;
          for (const AuthorityDocument& each : script.facts().documents) {
            if (!each.is_there() || !each.is_of(script.facts().issuer)) continue;
            const bool is_given = !array_member(each.answer.json, kMethods).empty();
            if (each.is_openid) {
              has_openid = true;
              script.check(kAuthorityPkceInOpenId, is_given, each.answer.events,
                           fmt::format("{} has no {}", each.url, kMethods));
            } else {
              script.check(
                  kAuthorityOauth21, names_s256(each.answer.json), each.answer.events,
                  fmt::format("{} says {} S256, so that no client may use it", each.url,
                              is_given ? "methods of PKCE without" : "nothing of PKCE and"));
            }
          }
          if (!has_openid) {
            script.not_applicable(kAuthorityPkceInOpenId,
                                  "it has no OpenID Connect Discovery of this issuer");
          }
        },
});

const AuthorityScenarioRegistration kEndpointsAreHttps({
    .name = "authority_endpoints_are_https",
    .requirements = {kAuthorityHttps},
    .body =
        [](AuthorityScript& script) {
          bool is_any_near = false;
          bool is_any_secure = false;
          std::vector<EventPtr> events;
          for (const AuthorityDocument& each : script.facts().documents) {
            if (!each.is_there() || !each.is_of(script.facts().issuer)) continue;
            events = each.answer.events;
            for (const auto& [name, value] : each.answer.json.items()) {
              const bool is_place = name.ends_with("_endpoint") || name == "jwks_uri";
              if (!is_place || !value.is_string()) continue;
              const auto parsed = HttpUrl::parse(value.get_ref<const std::string&>());
              const auto* url = std::get_if<HttpUrl>(&parsed);
              if (url == nullptr) continue;
              if (!url->is_tls && !transport::is_loopback(*url)) {
                return script.check(
                    kAuthorityHttps, false, events,
                    fmt::format("the {} of its metadata is not https: {}", name, url->text()));
              }
              (url->is_tls ? is_any_secure : is_any_near) = true;
            }
          }
          if (is_any_near) {
            return script.unclear(kAuthorityHttps,
                                  "its endpoints are on this machine, where https is not needed",
                                  events);
          }
          if (is_any_secure) return script.check(kAuthorityHttps, true, events, "");
          script.not_exercised(kAuthorityHttps, "there are no metadata that name its endpoints");
        },
});

// What is wrong with the answer to a registration (RFC 7591, section 3.2.1); empty if nothing is.
std::string defect_of_registration(const AuthorityAnswer& registration) {
  constexpr int kCreated = 201;
  const Json& json = registration.json;
  if (text_member(json, "client_id").empty()) {
    return "the answer to a registration has no client_id";
  }
  if (registration.status != kCreated) {
    return fmt::format("a registration was answered with HTTP {} and not 201", registration.status);
  }
  if (array_member(json, "redirect_uris").empty()) {
    return "the answer to a registration does not hold what was registered: it has no "
           "redirect_uris";
  }
  const Json& expiry = member(json, "client_secret_expires_at");
  if (!text_member(json, "client_secret").empty() && !expiry.is_number()) {
    return fmt::format(
        "the answer to a registration has a client_secret, and {} as client_secret_expires_at",
        expiry.is_null() ? "nothing" : expiry.dump(-1, ' ', true));
  }
  return "";
}

void judge_registered(AuthorityScript& script, const AuthorityAnswer& registration) {
  const std::string defect = defect_of_registration(registration);
  const Json& uris = array_member(registration.json, "redirect_uris");
  const bool has_ours = std::any_of(uris.begin(), uris.end(), [&](const Json& each) {
    return each.is_string() && authorization::Server::is_same_redirect(
                                   each.get_ref<const std::string&>(), script.redirect_uri());
  });
  if (!defect.empty() || has_ours) {
    return script.check(kAuthorityRegistration, defect.empty(), registration.events, defect);
  }
  const std::string detail =
      fmt::format("the answer to a registration with the redirect URI {} names {}",
                  script.redirect_uri(), uris.dump(-1, ' ', true));
  if (script.endpoint("authorization_endpoint").empty()) {
    return script.unclear(kAuthorityRegistration, detail, registration.events);
  }
  // A server may replace what was asked for; then what it replaced is not registered.
  const CodeResponse response = script.ask_for_code(script.code_request());
  std::vector<EventPtr> events = registration.events;
  events.insert(events.end(), response.answer.events.begin(), response.answer.events.end());
  if (response.has_code()) {
    return script.check(kAuthorityRegistration, false, std::move(events),
                        detail + ", and the former was taken all the same");
  }
  script.unclear(kAuthorityRegistration, detail, std::move(events));
}

const AuthorityScenarioRegistration kClientsAreTaken({
    .name = "authority_takes_clients",
    .requirements = {kAuthorityRegistration, kAuthorityDocuments},
    .body =
        [](AuthorityScript& script) {
          const Json& metadata = script.facts().metadata;
          if (metadata.is_null()) {
            for (const auto rule : {kAuthorityRegistration, kAuthorityDocuments}) {
              script.not_exercised(rule, "there are no metadata that say which clients it takes");
            }
            return;
          }
          const std::vector<EventPtr> events = events_of(script.facts().documents);
          script.check(kAuthorityDocuments, script.says("client_id_metadata_document_supported"),
                       events,
                       "its metadata do not say client_id_metadata_document_supported: true");
          const AuthorityAnswer& registration = script.client().registration;
          if (text_member(metadata, "registration_endpoint").empty()) {
            return script.check(kAuthorityRegistration, false, events,
                                "its metadata name no registration_endpoint");
          }
          if (registration.status == 0) {
            return script.not_exercised(kAuthorityRegistration, "no client was registered",
                                        script.client().hint);
          }
          if (registration.is_success()) return judge_registered(script, registration);
          script.unclear(kAuthorityRegistration,
                         fmt::format("a registration was answered with {}, which may be its policy",
                                     registration.describe()),
                         registration.events);
        },
});

}  // namespace
}  // namespace assay::scenarios
