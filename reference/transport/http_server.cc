#include "reference/transport/http_server.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "reference/transport/http_guard.h"
#include "reference/transport/http_replies.h"
#include "reference/transport/http_session.h"
#include "reference/transport/observed_handler.h"
#include "reference/transport/random_id.h"
#include "reference/transport/sse_body.h"

namespace assay::transport {
namespace {

constexpr std::string_view kMcpPath = "/mcp";
constexpr std::string_view kSsePath = "/sse";
constexpr std::string_view kMessagesPath = "/messages";
constexpr std::string_view kSessionQuery = "sessionId=";
constexpr const char* kSessionHeader = "MCP-Session-Id";
constexpr const char* kVersionHeader = "MCP-Protocol-Version";
// More than one request can open.
constexpr std::uint64_t kStreamsOfOne = 16;
// The version of a request that names none, where no session tells it.
constexpr std::string_view kAssumedVersion = "2025-03-26";

bool is_initialize(const wire::Decoded& arrived) {
  const auto* message = std::get_if<wire::Message>(&arrived);
  return message && message->kind() == wire::MessageKind::kRequest &&
         message->method() == "initialize";
}

bool has_request(const wire::Message& message) {
  if (message.kind() == wire::MessageKind::kRequest) return true;
  return std::any_of(message.members().begin(), message.members().end(), has_request);
}

}  // namespace

class HttpServer::Endpoint {
 public:
  Endpoint(SessionFactory& server, HttpServerOptions options, const HttpConduct* conduct)
      : server_(server),
        options_(std::move(options)),
        conduct_(conduct ? *conduct : kGoodConduct),
        guard_(options_.allowed_hosts, conduct_),
        sessions_(options_.most_sessions) {}

  HttpReply handle(const HttpHead& request, std::string_view body) {
    HttpReply reply = route(request, body);
    if (reply.later) {
      amend(reply, [this, request, body = std::string(body)](HttpReply& known) {
        conduct_.reply(request, body, known);
      });
    } else {
      conduct_.reply(request, body, reply);
    }
    return reply;
  }
  HttpListener::Handler handler() {
    HttpListener::Handler handler = [this](const HttpHead& request, std::string_view body) {
      return handle(request, body);
    };
    return options_.observer == nullptr ? handler : observed(handler, *options_.observer);
  }
  void end() { sessions_.end_all(); }

 private:
  static const HttpConduct kGoodConduct;

  HttpReply route(const HttpHead& request, std::string_view body) {
    if (auto refusal = guard_.check_origin(request)) return *std::move(refusal);
    const std::string_view target = request.target;
    const std::string_view path = target.substr(0, target.find('?'));
    const std::string& method = request.method;
    if (path == kMcpPath) {
      if (method == "POST") return post(request, body);
      if (method == "GET") return get(request);
      if (method == "DELETE") return remove(request);
      return method_not_allowed("GET, POST, DELETE");
    }
    if (path == kSsePath) return method == "GET" ? open_pair() : method_not_allowed("GET");
    if (path == kMessagesPath) {
      return method == "POST" ? post_to_pair(target, body) : method_not_allowed("POST");
    }
    return error_reply(404, "Not found: the endpoint is /mcp");
  }

  // --- Streamable HTTP ---

  HttpReply post(const HttpHead& request, std::string_view body) {
    if (auto refusal = guard_.check_form(request)) return *std::move(refusal);
    const wire::Decoded arrived = wire::decode(body);
    const bool has_session_id = find_header(request.headers, kSessionHeader).has_value();
    if (is_initialize(arrived) && !has_session_id) return begin_session(request, arrived);
    if (const auto* error = std::get_if<wire::DecodeError>(&arrived)) {
      HttpReply reply = error_reply(400, "");
      reply.body = wire::encode(
          wire::make_error(std::nullopt, wire::kParseError, "Parse error: " + error->detail));
      return reply;
    }
    if (!conduct_.does(HttpDuty::kKeepsSessions)) return answer_alone(request, arrived);
    HttpReply refusal;
    const std::shared_ptr<HttpSession> session = find_session(request, refusal);
    if (!session) return refusal;
    return answer(request, session, arrived);
  }

