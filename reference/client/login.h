// How a client gets a token: from a challenge to the metadata, a registration, an authorization
// request and a token.
//
// Specification: basic/authorization, 2025-03-26 and later. Nobody is asked unless there is
// somebody to `browse`: the authorization request is made by the login itself, and its redirect is
// read and not followed. That suits servers under test, and no others.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/client/login_conduct.h"
#include "reference/model/revision.h"
#include "reference/transport/http_fetch.h"
#include "reference/wire/challenge.h"
#include "reference/wire/form.h"
#include "reference/wire/json.h"

namespace assay::client {

// How the token is got: OAuth 2.1, section 4, and the Identity Assertion Authorization Grant.
enum class LoginGrant {
  kAuthorizationCode,
  kClientCredentials,
  kRefreshToken,
  kIdentityAssertion,
  kWorkload
};

// An identity provider of an enterprise, where the user has logged in before.
struct LoginIdp {
  std::string token_endpoint;
  std::string client_id;  // as which the client is known there
  std::string id_token;   // of the user
};

// What it proves to have, where the authorization server binds tokens to keys (RFC 9449).
struct ProofKey {
  Json jwk;  // the public half
  std::string algorithm = "ES256";
  // Null: there is no key.
  std::function<std::string(const Json& header, const Json& claims)> sign = nullptr;
};

struct LoginOptions {
  std::string endpoint;  // the server's URL: its canonical form, too
  model::Revision revision = model::Revision::v2025_11_25;
  std::string redirect_uri = "http://localhost:3000/callback";
  // The URL of its metadata document; empty: it has none.
  std::string client_document;
  // What somebody registered beforehand; empty: nobody did.
  std::string client_id;
  std::string client_secret;
  // As it presents itself where it registers.
  std::string client_name = "mcp-assay reference client";
  LoginGrant grant = LoginGrant::kAuthorizationCode;
  // Signs a JWT with the private key that was given; null: none was.
  std::function<std::string(const Json& header, const Json& claims)> sign = nullptr;
  std::string signing_algorithm = "ES256";
  LoginIdp idp;  // where it vouches for the user
  // JWTs that its platform gave it: for the authorization server, and for another place.
  std::string workload_jwt;
  std::string other_workload_jwt;
  std::string refresh_token;  // where that is the grant
  ProofKey proof_key;
  ProofKey other_proof_key;  // for one that is wrong
  // It asks for offline_access where the authorization server lists that.
  bool wants_offline_access = false;
  // Shows a person the URL of the authorization request, and waits for the response to its state:
  // the query with which redirect_uri is asked, or why there is none, in one sentence.
  std::function<std::variant<wire::Form, std::string>(const std::string& url,
                                                      const std::string& state)>
      browse = nullptr;
  std::chrono::milliseconds timeout{10000};  // for each exchange
  LoginConduct conduct;
};

// Why there is no token, in one sentence; nothing if there is one.
using LoginTrouble = std::optional<std::string>;

class Login {
 public:
  explicit Login(LoginOptions options) : options_(std::move(options)) {}

  // Answers a refusal: 401, or 403 for want of scopes. `challenge` is its WWW-Authenticate.
  LoginTrouble answer(int status, const std::string& challenge);
  // What Authorization says in each request from now on; empty before there is a token. Any thread.
  std::string authorization() const;
  // What it holds, and for how many seconds as far as that was said; empty where there is none.
  std::string access_token() const;
  std::optional<double> lifetime() const { return lifetime_; }
  // For the next time; empty where none was given.
  const std::string& refresh_token() const { return refresh_token_; }
  // The URL by which the server is asked.
  std::string endpoint() const;
  // It sends its request, with the token, where a server says that it is found now.
  bool follows_redirects() const { return options_.conduct.follows_redirects_with_token; }
  // Of WWW-Authenticate in one response, and not only the first.
  bool reads_all_fields() const { return options_.conduct.reads_all_challenge_fields; }
  // Adds the proof that it has the key of its token, where that has one. Any thread.
  void prove(std::string_view method, std::string_view body, transport::Headers& fields) const;
  // A refusal asks for a proof with that nonce, and the next one has it.
  bool takes_nonce(const std::string& challenge, const std::string& nonce);
  // With a fault that has it so: the header fields of a request to the server. Any thread.
  void spoil(transport::Headers& fields) const;

