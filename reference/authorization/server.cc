#include "reference/authorization/server.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "reference/authorization/server_replies.h"
#include "reference/transport/random_id.h"
#include "reference/wire/base64.h"
#include "reference/wire/dpop.h"
#include "reference/wire/http_text.h"
#include "reference/wire/pkce.h"

namespace assay::authorization {
namespace {

using transport::HttpHead;
using transport::HttpReply;
using wire::form_value;

constexpr int kFound = 302;
constexpr int kBadRequest = 400;
constexpr int kUnauthorized = 401;

std::string value_or_empty(const wire::Form& form, std::string_view name) {
  return form_value(form, name).value_or("");
}

bool contains(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

}  // namespace

Server::Server(Knobs knobs, std::string origin)
    : knobs_(std::move(knobs)),
      origin_(std::move(origin)),
      key_(knobs_.signing ? std::make_unique<SigningKey>(*knobs_.signing) : nullptr) {
  for (const KnownClient& each : knobs_.clients) clients_[each.id] = each;
}

std::vector<std::string> Server::words_in(std::string_view scope) {
  std::vector<std::string> words;
  while (!scope.empty()) {
    const std::string_view word = scope.substr(0, scope.find(' '));
    scope.remove_prefix(std::min(word.size() + 1, scope.size()));
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

std::optional<HttpReply> Server::handle(const HttpHead& request, std::string_view body) {
  auto reply = answer(request, body);
  if (reply && knobs_.conduct.reply != nullptr) knobs_.conduct.reply(request, *reply);
  return reply;
}

std::optional<HttpReply> Server::answer(const HttpHead& request, std::string_view body) {
  const std::string_view path = wire::path_in(request.target);
  if (request.method == "GET") {
    if (const auto document = metadata_at(path)) return json_reply(200, *document);
    if (path == endpoints_path() + "/authorize") return authorize(request);
    if (key_ && path == endpoints_path() + "/jwks") return key_set();
    return std::nullopt;
  }
  if (request.method != "POST") return std::nullopt;
  if (path == endpoints_path() + "/token") return token(request, body);
  if (path == endpoints_path() + "/consent" && knobs_.asks_for_consent) return consent(body);
  if (path == endpoints_path() + "/register" && knobs_.registers) return register_client(body);
  return std::nullopt;
}

HttpReply Server::key_set() const {
  Json keys = Json::array({key_->jwk()});
  const std::lock_guard lock(mutex_);
  for (const auto& each : further_keys_) keys.push_back(each->jwk());
  return json_reply(200, {{"keys", keys}});
}

void Server::publish(const std::shared_ptr<const SigningKey>& key) {
  const std::lock_guard lock(mutex_);
  further_keys_.push_back(key);
}

void Server::withdraw(const std::string& key_id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(further_keys_, [&](const auto& each) { return each->id() == key_id; });
}

std::optional<Server::Refusal> Server::trouble_with(const wire::Form& asked) const {
  if (value_or_empty(asked, "response_type") != "code") {
    return Refusal{"unsupported_response_type", "response_type has to be code"};
  }
  if (knobs_.challenge_methods.empty()) return std::nullopt;
  if (value_or_empty(asked, "code_challenge").empty()) {
    const bool is_excused = !knobs_.conduct.demands_challenge_of_documents &&
                            is_document_id(value_or_empty(asked, "client_id"));
    if (is_excused || !knobs_.conduct.demands_challenge) return std::nullopt;
    return Refusal{"invalid_request", "code_challenge is missing"};
  }
  const std::string method = form_value(asked, "code_challenge_method").value_or("plain");
  if (!contains(knobs_.challenge_methods, method)) {
    return Refusal{"invalid_request", "code_challenge_method is not supported"};
  }
  return std::nullopt;
}

// Where nobody can vouch for the client or its redirect URI, nobody is redirected.
HttpReply Server::authorize(const HttpHead& request) {
  const wire::Form asked = wire::read_form(wire::query_in(request.target));
  const std::string id = value_or_empty(asked, "client_id");
  const auto known = client(id);
  if (!known && !knobs_.conduct.refuses_strangers) {
    return redirect(asked, {{"error", "invalid_client"}});
  }
  if (!known) return refuse(kBadRequest, "invalid_client", "client_id is unknown");
  const std::string uri = value_or_empty(asked, "redirect_uri");
  if (const auto trouble = trouble_before_redirect(asked)) return redirect(asked, *trouble);
  if (!transport::is_field_value(uri) || !accepts_redirect(*known, uri)) {
    return refuse(kBadRequest, "invalid_request", "redirect_uri is not registered");
  }
  if (const auto trouble = trouble_with(asked)) {
    return redirect(asked,
                    {{"error", trouble->error}, {"error_description", trouble->description}});
  }
  ++authorizations_;
  if (const auto& sent = knobs_.sent_error) {
    return redirect(asked, {{"error", sent->error},
                            {"error_description", sent->description},
                            {"error_uri", sent->uri}});
  }
  return knobs_.asks_for_consent ? ask_for_consent(asked) : give_code(asked);
}

std::optional<wire::Form> Server::trouble_before_redirect(const wire::Form& asked) const {
  const bool is_of_type = value_or_empty(asked, "response_type") != "code" &&
                          !knobs_.conduct.looks_at_redirect_before_type;
  const bool is_of_challenge = value_or_empty(asked, "code_challenge").empty() &&
                               !knobs_.conduct.looks_at_redirect_before_challenge;
  const auto trouble = trouble_with(asked);
  if (!trouble || (!is_of_type && !is_of_challenge)) return std::nullopt;
  return wire::Form{{"error", trouble->error}};
}

HttpReply Server::give_code(const wire::Form& asked) {
  Code code{{value_or_empty(asked, "client_id"), words_in(value_or_empty(asked, "scope")),
             value_or_empty(asked, "resource")},
            value_or_empty(asked, "redirect_uri"),
            value_or_empty(asked, "code_challenge"),
            form_value(asked, "code_challenge_method").value_or("plain")};
  const std::string text = transport::random_id();
  {
    const std::lock_guard lock(mutex_);
    if (codes_.size() >= kMost) return refuse(kBadRequest, "temporarily_unavailable", "too many");
    codes_[text] = std::move(code);
  }
  return redirect(asked, {{"code", text}});
}

HttpReply Server::redirect(const wire::Form& asked, wire::Form response) const {
  auto state = form_value(asked, "state");
  if (knobs_.sent_state) state = knobs_.sent_state;
  if (state && knobs_.changed_state != nullptr) state = knobs_.changed_state(*state);
  if (state && knobs_.sends_state) response.emplace_back("state", *state);
  const bool is_error = form_value(response, "error").has_value();
  const bool names_issuer = !is_error || knobs_.conduct.names_issuer_in_errors;
  if (knobs_.sent_issuer && names_issuer) response.emplace_back("iss", *knobs_.sent_issuer);
  std::string uri = value_or_empty(asked, "redirect_uri");
  for (const auto& [name, value] : asked) {
    if (name == "redirect_uri" && !knobs_.conduct.sends_where_it_looked) uri = value;
  }
  uri += (uri.find('?') == std::string::npos ? '?' : '&') + wire::write_form(response);
  return {kFound, {{"Location", uri}, {"Cache-Control", "no-store"}}, "", nullptr};
}

HttpReply Server::token(const HttpHead& request, std::string_view body) {
  if (transport::media_type(request.headers) != "application/x-www-form-urlencoded") {
    return refuse(kBadRequest, "invalid_request",
                  "the body has to be application/x-www-form-urlencoded");
  }
  const wire::Form asked = wire::read_form(body);
  if (auto given = redeem_workload(asked)) return *std::move(given);
  const auto known = authenticate(request, asked);
  if (!known) {
    HttpReply reply = refuse(kUnauthorized, "invalid_client", "the client does not show who it is");
    reply.headers.emplace_back("WWW-Authenticate", "Basic realm=\"token\"");
    return reply;
  }
  auto shown = shown_key(*known, request);
  if (auto* refused = std::get_if<HttpReply>(&shown)) return std::move(*refused);
  const std::string& key = std::get<std::string>(shown);
  const std::string grant = value_or_empty(asked, "grant_type");
  if (grant == "authorization_code") return exchange(*known, asked, key);
  if (grant == "refresh_token") return renew(*known, asked, key);
  if (grant == "client_credentials" && knobs_.serves_clients) {
    if (known->secret.empty() && known->key == nullptr) {
      return refuse(kBadRequest, "unauthorized_client", "the client has no secret");
    }
    return issue({known->id, words_in(value_or_empty(asked, "scope")),
                  value_or_empty(asked, "resource"), key});
  }
  if (grant == kJwtBearerGrant && !knobs_.trusted.empty()) {
    return redeem_assertion(*known, asked, key);
  }
  return refuse(kBadRequest, "unsupported_grant_type", "grant_type is not supported");
}

HttpReply Server::exchange(const KnownClient& client, const wire::Form& asked,
                           const std::string& key) {
  Code code;
  {
    const std::lock_guard lock(mutex_);
    const auto found = codes_.find(value_or_empty(asked, "code"));
    if (found == codes_.end()) return refuse(kBadRequest, "invalid_grant", "the code is unknown");
    code = found->second;
    if (knobs_.conduct.takes_code_once) codes_.erase(found);
  }
  if (code.grant.client_id != client.id && knobs_.conduct.knows_client_of_code) {
    return refuse(kBadRequest, "invalid_grant", "the code is another client's");
  }
  const auto uri = form_value(asked, "redirect_uri");
  if (uri && *uri != code.redirect_uri) {
    return refuse(kBadRequest, "invalid_grant", "redirect_uri is another than before");
  }
  const std::string verifier = value_or_empty(asked, "code_verifier");
  const bool is_excused =
      verifier.empty() ? !knobs_.conduct.demands_verifier : !knobs_.conduct.checks_verifier;
  if (!code.challenge.empty() && !is_excused) {
    const std::string shown = code.method == "S256" ? wire::s256_challenge(verifier) : verifier;
    const bool is_excused_too = !knobs_.conduct.hashes_verifier && verifier == code.challenge;
    if (shown != code.challenge && !is_excused_too) {
      return refuse(kBadRequest, "invalid_grant", "code_verifier does not match code_challenge");
    }
  }
  const std::string resource = value_or_empty(asked, "resource");
  if (!resource.empty()) code.grant.resource = resource;
  code.grant.key = key;
  return issue(std::move(code.grant));
}

HttpReply Server::renew(const KnownClient& client, const wire::Form& asked,
                        const std::string& key) {
  Grant grant;
  {
    const std::lock_guard lock(mutex_);
    const auto found = refresh_.find(value_or_empty(asked, "refresh_token"));
    const bool is_theirs = found != refresh_.end() && found->second.client_id != client.id;
    if (found == refresh_.end() || (is_theirs && knobs_.conduct.knows_client_of_refresh_token)) {
      return refuse(kBadRequest, "invalid_grant", "the refresh token does not hold");
    }
    grant = found->second;
    const std::vector<std::string> scopes = words_in(value_or_empty(asked, "scope"));
    if (!scopes.empty() && !knobs_.conduct.keeps_scopes) grant.scopes = scopes;
    if (knobs_.conduct.takes_refresh_token_once) refresh_.erase(found);
  }
  grant.key = key;
  return issue(std::move(grant), knobs_.conduct.gives_next_refresh_token);
}

std::string Server::access_token(const Grant& grant) const {
  if (!key_) return transport::random_id();
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  Json claims = {{"iss", issuer()},
                 {"sub", "user"},
                 {"client_id", grant.client_id},
                 {"iat", now.count()},
                 {"exp", (now + knobs_.token_life).count()},
                 {"jti", transport::random_id()}};
  if (!grant.resource.empty()) claims["aud"] = grant.resource;
  if (!grant.scopes.empty()) claims["scope"] = joined(grant.scopes);
  if (!grant.key.empty()) claims["cnf"] = {{"jkt", grant.key}};
  return key_->sign(claims, "at+jwt");
}

HttpReply Server::issue(Grant grant, bool with_refresh_token) {
  with_refresh_token = with_refresh_token && knobs_.gives_refresh_tokens;
  Json out = {{"access_token", access_token(grant)},
              {"token_type", grant.key.empty() ? "Bearer" : wire::kProofName},
              {"expires_in", knobs_.token_life.count()}};
  if (!grant.scopes.empty()) out["scope"] = joined(grant.scopes);
  if (with_refresh_token) out["refresh_token"] = transport::random_id();
  const std::lock_guard lock(mutex_);
  if (issued_.size() >= kMost) return refuse(kBadRequest, "temporarily_unavailable", "too many");
  const std::string access = out["access_token"];
  issued_[access] = true;
  if (with_refresh_token) {
    const std::string refresh = out["refresh_token"];
    issued_[refresh] = true;
    refresh_[refresh] = grant;
  }
  access_[access] = {std::move(grant), std::chrono::steady_clock::now() + knobs_.token_life};
  return json_reply(200, out);
}

std::string Server::refresh_token_for(Grant grant) {
  std::string text = transport::random_id();
  const std::lock_guard lock(mutex_);
  issued_[text] = true;
  refresh_[text] = std::move(grant);
  return text;
}

std::optional<Grant> Server::grant_of(std::string_view access_token) const {
  const std::lock_guard lock(mutex_);
  const auto found = access_.find(access_token);
  const bool holds =
      found != access_.end() && std::chrono::steady_clock::now() < found->second.until;
  return holds ? std::optional(found->second.grant) : std::nullopt;
}

bool Server::has_issued(std::string_view token) const {
  const std::lock_guard lock(mutex_);
  return issued_.find(token) != issued_.end();
}

void Server::expire_all() {
  const std::lock_guard lock(mutex_);
  access_.clear();
}

}  // namespace assay::authorization
