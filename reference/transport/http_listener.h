// A bounded HTTP/1.1 server: sockets, threads and parsing, and nothing of MCP.
//
// cpp-httplib stays behind it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reference/transport/observer.h"

namespace assay::transport {

// A body that comes bit by bit, and is sent in chunks as it comes. Read by one thread at a time.
class BodyStream {
 public:
  // Called when the body has ended or the client has gone, whichever is first.
  virtual ~BodyStream() = default;
  // Appends what there is to `chunk`, after waiting at most `patience` for something. False: it has
  // ended, and `chunk` holds the last of it.
  virtual bool read(std::string& chunk, std::chrono::milliseconds patience) = 0;
};

struct HttpReply {
  int status = 200;
  Headers headers;  // a Content-Type where there is a body; lengths and connection are added
  std::string body;
  std::shared_ptr<BodyStream> stream;  // in place of a body
};

class HttpListener {
 public:
  // Called on the connections' threads, many at once. `request` has method, target and headers.
  using Handler = std::function<HttpReply(const HttpHead& request, std::string_view body)>;

  struct Options {
    std::string host = "127.0.0.1";
    int port = 0;                        // 0: any free one
    std::size_t most_connections = 256;  // at once, a thread each; more wait for their turn
    std::size_t most_waiting = 256;      // beyond that, they are closed at once
    std::size_t most_body_bytes = 64u << 20;
    std::chrono::milliseconds idle_timeout{15000};  // between two requests of a connection
    std::chrono::milliseconds read_timeout{10000};  // in the middle of one
  };

  HttpListener(Options options, Handler handler);
  ~HttpListener();  // stops
  HttpListener(const HttpListener&) = delete;
  HttpListener& operator=(const HttpListener&) = delete;

  // Binds and starts to serve. Otherwise: why it cannot, in one sentence.
  std::optional<std::string> start();
  // Once started.
  int port() const;
  // Serves a connection that is open already, on the caller's thread, until it ends, and closes it.
  // Needs no start().
  void serve(int socket);
  // Closes every connection and waits for their threads. Idempotent. Every BodyStream is read no
  // more.
  void stop();

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace assay::transport
