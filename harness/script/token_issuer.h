// The authorization server of ours that a target was told to trust: its tokens say what scenarios
// like.
//
// It listens on this machine, and is an ordinary authorization server to whoever asks it: metadata,
// keys, registration, authorization requests and tokens. What it signs besides is made here.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/script/user_token.h"
#include "reference/authorization/server.h"
#include "reference/transport/http_listener.h"
#include "reference/wire/json.h"
#include "reports/vault.h"

namespace assay::harness {

class TokenIssuer {
 public:
  // A refusal that is told by its words alone.
  struct Refusal {
    int status = 0;
    std::string place;  // where it leads
    Json error;         // that it holds
    bool operator==(const Refusal&) const = default;
  };
  // RS256 is what every server knows; keys for it take a moment. `clients` are known to it, besides
  // those that register. Its tokens stand by labels of the vault in whatever is written; null: it
  // has its own.
  explicit TokenIssuer(authorization::Signing signing = authorization::Signing::kRs256,
                       std::vector<authorization::KnownClient> clients = {},
                       std::shared_ptr<reports::Vault> vault = nullptr);
  ~TokenIssuer();

  // Otherwise: why it cannot, in one sentence. `port` 0: any free one.
  std::optional<std::string> start(int port = 0);
  // Nobody is answered any more.
  void stop();
  // Once started: the issuer.
  const std::string& url() const { return url_; }
  int port() const { return listener_->port(); }

  // What the target at `endpoint` wants of tokens, as far as it says so when it is asked without
  // one; and by which of its names it takes them. False: it takes none. Called once, before
  // anything else is asked of it.
  bool learn(const std::string& endpoint, std::chrono::milliseconds timeout);
  // Once learnt: whom tokens are for.
  const std::string& audience() const { return audience_; }
  // Once learnt: the "typ" of its tokens; "JWT" where the target takes no "at+jwt".
  const std::string& token_type() const { return token_type_; }
  // Once learnt: all scopes that the target names, and those of its challenge, between blanks.
  const std::string& scope() const { return scope_; }
  const std::string& least_scope() const { return least_scope_; }
  // Once learnt: those of two users, one with fewer scopes where the target says that it has some,
  // one for another server, and one that has expired.
  std::vector<UserToken> tokens() const;

  // The claims of a good token, which a scenario may change; times are in seconds.
  Json claims(std::string_view user = "alice") const;
  static std::int64_t now();
  // Good, if the claims are.
  std::string sign(const Json& claims) const;
  // A token that was made elsewhere, of its claims: nobody who repeats it is quoted with it.
  void hide(const std::string& token) const { vault_->add(token); }
  // Good, but issued for a server that nobody runs.
  UserToken foreign_token() const;
  // A refresh token of that client for all that the target names, as if somebody had logged in.
  std::string refresh_token_for(const std::string& client_id) const;
  // What the above signs with, as the world sees it.
  const authorization::SigningKey& key() const { return *server_->key(); }

  // One that is nobody's: it is published nowhere.
  const authorization::SigningKey& strangers_key() const;
  // Where it stands all the same, for who believes a token that names this place.
  std::string strangers_keys_url() const;
  std::string strangers_certificate_url() const;
  // An issuer of the same host whose metadata lead to that key.
  std::string strangers_issuer() const;
  // A published key for ES256, which signs nothing of its own accord.
  const authorization::SigningKey& curve_key() const {
    return signing_ == authorization::Signing::kEs256 ? key() : *curve_;
  }
  // A further key, published since the beginning as long as there are such, that nobody else has
  // taken; and one that is published in its place, where it is withdrawn.
  std::shared_ptr<const authorization::SigningKey> take_spare_key();
  std::shared_ptr<const authorization::SigningKey> replace_key(
      const authorization::SigningKey& old_key);

 private:
  std::shared_ptr<const authorization::SigningKey> publish_key();
  transport::HttpReply handle(const transport::HttpHead& request, std::string_view body);
  // What stands there for who believes a token of a stranger; nothing elsewhere.
  std::optional<transport::HttpReply> strangers_document(const std::string& target) const;
  // Whether the target lets in who shows a token for this audience; what its refusals say of scopes
  // is learnt. `refusal`: how it refuses one that was never issued, where its status does not tell.
  bool takes(const std::string& endpoint, const std::string& audience,
             const std::optional<Refusal>& refusal, std::chrono::milliseconds timeout);

  const authorization::Signing signing_;
  const std::vector<authorization::KnownClient> clients_;
  const std::shared_ptr<reports::Vault> vault_;
  std::string url_;
  std::unique_ptr<authorization::Server> server_;
  std::atomic<authorization::Server*> serving_ = nullptr;  // once it may be asked
  std::string audience_;
  std::string token_type_ = "at+jwt";
  std::string scope_;                                                   // all that the target names
  std::string least_scope_;                                             // those of its challenge
  mutable std::mutex mutex_;                                            // guards the two below
  mutable std::unique_ptr<const authorization::SigningKey> strangers_;  // null until it is wanted
  std::vector<std::shared_ptr<const authorization::SigningKey>> spare_;
  std::shared_ptr<const authorization::SigningKey> curve_;  // null where all keys are for ES256
  std::unique_ptr<transport::HttpListener> listener_;       // the last: its threads use the others
};

}  // namespace assay::harness
