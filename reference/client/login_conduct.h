// What a client does, and looks at, when it logs in. Each switch is as the specification has it; a
// client that is wrong on purpose turns one.
#pragma once

#include <string>
#include <vector>

#include "reference/transport/observer.h"
#include "reference/wire/form.h"
#include "reference/wire/json.h"

namespace assay::client {

// From where a client has its id.
enum class ClientSource { kGiven, kDocument, kRegistration };

// Whether an issuer that was said is the one that is meant; null: it must be identical.
using SameIssuer = bool (*)(const std::string& said, const std::string& meant);

// Whether a state that came is the one that was sent; null: it must be identical.
using SameState = bool (*)(const std::string& came, const std::string& sent);

// What a client that is wrong shows where it should not; empty where it has none.
struct LoginMemory {
  std::string former_id;     // of the authorization server that it was with before this one
  std::string former_token;  // that one gave
  std::string access_token;
  std::string refresh_token;
  std::string client_id;
  std::string secret;
  std::string identity_grant;  // that an identity provider gave
};

// A token request before it leaves.
struct TokenRequest {
  std::string url;
  std::string method = "POST";
  transport::Headers headers;
  wire::Form form;
  bool is_json = false;  // of its body, which otherwise is the form
};

// For whom a client proves that it has its key.
enum class ProofFor { kTokenEndpoint, kServer };

struct LoginConduct {
  bool reads_scheme_in_any_case = true;  // of a challenge
  bool reads_all_challenges = true;      // of a field, and not only the first
  bool reads_all_challenge_fields = true;
  bool reads_parameters_in_any_case = true;
  bool wants_challenge = false;  // and gives up where a refusal has none
  bool answers_expiry = true;    // it does something when a token is refused that it had
  // Otherwise it repeats what was refused, with the same token.
  bool gets_another_token = true;
  bool gets_another_scope = true;
  bool rediscovers = true;  // it looks again who the authorization server is
  // Resource metadata.
  bool asks_for_resource = true;  // otherwise the server is taken for its authorization server
  bool heeds_challenge = true;    // the metadata are where the challenge says
  bool tries_well_known_before = false;
  bool tries_well_known = true;      // or else at the well-known places
  bool tries_endpoint_first = true;  // that of the endpoint before that of the root
  bool tries_root = true;
  bool checks_resource = true;             // they are about the server that is meant
  bool reads_resource_in_any_case = true;  // its scheme and host
  bool names_resource_as_said = false;     // whatever the metadata are about

  // Metadata of the authorization server: which places are tried, by their rank, and in what order.
  std::vector<std::size_t> places = {0, 1, 2};
  bool takes_issuer_path = true;   // otherwise it gives up where the issuer has one
  bool inserts_well_known = true;  // between host and path of the issuer, for OAuth metadata
  bool keeps_issuer_path = true;   // where it looks for metadata
  bool checks_issuer_of_metadata = true;
  SameIssuer matches_metadata = nullptr;
  bool checks_next_issuer = true;  // and not only that of its first authorization server
  bool checks_issuer_of_openid = true;
  bool wants_challenge_method = true;  // S256 is advertised
  bool wants_challenge_method_of_openid = true;
  bool reads_token_endpoint_again = true;  // where another authorization server is named
  bool tries_metadata = true;              // before the default paths
  bool reads_openid = true;                // otherwise it gives up where the metadata are OpenID's
  bool goes_on_without_metadata = false;   // at the default paths (2025-06-18 and later)
  bool uses_default_paths = true;          // otherwise it gives up without metadata (2025-03-26)
  // The endpoint of that name in the metadata is not read: its default path is used.
  const char* guessed_endpoint = nullptr;
  bool drops_path = true;  // of the server's URL (2025-03-26)
  std::string default_authorize = "/authorize";
  std::string default_token = "/token";
  std::string default_register = "/register";
  bool names_version = true;            // MCP-Protocol-Version while it looks for metadata
  const char* named_version = nullptr;  // in place of its own

