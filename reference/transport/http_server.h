// The server's end of HTTP: Streamable HTTP at /mcp, and the older HTTP+SSE pair at /sse and
// /messages.
//
// Specification: basic/transports of 2024-11-05 (HTTP with SSE) and of 2025-03-26 to 2025-11-25
// (Streamable HTTP). It decodes the messages, keeps the sessions and their streams, and hands the
// rest to a SessionFactory. Requests without a session (since 2026-07-28) go to http_stateless.h.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/model/revision.h"
#include "reference/transport/http_conduct.h"
#include "reference/transport/http_protection.h"
#include "reference/transport/server_transport.h"

namespace assay::transport {

class HttpEndpoint;

struct HttpServerOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any free one
  // How a request is answered: with JSON unless something else is sent first; always with JSON,
  // where what relates to a request goes to the GET stream; or always with an event stream.
  enum class Answers { kAuto, kJson, kSse };
  Answers answers = Answers::kAuto;
  // Host names, without port, that requests may be addressed to and come from, besides the
  // loopback's.
  std::vector<std::string> allowed_hosts = {};
  // Which revisions MCP-Protocol-Version may name, and which eras are served with them.
  std::vector<model::Revision> revisions = {model::Revision::all().begin(),
                                            model::Revision::all().end()};
  std::size_t most_sessions = 1000;
  std::size_t most_connections = 16384;
  std::chrono::milliseconds write_timeout{10000};  // without the client reading anything
  HttpProtection protection = {};                  // whom it serves
  // Told of every exchange; outlives the server. Null: nobody is.
  Observer* observer = nullptr;
};

class HttpServer {
 public:
  // `server` and `conduct` outlive it; without a conduct it keeps to the specification.
  HttpServer(SessionFactory& server, HttpServerOptions options,
             const HttpConduct* conduct = nullptr);
  ~HttpServer();  // stops
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Otherwise: why it cannot, in one sentence.
  std::optional<std::string> start();
  // Once started.
  int port() const;
  std::string url() const;      // of the MCP endpoint
  std::string sse_url() const;  // of the older pair
  // Serves a connection that is open already, on the caller's thread, until it ends, and closes it.
  // Needs no start().
  void serve(int socket);
  // Ends all sessions and connections. Idempotent.
  void stop();

 private:
  const std::string host_;
  std::unique_ptr<HttpEndpoint> endpoint_;
  HttpListener listener_;
};

}  // namespace assay::transport
