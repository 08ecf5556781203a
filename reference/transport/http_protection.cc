#include "reference/transport/http_protection.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <utility>

#include "reference/transport/http_guard.h"
#include "reference/wire/challenge.h"
#include "reference/wire/form.h"
#include "reference/wire/http_text.h"
#include "reference/wire/message.h"

namespace assay::transport {
namespace {

constexpr int kBadRequest = 400;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr std::string_view kBearer = "Bearer";

std::size_t count_of(const Headers& headers, std::string_view name) {
  return static_cast<std::size_t>(std::count_if(
      headers.begin(), headers.end(),
      [&](const Header& header) { return wire::equals_without_case(header.first, name); }));
}

// How long it takes tells nothing of the token.
bool is_equal(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

// The tools that a message, or those of a batch, call.
void add_called_tools(const wire::Message& message, std::vector<std::string>& tools) {
  for (const wire::Message& member : message.members()) add_called_tools(member, tools);
  const bool is_call = message.kind() == wire::MessageKind::kRequest &&
                       message.method() == "tools/call" && message.params().is_object();
  if (!is_call) return;
  const Json name = message.params().value("name", Json());
  if (name.is_string()) tools.push_back(name.get<std::string>());
}

bool is_among(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// A scope includes those that have its name before a colon: "tools" includes "tools:text".
bool is_allowed(const std::vector<std::string>& scopes, const std::string& needed) {
  return is_among(scopes, needed) || is_among(scopes, needed.substr(0, needed.find(':')));
}

}  // namespace

std::string credentials_in(const HttpHead& request) {
  return std::string(find_header(request.headers, "Authorization").value_or(""));
}

std::string HttpGatekeeper::origin_of(const HttpHead& request) const {
  return "http://" + std::string(find_header(request.headers, "Host").value_or("localhost"));
}

std::optional<HttpReply> HttpGatekeeper::metadata(const HttpHead& request) const {
  if (!protection_.is_on() || request.method != "GET") return std::nullopt;
  const std::string_view path = wire::path_in(request.target);
  const bool is_ours =
      path == kResourceMetadataPath || (path.starts_with(kResourceMetadataPath) &&
                                        path.substr(kResourceMetadataPath.size()) == endpoint_);
  if (!is_ours) return std::nullopt;
  Json scopes = Json::array({protection_.scope});
  for (const auto& [tool, scope] : protection_.tool_scopes) scopes.push_back(scope);
  const Json document = {{"resource", origin_of(request) + endpoint_},
                         {"authorization_servers", protection_.authorization_servers},
                         {"scopes_supported", scopes},
                         {"bearer_methods_supported", Json::array({"header"})}};
  return HttpReply{200, {{"Content-Type", "application/json"}}, document.dump(), nullptr};
}

HttpReply HttpGatekeeper::challenge(const HttpHead& request, int status, std::string_view error,
                                    const std::string& scope) const {
  wire::Challenge challenge;
  challenge.scheme = kBearer;
  if (!error.empty()) challenge.parameters.emplace_back("error", error);
  challenge.parameters.emplace_back(
      "resource_metadata", origin_of(request) + std::string(kResourceMetadataPath) + endpoint_);
  challenge.parameters.emplace_back("scope", scope);
  HttpReply reply = error_reply(status, error.empty() ? "Unauthorized: show a token" : error);
  reply.headers.emplace_back("WWW-Authenticate", wire::write_challenge(challenge));
  return reply;
}

std::optional<AccessToken> HttpGatekeeper::token_of(const HttpHead& request) const {
  const auto field = find_header(request.headers, "Authorization");
  if (!field) return std::nullopt;
  const std::string_view shown = *field;
  const std::string_view scheme = shown.substr(0, shown.find(' '));
  if (!wire::equals_without_case(scheme, kBearer)) return std::nullopt;
  const std::string_view text = wire::trim_blanks(shown.substr(scheme.size()));
  const auto token =
      std::find_if(protection_.tokens.begin(), protection_.tokens.end(),
                   [&](const AccessToken& each) { return is_equal(each.text, text); });
  if (token != protection_.tokens.end()) return *token;
  if (!protection_.reader) return std::nullopt;
  return protection_.reader->read(text, origin_of(request) + endpoint_);
}

std::string HttpGatekeeper::user_of(const HttpHead& request) const {
  if (!protection_.is_on()) return "";
  const std::optional<AccessToken> token = token_of(request);
  return token ? token->user : "";
}

std::string HttpGatekeeper::lacking(std::string_view body,
                                    const std::vector<std::string>& scopes) const {
  std::vector<std::string> tools;
  if (!protection_.tool_scopes.empty()) {
    const wire::Decoded arrived = wire::decode(body);
    if (const auto* message = std::get_if<wire::Message>(&arrived)) {
      add_called_tools(*message, tools);
    }
  }
  std::vector<std::string> needed = {protection_.scope};
  for (const std::string& name : tools) {
    const auto tool = protection_.tool_scopes.find(name);
    if (tool == protection_.tool_scopes.end() || is_among(needed, tool->second)) continue;
    needed.push_back(tool->second);
  }
  std::string text;
  bool is_enough = true;
  for (const std::string& scope : needed) {
    text += (text.empty() ? "" : " ") + scope;
    is_enough = is_enough && is_allowed(scopes, scope);
  }
  return is_enough ? "" : text;
}

std::optional<HttpReply> HttpGatekeeper::refusal(const HttpHead& request,
                                                 std::string_view body) const {
  if (!protection_.is_on()) return std::nullopt;
  const auto field = find_header(request.headers, "Authorization");
  if (!field) return challenge(request, kUnauthorized, "", protection_.scope);
  const std::string_view shown = *field;
  const std::string_view scheme = shown.substr(0, shown.find(' '));
  const bool is_bearer = wire::equals_without_case(scheme, kBearer);
  const std::string_view text = wire::trim_blanks(shown.substr(scheme.size()));
  const bool is_malformed = count_of(request.headers, "Authorization") > 1 ||
                            (is_bearer && (text.empty() || text.find(' ') != text.npos));
  if (is_malformed) return challenge(request, kBadRequest, "invalid_request", protection_.scope);
  const std::optional<AccessToken> token = token_of(request);
  if (!token) {
    return challenge(request, kUnauthorized, is_bearer ? "invalid_token" : "", protection_.scope);
  }
  const std::string needed = lacking(body, token->scopes);
  if (needed.empty()) return std::nullopt;
  return challenge(request, kForbidden, "insufficient_scope", needed);
}

}  // namespace assay::transport
