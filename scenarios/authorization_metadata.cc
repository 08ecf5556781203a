// Scenarios about where a server says that tokens are to be had. They need no token.
//
// Specification: basic/authorization, "Authorization Server Location" (2025-06-18 and later), and
// "Canonical Server URI"; RFC 9728.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "harness/catalogue/catalogue.h"
#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/json_member.h"
#include "harness/script/token_issuer.h"
#include "reference/wire/challenge.h"
#include "scenarios/token_door.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;

// Whether it may be the identifier of an issuer (RFC 8414, section 2): a URL without query and
// fragment, and not that of the document in which an issuer says what it is.
bool may_be_issuer(const Json& value) {
  if (!value.is_string()) return false;
  const std::string& text = value.get_ref<const std::string&>();
  const auto parsed = transport::HttpUrl::parse(text);
  const auto* const url = std::get_if<transport::HttpUrl>(&parsed);
  return url != nullptr && text.find_first_of("?#") == std::string::npos &&
         url->target.find("/.well-known/o") == std::string::npos;
}

bool lists_servers(const Json& document) {
  const Json& servers = member(document, "authorization_servers");
  return servers.is_array() && !servers.empty() &&
         std::all_of(servers.begin(), servers.end(), may_be_issuer);
}

bool is_text(const Json& value) {
  return value.is_string();
}
bool is_flag(const Json& value) {
  return value.is_boolean();
}
bool is_list_of_texts(const Json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), is_text);
}
bool reads_as_url(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().find("://") != std::string::npos;
}
bool is_list_of_algorithms(const Json& value) {
  return is_list_of_texts(value) && std::find(value.begin(), value.end(), "none") == value.end();
}
// A scope is a word without blanks (RFC 6749, section 3.3); where there are none, the member is
// left out (RFC 9728, section 3.2).
bool is_list_of_words(const Json& value) {
  return is_list_of_texts(value) && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& word) {
           const auto& text = word.get_ref<const std::string&>();
           return !text.empty() && text.find(' ') == std::string::npos;
         });
}

// What the members hold that may be left out (RFC 9728, section 2).
struct Member {
  const char* name;
  bool (*has_form)(const Json& value);
  const char* form;
};
constexpr std::array kMembers = {
    Member{"scopes_supported", is_list_of_words, "an array of scopes"},
    Member{"bearer_methods_supported", is_list_of_texts, "an array of strings"},
    Member{"jwks_uri", reads_as_url, "a URL"},
    Member{"resource_name", is_text, "a string"},
    Member{"resource_documentation", reads_as_url, "a URL"},
    Member{"resource_policy_uri", reads_as_url, "a URL"},
    Member{"resource_tos_uri", reads_as_url, "a URL"},
    Member{"resource_signing_alg_values_supported", is_list_of_algorithms,
           "an array of algorithms without none"},
    Member{"authorization_details_types_supported", is_list_of_texts, "an array of strings"},
    Member{"dpop_signing_alg_values_supported", is_list_of_texts, "an array of strings"},
    Member{"tls_client_certificate_bound_access_tokens", is_flag, "true or false"},
    Member{"dpop_bound_access_tokens_required", is_flag, "true or false"}};

// What is wrong with how the metadata came, and with what they hold besides; empty if nothing is.
std::string defect_of_form(const FoundMetadata& metadata) {
  constexpr int kOk = 200;
  if (metadata.answer.status != kOk) {
    return fmt::format("the resource metadata came with HTTP {} and not 200",
                       metadata.answer.status);
  }
  if (!transport::has_media_type(metadata.answer.headers, "application/json")) {
    return fmt::format(
        "the resource metadata came with the Content-Type \"{}\" and not "
        "application/json",
        transport::media_type(metadata.answer.headers));
  }
  for (const Member& each : kMembers) {
    const Json& value = member(metadata.document, each.name);
    if (value.is_null() || each.has_form(value)) continue;
    return fmt::format("{} of the resource metadata is {}, and not {}", each.name,
                       value.dump(-1, ' ', true), each.form);
  }
  return "";
}

// What is wrong with the place that the challenge names; empty if nothing is, or nobody knows. What
// stands on another origin was not asked for.
std::string defect_of_place(const FoundMetadata& metadata) {
  if (metadata.named.empty()) return "";
  const auto parsed = transport::HttpUrl::parse(metadata.named);
  if (std::get_if<transport::HttpUrl>(&parsed) == nullptr) {
    return fmt::format("WWW-Authenticate says resource_metadata=\"{}\", which is not a URL",
                       metadata.named);
  }
  if (!metadata.at_named || says_nothing(*metadata.at_named)) return "";
  // A client that follows the redirect may find them.
  if (metadata.at_named->status >= 300 && metadata.at_named->status < 400) return "";
  const bool is_there = metadata.at_named->is_success() && metadata.document.is_object() &&
                        metadata.at_named->body == metadata.answer.body;
  if (is_there) return "";
  return fmt::format(
      "WWW-Authenticate says that the resource metadata are at {}, and that was "
      "answered with {}{}",
      metadata.named, metadata.at_named->describe(),
      metadata.at_named->is_success() ? ", which holds none" : "");
}

