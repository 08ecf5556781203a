#include "scenarios/own_office.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "harness/script/json_member.h"
#include "harness/transcript/credential_mask.h"
#include "reference/transport/http_client.h"
#include "reference/transport/http_url.h"
#include "reference/wire/form.h"
#include "reference/wire/http_text.h"
#include "reference/wire/message.h"
#include "reference/wire/peer_json.h"
#include "reference/wire/pkce.h"
#include "scenarios/token_door.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {

using namespace harness;
using catalogue::RequirementId;
using transport::HttpUrl;

namespace {

constexpr int kStatusRefused = 400;
constexpr int kStatusNotFound = 404;
constexpr int kStatusNoSuchMethod = 405;
constexpr int kStatusTooMany = 429;
constexpr int kStatusFailed = 500;
constexpr std::string_view kCookie = "Cookie";
constexpr const char* kNowhere = "/assay-no-such-endpoint";

// Of RFC 6749, section 5.2, RFC 7591, section 3.2.2, RFC 8707 and RFC 9449.
constexpr std::array<std::string_view, 13> kOauthErrors = {"invalid_request",
                                                           "invalid_client",
                                                           "invalid_grant",
                                                           "unauthorized_client",
                                                           "unsupported_grant_type",
                                                           "invalid_scope",
                                                           "invalid_redirect_uri",
                                                           "invalid_client_metadata",
                                                           "invalid_software_statement",
                                                           "unapproved_software_statement",
                                                           "invalid_target",
                                                           "invalid_dpop_proof",
                                                           "use_dpop_nonce"};

bool is_oauth_error(const transport::Fetched& answer) {
  if (answer.status != kStatusRefused && answer.status != kUnauthorized) return false;
  const Json body = object_in(answer.body);
  return std::find(kOauthErrors.begin(), kOauthErrors.end(), text_member(body, "error")) !=
         kOauthErrors.end();
}

}  // namespace

// A GET by somebody who has no token, from the server's own origin.
HttpAnswer ask_office(Connection& office, std::string target) {
  return get_document(office, std::move(target), "application/json, text/html");
}

namespace {

// `withheld`: the fields of the user's that do not go along.
OfficeAnswer exchange_beside(Connection& office, const std::string& target,
                             transport::HttpMessage message,
                             std::initializer_list<std::string_view> withheld) {
  const auto given = message.headers;
  for (const transport::UserHeader& header : office.http()->user_headers()) {
    const bool is_withheld = std::any_of(
        withheld.begin(), withheld.end(),
        [&](std::string_view name) { return wire::equals_without_case(header.name, name); });
    const bool is_ours = transport::find_header(given, header.name).has_value();
    if (!is_ours && !is_withheld) message.headers.emplace_back(header.name, header.value);
  }
  const auto beside = office.transcript().sibling();
  CredentialMask mask(*beside, office.transcript().vault());
  // A lane that no exchange of the conversation has: those count from 1.
  auto came = transport::fetch_watched(url_of(office).origin() + target, std::move(message),
                                       office.patience().request, mask, 0);
  OfficeAnswer answer;
  if (auto* fetched = std::get_if<transport::Fetched>(&came)) {
    static_cast<transport::Fetched&>(answer) = std::move(*fetched);
  }
  answer.events = beside->events();
  return answer;
}

}  // namespace

OfficeAnswer post_to_office(Connection& office, const std::string& target, const char* content_type,
                            std::string body) {
  transport::HttpMessage message;
  message.method = "POST";
  message.headers = {{"Content-Type", content_type}};
  message.body = std::move(body);
  return exchange_beside(office, target, std::move(message), {"Authorization", kCookie});
}

OfficeAnswer ask_for_code(Connection& office, const std::string& target) {
  transport::HttpMessage message;
  message.method = "GET";
  message.headers = {{"Accept", "application/json, text/html"}};
  return exchange_beside(office, target, std::move(message), {"Authorization"});
}

bool has_cookie(Connection& office) {
  const auto& headers = office.http()->user_headers();
  return std::any_of(headers.begin(), headers.end(), [](const transport::UserHeader& header) {
    return wire::equals_without_case(header.name, kCookie);
  });
}

std::string OfficeAnswer::describe() const {
  return status == 0 ? "silence" : fmt::format("HTTP {}", status);
}

Json object_in(const std::string& body) {
  Json json = wire::parse_of_peer(body);
  return json.is_object() ? json : Json::object();
}

bool is_office_metadata(const HttpAnswer& answer) {
  return answer.is_success() && !text_member(object_in(answer.body), "token_endpoint").empty();
}

// Where the server is its own authorization server, as far as can be told, a connection to it, on
// which an MCP client has been refused; null otherwise, where the rules are told why nothing is
// judged.
namespace {

// Metadata of the resource that name authorization servers, and not the server's own origin. Where
// they name it, they are beside what 2025-03-26 asks for, and not in its place.
bool is_of_another_office(Connection& office, const std::string& target) {
  const HttpAnswer answer = ask_office(office, target);
  if (!answer.is_success()) return false;
  const Json document = object_in(answer.body);
  const Json& servers = array_member(document, "authorization_servers");
  const std::string own = url_of(office).origin();
  return std::none_of(servers.begin(), servers.end(), [&](const Json& each) {
    const auto parsed =
        each.is_string() ? HttpUrl::parse(each.get_ref<const std::string&>()) : HttpUrl::parse("");
    const auto* url = std::get_if<HttpUrl>(&parsed);
    return url != nullptr && url->origin() == own;
  });
}

}  // namespace

