// The API that a target asks on behalf of its clients, as we play it: what reaches it shows whether
// the tokens of clients are passed on.
//
// Specification: basic/authorization, "Access Token Privilege Restriction". It listens on this
// machine, and has the same friendly answer to whatever it is asked.
//
// What the target shows besides is its own, such as its key for the API: nothing of that is kept.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/transcript/transcript.h"
#include "reference/transport/http_listener.h"
#include "reports/vault.h"

namespace assay::harness {

class Upstream {
 public:
  // What a target may make us remember.
  static constexpr std::size_t kMostKept = 8u << 20;

  // Tokens become labels of the vault before anything is kept; null: it has its own.
  explicit Upstream(std::shared_ptr<reports::Vault> vault = nullptr);
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  // Otherwise: why it cannot, in one sentence. `port` 0: any free one.
  std::optional<std::string> start(int port = 0);
  // Once started: without a path.
  const std::string& url() const { return url_; }
  int port() const { return listener_->port(); }

  // From now on the token is known again in requests, as it is, as a URL, a form or JSON writes it,
  // or as a name or password ("Basic ..."), where it stands whole: not as a part of a longer one.
  void look_for(const std::string& token);

  // A request that reached us.
  struct Visit {
    EventPtr event;
    std::string token;       // of those that are looked for; in confidence; empty: it carries none
    std::string_view place;  // where: "its Authorization field"
    // It reads like one to an authorization server, which may be shown a token: introspection
    // (RFC 7662), an exchange (RFC 8693), discovery, "/access-tokens/TOKEN".
    bool is_about_tokens = false;
    // The token stands in the body alone. Whoever checks or exchanges tokens may be handed one
    // there, and what such a request looks like no list can tell: {"jwt": ...}, a TokenReview.
    bool is_in_body = false;
  };
  // Those from index `from` on, in their order.
  std::vector<Visit> visits(std::size_t from = 0) const;
  std::size_t count() const;
  // Waits until there are more than so many; false if they did not come in that time.
  bool await_more(std::size_t count, std::chrono::milliseconds patience) const;
  // There were more than we remember.
  bool is_full() const;

 private:
  // How a token may be written, and which token that is.
  struct Writing {
    std::string text;
    std::string token;
  };

  transport::HttpReply handle(const transport::HttpHead& request, std::string_view body);
  // With mutex_ held: the token, and where it stands.
  std::pair<std::string, std::string_view> token_in(const transport::HttpHead& request,
                                                    std::string_view body) const;
  std::string token_in(std::string_view text) const;
  // The same of the segments of a path, with what stands before the one.
  std::pair<std::string, std::string_view> token_in_path(std::string_view path) const;
  // The same of a header field, which may be encoded in further ways.
  std::string token_in_field(std::string_view value) const;
  // With mutex_ held, as it may be kept: of values, whether a token that is looked for stands
  // there.
  std::string veiled(std::string_view value) const;
  transport::HttpHead veiled(const transport::HttpHead& request) const;

  const std::shared_ptr<reports::Vault> vault_;
  std::string url_;
  mutable std::mutex mutex_;  // guards all below but the listener
  mutable std::condition_variable has_come_;
  std::vector<Writing> writings_;
  Transcript transcript_;
  std::vector<Visit> visits_;
  std::size_t kept_ = 0;  // bytes
  bool is_full_ = false;
  std::unique_ptr<transport::HttpListener> listener_;  // the last: its threads use the others
};

}  // namespace assay::harness
