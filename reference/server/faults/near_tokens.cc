// Faults of a server that takes for a token of its own what is only nearly one, or that lets in
// clients that say something else of themselves in a header field. Specification: basic/authorization,
// "Token Requirements", "Token Handling".
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/server/faults/token_places.h"
#include "reference/server/faults/tokens.h"

namespace assay::server {
namespace {

using transport::HttpHead;

// --- What is nearly a token ---

// What stands behind "Bearer "; empty where nothing does.
std::string shown_token(const HttpHead& request) {
  const std::string field = credentials_of(request).value_or("");
  constexpr std::string_view kScheme = "Bearer ";
  return field.starts_with(kScheme) ? field.substr(kScheme.size()) : "";
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool begins_like_token(const std::string& shown) {
  return shown.starts_with(kReferenceToken);
}
bool ends_like_token(const std::string& shown) {
  return shown.ends_with(kReferenceToken);
}
bool is_beginning_of_token(const std::string& shown) {
  return !shown.empty() && kReferenceToken.starts_with(shown);
}
bool is_token_in_other_letters(const std::string& shown) {
  return in_lower_case(shown) == kReferenceToken;
}
// What every object of JavaScript has, and so has the one that tokens are looked up in.
bool is_property_of_objects(const std::string& shown) {
  return shown == "constructor" || shown == "toString" || shown == "__proto__";
}
// What a client shows that has none, and a server expects that was given none.
bool is_nothing_in_words(const std::string& shown) {
  return shown == "undefined" || shown == "null";
}
bool is_piece_of_query(const std::string& shown) {
  return shown.find("'OR'") != std::string::npos;
}
bool is_pattern(const std::string& shown) {
  return shown == "*" || shown == "%" || shown == ".*";
}

template <bool (*kIsTaken)(const std::string& shown)>
void take_if(const Json&, HttpHead& request) {
  if (kIsTaken(shown_token(request))) take_for(request, kReferenceToken);
}

// The scheme and no more.
void take_bare_scheme(const Json&, HttpHead& request) {
  const auto field = credentials_of(request);
  if (field == "Bearer" || field == "Bearer ") take_for(request, kReferenceToken);
}

Fault near_token(std::string_view id, std::string_view description, Mishears how) {
  return {.id = id,
          .description = description,
          .breaks = {"authorization.token-validated", "authorization.invalid-token-401",
                     "authorization.other-tokens-not-accepted",
                     "authorization.validated-before-processing"},
          .mishears = how};
}

std::vector<Fault> faults_of_comparison() {
  return {
      near_token("token-by-beginning", "Takes whatever begins like a good token",
                 take_if<begins_like_token>),
      near_token("token-by-end", "Takes whatever ends like a good token", take_if<ends_like_token>),
      near_token("token-cut-short", "Takes the beginning of a good token for the whole",
                 take_if<is_beginning_of_token>),
      near_token("token-in-other-letters", "Compares tokens without regard to case",
                 take_if<is_token_in_other_letters>),
      near_token("token-of-every-object", "Finds \"constructor\" among the tokens that it knows",
                 take_if<is_property_of_objects>),
      near_token("token-undefined", "Takes \"undefined\", as no token was set for itself",
                 take_if<is_nothing_in_words>),
      near_token("token-as-query", "Puts the token into a query as it is",
                 take_if<is_piece_of_query>),
      near_token("token-as-pattern", "Looks for tokens that match what is shown",
                 take_if<is_pattern>),
      {.id = "token-of-no-letters",
       .description = "Takes the scheme alone for a token",
       .breaks = {"authorization.token-validated", "authorization.other-tokens-not-accepted",
                  "authorization.validated-before-processing"},
       .mishears = take_bare_scheme},
  };
}

// --- Who says something else of himself ---

template <Literal kName, Literal kValue>
void trusts(const Json&, HttpHead& request) {
  if (credentials_of(request)) return;
  const auto field = transport::find_header(request.headers, kName.text());
  if (field && field->find(kValue.text()) != std::string_view::npos) {
    take_for(request, kReferenceToken);
  }
}

Fault trusting(std::string_view id, std::string_view description, Mishears how) {
  return {.id = id,
          .description = description,
          .breaks = {"authorization.unauthenticated-401", "authorization.no-data-to-unauthorized"},
          .mishears = how};
}

std::vector<Fault> faults_of_trust() {
  return {
      trusting("address-instead-of-token",
               "Lets in who says in X-Forwarded-For that he is on the same machine",
               trusts<"X-Forwarded-For", "127.0.0.1">),
      trusting("name-instead-of-token", "Lets in who says in X-Forwarded-User who he is",
               trusts<"X-Forwarded-User", "">),
      trusting("url-instead-of-token",
               "Believes X-Original-URL that something else is asked for, which is open",
               trusts<"X-Original-URL", "/.well-known/">),
      trusting("preflight-instead-of-token",
               "Takes a request for a preflight that says Access-Control-Request-Method",
               trusts<"Access-Control-Request-Method", "POST">),
      trusting("probe-instead-of-token", "Lets in a client that says it looks after its health",
               trusts<"User-Agent", "kube-probe">),
  };
}

}  // namespace

std::vector<Fault> near_token_faults() {
  std::vector<Fault> faults = faults_of_comparison();
  for (Fault& fault : faults_of_trust()) faults.push_back(std::move(fault));
  return faults;
}

}  // namespace assay::server
