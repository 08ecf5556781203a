#include "reference/authorization/signed_tokens.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "reference/authorization/server.h"
#include "reference/transport/http_fetch.h"
#include "reference/transport/http_url.h"
#include "reference/wire/peer_json.h"

namespace assay::authorization {
namespace {

using transport::AccessToken;
using transport::HttpUrl;
using transport::TokenDuty;

constexpr std::chrono::milliseconds kFetchTimeout{2000};
constexpr std::size_t kMostKeys = 100;
constexpr std::string_view kServerMetadataPath = "/.well-known/oauth-authorization-server";

std::string text_at(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Json fetch_object(const std::string& url) {
  transport::HttpMessage message;
  message.method = "GET";
  const auto answer = transport::fetch(url, std::move(message), kFetchTimeout);
  const auto* fetched = std::get_if<transport::Fetched>(&answer);
  Json document =
      fetched != nullptr && fetched->status == 200 ? wire::parse_of_peer(fetched->body) : Json();
  return document.is_object() ? document : Json::object();
}

std::string origin_in(const std::string& url) {
  const auto parsed = HttpUrl::parse(url);
  const auto* read = std::get_if<HttpUrl>(&parsed);
  return read == nullptr ? "" : read->origin();
}

}  // namespace

SignedTokens::SignedTokens(std::string issuer, std::vector<TokenDuty> overlooked)
    : issuer_(std::move(issuer)), overlooked_(std::move(overlooked)) {}

bool SignedTokens::does(TokenDuty duty) const {
  return std::find(overlooked_.begin(), overlooked_.end(), duty) == overlooked_.end();
}

std::optional<AccessToken> SignedTokens::read(std::string_view text, const std::string& resource) {
  const auto token = read_token(text);
  if (!token || !is_signed(*token)) return std::nullopt;
  const Json& claims = token->claims;
  const bool is_ours = !does(TokenDuty::kChecksIssuer) || text_at(claims, "iss") == issuer_;
  if (!is_ours || !is_timely(claims) || !is_for(claims, resource)) return std::nullopt;
  return AccessToken{std::string(text), Server::words_in(text_at(claims, "scope")),
                     text_at(claims, "sub")};
}

bool SignedTokens::is_signed(const TokenParts& token) {
  if (!does(TokenDuty::kWantsSignature)) return true;
  const std::string algorithm = text_at(token.header, "alg");
  if (algorithm == "none") return !does(TokenDuty::kRefusesUnsigned);
  if (token.signature.empty()) return !does(TokenDuty::kRefusesEmptySignature);
  const auto brought = token.header.find("jwk");
  if (brought != token.header.end() && !does(TokenDuty::kKeepsToKnownKeys)) {
    const auto own = VerifyingKey::read(*brought);
    return own && own->verifies(algorithm, token.signed_part, token.signature);
  }
  const auto published = key(text_at(token.header, "kid"));
  if (!published) return !does(TokenDuty::kKnowsKeys);
  if (algorithm == "HS256" && !does(TokenDuty::kKnowsAlgorithms)) {
    return is_signed_by_secret(token, published->pem());
  }
  return published->verifies(algorithm, token.signed_part, token.signature);
}

bool SignedTokens::is_timely(const Json& claims) const {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const auto end = claims.find("exp");
  const auto begin = claims.find("nbf");
  const bool has_end = end != claims.end() && end->is_number();
  const bool is_over = !has_end || end->get<double>() <= now;
  const bool has_begun =
      begin == claims.end() || (begin->is_number() && begin->get<double>() <= now);
  return (!is_over || !does(TokenDuty::kChecksExpiry)) &&
         (has_begun || !does(TokenDuty::kChecksBeginning));
}

bool SignedTokens::is_for(const Json& claims, const std::string& resource) const {
  if (!does(TokenDuty::kChecksAudience)) return true;
  const auto named = claims.find("aud");
  if (named == claims.end()) return !does(TokenDuty::kWantsAudience);
  const Json all = named->is_array() ? *named : Json::array({*named});
  return std::any_of(all.begin(), all.end(), [&](const Json& each) {
    if (!each.is_string()) return false;
    const std::string audience = each.get<std::string>();
    if (audience == resource) return true;
    if (!does(TokenDuty::kComparesWholeAudience) && audience.starts_with(resource)) return true;
    return !does(TokenDuty::kComparesPaths) && origin_in(audience) == origin_in(resource);
  });
}

std::shared_ptr<const VerifyingKey> SignedTokens::key(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (const auto found = keys_.find(id); found != keys_.end()) return found->second;
  Keys now = fetch_keys();
  if (!does(TokenDuty::kForgetsKeys)) now.merge(keys_);
  keys_ = std::move(now);
  const auto found = keys_.find(id);
  return found == keys_.end() ? nullptr : found->second;
}

SignedTokens::Keys SignedTokens::fetch_keys() const {
  const auto parsed = HttpUrl::parse(issuer_);
  const auto* url = std::get_if<HttpUrl>(&parsed);
  if (url == nullptr) return {};
  const std::string path = url->target == "/" ? "" : url->target;
  const Json metadata = fetch_object(url->origin() + std::string(kServerMetadataPath) + path);
  if (text_at(metadata, "issuer") != issuer_) return {};
  const Json set = fetch_object(text_at(metadata, "jwks_uri"));
  Keys keys;
  const auto all = set.find("keys");
  if (all == set.end() || !all->is_array()) return keys;
  for (const Json& each : *all) {
    auto read = VerifyingKey::read(each);
    if (read && keys.size() < kMostKeys) keys[read->id()] = std::move(read);
  }
  return keys;
}

}  // namespace assay::authorization
