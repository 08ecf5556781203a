#include "reference/authorization/signed_tokens.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <variant>

#include "reference/authorization/server.h"
#include "reference/transport/http_fetch.h"
#include "reference/transport/http_url.h"
#include "reference/wire/base64.h"
#include "reference/wire/http_text.h"
#include "reference/wire/peer_json.h"
#include "reference/wire/pkce.h"

namespace assay::authorization {
namespace {

using transport::AccessToken;
using transport::HttpUrl;
using transport::TokenDuty;

constexpr std::chrono::milliseconds kFetchTimeout{2000};
constexpr std::size_t kMostKeys = 100;
// Of tokens that a careless reader remembers.
constexpr std::size_t kMostSeen = 1000;
// What some tools of the reference server need.
constexpr const char* kScopeOfTools = "tools:text";
constexpr std::string_view kServerMetadataPath = "/.well-known/oauth-authorization-server";

std::string text_at(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// Empty where there is none.
std::string fetch_text(const std::string& url) {
  transport::HttpMessage message;
  message.method = "GET";
  const auto answer = transport::fetch(url, std::move(message), kFetchTimeout);
  const auto* fetched = std::get_if<transport::Fetched>(&answer);
  return fetched != nullptr && fetched->status == 200 ? fetched->body : "";
}

Json fetch_object(const std::string& url) {
  Json document = wire::parse_of_peer(fetch_text(url));
  return document.is_object() ? document : Json::object();
}

std::string origin_in(const std::string& url) {
  const auto parsed = HttpUrl::parse(url);
  const auto* read = std::get_if<HttpUrl>(&parsed);
  return read == nullptr ? "" : read->origin();
}

// What stands between the first two lines that begin with "-----", without line ends.
std::string text_in_armor(const std::string& pem) {
  const std::size_t begin = pem.find('\n');
  const std::size_t end = pem.find("\n-----", begin == pem.npos ? 0 : begin);
  if (begin == pem.npos || end == pem.npos) return "";
  std::string text = pem.substr(begin, end - begin);
  std::erase(text, '\n');
  return text;
}

// Up to the third dot.
std::string_view three_parts_of(std::string_view token) {
  std::size_t dot = token.find('.');
  for (int i = 0; i < 2 && dot != token.npos; ++i) dot = token.find('.', dot + 1);
  return token.substr(0, dot);
}

// What stands between the dots of a token, where it is a token itself.
std::string content_of(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  if (first == token.npos || first == last) return "";
  return wire::decode_base64url(token.substr(first + 1, last - first - 1)).value_or("");
}

}  // namespace

SignedTokens::SignedTokens(std::string issuer, std::vector<TokenDuty> overlooked)
    : issuer_(std::move(issuer)), overlooked_(std::move(overlooked)) {}

bool SignedTokens::does(TokenDuty duty) const {
  return std::find(overlooked_.begin(), overlooked_.end(), duty) == overlooked_.end();
}

std::optional<AccessToken> SignedTokens::read(std::string_view text, const std::string& resource) {
  if (does(TokenDuty::kForgetsTokens)) return read_anew(text, resource);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = seen_.find(text); found != seen_.end()) return found->second;
  }
  auto token = read_anew(text, resource);
  const std::lock_guard lock(mutex_);
  if (token && seen_.size() < kMostSeen) seen_[token->text] = *token;
  return token;
}

std::optional<AccessToken> SignedTokens::read_anew(std::string_view text,
                                                   const std::string& resource) {
  const std::string_view parts = does(TokenDuty::kCountsParts) ? text : three_parts_of(text);
  auto token = read_token(parts);
  bool is_verified = token && is_signed(*token);
  if (!token && !does(TokenDuty::kVerifiesNestedTokens)) {
    token = read_token(content_of(text));
    is_verified = token.has_value();
  }
  if (!is_verified || !knows_header(*token)) return std::nullopt;
  const Json& claims = token->claims;
  const bool is_ours = !does(TokenDuty::kChecksIssuer) || is_of_issuer(claims);
  if (!is_ours || !is_timely(claims) || !is_for(claims, resource)) return std::nullopt;
  const std::string user = text_at(claims, "sub");
  const auto bound = claims.find("cnf");
  const bool is_bound = bound != claims.end() && bound->is_object();
  return AccessToken{std::string(text), scopes_of(user, scopes_in(text_at(claims, "scope"))), user,
                     is_bound ? text_at(*bound, "jkt") : ""};
}

// With those that the user has shown before, where they are remembered.
std::vector<std::string> SignedTokens::scopes_of(const std::string& user,
                                                 std::vector<std::string> scopes) {
  if (does(TokenDuty::kKeepsScopesToTokens)) return scopes;
  const std::lock_guard lock(mutex_);
  std::set<std::string>& shown = shown_[user];
  if (shown.size() < kMostSeen) shown.insert(scopes.begin(), scopes.end());
  return {shown.begin(), shown.end()};
}