// The ways in which it says that it takes tokens leave out the one in which it takes them (RFC
// 9728, section 2); empty where they do not.
std::string contradiction_of_methods(Script& script, const FoundMetadata& metadata) {
  const Json& methods = member(metadata.document, "bearer_methods_supported");
  if (!methods.is_array() || script.is_locked_out()) return "";
  const bool has_header = std::find(methods.begin(), methods.end(), "header") != methods.end();
  if (has_header || !is_let_in(knock(script, {}))) return "";
  return fmt::format(
      "bearer_methods_supported of the resource metadata is {}, without \"header\", and a token in "
      "the header field is taken",
      methods.dump(-1, ' ', true));
}

// A token for what the metadata name is refused, and one for another name is served: who asks for a
// token as the metadata say gets one of no use.
std::string contradiction_of_tokens(Script& script, const FoundMetadata& metadata) {
  const Json& named = member(metadata.document, "resource");
  if (!named.is_string() || !takes_our_tokens(script)) return "";
  const TokenIssuer& issuer = *script.issuer();
  if (named == issuer.audience()) return "";
  Json claims = issuer.claims();
  claims["aud"] = named;
  const HttpAnswer answer = knock(script, {{"Authorization", "Bearer " + issuer.sign(claims)}});
  if (answer.status != kUnauthorized || !takes_our_tokens(script)) return "";
  return fmt::format(
      "the resource metadata name {} as the resource; a token for it is refused, "
      "and one for {} is taken",
      named.dump(-1, ' ', true), issuer.audience());
}

// What is wrong with the resource that the metadata name; empty if nothing is. On another origin
// it may be how the world reaches the server, whatever we were told.
std::string defect_of_resource(const Json& resource, const transport::HttpUrl& endpoint) {
  if (!resource.is_string()) return "the resource metadata holds no resource";
  const std::string& text = resource.get_ref<const std::string&>();
  const std::string named =
      fmt::format("the resource metadata names {} as the resource", resource.dump(-1, ' ', true));
  const std::string lower = transport::lower_case(text);
  if (!lower.starts_with("https://") && !lower.starts_with("http://")) {
    return named + ", which is not an http or https URL";
  }
  if (text.find('#') != std::string::npos) return named + ", with a fragment";
  const auto parsed = transport::HttpUrl::parse(text);
  const auto* const url = std::get_if<transport::HttpUrl>(&parsed);
  if (url == nullptr || url->origin() != endpoint.origin()) return "";
  std::string_view path(url->target);
  path = path.substr(0, path.find('?'));
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::string_view ours(endpoint.target);
  const bool is_above =
      ours.starts_with(path) &&
      (ours.size() == path.size() || ours[path.size()] == '/' || ours[path.size()] == '?');
  return is_above ? "" : fmt::format("{}, and not {} or what is above it", named, endpoint.text());
}

// What says the same: in lists the order means nothing, and what is signed may be so each time
// anew.
Json comparable(Json document) {
  document.erase("signed_metadata");
  for (Json& value : document) {
    if (value.is_array()) std::sort(value.begin(), value.end());
  }
  return document;
}

// Of the same resource clients are told something else, depending on where they look; empty where
// they are told the same. The metadata at another place may be another resource's.
std::string contradiction_in(Script& script, FoundMetadata& metadata) {
  for (const PlacedDocument& other :
       documents_at_further_places(script.open_connection(), metadata)) {
    const bool is_of_same =
        member(other.document, "resource") == member(metadata.document, "resource");
    if (!is_of_same || comparable(other.document) == comparable(metadata.document)) continue;
    return fmt::format("the resource metadata at {} and at {} differ, and name the same resource",
                       metadata.target, other.target);
  }
  return "";
}

void judge_resource(Script& script, const FoundMetadata& metadata,
                    const std::string& contradiction) {
  constexpr RequirementId kImplemented("authorization.resource-metadata-implemented");
  const transport::HttpUrl& endpoint = url_of(script.open_connection());
  const Json& resource = member(metadata.document, "resource");
  std::string defect = defect_of_resource(resource, endpoint);
  if (defect.empty()) defect = defect_of_place(metadata);
  if (defect.empty()) defect = defect_of_form(metadata);
  if (defect.empty()) defect = contradiction_of_methods(script, metadata);
  if (defect.empty()) defect = contradiction_of_tokens(script, metadata);
  if (defect.empty() && !contradiction.empty()) {
    script.unclear(kImplemented, contradiction, metadata.events);
  } else {
    script.check(kImplemented, defect.empty(), metadata.events, defect);
  }
  if (!defect.empty()) return;
  const std::string& text = resource.get_ref<const std::string&>();
  const auto parsed = transport::HttpUrl::parse(text);
  const auto* const url = std::get_if<transport::HttpUrl>(&parsed);
  // Further down a slash at the end may mean something.
  if (url == nullptr || (url->target != "/" && text.ends_with('/'))) return;
  script.check("authorization.no-trailing-slash", !text.ends_with('/'), metadata.events,
               fmt::format("the resource metadata names \"{}\", with a slash at the end", text));
}