 private:
  struct Client {
    std::string issuer;  // that knows it
    std::string id;
    std::string secret;
    std::string method = "none";
  };

  // login_discovery.cc
  LoginTrouble discover(const std::string& location);
  LoginTrouble find_resource(const std::string& location);
  // Of the resource metadata.
  std::vector<std::string> well_known_places() const;
  LoginTrouble take_resource(const Json& document);
  LoginTrouble find_server(const std::string& issuer);
  std::vector<std::string> places_of(const std::string& origin, const std::string& path) const;
  LoginTrouble find_server_at_base();
  void use_default_paths();
  LoginTrouble go_on_at_default_paths(const std::string& issuer);
  // In place of what the metadata say, where it is wrong so.
  void guess_endpoint(const std::string& base);
  LoginTrouble check_server(const std::string& issuer, bool is_openid) const;
  // The server as its metadata name it; where there are none, its URL.
  std::string resource() const;
  std::optional<Json> get_json(const std::string& url);

  // login_client.cc
  LoginTrouble choose_client();
  bool take_client(ClientSource source, LoginTrouble& trouble);
  void take_given_client();
  LoginTrouble register_client();
  LoginTrouble try_to_register(const std::string& url, const Json& metadata);

  // login.cc
  std::string scope_for(int status, const std::optional<std::string>& challenged) const;
  LoginTrouble get_token();
  LoginTrouble authorize();
  std::variant<wire::Form, std::string> ask_for_code(const std::string& url,
                                                     const std::string& state);
  LoginTrouble check_response(const wire::Form& response, const std::string& state) const;
  void open_error_page(const wire::Form& response) const;
  // login_assertion.cc
  std::string client_assertion() const;
  LoginTrouble assert_identity();
  LoginTrouble assert_workload();
  std::variant<std::string, transport::Failure> exchange_identity();

  // login_proof.cc
  bool can_prove() const;
  std::string make_proof(const ProofKey& key, ProofFor receiver, Json claims) const;
  void prove_token_request(TokenRequest& request) const;
  bool takes_nonce_of(const transport::Fetched& refusal);

  LoginTrouble ask_token(wire::Form form);
  std::variant<transport::Fetched, transport::Failure> send_token_request(TokenRequest request);
  TokenRequest token_request(wire::Form form) const;
  LoginTrouble take_token(const Json& token, const wire::Form& asked);
  LoginMemory memory() const;
  LoginTrouble renew();
  // What was given by another authorization server is forgotten.
  void forget_former();
  std::variant<transport::Fetched, transport::Failure> post(const std::string& url,
                                                            const std::string& type,
                                                            const std::string& body,
                                                            const transport::Headers& more = {});

  const LoginOptions options_;
  std::string location_;  // of those metadata, as the challenge says; empty: it does not
  Json resource_;         // metadata of the protected resource; null where there are none
  Json server_;           // metadata of the authorization server
  std::string issuer_;
  Client client_;
  std::string scope_;  // that was asked for last
  std::string refresh_token_;
  std::optional<double> lifetime_;
  std::string identity_grant_;      // that the identity provider gave last
  std::string token_issuer_;        // that gave the tokens
  std::string token_nonce_;         // that its token endpoint gave
  bool is_asked_to_prove_ = false;  // by the server, that it has the key of its token
  int moves_ = 0;                   // how often another authorization server was named
  std::string first_token_endpoint_;
  int attempts_ = 0;
  int authorizations_ = 0;
  mutable std::mutex mutex_;  // guards those below
  std::string token_;
  bool is_bound_ = false;  // that token, to the key
  std::string nonce_;      // that the server gave
  mutable std::string first_proof_;
  std::string former_id_;        // at another authorization server
  std::string former_token_;     // of that one
  mutable int former_uses_ = 0;  // how often one of them was shown since
};

}  // namespace assay::client
