// Stands between one start of a client and its server: passes everything on, and records it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/interop/entries.h"
#include "harness/runner/recorded_session.h"
#include "reference/transport/http_url.h"
#include "reports/vault.h"

namespace assay::harness {

// What passed.
struct Tapped {
  std::vector<RecordedSession> sessions;  // as they began
  std::string shortfall;                  // why less was recorded than passed; empty if all was
  std::string server_end;          // how a server over stdio ended, where it was not asked to
  std::string server_words;        // the end of its standard error, printable
  std::optional<int> session_end;  // the status with which the server confirmed it, if it was asked
};

class PairTap {
 public:
  virtual ~PairTap() = default;
  // Otherwise: why it cannot, in one sentence.
  virtual std::optional<std::string> start() = 0;
  // The client's command with the way to the server in it.
  virtual std::vector<std::string> told(std::vector<std::string> words) const = 0;
  // The client has ended, and the relays that it started may still be there: their servers may end
  // as they would without us.
  virtual void take_client_end() {}
  // Once, when the client is gone. Ends every server that the client started and left running.
  virtual Tapped finish() = 0;
};

// The client starts `relay_program relay SOCKET`, and each such start is a start of the server.
std::unique_ptr<PairTap> tap_stdio(Launch server, std::string relay_program,
                                   std::shared_ptr<reports::Vault> vault);

// A proxy on this machine. `headers` go with each request to the server. With `ends_session` it
// asks the server to end the session before the client's second call of a tool: as far as the
// client knows, it expired.
std::unique_ptr<PairTap> tap_http(transport::HttpUrl server, transport::Headers headers,
                                  std::shared_ptr<reports::Vault> vault, bool ends_session = false);

}  // namespace assay::harness
