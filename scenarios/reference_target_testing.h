// The reference server as a target inside the test's own process: over a pipe, no I/O and no child.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/script/link.h"
#include "harness/script/token_issuer.h"
#include "harness/script/upstream.h"
#include "reference/authorization/own_office.h"
#include "reference/authorization/proofs_of_possession.h"
#include "reference/server/faults/faulty_server.h"
#include "reference/server/options.h"
#include "reference/server/server.h"
#include "reference/transport/http_client.h"
#include "reference/transport/http_server.h"
#include "reports/events.h"

namespace assay::scenarios {

// Each connection is a server of its own with these options and faults.
harness::TargetAccess reference_over_pipe(server::Options options,
                                          const server::Faults& faults = {});

// What opens a reference server that asks for tokens, and what it refuses.
std::vector<harness::UserToken> reference_tokens();

// One server on a free port of the loopback, for as long as the object lives. With a fault that
// needs it, or where `is_protected`, it asks for tokens.
class ReferenceOverHttp {
 public:
  using Answers = transport::HttpServerOptions::Answers;
  explicit ReferenceOverHttp(const server::Options& options = {}, Answers answers = Answers::kAuto,
                             const server::Faults& faults = {},
                             const std::string& host = "127.0.0.1", bool is_protected = false);
  // One that trusts an authorization server of ours, as it does with a fault that overlooks
  // something of tokens, too.
  struct Trusting {
    std::vector<authorization::KnownClient> clients = {};  // of the authorization server
    bool has_upstream = false;                             // it asks an API of ours, too
    // Of the run; null: each of ours has its own.
    std::shared_ptr<reports::Vault> vault = nullptr;
    // Of tokens that are bound to keys; nothing: it takes none.
    std::optional<authorization::ProofManner> proofs = authorization::ProofManner();
    bool wants_proofs = false;  // it takes no others
  };
  explicit ReferenceOverHttp(const Trusting& trusting, const server::Faults& faults = {});
  // One that is its own authorization server, as it is with a fault of such a one.
  struct OwnOffice {
    bool has_metadata = true;
  };
  explicit ReferenceOverHttp(const OwnOffice& office, const server::Faults& faults = {});
  // One that conducts itself in this way; `conduct` outlives it.
  explicit ReferenceOverHttp(const transport::HttpConduct& conduct);
  // Over Streamable HTTP, with these headers on each request, and this behind the URL of the
  // endpoint ("?tenant=1"); and over the older pair.
  harness::TargetAccess http(const std::vector<transport::UserHeader>& headers = {},
                             const std::string& query = "") const;
  // Over Streamable HTTP, with these tokens; this object outlives it.
  harness::TargetAccess http_with(const std::vector<harness::UserToken>& tokens) const;
  // Over Streamable HTTP, with tokens of the authorization server that it trusts; this object
  // outlives it.
  harness::TargetAccess http_with_issuer() const;
  // Of that client, at the authorization server that it trusts.
  std::string refresh_token_for(const std::string& client_id) const;
  harness::TargetAccess http_sse() const;
  // Of the MCP endpoint.
  std::string url() const;

 private:
  ReferenceOverHttp(const server::Options& options, Answers answers, const server::Faults& faults,
                    const std::string& host, bool is_protected,
                    std::shared_ptr<harness::TokenIssuer> issuer,
                    std::shared_ptr<authorization::OwnOffice> office,
                    std::shared_ptr<harness::Upstream> upstream, const Trusting& trusting);

  const std::shared_ptr<harness::TokenIssuer> issuer_;      // null: it trusts none
  const std::shared_ptr<authorization::OwnOffice> office_;  // null: it is no authorization server
  const std::shared_ptr<harness::Upstream> upstream_;       // null: it asks nobody
  server::Server good_;
  server::FaultyServer server_;
  server::FaultyConduct conduct_;
  transport::HttpServer http_;
};

// Nobody listens.
class NoEvents : public reports::Events {
 public:
  void run_started(const reports::PlanSize&) override {}
  void scenario_finished(const reports::RunKey&, const std::string&, std::int64_t) override {}
  void verdict(const reports::RunKey&, const reports::Verdict&) override {}
  void run_finished(const reports::Result&) override {}
};

}  // namespace assay::scenarios
