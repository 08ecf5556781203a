// The client's end of a wire: what a session speaks through to a server under test.
//
// Specification: basic/transports. Implementations: StdioChild, HttpClient, HttpSseClient, Pipe.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "reference/transport/observer.h"

namespace assay::transport {

// Why something could not be done: one sentence for a person, and what kind of trouble it is.
struct Failure {
  enum class Kind {
    kNotFound,       // no such command
    kNotExecutable,  // a file, but not one that can be run
    kUnreachable,    // no connection to the URL
    kNotHttp,        // something answers there, but not in HTTP
    kBadAddress,     // a URL we cannot read
    kTooLarge,       // more than we read, or in a form that we do not unpack
    kOther,
  };
  Kind kind = Kind::kOther;
  std::string detail;
};

using Deadline = std::chrono::steady_clock::time_point;

// The largest message that we take from a server: twice what is legal without a doubt. It is held
// more than once while it is read.
inline constexpr std::size_t kMaxMessageBytes = 16u << 20;
// What is shown of a message that was larger.
inline constexpr std::size_t kShownOfTooLarge = 64u << 10;

class ClientTransport {
 public:
  // Closes, if that has not been done; no thread, process or connection outlives the object.
  virtual ~ClientTransport() = default;

  // Starts the child or prepares the connection. Nothing is observed before this call; a transport
  // is opened once.
  virtual std::optional<Failure> open() = 0;
  // Sends one well-formed message (no newline in it). Returns at once with the lane it travels on:
  // over HTTP an exchange of its own, whose answer arrives on the same lane. The observation of
  // what is sent comes before any observation of what it causes; over stdio and pipes it comes
  // before send() returns.
  virtual Lane send(std::string_view message) = 0;
  // The same for a message that belongs to no session; over HTTP with these header fields.
  virtual Lane send_alone(std::string_view message, const Headers& /*headers*/) {
    return send(message);
  }
  // Nobody waits for the rest of what is answered on this lane, where it can be told so without a
  // message: over HTTP the connection is closed. False where a message has to say it.
  virtual bool leave(Lane /*lane*/) { return false; }
  // Sends bytes exactly as they are. Over stdio no newline is added; over HTTP they are the body of
  // a POST; over a pipe they are one delivery.
  virtual Lane send_raw(std::string_view bytes) = 0;
  // The revision that `initialize` settled on, for transports that name it on every later request
  // (Streamable HTTP: MCP-Protocol-Version). Others ignore it.
  virtual void set_protocol_version(std::string_view /*version*/) {}
  // Whether streams can be opened that the server fills by itself, and broken ones taken up again
  // (Streamable HTTP: GET, Last-Event-ID).
  virtual bool is_resumable() const { return false; }
  // Opens such a stream, or the rest of the one in which the event with this id was seen; only if
  // is_resumable().
  virtual Lane resume(const std::optional<std::string>& /*last_event_id*/) { return {}; }
  // Ends the session in the orderly way of the transport (stdio: close stdin, wait, SIGTERM, wait,
  // SIGKILL; HTTP: end streams and close connections), by `deadline` at the latest. After it
  // returns nothing is observed any more.
  virtual void close(Deadline deadline) = 0;
};

}  // namespace assay::transport
