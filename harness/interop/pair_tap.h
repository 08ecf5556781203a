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
  // How a server over stdio ended, where it was not asked to, with the end of its standard error:
  // "the server exited with status 1; its last words: ...". Printable.
  std::string server_end;
  std::optional<int> session_end;  // the status with which the server confirmed it, if it was asked
  // Of a server that asks for a token: the client asked it where to log in.
  bool was_asked_for_login = false;
  // The name by which it called itself then, where that is not the URL at which the client found
  // it.
  std::string other_name;
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
// `called`: what stands for the server may be a gateway.
std::unique_ptr<PairTap> tap_stdio(Launch server, std::string relay_program,
                                   std::shared_ptr<reports::Vault> vault,
                                   std::string called = "server");

struct HttpTapOptions {
  transport::Headers headers;  // go with each request to the server
  // It asks the server to end the session before the client's second call of a tool: as far as the
  // client knows, it expired.
  bool ends_session = false;
  // The server is shown the Host that the client uses, so that it calls itself by the tap's URL.
  bool keeps_host = false;
};

// A proxy on this machine.
std::unique_ptr<PairTap> tap_http(transport::HttpUrl server, HttpTapOptions options,
                                  std::shared_ptr<reports::Vault> vault);

}  // namespace assay::harness
