// Faults of a server in what its challenges say, and in how they are written. Specification:
// basic/authorization, "Token Handling", "Scope Challenge Handling"; OAuth 2.1, section 5.3; RFC
// 9110, section 11.6.1.
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/token_places.h"
#include "reference/server/faults/tokens.h"

namespace assay::server {
namespace {

using model::Revision;
using transport::HttpHead;
using transport::HttpReply;

constexpr std::string_view kFailsPerOauth = "authorization.failure-per-oauth";
constexpr std::string_view kNamesMetadata = "authorization.challenge-names-resource-metadata";
constexpr std::string_view kNoOfflineAccess = "authorization.offline-access-not-in-challenge";

void write_parameter(wire::Challenge& challenge, const char* name, const std::string& value) {
  leave_out(challenge, name);
  challenge.parameters.emplace_back(name, value);
}

// `Write`: the text of the challenge in place of its own.
template <auto Write>
void rewrite(const HttpHead&, std::string_view, HttpReply& reply) {
  for (auto& [name, value] : reply.headers) {
    if (name != "WWW-Authenticate") continue;
    const auto challenges = wire::read_challenges(value);
    if (!challenges.empty()) value = Write(challenges.front());
  }
}

std::string parameter_in(const wire::Challenge& challenge, std::string_view name) {
  return challenge.parameter(name).value_or("");
}

std::string with_semicolons(const wire::Challenge& challenge) {
  std::string text = challenge.scheme;
  for (const auto& [name, value] : challenge.parameters) {
    text += (text.size() == challenge.scheme.size() ? " " : "; ") + name + "=\"" + value + '"';
  }
  return text;
}
std::string without_quotes(const wire::Challenge& challenge) {
  return "Bearer scope=mcp, resource_metadata=" + parameter_in(challenge, "resource_metadata");
}
std::string as_object(const wire::Challenge& challenge) {
  Json object = Json::object();
  for (const auto& [name, value] : challenge.parameters) object[name] = value;
  return "Bearer " + object.dump();
}
std::string each_scope_for_itself(const wire::Challenge& challenge) {
  return wire::write_challenge(challenge) + ", scope=\"tools:text\"";
}

// --- What is said of a wrong token ---

template <std::string_view (*kError)(), bool (*kOf)(const HttpHead&)>
void say_error(const HttpHead& request, std::string_view, HttpReply& reply) {
  if (!is_refusal_of_token(reply) || !kOf(request)) return;
  change_challenge(reply, [](wire::Challenge& challenge) {
    write_parameter(challenge, "error", std::string(kError()));
  });
}
std::string_view insufficient_scope() {
  return "insufficient_scope";
}
std::string_view invalid_request() {
  return "invalid_request";
}
bool shows_something(const HttpHead& request) {
  return credentials_of(request).has_value();
}

std::vector<Fault> faults_of_refusals() {
  return {
      {.id = "wrong-token-for-narrow-one",
       .description = "Says of a wrong token that it lacks a scope, with 401",
       .breaks = {kFailsPerOauth},
       .reply = say_error<insufficient_scope, shows_something>},
      {.id = "expired-token-for-malformed-one",
       .description = "Says of a token that has expired that the request is malformed, with 401",
       .breaks = {kFailsPerOauth},
       .reply = say_error<invalid_request, shows_expired>},
      {.id = "stream-without-challenge",
       .description = "Refuses a GET with 401 and no WWW-Authenticate",
       .breaks = {kFailsPerOauth, kNamesMetadata},
       .concerns = &Revision::has_protected_sessions,
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (request.method != "GET" || !is_refusal_of_token(reply)) return;
             std::erase_if(reply.headers,
                           [](const auto& field) { return field.first == "WWW-Authenticate"; });
           }},
      {.id = "challenge-with-semicolons",
       .description = "Puts semicolons between what its challenge says",
       .breaks = {kFailsPerOauth},
       .may_break = {"authorization.scope-in-challenge", "authorization.insufficient-scope-scopes",
                     "authorization.insufficient-scope-error",
                     "authorization.insufficient-scope-metadata",
                     "authorization.challenge-names-resource-metadata"},
       .reply = rewrite<with_semicolons>},
      {.id = "challenge-without-quotes",
       .description = "Writes a URL into its challenge without quotes",
       .breaks = {kFailsPerOauth},
       .may_break = {"authorization.resource-metadata-implemented",
                     "authorization.insufficient-scope-error",
                     "authorization.insufficient-scope-metadata"},
       .reply = rewrite<without_quotes>},
      {.id = "challenge-as-object",
       .description = "Writes its challenge as an object of JSON",
       .breaks = {kFailsPerOauth},
       .may_break = {"authorization.scope-in-challenge", "authorization.insufficient-scope-scopes",
                     "authorization.insufficient-scope-error",
                     "authorization.insufficient-scope-metadata",
                     "authorization.challenge-names-resource-metadata"},
       .reply = rewrite<as_object>},
      {.id = "challenge-with-scope-twice",
       .description = "Names each scope in a parameter of its own",
       .breaks = {kFailsPerOauth},
       .reply = rewrite<each_scope_for_itself>},
  };
}

// --- What is said in some refusals only ---

// `Of`: of these requests alone the challenge lacks the place of the resource metadata.
template <bool (*Of)(const HttpHead& request, std::string_view body)>
void leave_place_out(const HttpHead& request, std::string_view body, HttpReply& reply) {
  if (!is_refusal_of_token(reply) || !Of(request, body)) return;
  change_challenge(reply,
                   [](wire::Challenge& challenge) { leave_out(challenge, "resource_metadata"); });
}
bool shows_any_token(const HttpHead& request, std::string_view) {
  return shows_something(request);
}
bool posts_nothing(const HttpHead& request, std::string_view) {
  return request.method != "POST";
}
bool posts_notification(const HttpHead& request, std::string_view body) {
  const Json message = Json::parse(body, nullptr, false);
  return request.method == "POST" && message.is_object() && !message.contains("id");
}

void ask_for_offline_access(wire::Challenge& challenge) {
  write_parameter(challenge, "scope", parameter_in(challenge, "scope") + " offline_access");
}

std::vector<Fault> faults_of_some_refusals() {
  return {
      {.id = "wrong-token-without-place",
       .description = "Says where the resource metadata are only if a request has no token",
       .breaks = {kNamesMetadata},
       .concerns = &Revision::needs_metadata_in_challenge,
       .reply = leave_place_out<shows_any_token>},
      {.id = "stream-without-place",
       .description = "Does not say where the resource metadata are when it refuses a GET",
       .breaks = {kNamesMetadata},
       .concerns = &Revision::needs_metadata_in_challenge,
       .reply = leave_place_out<posts_nothing>},
      {.id = "notification-without-place",
       .description = "Does not say where the resource metadata are when it refuses a notification",
       .breaks = {kNamesMetadata},
       .concerns = &Revision::needs_metadata_in_challenge,
       .reply = leave_place_out<posts_notification>},
      {.id = "wrong-token-for-offline-access",
       .description = "Asks for offline_access when it refuses a wrong token",
       .breaks = {kNoOfflineAccess},
       .concerns = &Revision::is_stateless,
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (!is_refusal_of_token(reply) || !shows_something(request)) return;
             change_challenge(reply, ask_for_offline_access);
           }},
  };
}