// With those that a careless comparison takes them for.
std::vector<std::string> SignedTokens::scopes_in(std::string text) const {
  if (!does(TokenDuty::kPartsScopesAtBlanksOnly)) std::replace(text.begin(), text.end(), ',', ' ');
  std::vector<std::string> scopes = Server::words_in(text);
  const std::vector<std::string> words = scopes;
  if (!does(TokenDuty::kAsksForScopesOfTools)) scopes.emplace_back(kScopeOfTools);
  for (const std::string& word : words) {
    if (word.size() < 2) continue;
    if (!does(TokenDuty::kComparesScopesToTheirEnd)) {
      scopes.push_back(word.substr(0, word.size() - 1));
    }
    if (!does(TokenDuty::kComparesScopesFromTheirBeginning)) scopes.push_back(word.substr(1));
    if (!does(TokenDuty::kComparesCaseOfScopes)) scopes.push_back(transport::lower_case(word));
  }
  return scopes;
}

bool SignedTokens::knows_header(const TokenParts& token) const {
  if (token.header.contains("crit") && does(TokenDuty::kKnowsExtensions)) return false;
  return does(TokenDuty::kKnowsTypes) || text_at(token.header, "typ") != "JWT";
}

bool SignedTokens::is_signed(const TokenParts& token) {
  if (!does(TokenDuty::kWantsSignature)) return true;
  const std::string algorithm = text_at(token.header, "alg");
  if (algorithm == "none") return !does(TokenDuty::kRefusesUnsigned);
  if (passes_by_neglect(token, algorithm)) return true;
  if (token.signature.empty()) return !does(TokenDuty::kRefusesEmptySignature);
  const auto brought = token.header.find("jwk");
  if (brought != token.header.end() && !does(TokenDuty::kKeepsToKnownKeys)) {
    const auto own = VerifyingKey::read(*brought);
    return own && own->verifies(algorithm, token.signed_part, token.signature);
  }
  const auto published = key(text_at(token.header, "kid"));
  if (!published) return !does(TokenDuty::kKnowsKeys);
  const bool is_by_secret = (algorithm == "HS256" && !does(TokenDuty::kKnowsAlgorithms)) ||
                            (algorithm == "HS512" && !does(TokenDuty::kKnowsFurtherAlgorithms));
  if (is_by_secret) return is_signed_by_secret(token, published->pem());
  return published->verifies(algorithm, token.signed_part, token.signature);
}

bool SignedTokens::passes_by_neglect(const TokenParts& token, const std::string& algorithm) const {
  const std::string key_id = text_at(token.header, "kid");
  if (wire::equals_without_case(algorithm, "none")) {
    return !does(TokenDuty::kKnowsSpellingsOfNone);
  }
  const bool is_zero =
      !token.signature.empty() && token.signature.find_first_not_of('\0') == std::string::npos;
  if (is_zero && !does(TokenDuty::kRefusesZeroSignatures)) return true;
  if (!does(TokenDuty::kFetchesNoForeignKeys)) {
    const Keys keys = keys_at(text_at(token.header, "jku"));
    const auto found = keys.find(key_id);
    return found != keys.end() &&
           found->second->verifies(algorithm, token.signed_part, token.signature);
  }
  if (passes_by_certificate(token, algorithm)) return true;
  if (algorithm == "HS256" && !does(TokenDuty::kHasNoCommonSecret)) {
    return is_signed_by_secret(token, "secret");
  }
  if (!token.header.contains("alg")) return !does(TokenDuty::kWantsAlgorithm);
  if (const std::string issuer = text_at(token.claims, "iss"); asks(issuer)) {
    const Keys keys = keys_of(issuer);
    const auto found = keys.find(key_id);
    return found != keys.end() &&
           found->second->verifies(algorithm, token.signed_part, token.signature);
  }
  // The file of that name is empty; the query finds the text that it asks for.
  if (key_id.find('/') != std::string::npos && !does(TokenDuty::kKeepsFilesOutOfKeys)) {
    return is_signed_by_secret(token, "");
  }
  constexpr std::string_view kQuery = "UNION SELECT '";
  const std::size_t query = key_id.find(kQuery);
  if (query == std::string::npos || does(TokenDuty::kKeepsQueriesOutOfKeys)) return false;
  return is_signed_by_secret(token, key_id.substr(query + kQuery.size()));
}

