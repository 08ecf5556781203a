// How a reference authorization server is set.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "reference/authorization/jws.h"

namespace assay::authorization {

// The ways in which a client shows who it is at the token endpoint.
inline constexpr const char* kNoSecret = "none";
inline constexpr const char* kSecretInHeader = "client_secret_basic";
inline constexpr const char* kSecretInBody = "client_secret_post";

// A client that the server knows from the beginning.
struct KnownClient {
  std::string id;
  std::string secret;  // empty: a public client
  std::string auth_method = kNoSecret;
  std::vector<std::string> redirect_uris;  // empty: any that lead to this machine
};

struct Knobs {
  // The issuer is the server's origin with this behind it: "" or "/tenant1".
  std::string issuer_path;
  // What stands before /authorize, /token and /register; nothing: the issuer's path.
  std::optional<std::string> endpoints_path;

  // Where metadata are: RFC 8414, and OpenID Connect Discovery with the issuer's path behind the
  // well-known part, or before it. Without a path the last two are one place.
  bool has_oauth_metadata = true;
  bool has_openid_metadata = false;
  bool has_openid_appended = false;
  // What metadata say; nothing: the issuer.
  std::optional<std::string> said_issuer;
  std::vector<std::string> challenge_methods = {"S256"};  // empty: not said, and not demanded
  std::vector<std::string> scopes;                        // empty: not said
  bool says_that_it_sends_issuer = false;                 // RFC 9207

  // Who may come: RFC 7591, and Client ID Metadata Documents. The documents are not fetched: a
  // reference on the loopback asks nobody else.
  bool registers = true;
  bool takes_client_documents = false;
  std::vector<KnownClient> clients;
  // Of the first of them, where a client registers with none of them.
  std::vector<std::string> auth_methods = {kNoSecret, kSecretInHeader, kSecretInBody};

  // What an authorization response says; nothing: it says no issuer; the state as it came.
  std::optional<std::string> sent_issuer;
  std::optional<std::string> sent_state;

  std::chrono::seconds token_life{3600};
  // Access tokens are signed so (RFC 9068), and the keys are at /jwks; nothing: they are words that
  // only the server can read.
  std::optional<Signing> signing;
  bool gives_refresh_tokens = false;
  // Clients that have a secret may have tokens of their own (client_credentials).
  bool serves_clients = false;
};

}  // namespace assay::authorization
