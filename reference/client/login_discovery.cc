// Where a client finds the authorization server, and what it makes of its metadata.
#include <fmt/format.h>

#include <algorithm>

#include "reference/client/login.h"
#include "reference/client/login_json.h"
#include "reference/transport/http_url.h"
#include "reference/wire/peer_json.h"

namespace assay::client {
namespace {

using transport::Failure;
using transport::Fetched;
using transport::HttpUrl;

constexpr std::string_view kOauthServer = "/.well-known/oauth-authorization-server";
constexpr std::string_view kOpenId = "/.well-known/openid-configuration";
constexpr std::string_view kResource = "/.well-known/oauth-protected-resource";

// Scheme and host are compared in any case (RFC 3986, section 6.2.2.1).
bool is_of_origin(const std::string& origin, const std::string& own, bool in_any_case) {
  return in_any_case ? transport::lower_case(origin) == transport::lower_case(own) : origin == own;
}

// The origin of a URL and the path behind it, "" for "/".
std::pair<std::string, std::string> parts_of(const std::string& url) {
  const auto parsed = HttpUrl::parse(url);
  const auto* read = std::get_if<HttpUrl>(&parsed);
  if (read == nullptr) return {};
  std::string path(wire::path_in(read->target));
  if (path.ends_with('/')) path.pop_back();
  return {read->origin(), path};
}

// `resource` is the endpoint, or stands above it.
bool is_about(const std::string& resource, const std::string& endpoint, bool in_any_case) {
  const auto [origin, path] = parts_of(resource);
  const auto [own_origin, own_path] = parts_of(endpoint);
  const bool is_above = path == own_path || own_path.starts_with(path + "/");
  return !origin.empty() && is_of_origin(origin, own_origin, in_any_case) && is_above;
}

}  // namespace

std::optional<Json> Login::get_json(const std::string& url) {
  transport::HttpMessage message;
  message.method = "GET";
  if (options_.conduct.names_version) {
    const char* const other = options_.conduct.named_version;
    message.headers.emplace_back("MCP-Protocol-Version",
                                 other == nullptr ? options_.revision.text() : other);
  }
  const auto answer = transport::fetch(url, std::move(message), options_.timeout);
  const auto* fetched = std::get_if<Fetched>(&answer);
  if (fetched == nullptr || fetched->status != 200) return std::nullopt;
  Json json = wire::parse_of_peer(fetched->body);
  return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
}

LoginTrouble Login::discover(const std::string& location) {
  const LoginConduct& conduct = options_.conduct;
  if (!options_.revision.has_resource_metadata() || !conduct.asks_for_resource) {
    return find_server_at_base();
  }
  if (auto trouble = find_resource(location)) return trouble;
  const auto servers = resource_.find("authorization_servers");
  const bool has_any = servers != resource_.end() && servers->is_array() && !servers->empty() &&
                       servers->front().is_string();
  if (!has_any) return "the resource metadata name no authorization server";
  return find_server(servers->front().get<std::string>());
}

LoginTrouble Login::find_resource(const std::string& location) {
  const LoginConduct& conduct = options_.conduct;
  const bool is_told = !location.empty() && conduct.heeds_challenge;
  if (!is_told && !conduct.tries_well_known)
    return "neither the server nor its challenge says where the resource metadata are";
  std::vector<std::string> places;
  if (!is_told || conduct.tries_well_known_before) places = well_known_places();
  if (is_told) places.push_back(location);
  for (const std::string& place : places) {
    if (const auto document = get_json(place)) return take_resource(*document);
  }
  return is_told ? "the resource metadata are not where it was said"
                 : "there are no resource metadata";
}

std::vector<std::string> Login::well_known_places() const {
  const LoginConduct& conduct = options_.conduct;
  const auto [origin, path] = parts_of(options_.endpoint);
  std::vector<std::string> places = {origin + std::string(kResource) + path,
                                     origin + std::string(kResource)};
  if (!conduct.tries_root) places.pop_back();
  if (!conduct.tries_endpoint_first) std::reverse(places.begin(), places.end());
  return places;
}

std::string Login::resource() const {
  const std::string named = text_in(resource_, "resource");
  if (options_.conduct.names_resource_as_said && !named.empty()) return named;
  return is_about(named, options_.endpoint, true) ? named : options_.endpoint;
}

LoginTrouble Login::take_resource(const Json& document) {
  resource_ = document;
  const std::string resource = text_in(resource_, "resource");
  const LoginConduct& conduct = options_.conduct;
  if (conduct.checks_resource &&
      !is_about(resource, options_.endpoint, conduct.reads_resource_in_any_case)) {
    return fmt::format("the resource metadata are about another resource: {}", resource);
  }
  return std::nullopt;
}

std::vector<std::string> Login::places_of(const std::string& origin,
                                          const std::string& issuer_path) const {
  const LoginConduct& conduct = options_.conduct;
  const std::string path = conduct.keeps_issuer_path ? issuer_path : "";
  const std::string oauth(kOauthServer);
  std::vector<std::string> places = {
      conduct.inserts_well_known ? origin + oauth + path : origin + path + oauth,
      origin + std::string(kOpenId) + path};
  if (!path.empty()) places.push_back(origin + path + std::string(kOpenId));
  return places;
}

LoginTrouble Login::find_server(const std::string& issuer) {
  const auto [origin, path] = parts_of(issuer);
  if (origin.empty()) return "the issuer is no URL: " + issuer;
  if (!path.empty() && !options_.conduct.takes_issuer_path) return "the issuer has a path";
  const std::vector<std::string> places = places_of(origin, path);
  if (!options_.conduct.tries_metadata) return go_on_at_default_paths(issuer);
  for (const std::size_t rank : options_.conduct.places) {
    if (rank >= places.size()) continue;
    if (auto document = get_json(places[rank])) {
      server_ = *std::move(document);
      issuer_ = text_in(server_, "issuer");
      guess_endpoint(origin);
      if (rank > 0 && !options_.conduct.reads_openid) return "the metadata are those of OpenID";
      auto trouble = check_server(issuer, rank > 0);
      if (issuer_.empty()) issuer_ = issuer;
      return trouble;
    }
  }
  if (options_.conduct.goes_on_without_metadata) return go_on_at_default_paths(issuer);
  return "there are no metadata of the authorization server";
}

// In place of giving up, where it is wrong so.
LoginTrouble Login::go_on_at_default_paths(const std::string& issuer) {
  issuer_ = issuer;
  use_default_paths();
  return std::nullopt;
}

// 2025-03-26: the server is its own authorization server.
LoginTrouble Login::find_server_at_base() {
  const LoginConduct& conduct = options_.conduct;
  const auto [origin, path] = parts_of(options_.endpoint);
  issuer_ = conduct.drops_path ? origin : origin + path;
  if (conduct.tries_metadata) {
    const std::string place = conduct.drops_path ? origin + std::string(kOauthServer)
                                                 : origin + std::string(kOauthServer) + path;
    if (auto document = get_json(place)) {
      server_ = *std::move(document);
      guess_endpoint(issuer_);
      return std::nullopt;
    }
  }
  if (!conduct.uses_default_paths) return "there are no metadata of the authorization server";
  use_default_paths();
  return std::nullopt;
}

void Login::use_default_paths() {
  const LoginConduct& conduct = options_.conduct;
  server_ = Json::object();
  server_["authorization_endpoint"] = issuer_ + conduct.default_authorize;
  server_["token_endpoint"] = issuer_ + conduct.default_token;
  server_["registration_endpoint"] = issuer_ + conduct.default_register;
}

void Login::guess_endpoint(const std::string& base) {
  const LoginConduct& conduct = options_.conduct;
  const std::string_view name = conduct.guessed_endpoint == nullptr ? "" : conduct.guessed_endpoint;
  if (name == "authorization_endpoint") server_[name] = base + conduct.default_authorize;
  if (name == "token_endpoint") server_[name] = base + conduct.default_token;
  if (name == "registration_endpoint") server_[name] = base + conduct.default_register;
}

LoginTrouble Login::check_server(const std::string& issuer, bool is_openid) const {
  const LoginConduct& conduct = options_.conduct;
  const bool is_same = conduct.matches_metadata != nullptr
                           ? conduct.matches_metadata(issuer_, issuer)
                           : issuer_ == issuer;
  const bool is_excused = (is_openid && !conduct.checks_issuer_of_openid) ||
                          (!token_issuer_.empty() && !conduct.checks_next_issuer);
  if (conduct.checks_issuer_of_metadata && !is_same && !is_excused) {
    return fmt::format("the metadata of {} are those of another issuer", issuer);
  }
  const auto methods = server_.find("code_challenge_methods_supported");
  const bool has_s256 = methods != server_.end() && methods->is_array() &&
                        std::find(methods->begin(), methods->end(), "S256") != methods->end();
  const bool wants_s256 =
      conduct.wants_challenge_method && (!is_openid || conduct.wants_challenge_method_of_openid);
  if (wants_s256 && !has_s256) {
    return "the authorization server does not say that it supports PKCE with S256";
  }
  return std::nullopt;
}

}  // namespace assay::client
