// One HTTP/1.1 connection, kept open between exchanges and broken off at will.
//
// On the parser of reference/wire: a library for ordinary clients hides the order of header fields,
// has no bound for a head, and can be brought down by a long status line. A peer under test may
// send anything at all.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/transport/http_url.h"
#include "reference/transport/observer.h"
#include "reference/transport/socket_stream.h"
#include "reference/wire/http.h"

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
// The request up to its body; nothing if something in it would end a line of it, or is no name.
std::optional<std::string> write_head(const HttpMessage& message);

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
  // HTTP, and kTooLarge that a head is beyond the limits. Waits as long as the server does: whoever
  // wants a deadline interrupts.
  std::optional<Failure> perform(const HttpMessage& message, const Handlers& handlers);

  // From any thread: perform() returns soon, and the connection is of no further use.
  void interrupt() { stream_.interrupt(); }

 private:
  std::optional<Failure> exchange(const HttpMessage& message, const Handlers& handlers);
  std::optional<Failure> read_answer(const Handlers& handlers);
  std::optional<Failure> take(wire::HttpParser::Event event, const Handlers& handlers);
  Failure no_more_to_read(ssize_t count) const;
  Failure trouble_with_answer() const;

  const HttpUrl url_;
  const ConnectOptions options_;
  const std::size_t max_head_bytes_;
  SocketStream stream_;
  wire::HttpParser parser_;
  std::vector<char> input_;
  bool has_heard_ = false;  // anything of the answer
  bool has_head_ = false;   // and all of its head
  bool is_answered_ = false;
  bool keep_open_ = false;
  std::chrono::steady_clock::time_point idle_since_;
};

}  // namespace assay::transport