// --- What is said of a token that lacks a scope ---

constexpr int kLacksScope = 403;

// `Spoil`: what is done to the challenge.
template <auto Spoil>
void spoil_challenge_of_scope(const HttpHead&, std::string_view, HttpReply& reply) {
  const bool has_one = transport::find_header(reply.headers, "WWW-Authenticate").has_value();
  if (reply.status == kLacksScope && has_one) change_challenge(reply, Spoil);
}

Fault of_narrow_token(std::string_view id, std::string_view description,
                      void (*reply)(const HttpHead&, std::string_view, HttpReply&),
                      std::vector<std::string_view> breaks) {
  return {.id = id,
          .description = description,
          .breaks = std::move(breaks),
          .concerns = &Revision::has_scope_challenges,
          .reply = reply};
}

std::string with_commas(std::string words) {
  for (char& c : words) c = c == ' ' ? ',' : c;
  return words;
}

std::vector<Fault> faults_of_scope_challenges() {
  std::vector<Fault> faults = {
      of_narrow_token("narrow-token-error-misspelt",
                      "Says insufficient_scopes of a token that lacks a scope",
                      spoil_challenge_of_scope<[](wire::Challenge& challenge) {
                        write_parameter(challenge, "error", "insufficient_scopes");
                      }>,
                      {"authorization.insufficient-scope-error"}),
      of_narrow_token("narrow-token-scopes-misnamed",
                      "Names the scopes that are needed in a parameter of another name",
                      spoil_challenge_of_scope<[](wire::Challenge& challenge) {
                        write_parameter(challenge, "scopes", parameter_in(challenge, "scope"));
                        leave_out(challenge, "scope");
                      }>,
                      {"authorization.insufficient-scope-scopes"}),
      of_narrow_token(
          "narrow-token-place-by-path",
          "Says by a path alone where the resource metadata are when a scope is lacking",
          spoil_challenge_of_scope<[](wire::Challenge& challenge) {
            write_parameter(challenge, "resource_metadata",
                            std::string(transport::kResourceMetadataPath) + "/mcp");
          }>,
          {"authorization.insufficient-scope-metadata"}),
      of_narrow_token(
          "narrow-token-place-of-nothing",
          "Says that the resource metadata are where nothing is when a scope is lacking",
          spoil_challenge_of_scope<[](wire::Challenge& challenge) {
            write_parameter(challenge, "resource_metadata",
                            parameter_in(challenge, "resource_metadata") + "-of-old");
          }>,
          {"authorization.insufficient-scope-metadata"}),
  };
  const std::vector<std::string_view> needed = {"authorization.needed-scopes-included",
                                                "authorization.all-scopes-at-once"};
  for (Fault fault :
       {of_narrow_token(
            "narrow-token-scopes-with-commas", "Puts commas between the scopes that a token lacks",
            spoil_challenge_of_scope<[](wire::Challenge& challenge) {
              write_parameter(challenge, "scope", with_commas(parameter_in(challenge, "scope")));
            }>,
            needed),
        of_narrow_token(
            "narrow-token-misspelt-scope", "Asks for a scope by a name that no token has",
            spoil_challenge_of_scope<[](wire::Challenge& challenge) {
              const bool is_of_tool =
                  parameter_in(challenge, "scope").find("tools:text") != std::string::npos;
              if (is_of_tool) write_parameter(challenge, "scope", "mcp:use text:tools");
            }>,
            needed)}) {
    fault.needs_signed_tokens = true;
    faults.push_back(std::move(fault));
  }
  faults.push_back({.id = "narrow-token-for-offline-access",
                    .description = "Asks for offline_access when a scope is lacking",
                    .breaks = {kNoOfflineAccess},
                    .concerns = &Revision::is_stateless,
                    .reply = spoil_challenge_of_scope<ask_for_offline_access>});
  faults.push_back({.id = "scopes-of-user-add-up",
                    .description = "Adds the scopes of a token to those that its user has shown",
                    .breaks = {"authorization.insufficient-permission-403"},
                    .overlooks = transport::TokenDuty::kKeepsScopesToTokens});
  return faults;
}

}  // namespace

std::vector<Fault> challenge_faults() {
  std::vector<Fault> faults = faults_of_refusals();
  for (auto* const table : {faults_of_some_refusals, faults_of_scope_challenges}) {
    for (Fault& fault : table()) faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace assay::server