  // In a session that lasts for this request only, and speaks the version that its header names.
  HttpReply answer_alone(const HttpHead& request, const wire::Decoded& arrived) {
    const auto version = find_header(request.headers, kVersionHeader).value_or(kAssumedVersion);
    const auto session = make_session(WireKind::kStreamableHttp);
    const auto nobody = std::make_shared<NoSink>();
    for (const Json& message :
         {wire::make_request(wire::Id::of(0), "initialize",
                             {{"protocolVersion", version},
                              {"capabilities", Json::object()},
                              {"clientInfo", {{"name", "unknown"}, {"version", "0"}}}}),
          wire::make_notification("notifications/initialized")}) {
      session->session->receive(wire::decode(wire::encode(message)), nobody);
    }
    if (!is_version_acceptable(request, *session)) return bad_version();
    sessions_.add(session);  // what is slow outlives this call
    return answer(request, session, arrived);
  }

  static HttpReply bad_version() {
    return error_reply(400, "Bad request: MCP-Protocol-Version names no supported version");
  }

  HttpReply begin_session(const HttpHead& request, const wire::Decoded& arrived) {
    const auto session = make_session(WireKind::kStreamableHttp);
    HttpReply reply = answer(request, session, arrived);
    amend(reply, [this, session](HttpReply& known) {
      if (!session->session->revision()) return;  // it was refused
      sessions_.add(session);
      if (conduct_.does(HttpDuty::kKeepsSessions)) {
        known.headers.emplace_back(kSessionHeader, session->id);
      }
    });
    return reply;
  }

  std::shared_ptr<HttpSession> make_session(WireKind wire) {
    auto session = std::make_shared<HttpSession>();
    session->id = conduct_.session_id(random_id());
    // Without sessions, event ids are unique among all streams of all clients.
    session->streams = std::make_shared<SessionStreams>(
        conduct_, conduct_.does(HttpDuty::kKeepsSessions) ? 0 : kStreamsOfOne * ++lone_sessions_);
    session->session = server_.open(wire, session->streams);
    return session;
  }

  // Nothing, and why in `refusal`, if the request names no session that it may use.
  std::shared_ptr<HttpSession> find_session(const HttpHead& request, HttpReply& refusal) {
    const auto id = find_header(request.headers, kSessionHeader);
    std::shared_ptr<HttpSession> session = id ? sessions_.find(std::string(*id)) : nullptr;
    if (!session) {
      if (id && !conduct_.does(HttpDuty::kChecksSession)) session = sessions_.newest();
      if (!session) {
        refusal = id ? error_reply(404, "Not found: no such session")
                     : error_reply(400, "Bad request: MCP-Session-Id is missing");
        return nullptr;
      }
    }
    if (!is_version_acceptable(request, *session)) {
      refusal = bad_version();
      return nullptr;
    }
    return session;
  }

  bool is_version_acceptable(const HttpHead& request, const HttpSession& session) const {
    const auto header = find_header(request.headers, kVersionHeader);
    // Without the header the session tells the version.
    if (!header || !conduct_.does(HttpDuty::kChecksProtocolVersion)) return true;
    const auto settled = session.session->revision();
    if (!settled || !settled->has_protocol_version_header()) return true;
    const auto named = model::Revision::parse(*header);
    const auto& known = options_.revisions;
    return named && std::find(known.begin(), known.end(), *named) != known.end();
  }

  HttpReply answer(const HttpHead& request, const std::shared_ptr<HttpSession>& session,
                   const wire::Decoded& arrived) {
    const auto* message = std::get_if<wire::Message>(&arrived);
    const bool is_asked = message && has_request(*message);
    SessionStreams& streams = *session->streams;
    const bool is_misplaced =
        !conduct_.does(HttpDuty::kKeepsAnswersOffGet) && streams.is_listened_to();
    if (is_asked && is_misplaced && !is_initialize(arrived)) {
      session->session->receive(arrived, std::make_shared<ForwardingSink>(session->streams));
      return empty_reply(202);
    }
    const std::shared_ptr<EventStream> stream = streams.make();
    const bool takes_json = accepts(request.headers, "application/json");
    const bool takes_stream = accepts(request.headers, "text/event-stream");
    const bool is_json = options_.answers == HttpServerOptions::Answers::kJson || !takes_stream;
    const bool is_torn = !conduct_.does(HttpDuty::kKeepsProgressOffGet) && streams.is_listened_to();
    if (is_json || is_torn) stream->divert(session->streams);
    if (!conduct_.does(HttpDuty::kKeepsStreamsApart)) {
      if (const auto other = streams.other_post()) stream->divert(other);
    }
    session->session->receive(arrived, stream);
    if (is_asked && !is_json && (streams_by_choice(message) || !takes_json)) {
      return stream_answer(*session, stream, arrived);
    }
    if (auto reply = shaped_answer(*session, stream, arrived)) return *std::move(reply);
    return late_reply(stream, [this, session, stream, arrived] {
      return shaped_answer(*session, stream, arrived);
    });
  }

