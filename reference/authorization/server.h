// A reference authorization server: what it answers, wherever it is mounted.
//
// OAuth 2.1 with the authorization code grant, PKCE (S256) and rotating refresh tokens; metadata by
// RFC 8414 and OpenID Connect Discovery; registration by RFC 7591; resource indicators (RFC 8707);
// the issuer in responses (RFC 9207). /authorize answers with a redirect at once, or, where a
// person is to agree, with a page that posts the decision to /consent. Specification:
// basic/authorization, 2025-03-26 and later.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reference/authorization/jws.h"
#include "reference/authorization/knobs.h"
#include "reference/transport/http_listener.h"
#include "reference/wire/form.h"
#include "reference/wire/json.h"

namespace assay::authorization {

// What an access token stands for.
struct Grant {
  std::string client_id;
  std::vector<std::string> scopes;
  std::string resource;  // empty: the client named none
  std::string key = {};  // the thumbprint of that to which it is bound; empty: to none
};

// Thread safety: any thread may call any member.
class Server {
 public:
  // What it keeps of each kind; more than that is refused. Of pages on which nobody has decided yet
  // the oldest is dropped.
  static constexpr std::size_t kMost = 1000;

  // `origin` is where it is reached: "http://127.0.0.1:1234".
  Server(Knobs knobs, std::string origin);

  const Knobs& knobs() const { return knobs_; }
  std::string issuer() const { return origin_ + knobs_.issuer_path; }
  // Nothing where the request is for none of its endpoints.
  std::optional<transport::HttpReply> handle(const transport::HttpHead& request,
                                             std::string_view body);
  // What a token that it issued, and that still holds, stands for.
  std::optional<Grant> grant_of(std::string_view access_token) const;
  // Whether it issued that token, be it for use or for renewal, ever.
  bool has_issued(std::string_view token) const;
  // How many authorization requests it has taken: those that were redirected, or wait for a person.
  int authorizations() const { return authorizations_; }
  // A refresh token of that client, as if it had logged in before.
  std::string refresh_token_for(Grant grant);
  // What signs its tokens; null where they are not signed.
  const SigningKey* key() const { return key_.get(); }
  // A further key that stands at /jwks from now on, until it is withdrawn.
  void publish(const std::shared_ptr<const SigningKey>& key);
  void withdraw(const std::string& key_id);
  // From now on no access token that was issued until now holds.
  void expire_all();
  // Byte for byte, but for the port on this machine: a native client may not know beforehand on
  // which it will listen (RFC 8252, section 7.3).
  static bool is_same_redirect(const std::string& registered, const std::string& named);
  // "a b" as its parts.
  static std::vector<std::string> words_in(std::string_view scope);

 private:
  struct Code {
    Grant grant;
    std::string redirect_uri;
    std::string challenge;  // empty: none was shown
    std::string method;
  };
  struct Access {
    Grant grant;
    std::chrono::steady_clock::time_point until;
  };
  struct Refusal {
    const char* error;
    const char* description;
  };

  const std::string& endpoints_path() const {
    return knobs_.endpoints_path ? *knobs_.endpoints_path : knobs_.issuer_path;
  }
  std::optional<Json> metadata_at(std::string_view path) const;
  Json metadata(bool is_openid) const;

  // As it should be, but for what the conduct spoils afterwards.
  std::optional<transport::HttpReply> answer(const transport::HttpHead& request,
                                             std::string_view body);
  transport::HttpReply key_set() const;
  transport::HttpReply authorize(const transport::HttpHead& request);
  std::optional<Refusal> trouble_with(const wire::Form& asked) const;
  // The same of who is wrong about a redirect URI, too, and is sent there all the same.
  std::optional<wire::Form> trouble_before_redirect(const wire::Form& asked) const;
  transport::HttpReply give_code(const wire::Form& asked);
  // The page, and what it posts.
  transport::HttpReply ask_for_consent(wire::Form asked);
  transport::HttpReply consent(std::string_view body);
  transport::HttpReply redirect(const wire::Form& asked, wire::Form response) const;
  // Nothing for one that it does not know.
  std::optional<KnownClient> client(const std::string& id);
  bool is_document_id(const std::string& id) const;
  // What the document at that URL says of the client; nothing where it is none.
  std::optional<KnownClient> read_document(const std::string& url) const;
  bool accepts_redirect(const KnownClient& client, const std::string& uri) const;

  transport::HttpReply token(const transport::HttpHead& request, std::string_view body);
  // The client that shows who it is; nothing if it does not.
  std::optional<KnownClient> authenticate(const transport::HttpHead& request,
                                          const wire::Form& asked);
  // server_assertions.cc
  // The client that signed; nothing where the assertion does not hold.
  std::optional<KnownClient> authenticate_by_assertion(const wire::Form& asked);
  // A token for the user whom the assertion names.
  transport::HttpReply redeem_assertion(const KnownClient& client, const wire::Form& asked,
                                        const std::string& key);
  // The same for a workload; nothing where the assertion is of no issuer of workloads.
  std::optional<transport::HttpReply> redeem_workload(const wire::Form& asked);
  bool names_this_server(const Json& audience, const AssertionChecks& checks) const;
  // Why claims that any assertion has do not hold; empty where they do.
  std::string trouble_with_claims(const TokenParts& parts, const AssertionChecks& checks) const;

  transport::HttpReply exchange(const KnownClient& client, const wire::Form& asked,
                                const std::string& key);
  transport::HttpReply renew(const KnownClient& client, const wire::Form& asked,
                             const std::string& key);
  // The thumbprint of the key that the client shows to have, empty if it shows none; or a refusal.
  // server_proofs.cc
  std::variant<std::string, transport::HttpReply> shown_key(const KnownClient& client,
                                                            const transport::HttpHead& request);
  transport::HttpReply issue(Grant grant, bool with_refresh_token = true);
  std::string access_token(const Grant& grant) const;

  transport::HttpReply register_client(std::string_view body);

  const Knobs knobs_;
  const std::string origin_;
  const std::unique_ptr<const SigningKey> key_;  // null where tokens are not signed
  std::atomic<int> authorizations_ = 0;
  mutable std::mutex mutex_;  // guards all below
  std::map<std::string, KnownClient> clients_;
  std::map<std::string, KnownClient> documents_;  // that were fetched, by their URLs
  // Requests that a person decides on, with their tickets; the oldest first.
  std::deque<std::pair<std::string, wire::Form>> awaiting_;
  std::map<std::string, Code, std::less<>> codes_;
  std::map<std::string, Access, std::less<>> access_;
  std::map<std::string, Grant, std::less<>> refresh_;
  std::map<std::string, bool, std::less<>> issued_;
  std::vector<std::shared_ptr<const SigningKey>> further_keys_;
};

}  // namespace assay::authorization
