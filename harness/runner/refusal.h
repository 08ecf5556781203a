// What it means that `initialize` was answered, but not with a result.
//
// Specification: basic/lifecycle, "Version Negotiation"; 2026-07-28: basic/versioning, "Backward
// Compatibility with Initialization-Based Versions", and server/discover.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "harness/script/connection.h"
#include "reports/result.h"

namespace assay::harness {

// The versions that a server names to whoever asks without a handshake.
struct Discovery {
  enum class Outcome {
    kNamed,    // it answered as the stateless revisions ask; `versions` is what it named
    kRefused,  // it answered with some other error: it speaks none of them
    kUnclear,  // no answer, or one that means neither
  };
  Outcome outcome = Outcome::kUnclear;
  std::vector<std::string> versions;  // the server's words, at most a few short ones
};

// Asks for `server/discover` on a connection of its own.
Discovery discover(const TargetAccess& access, model::Revision revision, Patience patience,
                   std::stop_token stop);

// HTTP statuses that say that we are not let in.
bool is_about_access(int http_status);

struct Refusal {
  // kUnsupported: the server does not speak the revision. kFailed: what answered may be no MCP
  // server at all, or one that does not let us in.
  reports::RunStatus status = reports::RunStatus::kFailed;
  std::string reason;  // what came back, with the server's own sentence
  // The server has no `initialize`, and speaks no revision that goes without.
  bool lacks_initialize = false;
};

// What answered the first request is no MCP endpoint, but a web page or a sign to another address:
// one sentence, the same for every revision. Empty if it may be one. A page breaks no rule of MCP.
std::string wrong_address(const Reply& reply, const Connection& connection);

// `reply` came on `connection`, and is an answer of some kind but no result.
Refusal explain_refusal(const Reply& reply, const Connection& connection,
                        const Discovery& discovery);

}  // namespace assay::harness
