// How an HTTP server conducts itself. The default is the conduct that the specification asks for; a
// faulty server overrides what it does badly.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reference/transport/http_listener.h"
#include "reference/wire/sse.h"

namespace assay::transport {

// What a conformant server does.
enum class HttpDuty {
  kChecksOrigin,
  kChecksHost,
  kChecksSession,          // an unknown session id is refused
  kOutlivesDisconnection,  // a request goes on when its stream is lost
  kChecksProtocolVersion,  // an unsupported MCP-Protocol-Version is refused
  kChecksAccept,
  kChecksContentType,
  kEndsSessionOnDelete,
  kKeepsAnswersOffGet,    // a response goes to the POST that asked for it
  kKeepsProgressOffGet,   // what relates to a request goes with its answer
  kSendsOnOneStream,      // a message goes to one of several GET streams
  kReplaysOwnStreamOnly,  // what is redelivered was sent on the stream that was lost
  kReplaysWhatWasLost,
  kPrimesStreams,
  kAnswersTaskPollsAtOnce,       // tasks/get is answered with JSON, if the client takes it
  kKeepsSessions,                // otherwise each request finds a session of its own
  kKeepsStreamsApart,            // what relates to a request goes on its own stream
  kRefusesUnknownEvents,         // a Last-Event-ID that names nothing gives nothing
  kOutlivesLaterDisconnections,  // a resumed stream may be lost again
  kCountsEventsOfStreams,        // otherwise event ids begin anew on each connection
  kResumesInSessionOnly,         // an event id of another session names nothing
  kKeepsGetConnections,          // otherwise each message on a GET stream is the connection's last
  kComparesWholeOrigins,         // otherwise an Origin that begins like ours is ours
  kChecksOriginOfDeletes,
  kKeepsSessionsToUsers,    // otherwise any token is good for any session
  kReadsScopesOfEachToken,  // otherwise those of the token that opened the session count
  // These concern requests without a session.
  kChecksVersionHeader,     // MCP-Protocol-Version says what the body says
  kChecksMethodHeader,      // and so does Mcp-Method
  kChecksNameHeader,        // and Mcp-Name
  kChecksParameterHeaders,  // and Mcp-Param-*
  kStopsWithClient,         // a client that closes the connection cancels its request
  kCount
};

// Thread safety: any thread may call any member.
class HttpConduct {
 public:
  virtual ~HttpConduct() = default;
  virtual bool does(HttpDuty) const { return true; }
  // What the server takes the head of a request for, where that is not what it is.
  virtual std::optional<HttpHead> mishears(const HttpHead& /*request*/,
                                           std::string_view /*body*/) const {
    return std::nullopt;
  }
  // A reply to give in place of dealing with the request.
  virtual std::optional<HttpReply> turn_away(const HttpHead& /*request*/,
                                             std::string_view /*body*/) const {
    return std::nullopt;
  }
  // Called before each reply leaves.
  virtual void reply(const HttpHead& /*request*/, std::string_view /*body*/,
                     HttpReply& /*reply*/) const {}
  // Called before each event leaves.
  virtual void event(wire::SseEvent& /*event*/) const {}
  virtual std::string session_id(std::string id) const { return id; }
};

}  // namespace assay::transport
