// Whom the server knows: clients that registered, and those whose id is the URL of their metadata
// document.
#include <algorithm>
#include <utility>
#include <variant>

#include "reference/authorization/server.h"
#include "reference/authorization/server_replies.h"
#include "reference/transport/loopback.h"
#include "reference/transport/random_id.h"
#include "reference/wire/http_text.h"
#include "reference/wire/peer_json.h"

namespace assay::authorization {
namespace {

constexpr int kRefused = 400;
// What a client may say of itself.
constexpr std::size_t kMostMetadata = 64u << 10;

// A client id that is the URL of the client's metadata document: https, and on this machine http.
bool is_document_url(std::string_view id, bool may_be_near) {
  const auto url = transport::HttpUrl::parse(id);
  const auto* read = std::get_if<transport::HttpUrl>(&url);
  const bool is_place = read != nullptr && read->target.size() > 1;
  return is_place && (read->is_tls || (may_be_near && transport::is_loopback(*read)));
}

// What a document says is its URL, as far as that is looked at.
bool is_named(const Json& said, const std::string& url, const Conduct& conduct) {
  if (!conduct.checks_document_url || said == Json(url)) return true;
  if (!said.is_string()) return false;
  const std::string& text = said.get_ref<const std::string&>();
  if (!conduct.checks_case_of_document_url && wire::equals_without_case(text, url)) return true;
  return !conduct.checks_query_of_document_url && text.substr(0, text.find('?')) == url;
}

std::vector<std::string> texts_in(const Json& object, const char* name) {
  std::vector<std::string> texts;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return texts;
  for (const Json& each : *found) {
    if (each.is_string()) texts.push_back(each.get<std::string>());
  }
  return texts;
}

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// The first in the client's own set.
std::shared_ptr<const VerifyingKey> key_in(const Json& metadata) {
  const Json set = metadata.value("jwks", Json());
  const Json keys = set.is_object() ? set.value("keys", Json()) : Json();
  return keys.is_array() && !keys.empty() ? VerifyingKey::read(keys.front()) : nullptr;
}

}  // namespace

bool Server::is_document_id(const std::string& id) const {
  return knobs_.takes_client_documents && is_document_url(id, knobs_.fetch_document != nullptr);
}

std::optional<KnownClient> Server::client(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = clients_.find(id); found != clients_.end()) return found->second;
    const auto kept = documents_.find(id);
    if (kept != documents_.end() && knobs_.conduct.keeps_documents) return kept->second;
  }
  if (!is_document_id(id)) return std::nullopt;
  if (!knobs_.fetch_document || !knobs_.conduct.fetches_documents) {
    return KnownClient{id, "", kNoSecret, {}};
  }
  auto known = read_document(id);
  const std::lock_guard lock(mutex_);
  if (known && documents_.size() < kMost) documents_[id] = *known;
  return known;
}

std::optional<KnownClient> Server::read_document(const std::string& url) const {
  const Conduct& conduct = knobs_.conduct;
  const auto text = knobs_.fetch_document(url);
  if (!text) return std::nullopt;
  const Json json = wire::parse_of_peer(*text);
  KnownClient known{url, "", kNoSecret, {}};
  if (json.is_object()) {
    known.redirect_uris = texts_in(json, "redirect_uris");
    const auto id = json.find("client_id");
    if (id != json.end() && !is_named(*id, url, conduct)) return std::nullopt;
  }
  bool has_all = !text_in(json, "client_id").empty() && !text_in(json, "client_name").empty() &&
                 !known.redirect_uris.empty();
  if (!conduct.checks_document_types) {
    has_all = json.is_object() && json.contains("client_id") && json.contains("client_name") &&
              json.contains("redirect_uris");
  }
  if (!has_all && conduct.checks_document_fields) return std::nullopt;
  if (!conduct.checks_document_redirects) known.redirect_uris.clear();
  return known;
}

transport::HttpReply Server::register_client(std::string_view body) {
  if (body.size() > kMostMetadata) {
    return refuse(kRefused, "invalid_client_metadata", "the body is too long");
  }
  Json asked = wire::parse_of_peer(body);
  if (!asked.is_object()) {
    return refuse(kRefused, "invalid_client_metadata", "the body is no JSON object");
  }
  KnownClient made;
  made.redirect_uris = texts_in(asked, "redirect_uris");
  // A client that has tokens of its own is never sent anywhere.
  const std::vector<std::string> grants = texts_in(asked, "grant_types");
  const bool needs_none =
      knobs_.serves_clients && !grants.empty() &&
      std::find(grants.begin(), grants.end(), "authorization_code") == grants.end();
  if (made.redirect_uris.empty() && !needs_none) {
    return refuse(kRefused, "invalid_redirect_uri", "redirect_uris is empty");
  }
  if (knobs_.refuses_redirects) {
    return refuse(kRefused, "invalid_redirect_uri",
                  "none of redirect_uris may be used with this application_type");
  }
  made.id = "client-" + transport::random_id();
  const std::string method = text_in(asked, "token_endpoint_auth_method");
  const auto& methods = knobs_.auth_methods;
  made.auth_method = std::find(methods.begin(), methods.end(), method) != methods.end()
                         ? method
                         : knobs_.auth_methods.front();
  if (made.auth_method == kSignedAssertion) {
    made.key = key_in(asked);
    if (made.key == nullptr) {
      return refuse(kRefused, "invalid_client_metadata", "jwks has no key for ES256 or RS256");
    }
  } else if (made.auth_method != kNoSecret) {
    made.secret = transport::random_id();
  }
  const auto bound = asked.find("dpop_bound_access_tokens");
  made.has_bound_tokens = bound != asked.end() && *bound == true;
  asked["client_id"] = made.id;
  asked["token_endpoint_auth_method"] = made.auth_method;
  if (!made.secret.empty()) {
    asked["client_secret"] = made.secret;
    asked["client_secret_expires_at"] = 0;
  }
  if (knobs_.conduct.registration != nullptr) knobs_.conduct.registration(asked);
  const std::lock_guard lock(mutex_);
  if (clients_.size() >= kMost) {
    return refuse(kRefused, "invalid_client_metadata", "too many clients");
  }
  clients_[made.id] = std::move(made);
  return json_reply(201, asked);
}

}  // namespace assay::authorization
