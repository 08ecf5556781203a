// A bounded HTTP/1.1 server: sockets, threads and parsing, and nothing of MCP.
//
// A few threads serve all connections, and none of them waits for a client: a connection that does
// nothing costs some hundred bytes. Whatever clients do, they hold no more of our memory than the
// options say, and those that are slow keep nobody else waiting.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reference/transport/observer.h"
#include "reference/transport/waker.h"

namespace assay::transport {

// A body that comes bit by bit, and is sent as it comes. Used by one thread at a time.
class BodyStream {
 public:
  // Called when the body has ended or the client has gone, whichever is first.
  virtual ~BodyStream() = default;
  // Appends what there is to `chunk`, and never waits. False: it has ended, and `chunk` holds the
  // last of it.
  virtual bool read(std::string& chunk) = 0;
  // Once it has ended: it broke off, and lacks its end.
  virtual bool is_broken() const { return false; }
  // From now on `waker` is told when there may be more to read.
  virtual void watch(std::shared_ptr<Waker> waker) = 0;
};

class LateReply;

struct HttpReply {
  int status = 200;
  Headers headers;  // a Content-Type where there is a body; lengths and connection are added
  std::string body;
  std::shared_ptr<BodyStream> stream;          // in place of a body
  std::shared_ptr<LateReply> later = nullptr;  // in place of everything else
  // Of a proxy: it is no answer of the server's, which has given none.
  bool is_in_place_of_answer = false;
};

// A reply that is not known yet. Used by one thread at a time.
class LateReply {
 public:
  virtual ~LateReply() = default;
  // The reply, once it is known; asked no more after that.
  virtual std::optional<HttpReply> take() = 0;
  // From now on `waker` is told when it may be known.
  virtual void watch(std::shared_ptr<Waker> waker) = 0;
  // Nobody waits for it when the client has closed its side of the connection.
  virtual bool ends_with_client() const { return false; }
};

class HttpListener {
 public:
  // Called on the listener's threads, several at once; it must not wait. `request` has method,
  // target and headers; they and the body are lost when it returns.
  using Handler = std::function<HttpReply(const HttpHead& request, std::string_view body)>;

  struct Options {
    std::string host = "127.0.0.1";
    int port = 0;             // 0: any free one
    std::size_t threads = 0;  // 0: one for two processors, and four at most
    // At once. A new one takes the place of the one that has been idle longest, or has been sending
    // its request longest; if all are being served, it is closed at once.
    std::size_t most_connections = 16384;
    std::size_t most_head_bytes = 64u << 10;
    std::size_t most_body_bytes = 64u << 20;
    // What all connections together may hold of requests that are not complete and of answers that
    // are not sent, beyond the first few kilobytes of each. What finds no room waits for it.
    std::size_t most_memory = 64u << 20;
    std::chrono::milliseconds idle_timeout{60000};  // between two requests of a connection
    // For a request that comes slower than a few kilobytes a second; less when memory is short.
    std::chrono::milliseconds read_timeout{10000};
    std::chrono::milliseconds write_timeout{10000};  // without the client reading anything
    // Told of each connection that comes, on one of the listener's threads. May be empty.
    std::function<void()> on_connection = nullptr;

    // For a server that few visit, and ask for little.
    static Options for_few() {
      Options options;
      options.threads = 1;
      options.most_connections = 64;
      options.most_body_bytes = 1u << 16;
      return options;
    }
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
  // Closes every connection and waits for the threads. Idempotent. Every BodyStream is read no
  // more.
  void stop();

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace assay::transport
