// What happens on a wire, told to whoever watches.
//
// Every transport reports every byte and every HTTP field, both ways, as Observations; the
// transcript, and with it every monitor, is made of nothing else. Messages reach a session by the
// same road, so that nobody can see less than the transcript holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/wire/sse.h"

namespace assay::transport {

// The two who converse. Whoever sits where: a client's wire and a server's tell the same of the
// same conversation.
enum class Party { kClient, kServer };
constexpr Party other_than(Party party) {
  return party == Party::kClient ? Party::kServer : Party::kClient;
}
// "client" or "server".
constexpr std::string_view name(Party party) {
  return party == Party::kClient ? "client" : "server";
}

// One strand of traffic with an order of its own.
struct Lane {
  enum class Kind {
    kStdio,    // the lines of stdin and stdout
    kStderr,   // what a child writes to stderr
    kProcess,  // start and exit of a child
    kHttp,     // one HTTP exchange: request, response, body or SSE events
    kPipe,     // an in-process pipe
  };
  Kind kind = Kind::kStdio;
  std::uint64_t number = 0;  // counts the exchanges of one transport from 1; 0 for all other kinds

  friend auto operator<=>(const Lane&, const Lane&) = default;
  // "stdio", "stderr", "http/3": the form used in transcripts and reports.
  std::string text() const;
};

using Header = std::pair<std::string, std::string>;
using Headers = std::vector<Header>;

// `text` with A to Z in lower case, as header names are compared.
std::string lower_case(std::string_view text);
// The first value of a header, its name compared without case; nothing if there is none.
std::optional<std::string_view> find_header(const Headers& headers, std::string_view name);
// Whether what a peer said may stand in a header field that we send: it cannot end the line, and is
// not longer than servers take.
bool is_field_value(std::string_view text);
// A Content-Type without its parameters, lower case: "text/event-stream".
std::string media_type(const Headers& headers);
// Whether media_type() is `type`.
bool has_media_type(const Headers& headers, std::string_view type);

struct HttpHead {
  // Of a request; and of a response to anything but a POST, where its request is known.
  std::string method;
  std::string target;  // path and query of a request
  int status = 0;      // of a response
  Headers headers;
};

// The body of a redirection or refusal, and of what is no answer to a POST, need not be JSON-RPC:
// it is a message only where it says so.
bool may_be_no_message(const HttpHead& response);

struct ProcessExit {
  int code = 0;                   // exit code, when it exited by itself
  std::optional<int> signal;      // the signal that ended it
  bool was_killed_by_us = false;  // we had to send SIGTERM or SIGKILL
};

struct Observation {
  enum class Kind {
    kLine,          // bytes: one stdio line (or pipe message) without its newline
    kStderr,        // bytes: a chunk of stderr
    kExit,          // exit
    kHttpRequest,   // http (method, target, headers), bytes: the body
    kHttpResponse,  // http (status, headers); the body follows as kHttpBody or kSseEvents
    kHttpBody,      // bytes: the whole body of a response that is no event stream; http: its head.
                    // is_truncated: it broke off, or was longer than we read
    kSseEvent,      // event; its data is in event->data, its bytes in event->raw
    kClosed,        // the exchange, stream or pipe ended as it should; bytes: how, in a few words
    kBroken,        // it broke off, could not be opened, or was given up; bytes: why
    kCutOff,        // we stopped reading, on all lanes: the peer made us hold too much; bytes: why
  };
  Kind kind = Kind::kLine;
  Party speaker = Party::kServer;
  Lane lane;
  std::string bytes;
  // For kLine: how the line was framed (is_truncated also for kHttpBody).
  bool is_truncated = false;
  bool is_unterminated = false;
  bool has_carriage_return = false;
  std::optional<HttpHead> http;
  std::optional<wire::SseEvent> event;
  std::optional<ProcessExit> exit;

  // The bytes of the JSON-RPC message, or batch, that this observation carries; nothing where it
  // carries none (a head, stderr, a GET, an SSE event without data or of another event type than
  // "message", an HTTP body that is not JSON, or a refusal's that does not say "jsonrpc").
  std::optional<std::string_view> message() const;
};

// Called on the transport's threads, one call at a time for one lane, from several threads at once
// for several lanes. Must not block for long and must not call back into the transport.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void observe(const Observation& observation) = 0;
  // The observer can hold no more of this peer: the transport reads and sends nothing any more.
  // Asked often, and from any thread.
  virtual bool is_full() const { return false; }
};

}  // namespace assay::transport
