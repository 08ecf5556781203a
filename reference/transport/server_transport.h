// The server's end of a wire: what a server's session is given, and what it gives back.
//
// Specification: basic/transports. StdioSelf and HttpServer speak to a server through these three
// interfaces and know nothing else of it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/model/revision.h"
#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::transport {

// One message on its way to the client.
struct Outgoing {
  enum class Kind {
    kRequest,
    kNotification,
    kResponse,
    kRefusal,  // an error that says why a message was not accepted; HTTP gives it a status of its
               // own
    kUnknownMethod,  // an error that says that there is no such method, where HTTP has a status
                     // for that: since 2026-07-28
  };
  Kind kind = Kind::kResponse;
  std::string bytes;  // the JSON text, without framing; for kResponse it may be a batch of them
};

// Where messages for the client go. There is one for each received message (what relates to it goes
// there: over HTTP, its POST's answer) and one per session for what relates to none.
//
// Thread safety: any thread may call any member at any time.
class Sink {
 public:
  virtual ~Sink() = default;
  // Never fails visibly: a message for a connection that is gone is dropped, or kept for
  // resumption.
  virtual void send(Outgoing message) = 0;
  // Everything that the received message gives rise to has been sent. Called exactly once for the
  // sink of a received message, and never for a session's own.
  virtual void finish() = 0;
  // True while a message sent now would reach the client without it having to ask for it.
  virtual bool is_listened_to() const = 0;
  // False while a request for the client would wait until it opens a stream, which it may never do.
  virtual bool can_ask() const { return true; }
  // Breaks the connection and leaves the stream open, for the client to come back and resume after
  // `retry`. Wires without resumable streams do nothing.
  virtual void disconnect(std::chrono::milliseconds retry) = 0;
  // Ends the whole connection from the server's side, where it has one of its own (stdio, pipes).
  // No conformant server does so while it owes an answer.
  virtual void hang_up() {}
  // The Authorization field of the request whose answers it takes; empty: none, or nobody asks for
  // one.
  virtual std::string credentials() const { return ""; }
};

enum class WireKind {
  kStdio,
  kStreamableHttp,
  kHttpSse,
  kStatelessHttp,  // Streamable HTTP since 2026-07-28: a session lasts for one POST
};

// A server's side of one session.
//
// Thread safety: any thread may call any member at any time.
class ServerSession {
 public:
  virtual ~ServerSession() = default;
  // Takes one message, or a batch, as it arrived. Never throws. Fast methods are answered before it
  // returns; what takes longer goes on elsewhere and is sent when it is ready.
  virtual void receive(const wire::Decoded& arrived, const std::shared_ptr<Sink>& answers) = 0;
  // The revision that `initialize` settled on; nothing before.
  virtual std::optional<model::Revision> revision() const = 0;
  // The client is gone: stops all work, without waiting for it. Idempotent.
  virtual void close() = 0;
};

// A value of a request's body that an HTTP header has to say as well.
struct MirroredParameter {
  std::string header;    // "Mcp-Param-Region"
  Json value = nullptr;  // null: there is none, and no header
};

// A server, as a transport sees it. Outlives the sessions it opened.
class SessionFactory {
 public:
  virtual ~SessionFactory() = default;
  // `unrelated` takes what relates to no request of the client's.
  virtual std::shared_ptr<ServerSession> open(WireKind wire, std::shared_ptr<Sink> unrelated) = 0;
  // The same for a client that has shown whose it is. A server that tells no users apart forgets
  // that.
  virtual std::shared_ptr<ServerSession> open_for(const std::string& /*user*/, WireKind wire,
                                                  std::shared_ptr<Sink> unrelated) {
    return open(wire, std::move(unrelated));
  }
  // What of this request, of kStatelessHttp, headers of its own have to say.
  virtual std::vector<MirroredParameter> mirrored(const wire::Message& /*request*/) const {
    return {};
  }
};

}  // namespace assay::transport