  // Nothing while it is not clear what the answer is.
  std::optional<HttpReply> shaped_answer(const HttpSession& session,
                                         const std::shared_ptr<EventStream>& stream,
                                         const wire::Decoded& arrived) {
    const std::optional<EventStream::Shape> shape = stream->shape();
    if (!shape) return std::nullopt;
    switch (*shape) {
      case EventStream::Shape::kAnswer:
        return json_reply(stream->take_answer());
      case EventStream::Shape::kStream:
        return stream_answer(session, stream, arrived);
      case EventStream::Shape::kNothing:
        break;
    }
    // A request that was cancelled has no answer: its stream ends without one.
    const auto* message = std::get_if<wire::Message>(&arrived);
    const bool is_asked = message && has_request(*message);
    return is_asked ? stream_answer(session, stream, arrived) : empty_reply(202);
  }

  // Who polls a task does not want a stream.
  bool streams_by_choice(const wire::Message* request) const {
    const bool is_poll = request && request->method() == "tasks/get";
    if (is_poll) return !conduct_.does(HttpDuty::kAnswersTaskPollsAtOnce);
    return options_.answers == HttpServerOptions::Answers::kSse;
  }

  HttpReply stream_answer(const HttpSession& session, const std::shared_ptr<EventStream>& stream,
                          const wire::Decoded& arrived) {
    session.streams->keep(stream);
    SseBody::Setting setting{.is_primed = has_polling(session)};
    if (!conduct_.does(HttpDuty::kOutlivesDisconnection)) {
      setting.on_close = [inner = session.session, stream, arrived] {
        if (!stream->is_finished()) cancel(*inner, arrived);
      };
    }
    return stream_reply(std::make_shared<SseBody>(stream, 0, conduct_, std::move(setting)));
  }

  static void cancel(ServerSession& session, const wire::Decoded& arrived) {
    const auto* message = std::get_if<wire::Message>(&arrived);
    if (!message || !message->id()) return;
    const Json cancelled = wire::make_notification("notifications/cancelled",
                                                   {{"requestId", wire::to_json(*message->id())}});
    session.receive(wire::decode(wire::encode(cancelled)), std::make_shared<NoSink>());
  }

  static bool has_polling(const HttpSession& session) {
    const auto revision = session.session->revision();
    return revision && revision->has_sse_polling();
  }

  HttpReply get(const HttpHead& request) {
    if (!conduct_.does(HttpDuty::kKeepsSessions)) return method_not_allowed("POST");
    if (conduct_.does(HttpDuty::kChecksAccept) && !accepts(request.headers, "text/event-stream")) {
      return error_reply(406, "Not acceptable: the client must accept text/event-stream");
    }
    HttpReply refusal;
    const std::shared_ptr<HttpSession> session = find_session(request, refusal);
    if (!session) return refusal;
    if (const auto id = find_header(request.headers, "Last-Event-ID")) {
      return resume(*session, *id);
    }
    return stream_reply(
        std::make_shared<SseBody>(session->streams->open_get(), 0, conduct_,
                                  SseBody::Setting{.is_primed = has_polling(*session)}));
  }

  HttpReply resume(const HttpSession& session, std::string_view last_event_id) {
    const std::optional<EventPlace> place = parse_event_id(last_event_id);
    const auto stream = place ? session.streams->find(place->stream) : nullptr;
    if (!stream) return unknown_event(session);
    SseBody::Setting setting;
    if (!conduct_.does(HttpDuty::kOutlivesLaterDisconnections)) {
      setting.on_close = [stream] { stream->finish(); };
    }
    if (!conduct_.does(HttpDuty::kReplaysOwnStreamOnly)) {
      setting.preamble = all_kept(session, stream);
    }
    const bool replays = conduct_.does(HttpDuty::kReplaysWhatWasLost);
    return stream_reply(std::make_shared<SseBody>(
        stream, replays ? place->sequence : stream->last_sequence(), conduct_, setting));
  }