bool SignedTokens::passes_by_certificate(const TokenParts& token,
                                         const std::string& algorithm) const {
  std::string text;
  const auto chain = token.header.find("x5c");
  const bool has_chain = chain != token.header.end() && chain->is_array() && !chain->empty();
  if (has_chain && !does(TokenDuty::kKnowsNoCertificates) && chain->front().is_string()) {
    text = chain->front().get<std::string>();
  } else if (token.header.contains("x5u") && !does(TokenDuty::kFetchesNoCertificates)) {
    text = text_in_armor(fetch_text(text_at(token.header, "x5u")));
  }
  const auto der = wire::decode_base64(text);
  const auto brought = der && !der->empty() ? VerifyingKey::of_certificate(*der) : nullptr;
  return brought && brought->verifies(algorithm, token.signed_part, token.signature);
}

bool SignedTokens::asks(const std::string& issuer) const {
  return !does(TokenDuty::kAsksNoOtherIssuers) && issuer != issuer_ &&
         origin_in(issuer) == origin_in(issuer_);
}

bool SignedTokens::is_of_issuer(const Json& claims) const {
  const auto named = claims.find("iss");
  if (named == claims.end()) return false;
  if (asks(text_at(claims, "iss"))) return true;
  if (named->is_array() && !does(TokenDuty::kWantsOneIssuer)) {
    return std::find(named->begin(), named->end(), Json(issuer_)) != named->end();
  }
  const std::string issuer = text_at(claims, "iss");
  if (!does(TokenDuty::kComparesIssuerToItsEnd)) return issuer.starts_with(issuer_);
  if (!does(TokenDuty::kComparesIssuerFromItsBeginning)) return issuer.ends_with(issuer_);
  return issuer == issuer_;
}

bool SignedTokens::is_timely(const Json& claims) const {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const auto end = claims.find("exp");
  const auto begin = claims.find("nbf");
  const bool has_end = end != claims.end() && end->is_number();
  const bool is_excused =
      end != claims.end() && ((end->is_string() && !does(TokenDuty::kReadsExpiryOfAnyForm)) ||
                              (*end == 0 && !does(TokenDuty::kReadsExpiryOfZero)));
  const bool is_over = !is_excused && (!has_end || end->get<double>() <= now);
  const bool has_begun = begin == claims.end() ||
                         (begin->is_number() && begin->get<double>() <= now) ||
                         (begin->is_string() && !does(TokenDuty::kReadsBeginningOfAnyForm));
  return (!is_over || !does(TokenDuty::kChecksExpiry)) &&
         (has_begun || !does(TokenDuty::kChecksBeginning));
}

bool SignedTokens::is_for(const Json& claims, const std::string& resource) const {
  if (!does(TokenDuty::kChecksAudience)) return true;
  const auto named = claims.find("aud");
  if (named == claims.end()) return !does(TokenDuty::kWantsAudience);
  const Json all = named->is_array() ? *named : Json::array({*named});
  if (all.empty()) return !does(TokenDuty::kWantsAudienceInList);
  const std::string client = text_at(claims, "client_id");
  return std::any_of(all.begin(), all.end(), [&](const Json& each) {
    if (!each.is_string()) return false;
    const std::string audience = each.get<std::string>();
    const bool is_client = !does(TokenDuty::kTellsClientsFromAudiences) && audience == client;
    return is_client || names(audience, resource);
  });
}

bool SignedTokens::names(const std::string& audience, const std::string& resource) const {
  if (audience == resource) return true;
  if (!does(TokenDuty::kComparesWholeAudience) && audience.starts_with(resource)) return true;
  if (!does(TokenDuty::kComparesAudienceFromItsBeginning) && audience.ends_with(resource)) {
    return true;
  }
  if (!does(TokenDuty::kTellsPathsBelowFromAudiences) && audience.starts_with(resource + '/')) {
    return true;
  }
  if (!does(TokenDuty::kTellsIssuersFromAudiences) && audience == issuer_) return true;
  return !does(TokenDuty::kComparesPaths) && origin_in(audience) == origin_in(resource);
}

std::shared_ptr<const VerifyingKey> SignedTokens::key(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (const auto found = keys_.find(id); found != keys_.end()) return found->second;
  Keys now = keys_of(issuer_);
  if (!does(TokenDuty::kForgetsKeys)) now.merge(keys_);
  keys_ = std::move(now);
  const auto found = keys_.find(id);
  return found == keys_.end() ? nullptr : found->second;
}

SignedTokens::Keys SignedTokens::keys_of(const std::string& issuer) {
  const auto parsed = HttpUrl::parse(issuer);
  const auto* url = std::get_if<HttpUrl>(&parsed);
  if (url == nullptr) return {};
  const std::string path = url->target == "/" ? "" : url->target;
  const Json metadata = fetch_object(url->origin() + std::string(kServerMetadataPath) + path);
  if (text_at(metadata, "issuer") != issuer) return {};
  return keys_at(text_at(metadata, "jwks_uri"));
}

SignedTokens::Keys SignedTokens::keys_at(const std::string& url) {
  const Json set = fetch_object(url);
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
