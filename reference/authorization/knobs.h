// How a reference authorization server is set.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/authorization/jws.h"
#include "reference/transport/http_listener.h"
#include "reference/wire/json.h"

namespace assay::authorization {

// The ways in which a client shows who it is at the token endpoint.
inline constexpr const char* kNoSecret = "none";
inline constexpr const char* kSecretInHeader = "client_secret_basic";
inline constexpr const char* kSecretInBody = "client_secret_post";
inline constexpr const char* kSignedAssertion = "private_key_jwt";

// Types and grants that RFC 7523 and the drafts on it name.
inline constexpr const char* kAssertionType =
    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
inline constexpr const char* kJwtBearerGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
inline constexpr const char* kIdJagType = "oauth-id-jag+jwt";

// What a server looks at in a JWT that a client presents, to show who it is or for a token (RFC
// 7523, section 3).
struct AssertionChecks {
  bool signature = true;
  bool algorithm = true;  // otherwise one that is not signed, and says so, will do
  bool issuer = true;     // the client itself, or one that is trusted
  bool has_issuer = true;
  bool whole_issuer = true;  // and not only its beginning
  bool subject = true;
  bool audience = true;
  bool whole_audience = true;  // and not only its beginning
  bool expiry = true;
  bool has_expiry = true;
  bool at_once = true;          // it expires, and not an hour later
  bool expiry_in_parts = true;  // of seconds, too
  // Of an identity assertion that stands for a user.
  bool type = true;
  bool own_type = true;  // and not only that of any JWT
  bool has_type = true;
  bool client = true;  // it was issued to the client that presents it
  bool has_client = true;
  bool client_in_its_case = true;
};

// What a server looks at in a proof of possession (RFC 9449, section 4.3).
struct ProofChecks {
  bool form = true;  // one JWT
  bool type = true;
  bool algorithm = true;  // otherwise one that says it is not signed will do
  bool symmetric = true;  // otherwise one that is signed by a secret will do
  bool key = true;        // the key that it holds is a public one
  bool signature = true;
  bool claims = true;  // there are jti and iat
  bool method = true;
  bool place = true;
};

// What it looks at. Each switch is as the specification has it; a server that is wrong on purpose
// turns one.
struct Conduct {
  enum class Redirects {
    kExact,
    kByBeginning,
    kInAnyCase,
    kOnSameHost,     // whatever the path
    kOnThisMachine,  // localhost is 127.0.0.1
    kAsAnyUser,      // whatever stands before an @
    kWithoutQuery,   // whatever follows a ?
    kWithoutSlash,   // at its end
    kWithoutDots,    // as a path is read that has ".." in it
    kWithNumbers,    // %63 is c
    kInAnyScheme,    // https is http
    kSomewhere,      // what has a registered one in it
    kWithDocument,   // whatever is on the origin of the client's metadata document
    kAny,
  };