  // Every event that is kept of any stream but `stream`.
  std::string all_kept(const HttpSession& session, const std::shared_ptr<EventStream>& stream) {
    std::string text;
    for (const auto& other : session.streams->all()) {
      if (other == stream) continue;
      for (const auto& event : other->kept()) text += sse_text(other->number(), event, conduct_);
    }
    return text;
  }

  HttpReply unknown_event(const HttpSession& session) {
    if (conduct_.does(HttpDuty::kRefusesUnknownEvents)) {
      return error_reply(400, "Bad request: Last-Event-ID names no stream");
    }
    SseBody::Setting setting{.preamble = all_kept(session, nullptr)};
    return stream_reply(
        std::make_shared<SseBody>(session.streams->open_get(), 0, conduct_, std::move(setting)));
  }

  HttpReply remove(const HttpHead& request) {
    if (!conduct_.does(HttpDuty::kKeepsSessions)) return method_not_allowed("POST");
    HttpReply refusal;
    const std::shared_ptr<HttpSession> session = find_session(request, refusal);
    if (!session) return refusal;
    if (conduct_.does(HttpDuty::kEndsSessionOnDelete)) sessions_.end(session->id);
    return empty_reply(200);
  }

  // --- The older HTTP+SSE pair ---

  HttpReply open_pair() {
    const auto session = make_session(WireKind::kHttpSse);
    sessions_.add(session);
    wire::SseEvent endpoint;
    endpoint.event = "endpoint";
    endpoint.data = std::string(kMessagesPath) + "?" + std::string(kSessionQuery) + session->id;
    endpoint.has_data = true;
    conduct_.event(endpoint);
    SseBody::Setting setting{.has_ids = false,
                             .preamble = wire::SseWriter::event(endpoint),
                             .on_close = [this, id = session->id] { sessions_.end(id); }};
    return stream_reply(
        std::make_shared<SseBody>(session->streams->open_get(), 0, conduct_, std::move(setting)));
  }

  HttpReply post_to_pair(std::string_view target, std::string_view body) {
    const std::size_t found = target.find(kSessionQuery);
    if (found == std::string_view::npos) return error_reply(400, "Bad request: no sessionId");
    const std::string_view rest = target.substr(found + kSessionQuery.size());
    const auto session = sessions_.find(std::string(rest.substr(0, rest.find('&'))));
    if (!session) return error_reply(404, "Not found: no such session");
    session->session->receive(wire::decode(body),
                              std::make_shared<ForwardingSink>(session->streams));
    return empty_reply(202);
  }

  SessionFactory& server_;
  const HttpServerOptions options_;
  const HttpConduct& conduct_;
  const HttpGuard guard_;
  HttpSessions sessions_;
  std::atomic<std::uint64_t> lone_sessions_ = 0;
};

const HttpConduct HttpServer::Endpoint::kGoodConduct;

HttpServer::HttpServer(SessionFactory& server, HttpServerOptions options,
                       const HttpConduct* conduct)
    : host_(options.host),
      endpoint_(std::make_unique<Endpoint>(server, options, conduct)),
      listener_({.host = options.host,
                 .port = options.port,
                 .most_connections = options.most_connections,
                 .write_timeout = options.write_timeout},
                endpoint_->handler()) {}

HttpServer::~HttpServer() {
  stop();
}

std::optional<std::string> HttpServer::start() {
  return listener_.start();
}

int HttpServer::port() const {
  return listener_.port();
}

std::string HttpServer::url() const {
  return "http://" + host_ + ":" + std::to_string(port()) + std::string(kMcpPath);
}

std::string HttpServer::sse_url() const {
  return "http://" + host_ + ":" + std::to_string(port()) + std::string(kSsePath);
}

void HttpServer::serve(int socket) {
  listener_.serve(socket);
}

void HttpServer::stop() {
  endpoint_->end();
  listener_.stop();
}

}  // namespace assay::transport