Connection* find_office(Script& script, std::initializer_list<RequirementId> rules) {
  Connection& office = script.open_connection();
  const HttpAnswer refusal = post(office, opening_request(office), no_token());
  const bool is_open = is_let_in(refusal);
  const bool is_newer = is_of_another_office(office, kResourceMetadataPath) ||
                        is_of_another_office(office, metadata_target_of(path_of(office)));
  for (const RequirementId rule : rules) {
    if (is_open) {
      script.not_applicable(rule, "the server serves who shows no token");
    } else if (is_newer) {
      script.not_applicable(rule,
                            "its metadata of a resource (RFC 9728) say that its authorization "
                            "server is another one: it follows a later revision there");
    } else if (refusal.status != kUnauthorized) {
      script.unclear(rule,
                     fmt::format("without a token the server answered with {}", refusal.describe()),
                     refusal.events);
    }
  }
  const bool is_office = !is_open && !is_newer && refusal.status == kUnauthorized;
  return is_office ? &office : nullptr;
}

// There are no metadata for who asks as we do. Who was silent, had no time or points elsewhere has
// not said so.
bool denies_metadata(const HttpAnswer& answer) {
  return is_nowhere(answer.status) || answer.status == kUnauthorized;
}

// An answer came, and not from who has no time for us.
bool tells_something(int status) {
  return status != 0 && status != kStatusTooMany && status < kStatusFailed;
}

bool is_nowhere(int status) {
  return status == kStatusNotFound || status == kStatusNoSuchMethod;
}

// Nobody answers there but, at most, the guard of all paths, who asks for a token.
bool is_nothing(int status, const transport::Headers& headers) {
  HttpAnswer answer;
  answer.headers = headers;
  return is_nowhere(status) || (status == kUnauthorized && token_challenge(answer).has_value());
}

// The target of an endpoint on the server's own origin; empty where it is elsewhere.
std::string own_target(Connection& office, const Json& metadata, const char* name,
                       const char* default_path) {
  const std::string text(text_member(metadata, name));
  if (metadata.empty()) return default_path;
  const auto parsed = HttpUrl::parse(text);
  const auto* url = std::get_if<HttpUrl>(&parsed);
  const bool is_ours = url != nullptr && url->origin() == url_of(office).origin();
  return is_ours ? url->target : "";
}

std::string query_for(const std::string& client, std::string_view redirect, bool has_challenge) {
  wire::Form form = {{"response_type", "code"},
                     {"client_id", client},
                     {"redirect_uri", std::string(redirect)},
                     {"state", "assay-state"}};
  if (has_challenge) {
    form.emplace_back("code_challenge", wire::s256_challenge(kOwnVerifier));
    form.emplace_back("code_challenge_method", "S256");
  }
  return wire::write_form(form);
}

std::string location_of(int status, const transport::Headers& headers) {
  const bool is_redirect = status / 100 == 3;
  return is_redirect ? std::string(transport::find_header(headers, "Location").value_or("")) : "";
}

// A client whose callback is ours.
RegisteredClient register_client(Connection& office, const std::string& target) {
  if (target.empty()) return {};
  const Json metadata = {{"client_name", "mcp-assay"},
                         {"redirect_uris", Json::array({kOwnCallback})},
                         {"grant_types", Json::array({"authorization_code", "refresh_token"})},
                         {"response_types", Json::array({"code"})},
                         {"token_endpoint_auth_method", "none"}};
  const OfficeAnswer answer = post_to_office(office, target, "application/json", metadata.dump());
  if (answer.status / 100 != 2) return {.status = answer.status, .events = answer.events};
  const Json made = object_in(answer.body);
  return {std::string(text_member(made, "client_id")), !made.contains("client_secret"),
          answer.status, answer.events};
}

OfficeAnswer try_endpoint(Connection& office, const OfficeTrial& trial) {
  return post_to_office(office, trial.target, trial.content_type, trial.body);
}

// The trial was understood: it was refused with an error that OAuth registers, which a path where
// nothing can be is not answered with.
bool is_oauth_endpoint(Connection& office, const OfficeTrial& trial,
                       const transport::Fetched& answer) {
  if (!is_oauth_error(answer)) return false;
  const transport::Fetched nothing =
      post_to_office(office, kNowhere, trial.content_type, trial.body);
  return tells_something(nothing.status) && !is_oauth_error(nothing);
}

// The same of the default path of authorization requests.
bool has_default_authorize(Connection& office) {
  constexpr const char* kQuery = "?response_type=code";
  const HttpAnswer answer = ask_office(office, std::string("/authorize") + kQuery);
  if (!tells_something(answer.status) || is_nothing(answer.status, answer.headers)) return false;
  const HttpAnswer nothing = ask_office(office, std::string(kNowhere) + kQuery);
  return tells_something(nothing.status) && nothing.status != answer.status;
}

}  // namespace assay::scenarios