  // Registration.
  bool keeps_clients_apart = true;  // by the authorization server that knows them
  bool notices_each_move = true;    // to another authorization server, and not only the first
  bool keeps_secrets_apart = true;  // by that server, and not only the ids
  bool keeps_refresh_tokens_apart = true;
  bool keeps_tokens_apart = true;  // otherwise it shows one of the former server's in between
  bool checks_document_support = true;
  bool reads_document_support = true;  // and not only whether it is spoken of
  bool has_document = true;
  std::string document;  // in place of the document's URL
  // Which is tried first, second, ...
  std::vector<ClientSource> sources = {ClientSource::kGiven, ClientSource::kDocument,
                                       ClientSource::kRegistration};
  bool shows_secret = true;  // that came with the id
  void (*registration)(Json&) = nullptr;
  void (*registration_fields)(transport::Headers&, const LoginMemory&) = nullptr;
  bool heeds_refused_registration = true;
  int registrations = 1;  // that it tries while they are refused
  bool names_registered_redirect = true;

  // The authorization request and its response.
  bool follows_scope_of_challenge = true;
  bool follows_scopes_of_resource = true;
  bool asks_for_listed_scopes_only = false;  // those of the challenge that the metadata list, too
  std::string other_scope;                   // what it asks for where nobody names a scope
  bool steps_up = true;
  bool keeps_scopes = true;  // those it had when it steps up
  int most_attempts = 3;
  void (*authorization)(wire::Form&) = nullptr;
  void (*next_authorization)(wire::Form&) = nullptr;  // of each but the first
  void (*secret_in_authorization)(wire::Form&, const LoginMemory&) = nullptr;
  // The URL of the request: the endpoint, and the query that is to be added.
  std::string (*authorization_url)(const std::string& endpoint, const std::string& query) = nullptr;
  std::string (*verifier)() = nullptr;  // how it makes one
  bool shows_verifier = false;          // in the authorization request
  bool shows_verifier_as_challenge = false;
  bool shows_verifier_as_state = false;
  bool checks_state = true;
  bool wants_state = true;  // and takes no response without one
  SameState matches_state = nullptr;
  bool redeems_before_checks = false;  // of the response
  bool opens_error_page = false;       // whoever names it
  // What it says of a response that tells of an error; null: its code and its description.
  std::string (*told_error)(const wire::Form& response) = nullptr;
  bool checks_issuer = true;
  bool checks_issuer_of_errors = true;
  bool records_issuer = true;  // otherwise it looks again who that is when the response has come
  bool checks_unadvertised_issuer = true;
  bool wants_advertised_issuer = true;
  bool wants_any_issuer = false;  // be it advertised or not
  SameIssuer matches_response = nullptr;

  // Tokens.
  bool assumes_refresh_token = false;
  void (*token)(wire::Form&) = nullptr;
  void (*token_request)(TokenRequest&, const LoginMemory&) = nullptr;
  bool redeems_twice = false;
  bool minds_case_of_token_type = false;
  bool wants_lifetime = false;  // of each token
  std::string scheme = "Bearer";
  std::string early_token;            // shown before there is one
  const char* token_query = nullptr;  // its token stands in the query of the URL, under this name
  bool shows_code = false;            // as its token
  bool takes_next_refresh_token = true;  // otherwise it keeps the first
  bool puts_refresh_token_in_query = false;
  bool follows_redirects_with_token = false;
  bool shows_refresh_token = false;  // to the server
  // The JWT by which it shows who it is: what is signed, and what becomes of it.
  void (*assertion)(Json& header, Json& claims) = nullptr;
  std::string (*signed_assertion)(std::string assertion) = nullptr;
  // Of the exchange at an identity provider, and of the grant that comes of it.
  void (*exchange)(TokenRequest&, const LoginMemory&) = nullptr;
  bool picks_workload_jwt = true;  // the one that is for the authorization server
  std::string (*workload_jwt)(std::string jwt) = nullptr;
  bool exchanges_identity = true;  // otherwise it presents the assertion of the user itself
  // Of a token that is bound to a key.
  std::string bound_scheme = "DPoP";
  bool proves_token_requests = true;
  bool proves_requests = true;    // to the server
  bool makes_new_proofs = true;   // otherwise it shows the first one in each of them
  bool makes_new_numbers = true;  // and otherwise all of them have one jti
  bool keeps_proof_key = true;    // otherwise the server is shown proofs of another key
  bool heeds_nonce = true;        // that a server gives
  bool heeds_nonce_of_token_endpoint = true;
  void (*proof)(Json& header, Json& claims, ProofFor receiver) = nullptr;
  std::string (*signed_proof)(std::string proof, ProofFor receiver) = nullptr;
  int proofs = 1;  // in one request
  // Spoils the header fields of each request to the server.
  void (*fields)(transport::Headers&, const LoginMemory&) = nullptr;
};

}  // namespace assay::client
