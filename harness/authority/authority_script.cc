#include "harness/authority/authority_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/script/json_member.h"
#include "harness/script/limit.h"
#include "reference/transport/http_url.h"
#include "reference/transport/loopback.h"
#include "reference/transport/random_id.h"
#include "reference/wire/base64.h"
#include "reference/wire/http_text.h"
#include "reference/wire/pkce.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

using transport::HttpUrl;
using wire::form_value;
using CookieJar = std::map<std::string, std::map<std::string, std::string>>;

constexpr int kMostRedirects = 10;
constexpr std::size_t kMostCookies = 32;
constexpr const char* kPage = "text/html, application/json";
constexpr const char* kAsksPerson = "it asks a person to log in";
constexpr const char* kWantsLogin = "it asks a person to log in (--login)";

std::string origin_of(const std::string& url) {
  const auto parsed = HttpUrl::parse(url);
  const auto* read = std::get_if<HttpUrl>(&parsed);
  return read == nullptr ? "" : read->origin();
}

transport::Headers cookies_for(const std::string& url, const CookieJar& jar) {
  const auto found = jar.find(origin_of(url));
  if (found == jar.end() || found->second.empty()) return {};
  std::string all;
  for (const auto& [name, value] : found->second) {
    all += fmt::format("{}{}={}", all.empty() ? "" : "; ", name, value);
  }
  return {{"Cookie", all}};
}

bool is_listed(const Json& metadata, std::string_view name, std::string_view value) {
  const Json& all = array_member(metadata, name);
  return std::any_of(all.begin(), all.end(),
                     [&](const Json& each) { return each.is_string() && each == value; });
}

}  // namespace

std::string CodeResponse::value(std::string_view name) const {
  return result ? form_value(*result, name).value_or("") : "";
}

bool CodeResponse::is_refused() const {
  return !value("error").empty() || (!result && answer.is_refusal());
}

std::string CodeResponse::describe() const {
  if (!trouble.empty()) return trouble;
  if (!value("error").empty()) return fmt::format("the error {}", value("error"));
  if (has_code()) return "a code";
  return location.empty() ? answer.describe()
                          : fmt::format("HTTP {} to another place", answer.status);
}

bool AuthorityScript::is_on_this_machine() const {
  const auto parsed = HttpUrl::parse(options_.issuer);
  const auto* read = std::get_if<HttpUrl>(&parsed);
  return read != nullptr && transport::is_loopback(*read);
}

std::string AuthorityScript::endpoint(std::string_view name) const {
  std::string url(text_member(facts_.metadata, name));
  return inquirer_.may_ask(url) ? url : "";
}

bool AuthorityScript::says(std::string_view name) const {
  return member(facts_.metadata, name) == true;
}

bool AuthorityScript::lacks_means(std::initializer_list<catalogue::RequirementId> rules) {
  std::string why = facts_.client.why;
  std::string hint = facts_.client.hint;
  for (const char* name : {"authorization_endpoint", "token_endpoint"}) {
    if (!endpoint(name).empty()) continue;
    const std::string said(text_member(facts_.metadata, name));
    why = said.empty() ? fmt::format("its metadata name no {}", name)
                       : fmt::format("its {} is at another origin: {}", name, origin_of(said));
    hint = said.empty()
               ? ""
               : fmt::format("allow it: --origin {}", reports::shell_word(origin_of(said)));
  }
  if (why.empty()) return false;
  note_no_code(hint.empty() ? why : fmt::format("{} ({})", why, hint));
  for (const catalogue::RequirementId rule : rules) not_exercised(rule, why, hint);
  return true;
}

CodeRequest AuthorityScript::code_request() const {
  return {facts_.client.id, options_.redirect_uri, transport::random_id() + transport::random_id()};
}

wire::Form AuthorityScript::form_of(const CodeRequest& request, const std::string& state) const {
  wire::Form form = {{"response_type", request.response_type},
                     {"client_id", request.client_id},
                     {"redirect_uri", request.redirect_uri},
                     {"state", state}};
  if (!request.second_redirect.empty()) form.emplace_back("redirect_uri", request.second_redirect);
  if (!request.verifier.empty()) {
    form.emplace_back("code_challenge", wire::s256_challenge(request.verifier));
    form.emplace_back("code_challenge_method", "S256");
  }
  if (!options_.scope.empty()) form.emplace_back("scope", options_.scope);
  if (!options_.resource.empty()) form.emplace_back("resource", options_.resource);
  return form;
}

