#include "reference/transport/http_protection.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <utility>

#include "reference/transport/http_guard.h"
#include "reference/wire/challenge.h"
#include "reference/wire/dpop.h"
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

// The field Authorization in its two parts.
struct Credentials {
  std::string_view scheme;
  std::string_view text;

  bool is_of(std::string_view name) const { return wire::equals_without_case(scheme, name); }
};

Credentials read_credentials(std::string_view field) {
  const std::string_view scheme = field.substr(0, field.find(' '));
  return {scheme, wire::trim_blanks(field.substr(scheme.size()))};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
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
  Json document = {{"resource", origin_of(request) + endpoint_},
                   {"authorization_servers", protection_.authorization_servers},
                   {"scopes_supported", scopes},
                   {"bearer_methods_supported", Json::array({"header"})}};
  if (protection_.proofs) {
    document["dpop_signing_alg_values_supported"] = protection_.proofs->algorithms();
    if (protection_.wants_proofs) document["dpop_bound_access_tokens_required"] = true;
  }
  return HttpReply{200, {{"Content-Type", "application/json"}}, document.dump(), nullptr};
}

HttpReply HttpGatekeeper::challenge(const HttpHead& request, int status, std::string_view error,
                                    const std::string& scope) const {
  wire::Challenge challenge;
  const bool asks_for_proof =
      protection_.proofs && (protection_.wants_proofs || is_of_proofs(request));
  challenge.scheme = asks_for_proof ? wire::kProofName : kBearer;
  if (!error.empty()) challenge.parameters.emplace_back("error", error);
  challenge.parameters.emplace_back(
      "resource_metadata", origin_of(request) + std::string(kResourceMetadataPath) + endpoint_);
  challenge.parameters.emplace_back("scope", scope);
  if (asks_for_proof) {
    challenge.parameters.emplace_back("algs", joined(protection_.proofs->algorithms()));
  }
  HttpReply reply = error_reply(status, error.empty() ? "Unauthorized: show a token" : error);
  reply.headers.emplace_back("WWW-Authenticate", wire::write_challenge(challenge));
  return reply;
}

bool HttpGatekeeper::is_of_proofs(const HttpHead& request) const {
  const std::string shown = credentials_in(request);
  return protection_.proofs && read_credentials(shown).is_of(wire::kProofName);
}

std::optional<AccessToken> HttpGatekeeper::token_of(const HttpHead& request) const {
  const std::string field = credentials_in(request);
  const Credentials shown = read_credentials(field);
  if (!shown.is_of(kBearer) && !is_of_proofs(request)) return std::nullopt;
  const std::string_view text = shown.text;
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

std::optional<HttpReply> HttpGatekeeper::refusal_of_proof(const HttpHead& request,
                                                          std::string_view body,
                                                          const AccessToken& token) const {
  if (!protection_.proofs) return std::nullopt;
  const bool is_bound = !token.key.empty();
  if (!is_of_proofs(request) || !is_bound) {
    const bool is_plain = !is_of_proofs(request) && !is_bound && !protection_.wants_proofs;
    if (is_plain) return std::nullopt;
    return challenge(request, kUnauthorized, "invalid_token", protection_.scope);
  }
  const auto refused =
      protection_.proofs->refusal(request, body, token, origin_of(request) + endpoint_);
  if (!refused) return std::nullopt;
  HttpReply reply = challenge(request, kUnauthorized, refused->error, protection_.scope);
  if (!refused->nonce.empty()) reply.headers.emplace_back(wire::kNonceField, refused->nonce);
  return reply;
}

std::optional<HttpReply> HttpGatekeeper::refusal(const HttpHead& request,
                                                 std::string_view body) const {
  if (!protection_.is_on()) return std::nullopt;
  const auto field = find_header(request.headers, "Authorization");
  if (!field) return challenge(request, kUnauthorized, "", protection_.scope);
  const Credentials shown = read_credentials(*field);
  const bool is_ours = shown.is_of(kBearer) || is_of_proofs(request);
  const bool is_malformed =
      count_of(request.headers, "Authorization") > 1 ||
      (is_ours && (shown.text.empty() || shown.text.find(' ') != shown.text.npos));
  if (is_malformed) return challenge(request, kBadRequest, "invalid_request", protection_.scope);
  const std::optional<AccessToken> token = token_of(request);
  if (!token) {
    return challenge(request, kUnauthorized, is_ours ? "invalid_token" : "", protection_.scope);
  }
  if (auto refused = refusal_of_proof(request, body, *token)) return refused;
  const std::string needed = lacking(body, token->scopes);
  if (needed.empty()) return std::nullopt;
  return challenge(request, kForbidden, "insufficient_scope", needed);
}

}  // namespace assay::transport
