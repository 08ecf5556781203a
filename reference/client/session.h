// A conformant client for every revision, on any transport.
//
// Specification: basic/lifecycle, basic/utilities, client, server/utilities/pagination; and
// basic/transports for the resumption of streams. Since 2026-07-28: basic/versioning for which era
// a server is of, basic/patterns/mrtr, and the extension io.modelcontextprotocol/tasks.
//
//   ClientSession session(options);
//   HttpClient transport(url, {}, session);
//   if (auto failure = session.open(transport)) ...
//   if (!session.initialize(deadline).is_result()) ...
//   ServerAnswer tools = session.request("tools/list", Json::object(), deadline);
//   session.close(deadline);
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/client/answers.h"
#include "reference/client/reply.h"
#include "reference/model/revision.h"
#include "reference/transport/client_transport.h"
#include "reference/wire/id.h"
#include "reference/wire/json.h"

namespace assay::client {

using transport::Deadline;

// What a client with a fault does otherwise with the tasks of the extension.
struct TaskConduct {
  bool is_tireless = false;           // it asks again at once
  bool keeps_first_interval = false;  // whatever later answers say
  bool forgets_answers = false;       // it answers whatever a task shows, each time
  bool follows_any = false;           // whatever request a task answers
  bool cancels_as_call = false;       // with notifications/cancelled
};

struct SessionOptions {
  // With `initialize`; with `server/discover`, and no session; or so that a server of either era is
  // understood.
  enum class Opening { kHandshake, kStateless, kEither };
  Opening opening = Opening::kHandshake;
  model::Revision revision = model::Revision::newest_handshake();   // asked for by `initialize`
  model::Revision stateless = model::Revision::newest_stateless();  // spoken without a session
  // How long a server may take for its answer to server/discover before it is taken for one of the
  // other era.
  std::chrono::milliseconds probe_patience{3000};
  // The HTTP header fields that repeat parts of a message, where there is no session.
  std::function<transport::Headers(const Json& message)> mirrored;
  std::string name = "mcp-assay-reference-client";
  std::string version;  // that of mcp-assay if empty
  Offer offer;
  TaskConduct tasks = {};
  // In place of default_handlers(), by method.
  std::map<std::string, Handler, std::less<>> handlers;
  // Every notification of the server, on the session's own thread.
  std::function<void(std::string_view method, const Json& params)> on_notification;
  // Over Streamable HTTP: keep a stream open for what the server says by itself.
  bool listens = true;
  // Until a broken stream is taken up again, where the server has not said (`retry`).
  std::chrono::milliseconds reconnect_delay{1000};
  // A server may ask for any delay; it gets no more than this.
  std::chrono::milliseconds max_reconnect_delay{60000};
  // Attempts in a row that bring no new event, before a stream is given up.
  int max_reconnects = 3;
};

struct RequestOptions {
  // Each progress notification for this request, on the session's own thread; asks for progress.
  std::function<void(const Json& params)> on_progress;
};

// All items of a list, over all its pages.
struct ListOutcome {
  std::vector<Json> items;
  std::size_t pages = 0;
  // The list came to its end. Otherwise `last` is what stopped it, or the server went round in
  // circles, or gave a cursor that is no string.
  bool is_complete = false;
  ServerAnswer last;
};

// Thread safety: all functions may be called from any thread, but not from a handler or callback,
// where only notify(), start() and cancel() may.
class ClientSession : public transport::Observer {
 public:
  explicit ClientSession(SessionOptions options);
  // The transport must be closed before.
  ~ClientSession() override;
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  // Opens the transport, which must report to this session and outlive its use of it.
  std::optional<transport::Failure> open(transport::ClientTransport& transport);
  // Every wait ends now with kClosed, and nothing more is sent. close() is still due.
  void give_up(std::string_view why);
  // Closes the transport; whatever still waits for an answer gets kClosed.
  void close(Deadline deadline);

  // The handshake: `initialize`, and `notifications/initialized` if the server answered with a
  // revision that we speak; or `server/discover`, by SessionOptions::opening. If no revision is
  // common, the reply is kClosed with the reason, and the session is of no use.
  ServerAnswer initialize(Deadline deadline);
  // What was settled by that; nothing before.
  std::optional<model::Revision> revision() const;
  // The result of `initialize` or of `server/discover`; null before.
  Json server() const;

  // Asks and waits. On a timeout the request is cancelled, as the specification asks. If the
  // session has expired (HTTP 404), a new one is begun, once, and the request repeated in it, but
  // for one with a cursor (ServerAnswer::is_session_new). Where there is no session, a request
  // whose stream breaks is sent once more, under a new id. What a result asks for is given by the
  // handlers, and the request sent again. A call that became a task is followed until its end, and
  // cancelled on a timeout.
  ServerAnswer request(std::string_view method, Json params, Deadline deadline,
                       RequestOptions options = {});
  // Asks; `on_reply` is called once, on the session's own thread. A result that asks for something,
  // or a task, is handed on as it is.
  wire::Id start(std::string_view method, Json params, Deadline deadline,
                 std::function<void(const ServerAnswer&)> on_reply, RequestOptions options = {});
  // Tells the server that the answer is of no interest any more. The request's reply is then
  // kClosed.
  void cancel(const wire::Id& id, std::string_view reason);
  void notify(std::string_view method, Json params = nullptr);
  // Asks for every page of `method`, whose items are in the member `key` of each result.
  ListOutcome list_all(std::string_view method, const std::string& key, Deadline deadline);

  // Waits until an HTTP exchange is over, or the deadline has passed.
  void wait_until_over(transport::Lane lane, Deadline deadline);
  // Why the connection is closed; nothing while it is open.
  std::optional<std::string> closed() const;
  // Messages received that were no JSON-RPC, or answered nothing we asked.
  std::size_t stray_messages() const;

  void observe(const transport::Observation& observation) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::client