std::optional<wire::Form> AuthorityScript::brought(const std::string& location,
                                                   const std::string& to) {
  if (!location.starts_with(to)) return std::nullopt;
  const std::string_view behind = std::string_view(location).substr(to.size());
  const char mark = to.find('?') == std::string::npos ? '?' : '&';
  if (behind.empty() || behind.front() != mark) return std::nullopt;
  return wire::read_form(behind.substr(1, behind.find('#') - 1));
}

void AuthorityScript::keep_cookies(const AuthorityAnswer& answer, const std::string& origin,
                                   CookieJar& jar) const {
  for (const auto& [name, value] : answer.headers) {
    if (!wire::equals_without_case(name, "Set-Cookie")) continue;
    const std::string pair = value.substr(0, value.find(';'));
    const std::size_t equals = pair.find('=');
    auto& own = jar[origin];
    if (equals == std::string::npos || equals == 0 || own.size() >= kMostCookies) continue;
    if (!transport::is_field_value(pair)) continue;
    own[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
}

CodeResponse AuthorityScript::follow_request(const CodeRequest& request, bool may_ask_person) {
  const std::string state = transport::random_id();
  const std::string endpoint_url = endpoint("authorization_endpoint");
  const char mark = endpoint_url.find('?') == std::string::npos ? '?' : '&';
  const std::string first = endpoint_url + mark + wire::write_form(form_of(request, state));
  CodeResponse out;
  CookieJar jar;
  std::string url = first;
  for (int i = 0; i <= kMostRedirects; ++i) {
    out.answer = inquirer_.get(url, kPage, cookies_for(url, jar));
    keep_cookies(out.answer, origin_of(url), jar);
    out.location = out.answer.location();
    if (out.location.empty()) break;
    out.result = brought(out.location, request.redirect_uri);
    if (out.result) break;
    const auto parsed = HttpUrl::parse(url);
    const auto place = std::get<HttpUrl>(parsed).resolve(out.location);
    const auto* next = std::get_if<HttpUrl>(&place);
    if (next == nullptr || !inquirer_.may_ask(next->text())) break;
    url = next->text();
  }
  if (out.result && out.value("state") != state) {
    out.has_other_state = true;
  }
  if (out.result || out.answer.status == 0 || out.is_refused()) return out;
  if (out.answer.status >= 400) return out;
  out.trouble = options_.browse == nullptr ? kWantsLogin : kAsksPerson;
  if (!may_ask_person || options_.browse == nullptr) return out;
  auto came = options_.browse(first, state);
  if (auto* response = std::get_if<wire::Form>(&came)) {
    out.result = std::move(*response);
    out.trouble.clear();
  } else {
    out.trouble = std::get<std::string>(came);
  }
  return out;
}

CodeResponse AuthorityScript::ask_for_code(const CodeRequest& request, bool may_ask_person) {
  CodeResponse response = follow_request(request, may_ask_person);
  if (request.client_id != facts_.client.id) return response;
  response.has_code() ? note_code() : note_no_code(response.describe());
  return response;
}

AuthorityAnswer AuthorityScript::ask_for_token_as(const AuthorityClient& client, wire::Form form,
                                                  transport::Headers headers) {
  if (client.method == "client_secret_basic") {
    const std::string pair =
        wire::encode_percent(client.id) + ":" + wire::encode_percent(client.secret);
    headers.emplace_back("Authorization", "Basic " + wire::encode_base64(pair));
  } else {
    if (client.is_known()) form.emplace_back("client_id", client.id);
    if (client.method == "client_secret_post") form.emplace_back("client_secret", client.secret);
  }
  if (!options_.resource.empty()) form.emplace_back("resource", options_.resource);
  return inquirer_.post_form(endpoint("token_endpoint"), form, std::move(headers));
}

AuthorityAnswer AuthorityScript::exchange_code_as(const AuthorityClient& client,
                                                  const CodeResponse& response,
                                                  const CodeRequest& request,
                                                  const std::string& verifier) {
  wire::Form form = {{"grant_type", "authorization_code"},
                     {"code", response.value("code")},
                     {"redirect_uri", request.redirect_uri}};
  if (!verifier.empty()) form.emplace_back("code_verifier", verifier);
  return ask_for_token_as(client, std::move(form));
}

AuthorityClient AuthorityScript::another_client(const Json& more) {
  if (facts_.client.registration.status == 0) return {};
  return register_with(inquirer_, options_, facts_.metadata, more);
}

Finding& AuthorityScript::add(Finding::Kind kind, catalogue::RequirementId requirement,
                              std::string detail) {
  return findings_.emplace_back(requirement, kind, judge_, std::move(detail));
}

void AuthorityScript::check(catalogue::RequirementId requirement, bool did_hold,
                            std::vector<EventPtr> events, std::string detail) {
  if (const auto limit = did_hold ? std::nullopt : limit_in(events)) {
    return unclear(requirement, limit->words(), std::move(events));
  }
  Finding& finding = add(did_hold ? Finding::Kind::kHeld : Finding::Kind::kBroke, requirement,
                         did_hold ? "" : std::move(detail));
  if (!did_hold) finding.proof = Proof::of(events, Party::kServer);
  finding.events = std::move(events);
}

void AuthorityScript::unclear(catalogue::RequirementId requirement, std::string why,
                              std::vector<EventPtr> events) {
  add(Finding::Kind::kUnclear, requirement, std::move(why)).events = std::move(events);
}

void AuthorityScript::not_exercised(catalogue::RequirementId requirement, std::string why,
                                    std::string hint) {
  add(Finding::Kind::kNotExercised, requirement, std::move(why)).hint = std::move(hint);
}

void AuthorityScript::not_applicable(catalogue::RequirementId requirement, std::string why) {
  add(Finding::Kind::kNotApplicable, requirement, std::move(why));
}

bool AuthorityScript::has_spoken_of(catalogue::RequirementId requirement) const {
  return std::any_of(findings_.begin(), findings_.end(), [&](const Finding& each) {
    return each.requirement.text() == requirement.text();
  });
}

std::string registration_url(const Inquirer& inquirer, const CertifyAuthorityOptions& options,
                             const Json& metadata, AuthorityClient& client) {
  client.hint = "name a client that is registered: --client-id";
  const auto parsed = HttpUrl::parse(options.issuer);
  const auto* issuer = std::get_if<HttpUrl>(&parsed);
  const bool is_near = issuer != nullptr && transport::is_loopback(*issuer);
  const std::string url(text_member(metadata, "registration_endpoint"));
  if (!is_near && !options.may_register_anywhere) {
    client.why = "a client is registered only on this machine, unless you allow it elsewhere";
    client.hint = "--register, or --client-id for a client that is registered";
    return "";
  }
  if (url.empty() || !inquirer.may_ask(url)) {
    client.why = url.empty() ? "it registers no clients (RFC 7591)"
                             : fmt::format("its registration_endpoint is at another origin: {}",
                                           origin_of(url));
    return "";
  }
  return url;
}

AuthorityClient register_with(Inquirer& inquirer, const CertifyAuthorityOptions& options,
                              const Json& metadata, const Json& more) {
  AuthorityClient client;
  if (!options.client_id.empty()) {
    client.id = options.client_id;
    client.secret = options.client_secret;
    const bool is_post_only =
        is_listed(metadata, "token_endpoint_auth_methods_supported", "client_secret_post") &&
        !is_listed(metadata, "token_endpoint_auth_methods_supported", "client_secret_basic");
    if (!client.secret.empty()) {
      client.method = is_post_only ? "client_secret_post" : "client_secret_basic";
    }
    return client;
  }
  const std::string url = registration_url(inquirer, options, metadata, client);
  if (url.empty()) return client;
  Json asked = {{"client_name", "mcp-assay"},
                {"redirect_uris", Json::array({options.redirect_uri})},
                {"grant_types", Json::array({"authorization_code"})},
                {"response_types", Json::array({"code"})},
                {"token_endpoint_auth_method", "none"},
                {"application_type", "native"}};
  const Json& grants = member(metadata, "grant_types_supported");
  // Who says which grants there are refuses others.
  if (!grants.is_array() || is_listed(metadata, "grant_types_supported", "refresh_token")) {
    asked["grant_types"].push_back("refresh_token");
  }
  asked.update(more);
  client.registration = inquirer.post_json(url, asked);
  const Json& made = client.registration.json;
  if (!client.registration.is_success() || text_member(made, "client_id").empty()) {
    client.why = fmt::format("a registration was answered with {}", client.registration.describe());
    return client;
  }
  client.id = text_member(made, "client_id");
  client.secret = text_member(made, "client_secret");
  if (!client.secret.empty()) inquirer.vault()->add(client.secret);
  const std::string_view method = text_member(made, "token_endpoint_auth_method");
  if (!client.secret.empty()) client.method = "client_secret_basic";
  if (!method.empty()) client.method = method;
  return client;
}

}  // namespace assay::harness