  bool demands_challenge = true;               // of who asks for a code
  bool demands_challenge_of_documents = true;  // of clients whose id is the URL of one
  bool demands_verifier = true;  // of who exchanges one that was asked for with a challenge
  bool checks_verifier = true;
  bool hashes_verifier = true;  // otherwise the challenge itself is good as well
  bool takes_code_once = true;
  bool knows_client_of_code = true;
  Redirects redirects = Redirects::kExact;
  // An error of the request is sent to a redirect URI that is registered, and to no other; and
  // where there are two of them, to the one that was looked at.
  bool looks_at_redirect_before_type = true;
  bool looks_at_redirect_before_challenge = true;
  bool sends_where_it_looked = true;
  bool demands_client = true;  // of who exchanges a code
  bool checks_secret = true;   // that a client shows
  bool demands_secret = true;  // of a client that has one
  bool checks_secret_at_renewal = true;
  bool compares_whole_secret = true;  // and not only its beginning
  AssertionChecks client_assertions;
  AssertionChecks identity_assertions;
  AssertionChecks workload_assertions;
  ProofChecks proofs;
  bool binds_registered_clients = true;  // that say so: they get no token without a proof
  bool refuses_strangers = true;  // otherwise an error is sent to the redirect URI of anybody
  bool names_issuer_in_errors = true;
  // Of a renewal.
  bool gives_next_refresh_token = true;
  bool takes_refresh_token_once = true;
  bool knows_client_of_refresh_token = true;
  bool keeps_scopes = true;  // otherwise a renewal has those that it asks for
  // Of Client ID Metadata Documents, where they are fetched.
  bool fetches_documents = true;
  bool keeps_documents = true;
  bool checks_document_url = true;
  bool checks_case_of_document_url = true;
  bool checks_query_of_document_url = true;
  bool checks_document_fields = true;
  bool checks_document_types = true;  // of these fields
  bool checks_document_redirects = true;
  // Spoils what it says of itself, and its answer to a registration.
  void (*metadata)(Json& metadata, bool is_openid) = nullptr;
  void (*registration)(Json& answer) = nullptr;
  // Spoils whatever it answers.
  void (*reply)(const transport::HttpHead& request, transport::HttpReply& reply) = nullptr;
};

// A client that the server knows from the beginning.
struct KnownClient {
  std::string id;
  std::string secret;  // empty: a public client
  std::string auth_method = kNoSecret;
  std::vector<std::string> redirect_uris;             // empty: any that lead to this machine
  std::shared_ptr<const VerifyingKey> key = nullptr;  // of one that signs assertions
  bool has_bound_tokens = false;                      // dpop_bound_access_tokens: it gets no others
};

// Whose word about a user is taken: an identity provider of an enterprise.
struct TrustedIssuer {
  std::string issuer;
  std::shared_ptr<const VerifyingKey> key;
};

// What an authorization response says in place of a code.
struct SentError {
  std::string error;
  std::string description;
  std::string uri;
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

  // Who may come: RFC 7591, and Client ID Metadata Documents. Without `fetch_document` any https
  // URL is the id of a client, and nothing is fetched.
  bool registers = true;
  bool refuses_redirects = false;  // each of them, when a client registers
  bool takes_client_documents = false;
  bool says_that_it_takes_none = false;  // of those documents; otherwise it says nothing of them
  // The text of the document at that URL; nothing where there is none.
  std::function<std::optional<std::string>(const std::string& url)> fetch_document = nullptr;
  std::vector<KnownClient> clients;
  // Of the first of them, where a client registers with none of them.
  std::vector<std::string> auth_methods = {kNoSecret, kSecretInHeader, kSecretInBody};

  // A person agrees to each authorization request, or refuses it, on a page; otherwise it is
  // answered at once.
  bool asks_for_consent = false;

  // What an authorization response says; nothing: it says no issuer; the state as it came.
  std::optional<std::string> sent_issuer;
  std::optional<std::string> sent_state;
  bool sends_state = true;
  std::string (*changed_state)(const std::string& state) = nullptr;
  std::optional<SentError> sent_error;

  std::chrono::seconds token_life{3600};
  // Access tokens are signed so (RFC 9068), and the keys are at /jwks; nothing: they are words that
  // only the server can read.
  std::optional<Signing> signing;
  bool gives_refresh_tokens = false;
  // Clients that have a secret may have tokens of their own (client_credentials).
  bool serves_clients = false;
  // Identity assertions of these are taken for tokens (Identity Assertion Authorization Grant).
  std::vector<TrustedIssuer> trusted;
  // JWTs of these are taken for tokens of workloads, whatever the client (Workload Identity
  // Federation).
  std::vector<TrustedIssuer> workload_issuers;
  // Proofs that are signed so are taken, and tokens bound to their keys (RFC 9449); empty: none.
  std::vector<std::string> proof_algorithms;
  // What such a proof must hold; empty: nothing.
  std::string proof_nonce;
  Conduct conduct;
};

}  // namespace assay::authorization
