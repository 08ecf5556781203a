// Passes HTTP requests on to another server, and its answers back: the handler of a reverse proxy.
//
// Paths, queries, statuses and header fields pass in their order; what concerns one connection only
// (RFC 9110, 7.6.1) does not, the Host becomes the other server's unless told otherwise, and no
// compression is asked for, since an observer could not read it. Event streams pass as they
// come.
#pragma once

#include <memory>
#include <string>

#include "reference/transport/http_listener.h"
#include "reference/transport/http_url.h"
#include "reference/transport/socket_stream.h"

namespace assay::transport {

class HttpForwarder {
 public:
  // Exchanges under way at once: each has a thread, and open streams are exchanges.
  static constexpr std::size_t kMostExchanges = 256;
  // A longer answer, other than a stream, is not passed on: 502.
  static constexpr std::size_t kMostBodyBytes = 64u << 20;
  // Of a stream whose client does not read; then the server waits.
  static constexpr std::size_t kMostWaiting = 1u << 20;

  // Which Host the other server is shown: its own, or the one under which the client knows us. A
  // server that says where it is found, as those that ask for tokens do, goes by it.
  enum class HostField { kOfServer, kOfClient };

  // Of `server` only the origin counts.
  HttpForwarder(HttpUrl server, ConnectOptions options, HostField host = HostField::kOfServer);
  // Breaks off what is under way. The listener has to be stopped before.
  ~HttpForwarder();
  HttpForwarder(const HttpForwarder&) = delete;
  HttpForwarder& operator=(const HttpForwarder&) = delete;

  // Refuses with 403 what is addressed to a name that is not this machine's own: a page of somebody
  // else's must not reach the server through us. Lives no longer than the forwarder.
  HttpListener::Handler handler();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::transport
