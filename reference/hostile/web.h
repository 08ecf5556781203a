// What a hostile peer can do with a connection over HTTP.
//
// Plain sockets, so that nothing between the peer and the wire keeps it from being wrong.
// Specification: basic/transports, "Streamable HTTP".
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "reference/wire/message_fwd.h"

namespace assay::hostile {

struct WebRequest {
  std::string method;
  std::string target;
  std::string head;  // with the request line, in lower case
  std::string body;

  // The value of a header field, whose name is given in lower case; empty if there is none.
  std::string field(std::string_view name) const;
};

// One accepted connection. Writing to one that is gone ends the thread that serves it, by an
// exception that nobody else catches.
class WebConnection {
 public:
  struct Gone {};

  explicit WebConnection(int fd) : fd_(fd) {}
  // False once the other side is gone, or says what is no request.
  bool read(WebRequest& request);
  // Exactly these bytes.
  void write(std::string_view bytes);
  // A whole answer with a body of known length; `fields` end with CR LF each.
  void answer(int status, std::string_view fields, std::string_view body);
  // A whole answer of application/json.
  void answer_json(std::string_view body) { answer(200, kJson, body); }
  // The head of a chunked answer, a chunk of it, and its end.
  void begin_chunks(std::string_view fields);
  void chunk(std::string_view bytes);
  void end_chunks() { write("0\r\n\r\n"); }
  // The head of an event stream, and an event of it.
  void begin_events() { begin_chunks(kEvents); }
  void event(std::string_view message) { chunk("data: " + std::string(message) + "\n\n"); }
  // Writes `unit` again and again until the other side is gone.
  [[noreturn]] void flood(std::string_view unit);
  [[noreturn]] void drip(std::string_view unit, int pause_ms);
  // Reads nothing, and says nothing, until the process ends.
  [[noreturn]] void hold();
  // Returns when the other side has closed.
  void wait_for_end();

  static constexpr std::string_view kJson = "Content-Type: application/json\r\n";
  static constexpr std::string_view kEvents = "Content-Type: text/event-stream\r\n";

 private:
  int fd_;
  std::string unread_;
};

// A message that was posted, and where its answer goes.
struct WebCall {
  WebConnection& connection;
  const WebRequest& request;
  const wire::Message& message;
};

struct WebHooks {
  // Takes a connection as soon as it is accepted: true if nothing is left to do with it.
  std::function<bool(WebConnection&)> on_connection = nullptr;
  // Takes a request whatever it says: true if it has been answered.
  std::function<bool(WebConnection&, const WebRequest&)> on_request = nullptr;
  // Takes a message: true if it has been answered.
  std::function<bool(const WebCall&)> on_message = nullptr;
};

// Listens on a free port of the loopback, prints "listening on URL" and serves, with a thread for
// each connection: politely but for what the hooks take. Nothing ends it but a signal.
[[noreturn]] void serve_web(const WebHooks& hooks);

}  // namespace assay::hostile
