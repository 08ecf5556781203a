// What an HttpServer answers: the routes, the sessions, and which shape an answer takes.
//
// Specification: basic/transports of 2024-11-05 (HTTP with SSE) and of 2025-03-26 to 2025-11-25
// (Streamable HTTP). Requests without a session (since 2026-07-28) go to http_stateless.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reference/transport/accept.h"
#include "reference/transport/http_conduct.h"
#include "reference/transport/http_guard.h"
#include "reference/transport/http_server.h"
#include "reference/transport/http_session.h"
#include "reference/transport/http_stateless.h"

namespace assay::transport {

inline constexpr std::string_view kMcpPath = "/mcp";
// Of the older pair.
inline constexpr std::string_view kSsePath = "/sse";
inline constexpr std::string_view kMessagesPath = "/messages";

// Thread safety: any thread may call any member.
class HttpEndpoint {
 public:
  // `server` and `conduct` outlive it; without a conduct it keeps to the specification.
  HttpEndpoint(SessionFactory& server, HttpServerOptions options, const HttpConduct* conduct);

  // What a listener hands requests to; it and this object live equally long.
  HttpListener::Handler handler();
  // Ends all sessions.
  void end();

 private:
  HttpReply handle(const HttpHead& request, std::string_view body);
  HttpReply route(const HttpHead& request, std::string_view body);

  // --- Streamable HTTP ---

  HttpReply post(const HttpHead& request, std::string_view body);
  HttpReply answer_alone(const HttpHead& request, Acceptance takes, const wire::Decoded& arrived);
  static HttpReply bad_version();
  // Whether an era with sessions is served.
  bool has_handshake() const;
  // What a request says of its session: an id, and the session if there is one of that id.
  struct NamedSession {
    std::optional<std::string_view> id;
    std::shared_ptr<HttpSession> session;
  };
  NamedSession named_session(const HttpHead& request);
  HttpReply begin_session(const HttpHead& request, Acceptance takes, const wire::Decoded& arrived);
  std::shared_ptr<HttpSession> make_session(WireKind wire, const HttpHead& request);
  std::optional<HttpHead> taken_for_first(const HttpHead& request);
  // True if it was opened with a token of the user whose token the request shows.
  bool is_of_user(const HttpSession& session, const HttpHead& request) const;
  std::shared_ptr<HttpSession> find_session(const HttpHead& request,
                                            std::optional<HttpReply>& refusal) {
    return admit(request, named_session(request), refusal);
  }
  std::shared_ptr<HttpSession> admit(const HttpHead& request, NamedSession named,
                                     std::optional<HttpReply>& refusal);
  bool is_version_acceptable(const HttpHead& request, const HttpSession& session) const;
  HttpReply answer(const HttpHead& request, Acceptance takes,
                   const std::shared_ptr<HttpSession>& session, const wire::Decoded& arrived);
  HttpReply answer_when_known(const std::shared_ptr<HttpSession>& session,
                              const std::shared_ptr<EventStream>& stream,
                              const wire::Decoded& arrived);
  bool shape_answer(const HttpSession& session, const std::shared_ptr<EventStream>& stream,
                    const wire::Decoded& arrived, HttpReply& reply);
  bool streams_by_choice(const wire::Message* request) const;
  HttpReply stream_answer(const HttpSession& session, const std::shared_ptr<EventStream>& stream,
                          const wire::Decoded& arrived);
  static void cancel(ServerSession& session, const wire::Decoded& arrived);
  static bool has_polling(const HttpSession& session);
  HttpReply get(const HttpHead& request);
  HttpReply resume(const HttpSession& session, std::string_view last_event_id);
  std::string all_kept(const HttpSession& session, const std::shared_ptr<EventStream>& stream);
  HttpReply unknown_event(const HttpSession& session);
  HttpReply remove(const HttpHead& request);

  // --- The older HTTP+SSE pair ---

  HttpReply open_pair(const HttpHead& request);
  HttpReply post_to_pair(const HttpHead& request, std::string_view body);

  SessionFactory& server_;
  const HttpServerOptions options_;
  const HttpConduct& conduct_;
  const HttpGuard guard_;
  const HttpGatekeeper gatekeeper_;
  StatelessEndpoint stateless_;
  HttpSessions sessions_;
  std::atomic<std::uint64_t> numbered_sessions_ = 0;
};

}  // namespace assay::transport