void judge_list(Script& script, const FoundMetadata& metadata, const std::string& contradiction) {
  constexpr RequirementId kListed("authorization.authorization-servers-listed");
  const bool is_listed = lists_servers(metadata.document);
  if (is_listed && !contradiction.empty()) {
    return script.unclear(kListed, contradiction, metadata.events);
  }
  script.check(kListed, is_listed, metadata.events,
               fmt::format("authorization_servers of the resource metadata is {}",
                           member(metadata.document, "authorization_servers").dump(-1, ' ', true)));
}

void judge_document(Script& script, FoundMetadata metadata) {
  const std::string contradiction = contradiction_in(script, metadata);
  judge_resource(script, metadata, contradiction);
  judge_list(script, metadata, contradiction);
  if (!catalogue::holds("authorization.offline-access-not-in-metadata", script.revision())) return;
  const Json& scopes = member(metadata.document, "scopes_supported");
  const bool is_listed = scopes.is_array() &&
                         std::find(scopes.begin(), scopes.end(), "offline_access") != scopes.end();
  constexpr RequirementId kNotListed("authorization.offline-access-not-in-metadata");
  if (!is_listed && !contradiction.empty()) {
    return script.unclear(kNotListed, contradiction, metadata.events);
  }
  script.check(kNotListed, !is_listed, metadata.events,
               "scopes_supported of the resource metadata holds offline_access");
}

void judge_first_challenge(Script& script, const HttpAnswer& answer,
                           const std::optional<wire::Challenge>& challenge) {
  constexpr const char* kWhat = "a request without a token";
  judge_metadata_named(script, answer, kWhat);
  judge_offline_access(script, answer, kWhat);
  if (!script.revision().has_scope_challenges()) return;
  const auto scope = challenge ? challenge->parameter("scope") : std::nullopt;
  script.check("authorization.scope-in-challenge", scope && !scope->empty(), answer.events,
               "the 401 response names no scope in WWW-Authenticate");
}

// A 401 says where the metadata are, or they are where everybody looks; and they name who gives
// tokens.
SCENARIO(
    authorization_tells_who_gives_tokens, in_both_eras(), own_session(), over_http(),
    before_login(), in_revisions(&Revision::has_resource_metadata),
    judges({"authorization.resource-metadata-implemented",
            "authorization.resource-metadata-discoverable",
            "authorization.authorization-servers-listed",
            "authorization.challenge-names-resource-metadata", "authorization.scope-in-challenge",
            "authorization.offline-access-not-in-challenge",
            "authorization.offline-access-not-in-metadata", "authorization.no-trailing-slash"})) {
  constexpr RequirementId kImplemented("authorization.resource-metadata-implemented");
  constexpr RequirementId kDiscoverable("authorization.resource-metadata-discoverable");
  const bool may_be_found = script.revision().has_well_known_metadata();
  Door door = try_door(script);
  if (door.state == Door::State::kOpen) door = try_inner_door(script);
  if (!is_shut(script, door, {kImplemented, "authorization.authorization-servers-listed"})) return;
  const auto challenge = token_challenge(door.answer);
  if (door.answer.status == kUnauthorized) judge_first_challenge(script, door.answer, challenge);
  const FoundMetadata& metadata = door.metadata;
  if (!metadata.document.is_null()) {
    if (may_be_found) script.check(kDiscoverable, true, metadata.events, "");
    return judge_document(script, metadata);
  }
  if (!metadata.elsewhere.empty()) {
    const std::string why = fmt::format(
        "the resource metadata are said to be at {}, which is another origin than the server's "
        "own; nothing was asked for there",
        metadata.elsewhere);
    if (may_be_found) script.unclear(kDiscoverable, why, metadata.events);
    return script.unclear(kImplemented, why, metadata.events);
  }
  const std::string why = fmt::format("neither WWW-Authenticate nor {} leads to resource metadata",
                                      kResourceMetadataPath);
  if (may_be_found) script.check(kDiscoverable, false, metadata.events, why);
  script.check(kImplemented, false, metadata.events, why);
}

}  // namespace
}  // namespace assay::scenarios
