#include "harness/script/token_issuer.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "reference/transport/http_fetch.h"
#include "reference/transport/http_url.h"
#include "reference/transport/random_id.h"
#include "reference/wire/base64.h"
#include "reference/wire/challenge.h"
#include "reference/wire/dpop.h"
#include "reference/wire/peer_json.h"

namespace assay::harness {
namespace {

using transport::HttpUrl;

constexpr std::int64_t kHour = 3600;
// Only a server that believes the token looks for keys there.
constexpr const char* kStrangersKeys = "/assay-keys-of-a-stranger";
constexpr const char* kStrangersCertificate = "/assay-certificate-of-a-stranger";
constexpr const char* kStrangersIssuer = "/assay-stranger";
// Longer than any run.
constexpr std::int64_t kTokenLife = 12 * kHour;
// One for each revision that has authorization.
constexpr std::size_t kSpareKeys = 4;
// A form, or the metadata of a client.
constexpr std::size_t kMostBody = 256u << 10;
// Of refusals, one after another, each of which names further scopes.
constexpr int kMostSteps = 4;
// What a target may make us repeat to it.
constexpr std::size_t kMostScopes = 4096;

transport::HttpListener::Options issuer_options(int port) {
  transport::HttpListener::Options options = transport::HttpListener::Options::for_few();
  options.port = port;
  options.most_body_bytes = kMostBody;
  return options;
}

std::optional<HttpUrl> read_url(const std::string& text) {
  auto parsed = HttpUrl::parse(text);
  auto* url = std::get_if<HttpUrl>(&parsed);
  return url == nullptr ? std::nullopt : std::optional(std::move(*url));
}

// What any server reads, and needs no session for its refusal.
transport::HttpMessage question(const std::string& token) {
  transport::HttpMessage message;
  message.method = "POST";
  message.headers = {{"Content-Type", "application/json"},
                     {"Accept", "application/json, text/event-stream"}};
  if (!token.empty()) message.headers.emplace_back("Authorization", "Bearer " + token);
  message.body = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  return message;
}

wire::Challenge challenge_in(const transport::Fetched& answer) {
  for (const auto& [name, value] : answer.headers) {
    if (transport::lower_case(name) != "www-authenticate") continue;
    for (wire::Challenge& each : wire::read_challenges(value)) {
      if (each.is_of("Bearer") || each.is_of(wire::kProofName)) return std::move(each);
    }
  }
  return {};
}

Json document_at(const std::string& url, std::chrono::milliseconds timeout) {
  transport::HttpMessage message;
  message.method = "GET";
  const auto answer = transport::fetch(url, std::move(message), timeout);
  const auto* fetched = std::get_if<transport::Fetched>(&answer);
  Json document =
      fetched != nullptr && fetched->status == 200 ? wire::parse_of_peer(fetched->body) : Json();
  return document.is_object() ? document : Json();
}

// Where the challenge says on the target's own origin, or at the well-known places.
Json resource_metadata(const HttpUrl& endpoint, const wire::Challenge& challenge,
                       std::chrono::milliseconds timeout) {
  constexpr const char* kPlace = "/.well-known/oauth-protected-resource";
  std::vector<std::string> places;
  const std::string named = challenge.parameter("resource_metadata").value_or("");
  const auto url = read_url(named);
  if (url && url->origin() == endpoint.origin()) places.push_back(named);
  const std::string path = endpoint.target.substr(0, endpoint.target.find('?'));
  if (path.size() > 1) places.push_back(endpoint.origin() + kPlace + path);
  places.push_back(endpoint.origin() + kPlace);
  for (const std::string& place : places) {
    if (Json document = document_at(place, timeout); !document.is_null()) return document;
  }
  return Json::object();
}

// How a refusal reads that has not its status: a redirect, or an error or a page in a success.
// Nothing if the answer is something else.
std::optional<TokenIssuer::Refusal> refusal_in(const transport::Fetched& answer) {
  const Json body = wire::parse_of_peer(answer.body);
  const bool is_error = body.is_object() && body.contains("error");
  const bool is_page = transport::media_type(answer.headers) == "text/html";
  const bool is_redirect = answer.status >= 300;
  if (answer.status >= 400 || !(is_error || is_page || is_redirect)) return std::nullopt;
  const auto place = transport::find_header(answer.headers, "Location");
  return TokenIssuer::Refusal{answer.status, std::string(place.value_or("")),
                              is_error ? body["error"] : Json()};
}

// Both, each word once.
std::string all_scopes(const std::string& asked, const Json& metadata) {
  std::vector<std::string> words = authorization::Server::words_in(asked);
  const auto listed = metadata.find("scopes_supported");
  if (listed != metadata.end() && listed->is_array()) {
    for (const Json& each : *listed) {
      const std::string word = each.is_string() ? each.get<std::string>() : "";
      if (word.empty() || std::find(words.begin(), words.end(), word) != words.end()) continue;
      words.push_back(word);
    }
  }
  std::string text;
  for (const std::string& word : words) {
    if (text.size() + word.size() < kMostScopes) text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

authorization::Knobs issuer_knobs(authorization::Signing signing,
                                  const std::vector<authorization::KnownClient>& clients) {
  authorization::Knobs knobs;
  knobs.clients = clients;
  knobs.serves_clients = true;
  knobs.signing = signing;
  knobs.has_openid_metadata = true;
  knobs.gives_refresh_tokens = true;
  return knobs;
}

}  // namespace

TokenIssuer::TokenIssuer(authorization::Signing signing,
                         std::vector<authorization::KnownClient> clients,
                         std::shared_ptr<reports::Vault> vault)
    : signing_(signing),
      clients_(std::move(clients)),
      vault_(vault ? std::move(vault) : std::make_shared<reports::Vault>()) {}

TokenIssuer::~TokenIssuer() {
  stop();
}

void TokenIssuer::stop() {
  if (listener_) listener_->stop();
}

std::optional<std::string> TokenIssuer::start(int port) {
  listener_ = std::make_unique<transport::HttpListener>(
      issuer_options(port), [this](const transport::HttpHead& request, std::string_view body) {
        return handle(request, body);
      });
  if (auto trouble = listener_->start()) return trouble;
  url_ = "http://127.0.0.1:" + std::to_string(listener_->port());
  server_ = std::make_unique<authorization::Server>(issuer_knobs(signing_, clients_), url_);
  while (spare_.size() < kSpareKeys) spare_.push_back(publish_key());
  if (signing_ != authorization::Signing::kEs256) {
    curve_ = std::make_shared<const authorization::SigningKey>(authorization::Signing::kEs256);
    server_->publish(curve_);
  }
  serving_ = server_.get();
  return std::nullopt;
}

transport::HttpReply TokenIssuer::handle(const transport::HttpHead& request,
                                         std::string_view body) {
  if (authorization::Server* server = serving_) {
    if (auto reply = server->handle(request, body)) return *std::move(reply);
    if (auto reply = strangers_document(request.target)) return *std::move(reply);
  }
  return {404, {{"Content-Type", "text/plain"}}, "Not found", nullptr};
}

std::optional<transport::HttpReply> TokenIssuer::strangers_document(
    const std::string& target) const {
  const auto reply_with = [](const Json& document) {
    return transport::HttpReply{
        200, {{"Content-Type", "application/json"}}, document.dump(), nullptr};
  };
  if (target == kStrangersKeys) {
    return reply_with({{"keys", Json::array({strangers_key().jwk()})}});
  }
  if (target == kStrangersCertificate) {
    const std::string text = "-----BEGIN CERTIFICATE-----\n" +
                             wire::encode_base64(strangers_key().certificate()) +
                             "\n-----END CERTIFICATE-----\n";
    return transport::HttpReply{
        200, {{"Content-Type", "application/pem-certificate-chain"}}, text, nullptr};
  }
  const std::string issuer = kStrangersIssuer;
  const std::array places = {"/.well-known/oauth-authorization-server" + issuer,
                             "/.well-known/openid-configuration" + issuer,
                             issuer + "/.well-known/openid-configuration"};
  if (std::find(places.begin(), places.end(), target) == places.end()) return std::nullopt;
  return reply_with({{"issuer", strangers_issuer()},
                     {"jwks_uri", strangers_keys_url()},
                     {"authorization_endpoint", url_ + issuer + "/authorize"},
                     {"token_endpoint", url_ + issuer + "/token"},
                     {"response_types_supported", Json::array({"code"})}});
}

bool TokenIssuer::takes(const std::string& endpoint, const std::string& audience,
                        const std::optional<Refusal>& refusal, std::chrono::milliseconds timeout) {
  // A refusal for want of scopes tells which: a token that has them may be taken.
  for (int step = 0; step < kMostSteps; ++step) {
    Json shown = claims();
    shown["aud"] = audience;
    const auto answer = transport::fetch(endpoint, question(sign(shown)), timeout);
    const auto* fetched = std::get_if<transport::Fetched>(&answer);
    if (fetched == nullptr || fetched->status == 401) return false;
    if (fetched->status != 403) return !refusal || refusal_in(*fetched) != refusal;
    const wire::Challenge challenge = challenge_in(*fetched);
    const std::string wider =
        all_scopes(scope_ + ' ' + challenge.parameter("scope").value_or(""), Json::object());
    if (challenge.parameter("error") != "insufficient_scope" || wider == scope_) return false;
    scope_ = wider;
    least_scope_ = wider;
  }
  return false;
}

bool TokenIssuer::learn(const std::string& endpoint, std::chrono::milliseconds timeout) {
  audience_ = endpoint;
  const auto url = read_url(endpoint);
  if (!url) return false;
  const auto answer = transport::fetch(endpoint, question(""), timeout);
  const auto* fetched = std::get_if<transport::Fetched>(&answer);
  const wire::Challenge challenge = fetched != nullptr ? challenge_in(*fetched) : wire::Challenge();
  const Json metadata = resource_metadata(*url, challenge, timeout);
  least_scope_ = all_scopes(challenge.parameter("scope").value_or(""), Json::object());
  scope_ = all_scopes(least_scope_, metadata);
  const auto bad = transport::fetch(endpoint, question("assay-token-that-nobody-issued"), timeout);
  const auto* refused = std::get_if<transport::Fetched>(&bad);
  const std::optional<Refusal> refusal =
      refused != nullptr ? refusal_in(*refused) : std::optional<Refusal>();
  std::vector<std::string> names;
  const auto named = metadata.find("resource");
  if (named != metadata.end() && named->is_string()) names.push_back(named->get<std::string>());
  const std::string path = url->target.substr(0, url->target.find('?'));
  names.push_back(url->origin() + path);
  names.push_back(url->origin());
  names.push_back(url->origin() + "/");
  for (const char* type : {"at+jwt", "JWT"}) {
    token_type_ = type;
    for (const std::string& name : names) {
      if (!takes(endpoint, name, refusal, timeout)) continue;
      audience_ = name;
      return true;
    }
  }
  audience_ = names.front();
  token_type_ = "at+jwt";
  return false;
}

std::vector<UserToken> TokenIssuer::tokens() const {
  using Standing = UserToken::Standing;
  std::vector<UserToken> all = {{"alice", sign(claims("alice"))}, {"bob", sign(claims("bob"))}};
  if (!least_scope_.empty() && least_scope_ != scope_) {
    Json narrow = claims("alice");
    narrow["scope"] = least_scope_;
    all.push_back({"alice", sign(narrow)});
  }
  all.push_back(foreign_token());
  Json expired = claims("alice");
  expired["iat"] = now() - 2 * kHour;
  expired["exp"] = now() - kHour;
  all.push_back({std::string(kExpiredName), sign(expired), Standing::kExpired});
  return all;
}

UserToken TokenIssuer::foreign_token() const {
  Json foreign = claims();
  foreign["aud"] = "https://another-server.assay.invalid/mcp";
  return {std::string(kForeignName), sign(foreign), UserToken::Standing::kForeign};
}

std::int64_t TokenIssuer::now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Json TokenIssuer::claims(std::string_view user) const {
  Json claims = {{"iss", url_},
                 {"sub", user},
                 {"client_id", "mcp-assay"},
                 {"aud", audience_},
                 {"iat", now()},
                 {"exp", now() + kTokenLife},
                 {"jti", transport::random_id()}};
  if (!scope_.empty()) claims["scope"] = scope_;
  return claims;
}

std::string TokenIssuer::sign(const Json& claims) const {
  std::string token = key().sign(claims, token_type_);
  hide(token);
  return token;
}

std::string TokenIssuer::refresh_token_for(const std::string& client_id) const {
  std::string token =
      server_->refresh_token_for({client_id, authorization::Server::words_in(scope_), audience_});
  hide(token);
  return token;
}

const authorization::SigningKey& TokenIssuer::strangers_key() const {
  const std::lock_guard lock(mutex_);
  if (!strangers_) strangers_ = std::make_unique<const authorization::SigningKey>(signing_);
  return *strangers_;
}

std::string TokenIssuer::strangers_keys_url() const {
  return url_ + kStrangersKeys;
}

std::string TokenIssuer::strangers_certificate_url() const {
  return url_ + kStrangersCertificate;
}

std::string TokenIssuer::strangers_issuer() const {
  return url_ + kStrangersIssuer;
}

std::shared_ptr<const authorization::SigningKey> TokenIssuer::publish_key() {
  auto key = std::make_shared<const authorization::SigningKey>(signing_);
  server_->publish(key);
  return key;
}

std::shared_ptr<const authorization::SigningKey> TokenIssuer::take_spare_key() {
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      auto key = std::move(spare_.back());
      spare_.pop_back();
      return key;
    }
  }
  return publish_key();
}

std::shared_ptr<const authorization::SigningKey> TokenIssuer::replace_key(
    const authorization::SigningKey& old_key) {
  server_->withdraw(old_key.id());
  return publish_key();
}

}  // namespace assay::harness
