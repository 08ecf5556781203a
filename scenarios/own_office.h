// A server that is its own authorization server: how it is found, asked, and made to know a client,
// for the scenarios about such.
//
// Specification: basic/authorization (2025-03-26).
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "harness/script/http_script.h"
#include "harness/script/script.h"
#include "reference/transport/http_fetch.h"

namespace assay::scenarios {

inline constexpr const char* kOfficeDocument = "/.well-known/oauth-authorization-server";
// Nobody listens there: what is sent to it is read from the redirect.
inline constexpr const char* kOwnCallback = "http://127.0.0.1:33418/callback";
// Of each challenge (PKCE).
inline constexpr const char* kOwnVerifier = "assay-verifier-of-an-authorization-request-0123";

// Where the server is its own authorization server, as far as can be told, a connection to it, on
// which an MCP client has been refused; null otherwise, where the rules are told why nothing is
// judged.
harness::Connection* find_office(harness::Script& script,
                                 std::initializer_list<catalogue::RequirementId> rules);

// A GET by somebody who has no token, from the server's own origin.
harness::HttpAnswer ask_office(harness::Connection& office, std::string target);
// What came of an exchange beside the conversation, so that no monitor takes it for MCP. Its status
// is 0 where no answer came.
struct OfficeAnswer : transport::Fetched {
  std::vector<harness::EventPtr> events;  // without the credentials that the answer has

  bool is_refusal() const { return status >= 400; }
  std::string describe() const;  // "HTTP 403", "silence"
};
// To an endpoint that knows clients by what they say, and users by nothing: with the header fields
// that the user adds to every request, such as the key of a gateway, but without Authorization and
// Cookie, by which somebody would be known there.
OfficeAnswer post_to_office(harness::Connection& office, const std::string& target,
                            const char* content_type, std::string body);
// At the authorization endpoint, as a user's browser asks there: with his Cookie, and without
// Authorization.
OfficeAnswer ask_for_code(harness::Connection& office, const std::string& target);
// The user has a Cookie that post_to_office leaves out: who answers that nobody is there may have
// missed it.
bool has_cookie(harness::Connection& office);

// Of what a peer sent; empty where it is no object.
Json object_in(const std::string& body);
bool is_office_metadata(const harness::HttpAnswer& answer);
// There are no metadata for who asks as we do. Who was silent, had no time or points elsewhere has
// not said so.
bool denies_metadata(const harness::HttpAnswer& answer);
// An answer came, and not from who has no time for us.
bool tells_something(int status);
// Nobody answers there, or not who is asked like that.
bool is_nowhere(int status);
// Nobody answers there but, at most, the guard of all paths, who asks for a token.
bool is_nothing(int status, const transport::Headers& headers);

// What is sent to a default path to see whether an endpoint is there.
struct OfficeTrial {
  const char* target;
  const char* content_type;
  const char* body;
};
inline constexpr OfficeTrial kTokenTrial = {
    "/token", "application/x-www-form-urlencoded",
    "grant_type=authorization_code&code=assay-no-such-code"};
// An empty object is no client.
inline constexpr OfficeTrial kRegistrationTrial = {"/register", "application/json", "{}"};
OfficeAnswer try_endpoint(harness::Connection& office, const OfficeTrial& trial);
// The trial was understood: it was refused with an error that OAuth registers, which a path where
// nothing can be is not answered with.
bool is_oauth_endpoint(harness::Connection& office, const OfficeTrial& trial,
                       const transport::Fetched& answer);
// The same of the default path of authorization requests.
bool has_default_authorize(harness::Connection& office);

// The target of an endpoint on the server's own origin; empty where it is elsewhere.
std::string own_target(harness::Connection& office, const Json& metadata, const char* name,
                       const char* default_path);
// An authorization request, behind the '?'.
std::string query_for(const std::string& client, std::string_view redirect, bool has_challenge);
// Where a redirect leads; empty where the answer is none.
std::string location_of(int status, const transport::Headers& headers);
inline std::string location_of(const OfficeAnswer& answer) {
  return location_of(answer.status, answer.headers);
}

struct RegisteredClient {
  std::string id = {};  // empty: nobody was registered
  bool is_public = true;
  int status = 0;  // of the answer; 0: there was none
  std::vector<harness::EventPtr> events = {};
};
// A client whose callback is ours, and that asks for refresh tokens, too.
RegisteredClient register_client(harness::Connection& office, const std::string& target);

}  // namespace assay::scenarios
