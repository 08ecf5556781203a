// One HTTP/1.1 connection, kept open between exchanges and broken off at will.
//
// This reads HTTP itself: a library for ordinary clients hides the order of header fields, has no
// bound for a head, and (cpp-httplib 0.11) can be brought down by a long status line. A peer under
// test may send anything at all.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "reference/transport/http_url.h"
#include "reference/transport/observer.h"
#include "reference/transport/socket_stream.h"

namespace assay::transport {

// A request as it goes over the wire. Content-Length is added where a body, or its absence in a
// POST or PUT, asks for it and neither it nor Transfer-Encoding is among the headers.
struct HttpMessage {
  std::string method = "POST";
  std::string target;  // path and query
  Headers headers;
  std::string body;
};

// Adds what HttpMessage says is added.
void complete_headers(HttpMessage& message);

class HttpConnection {
 public:
  // Both are called on the thread that performs; returning false breaks the exchange off. The head
  // comes first, and a body only after it.
  struct Handlers {
    std::function<bool(const HttpHead&)> on_head;
    std::function<bool(std::string_view)> on_body;
  };

  // `max_head_bytes` bounds the status line and header fields of an answer, and its trailer.
  HttpConnection(HttpUrl url, ConnectOptions options, std::size_t max_head_bytes);

  // Sends a request and reads its answer to the end; interim (1xx) answers are passed over. Nothing
  // if that went well; otherwise why not, where kNotHttp means that something answered which is not
  // HTTP, and kTooLarge that its head is longer than the limit. Waits as long as the server does: whoever wants a deadline interrupts.
  std::optional<Failure> perform(const HttpMessage& message, const Handlers& handlers);

  // From any thread: perform() returns soon, and the connection is of no further use.
  void interrupt() { stream_.interrupt(); }

 private:
  bool fill();
  std::optional<std::string_view> read_line(std::size_t limit);
  std::optional<Failure> read_head(HttpHead& head);
  std::optional<Failure> read_fields(Headers& headers);
  std::optional<Failure> read_body(const HttpMessage& message, const HttpHead& head,
                                   const Handlers& handlers);
  std::optional<Failure> read_length(std::size_t length, const Handlers& handlers);
  std::optional<Failure> read_chunks(const Handlers& handlers);
  std::optional<Failure> read_until_close(const Handlers& handlers);
  std::optional<Failure> exchange(const HttpMessage& message, const Handlers& handlers);

  const HttpUrl url_;
  const ConnectOptions options_;
  const std::size_t max_head_bytes_;
  SocketStream stream_;
  std::string buffer_;        // read, not yet consumed
  std::size_t consumed_ = 0;  // of buffer_
  std::size_t head_bytes_ = 0;
  bool keep_open_ = false;
  std::chrono::steady_clock::time_point idle_since_;
};

}  // namespace assay::transport
