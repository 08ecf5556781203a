#include "reference/client/login.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reference/client/login_assertion.h"
#include "reference/client/login_json.h"
#include "reference/transport/http_url.h"
#include "reference/transport/loopback.h"
#include "reference/transport/random_id.h"
#include "reference/wire/base64.h"
#include "reference/wire/dpop.h"
#include "reference/wire/http_text.h"
#include "reference/wire/peer_json.h"
#include "reference/wire/pkce.h"

namespace assay::client {
namespace {

using transport::Failure;
using transport::Fetched;
using wire::form_value;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

// Both, each word once.
std::string united(const std::string& a, const std::string& b) {
  std::string out = a;
  const std::vector<std::string> has = words_of(a);
  for (const std::string& word : words_of(b)) {
    if (std::find(has.begin(), has.end(), word) == has.end()) {
      out += (out.empty() ? "" : " ") + word;
    }
  }
  return out;
}

constexpr const char* kOfflineAccess = "offline_access";

// The challenge of a field that asks for a token; an empty one if there is none.
wire::Challenge bearer_in(const std::string& field, bool reads_all, bool has_key) {
  for (const wire::Challenge& each : wire::read_challenges(field)) {
    if (each.is_of("Bearer") || (has_key && each.is_of(wire::kProofName))) return each;
    if (!reads_all) break;
  }
  return {};
}

// A response to the request with that state.
bool is_response_to(const std::optional<std::string>& came, const std::string& state,
                    const LoginConduct& conduct) {
  if (!conduct.checks_state) return true;
  if (!came) return !conduct.wants_state;
  return conduct.matches_state != nullptr ? conduct.matches_state(*came, state) : *came == state;
}

std::string told_error(const wire::Form& response) {
  return form_value(response, "error").value_or("no error") + " " +
         form_value(response, "error_description").value_or("");
}

}  // namespace

std::string Login::authorization() const {
  const std::lock_guard lock(mutex_);
  // The first request with the new token is let in.
  constexpr int kFirst = 1;
  const bool shows_former =
      !options_.conduct.keeps_tokens_apart && !former_token_.empty() && ++former_uses_ > kFirst;
  if (shows_former) return "Bearer " + former_token_;
  const std::string& scheme = is_bound_ ? options_.conduct.bound_scheme : options_.conduct.scheme;
  if (!token_.empty()) return scheme + " " + token_;
  return options_.conduct.early_token.empty() ? "" : "Bearer " + options_.conduct.early_token;
}

std::string Login::access_token() const {
  const std::lock_guard lock(mutex_);
  return token_;
}

std::string Login::endpoint() const {
  const std::lock_guard lock(mutex_);
  const char* const name = options_.conduct.token_query;
  const bool shows = name != nullptr && !token_.empty();
  return shows ? options_.endpoint + "?" + name + "=" + token_ : options_.endpoint;
}

LoginMemory Login::memory() const {
  const std::lock_guard lock(mutex_);
  return {former_id_, former_token_,  token_,         refresh_token_,
          client_.id, client_.secret, identity_grant_};
}

void Login::spoil(transport::Headers& fields) const {
  if (options_.conduct.fields != nullptr) options_.conduct.fields(fields, memory());
}

LoginTrouble Login::answer(int status, const std::string& field) {
  const LoginConduct& conduct = options_.conduct;
  if (++attempts_ > conduct.most_attempts) return "the server refuses each token";
  const wire::Challenge challenge =
      bearer_in(field, conduct.reads_all_challenges, options_.proof_key.sign != nullptr);
  if (!conduct.reads_scheme_in_any_case && challenge.scheme != "Bearer") {
    return "the server asks for something else than a bearer token";
  }
  if (conduct.wants_challenge && challenge.scheme.empty()) return "the server asks for nothing";
  const bool lacks_scope = status == 403 && challenge.parameter("error") ==
                                                std::optional<std::string>("insufficient_scope");
  if (status == 403 && !(lacks_scope && conduct.steps_up)) {
    return "the server refuses what was asked";
  }
  if (status == 401 && !conduct.answers_expiry && !access_token().empty()) {
    return "the server refuses the token";
  }
  const bool repeats = status == 403 ? !conduct.gets_another_scope : !conduct.gets_another_token;
  if (repeats && !access_token().empty()) return std::nullopt;
  is_asked_to_prove_ = challenge.is_of(wire::kProofName);
  location_ = challenge.parameter("resource_metadata").value_or("");
  const bool is_readable =
      conduct.reads_parameters_in_any_case || field.find("resource_metadata") != std::string::npos;
  if (!is_readable) location_.clear();
  if (conduct.rediscovers || server_.is_null()) {
    if (auto trouble = discover(location_)) return trouble;
  }
  if (first_token_endpoint_.empty()) first_token_endpoint_ = text_in(server_, "token_endpoint");
  forget_former();
  if (auto trouble = choose_client()) return trouble;
  const bool may_renew =
      !refresh_token_.empty() || (conduct.assumes_refresh_token && !access_token().empty());
  if (status == 401 && may_renew && !renew()) return std::nullopt;
  scope_ = scope_for(status, challenge.parameter("scope"));
  const Json listed = server_.value("scopes_supported", Json());
  const bool has_offline_access =
      listed.is_array() && std::find(listed.begin(), listed.end(), kOfflineAccess) != listed.end();
  if (options_.wants_offline_access && has_offline_access) scope_ = united(scope_, kOfflineAccess);
  return get_token();
}

void Login::forget_former() {
  if (token_issuer_.empty() || token_issuer_ == issuer_) return;
  ++moves_;
  if (options_.conduct.keeps_refresh_tokens_apart) refresh_token_.clear();
  const std::lock_guard lock(mutex_);
  former_id_ = client_.id;
  former_token_ = token_;
  former_uses_ = 0;
}

LoginTrouble Login::get_token() {
  switch (options_.grant) {
    case LoginGrant::kAuthorizationCode:
      return authorize();
    case LoginGrant::kClientCredentials: {
      wire::Form form = {{"grant_type", "client_credentials"}};
      if (!scope_.empty()) form.emplace_back("scope", scope_);
      return ask_token(std::move(form));
    }
    case LoginGrant::kRefreshToken:
      refresh_token_ = options_.refresh_token;
      return renew();
    case LoginGrant::kIdentityAssertion:
      return assert_identity();
    case LoginGrant::kWorkload:
      return assert_workload();
  }
  return "there is no such grant";
}

std::string Login::scope_for(int status, const std::optional<std::string>& challenged) const {
  const LoginConduct& conduct = options_.conduct;
  std::string scope;
  const auto all = resource_.is_object() ? resource_.find("scopes_supported") : resource_.end();
  const bool has_any = resource_.is_object() && all != resource_.end() && all->is_array();
  if (challenged && conduct.follows_scope_of_challenge) {
    std::string wanted = *challenged;
    if (conduct.asks_for_listed_scopes_only && has_any) {
      wanted.clear();
      for (const std::string& word : words_of(*challenged)) {
        if (std::find(all->begin(), all->end(), Json(word)) != all->end()) {
          wanted = united(wanted, word);
        }
      }
    }
    return status == 403 && conduct.keeps_scopes ? united(scope_, wanted) : wanted;
  }
  if (has_any && conduct.follows_scopes_of_resource) {
    for (const Json& each : *all) {
      if (each.is_string()) scope = united(scope, each.get<std::string>());
    }
  }
  return scope.empty() ? conduct.other_scope : scope;
}

LoginTrouble Login::authorize() {
  const LoginConduct& conduct = options_.conduct;
  const std::string verifier = conduct.verifier != nullptr
                                   ? conduct.verifier()
                                   : transport::random_id() + transport::random_id();
  const std::string state = conduct.shows_verifier_as_state ? verifier : transport::random_id();
  const std::string redirect_uri =
      conduct.names_registered_redirect ? options_.redirect_uri : options_.redirect_uri + "/other";
  wire::Form form = {
      {"response_type", "code"},         {"client_id", client_.id},
      {"redirect_uri", redirect_uri},    {"code_challenge", wire::s256_challenge(verifier)},
      {"code_challenge_method", "S256"}, {"state", state}};
  if (!scope_.empty()) form.emplace_back("scope", scope_);
  if (options_.revision.has_resource_metadata()) form.emplace_back("resource", resource());
  if (conduct.shows_verifier) form.emplace_back("code_verifier", verifier);
  if (conduct.shows_verifier_as_challenge) {
    for (auto& [name, value] : form) value = name == "code_challenge" ? verifier : value;
  }
  if (conduct.authorization != nullptr) conduct.authorization(form);
  const bool is_next = authorizations_++ > 0;
  if (is_next && conduct.next_authorization != nullptr) conduct.next_authorization(form);
  if (conduct.secret_in_authorization != nullptr) conduct.secret_in_authorization(form, memory());
  const std::string url = text_in(server_, "authorization_endpoint");
  if (!is_safe(url)) return unsafe_place("authorization", url);
  const char mark = url.find('?') == std::string::npos ? '?' : '&';
  const std::string query = wire::write_form(form);
  const auto came =
      ask_for_code(conduct.authorization_url != nullptr ? conduct.authorization_url(url, query)
                                                        : url + mark + query,
                   state);
  if (const auto* trouble = std::get_if<std::string>(&came)) return *trouble;
  const auto& response = std::get<wire::Form>(came);
  if (!conduct.records_issuer) {
    if (auto trouble = discover(location_)) return trouble;
  }
  if (conduct.opens_error_page) open_error_page(response);
  const auto trouble = check_response(response, state);
  if (trouble && !conduct.redeems_before_checks) return trouble;
  const std::string code = form_value(response, "code").value_or("");
  if (code.empty()) {
    return "no code came: " +
           (conduct.told_error != nullptr ? conduct.told_error(response) : told_error(response));
  }
  const wire::Form asked = {{"grant_type", "authorization_code"},
                            {"code", code},
                            {"redirect_uri", form_value(form, "redirect_uri").value_or("")},
                            {"code_verifier", verifier}};
  auto refused = ask_token(asked);
  if (conduct.redeems_twice) ask_token(asked);
  return trouble ? trouble : refused;
}

void Login::open_error_page(const wire::Form& response) const {
  const auto page = form_value(response, "error_uri");
  if (!page) return;
  transport::HttpMessage message;
  message.method = "GET";
  transport::fetch(*page, std::move(message), options_.timeout);
}

std::variant<wire::Form, std::string> Login::ask_for_code(const std::string& url,
                                                          const std::string& state) {
  if (options_.browse) return options_.browse(url, state);
  transport::HttpMessage message;
  message.method = "GET";
  const auto answer = transport::fetch(url, std::move(message), options_.timeout);
  const auto* fetched = std::get_if<Fetched>(&answer);
  if (fetched == nullptr) return std::get<Failure>(answer).detail;
  const auto location = transport::find_header(fetched->headers, "Location");
  if (fetched->status / 100 != 3 || !location) {
    return fmt::format("the authorization request was answered with HTTP {}", fetched->status);
  }
  return wire::read_form(wire::query_in(*location));
}

LoginTrouble Login::check_response(const wire::Form& response, const std::string& state) const {
  const LoginConduct& conduct = options_.conduct;
  if (!is_response_to(form_value(response, "state"), state, conduct)) {
    return "the response has another state";
  }
  const auto issuer = form_value(response, "iss");
  const bool is_advertised = says_yes(server_, "authorization_response_iss_parameter_supported");
  if (!issuer) {
    const bool is_missing =
        (is_advertised && conduct.wants_advertised_issuer) || conduct.wants_any_issuer;
    return is_missing ? LoginTrouble("the response names no issuer") : std::nullopt;
  }
  const bool is_same = conduct.matches_response != nullptr
                           ? conduct.matches_response(*issuer, issuer_)
                           : *issuer == issuer_;
  const bool is_read = conduct.checks_issuer &&
                       (is_advertised || conduct.checks_unadvertised_issuer) &&
                       (conduct.checks_issuer_of_errors || !form_value(response, "error"));
  if (is_read && !is_same) return "the response names another issuer";
  return std::nullopt;
}

LoginTrouble Login::renew() {
  return ask_token({{"grant_type", "refresh_token"}, {"refresh_token", refresh_token_}});
}

TokenRequest Login::token_request(wire::Form form) const {
  const LoginConduct& conduct = options_.conduct;
  TokenRequest request;
  if (client_.method == "client_secret_basic") {
    const std::string pair =
        wire::encode_percent(client_.id) + ":" + wire::encode_percent(client_.secret);
    request.headers.emplace_back("Authorization", "Basic " + wire::encode_base64(pair));
  } else if (client_.method == kSignsAssertions) {
    form.emplace_back("client_assertion_type", kClientAssertionType);
    form.emplace_back("client_assertion", client_assertion());
  } else {
    form.emplace_back("client_id", client_.id);
    if (client_.method == "client_secret_post") form.emplace_back("client_secret", client_.secret);
  }
  if (options_.revision.has_resource_metadata()) form.emplace_back("resource", resource());
  if (conduct.token != nullptr) conduct.token(form);
  request.url = conduct.reads_token_endpoint_again ? text_in(server_, "token_endpoint")
                                                   : first_token_endpoint_;
  const auto renewed_with = form_value(form, "refresh_token");
  if (conduct.puts_refresh_token_in_query && renewed_with) {
    request.url += "?" + wire::write_form({{"refresh_token", *renewed_with}});
  }
  request.form = std::move(form);
  if (conduct.token_request != nullptr) conduct.token_request(request, memory());
  return request;
}

std::variant<Fetched, Failure> Login::send_token_request(TokenRequest request) {
  prove_token_request(request);
  transport::HttpMessage message;
  message.method = request.method;
  message.headers = request.headers;
  message.body = body_of(request);
  if (!message.body.empty()) {
    message.headers.emplace_back(
        "Content-Type", request.is_json ? "application/json" : "application/x-www-form-urlencoded");
  }
  return transport::fetch(request.url, std::move(message), options_.timeout);
}

LoginTrouble Login::ask_token(wire::Form form) {
  const TokenRequest request = token_request(std::move(form));
  if (!is_safe(request.url)) return unsafe_place("token", request.url);
  auto answer = send_token_request(request);
  const auto* fetched = std::get_if<Fetched>(&answer);
  if (fetched != nullptr && takes_nonce_of(*fetched)) {
    answer = send_token_request(request);
    fetched = std::get_if<Fetched>(&answer);
  }
  if (fetched == nullptr) return std::get<Failure>(answer).detail;
  const Json token = wire::parse_of_peer(fetched->body);
  if (fetched->status != 200 || text_in(token, "access_token").empty()) {
    if (options_.conduct.takes_next_refresh_token) refresh_token_.clear();
    return fmt::format("the token was refused: {} {}", text_in(token, "error"),
                       text_in(token, "error_description"));
  }
  return take_token(token, request.form);
}

LoginTrouble Login::take_token(const Json& token, const wire::Form& asked) {
  const LoginConduct& conduct = options_.conduct;
  if (conduct.minds_case_of_token_type && text_in(token, "token_type") != "Bearer") {
    return "the token is none of the type Bearer";
  }
  const auto life = token.find("expires_in");
  const bool has_life = life != token.end() && life->is_number();
  if (!has_life && conduct.wants_lifetime) return "the token has no lifetime";
  lifetime_ = has_life ? std::optional(life->get<double>()) : std::nullopt;
  const bool keeps = !conduct.takes_next_refresh_token && !refresh_token_.empty();
  if (!keeps) refresh_token_ = text_in(token, "refresh_token");
  token_issuer_ = issuer_;
  const std::string access = text_in(token, "access_token");
  const std::lock_guard lock(mutex_);
  const bool shows_other = conduct.shows_refresh_token && !refresh_token_.empty();
  token_ = shows_other ? refresh_token_ : access;
  // A fault may take a token that is bound to none for one that is.
  is_bound_ = wire::equals_without_case(text_in(token, "token_type"), wire::kProofName) ||
              (!conduct.proves_token_requests && can_prove());
  if (conduct.shows_code) token_ = form_value(asked, "code").value_or(access);
  return std::nullopt;
}

std::variant<Fetched, Failure> Login::post(const std::string& url, const std::string& type,
                                           const std::string& body,
                                           const transport::Headers& more) {
  if (!is_safe(url)) return Failure{Failure::Kind::kOther, unsafe_place("token", url)};
  transport::HttpMessage message;
  message.headers = {{"Content-Type", type}};
  message.headers.insert(message.headers.end(), more.begin(), more.end());
  message.body = body;
  return transport::fetch(url, std::move(message), options_.timeout);
}

}  // namespace assay::client
