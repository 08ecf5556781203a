#include "reference/transport/http_endpoint.h"

#include <algorithm>
#include <utility>

#include "reference/transport/accept.h"
#include "reference/transport/http_replies.h"
#include "reference/transport/observed_handler.h"
#include "reference/transport/random_id.h"

namespace assay::transport {
namespace {

constexpr const char* kSessionHeader = "MCP-Session-Id";
constexpr const char* kVersionHeader = "MCP-Protocol-Version";
// More than one request can open.
constexpr std::uint64_t kStreamsOfOne = 16;
// The version of a request that names none, where no session tells it.
constexpr std::string_view kAssumedVersion = "2025-03-26";
const HttpConduct kGoodConduct;

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

HttpEndpoint::HttpEndpoint(SessionFactory& server, HttpServerOptions options,
                           const HttpConduct* conduct)
    : server_(server),
      options_(std::move(options)),
      conduct_(conduct ? *conduct : kGoodConduct),
      guard_(options_.allowed_hosts, conduct_),
      gatekeeper_(options_.protection, kMcpPath),
      stateless_(server, options_, conduct_),
      sessions_(options_.most_sessions) {}

HttpListener::Handler HttpEndpoint::handler() {
  HttpListener::Handler handler = [this](const HttpHead& request, std::string_view body) {
    return handle(request, body);
  };
  return options_.observer == nullptr ? handler : observed(handler, *options_.observer);
}

void HttpEndpoint::end() {
  stateless_.end();
  sessions_.end_all();
}

HttpReply HttpEndpoint::handle(const HttpHead& request, std::string_view body) {
  if (auto refusal = conduct_.turn_away(request, body)) return *std::move(refusal);
  const std::optional<HttpHead> misheard = conduct_.mishears(request, body);
  HttpReply reply = route(misheard ? *misheard : request, body);
  if (reply.later) {
    amend(reply, [this, request, body = std::string(body)](HttpReply& known) {
      conduct_.reply(request, body, known);
    });
  } else {
    conduct_.reply(request, body, reply);
  }
  return reply;
}

HttpReply HttpEndpoint::route(const HttpHead& request, std::string_view body) {
  if (auto refusal = guard_.check_origin(request)) return *std::move(refusal);
  if (auto metadata = gatekeeper_.metadata(request)) return *std::move(metadata);
  if (auto refusal = gatekeeper_.refusal(request, body)) return *std::move(refusal);
  const std::string_view target = request.target;
  const std::string_view path = target.substr(0, target.find('?'));
  const std::string& method = request.method;
  if (path == kMcpPath) {
    if (method == "POST") return post(request, body);
    if (stateless_.concerns(request)) return method_not_allowed("POST");
    if (method == "GET") return get(request);
    if (method == "DELETE") return remove(request);
    return method_not_allowed("GET, POST, DELETE");
  }
  if (!has_handshake()) return error_reply(404, "Not found: the endpoint is /mcp");
  if (path == kSsePath) return method == "GET" ? open_pair(request) : method_not_allowed("GET");
  if (path == kMessagesPath) {
    return method == "POST" ? post_to_pair(request, body) : method_not_allowed("POST");
  }
  return error_reply(404, "Not found: the endpoint is /mcp");
}

HttpReply HttpEndpoint::post(const HttpHead& request, std::string_view body) {
  if (auto refusal = guard_.check_form(request)) return *std::move(refusal);
  const wire::Decoded arrived = wire::decode(body);
  if (stateless_.concerns(request, arrived, names_session(request))) {
    return stateless_.answer(request, arrived, gatekeeper_.user_of(request));
  }
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

bool HttpEndpoint::has_handshake() const {
  return std::any_of(options_.revisions.begin(), options_.revisions.end(),
                     [](model::Revision revision) { return revision.has_handshake(); });
}

bool HttpEndpoint::names_session(const HttpHead& request) {
  const auto id = find_header(request.headers, kSessionHeader);
  return id && sessions_.find(std::string(*id)) != nullptr;
}

// In a session that lasts for this request only, and speaks the version that its header names.
HttpReply HttpEndpoint::answer_alone(const HttpHead& request, const wire::Decoded& arrived) {
  const auto version = find_header(request.headers, kVersionHeader).value_or(kAssumedVersion);
  const auto session = make_session(WireKind::kStreamableHttp, request);
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

HttpReply HttpEndpoint::bad_version() {
  return error_reply(400, "Bad request: MCP-Protocol-Version names no supported version");
}

HttpReply HttpEndpoint::begin_session(const HttpHead& request, const wire::Decoded& arrived) {
  const auto session = make_session(WireKind::kStreamableHttp, request);
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

std::shared_ptr<HttpSession> HttpEndpoint::make_session(WireKind wire, const HttpHead& request) {
  auto session = std::make_shared<HttpSession>();
  session->user = gatekeeper_.user_of(request);
  session->id = conduct_.session_id(random_id());
  // Without sessions, event ids are unique among all streams of all clients.
  session->streams = std::make_shared<SessionStreams>(
      conduct_, conduct_.does(HttpDuty::kKeepsSessions) ? 0 : kStreamsOfOne * ++lone_sessions_);
  session->session = server_.open_for(session->user, wire, session->streams);
  return session;
}

bool HttpEndpoint::is_of_user(const HttpSession& session, const HttpHead& request) const {
  return session.user == gatekeeper_.user_of(request) ||
         !conduct_.does(HttpDuty::kKeepsSessionsToUsers);
}

// Nothing, and why in `refusal`, if the request names no session that it may use.
std::shared_ptr<HttpSession> HttpEndpoint::find_session(const HttpHead& request,
                                                        HttpReply& refusal) {
  const auto id = find_header(request.headers, kSessionHeader);
  std::shared_ptr<HttpSession> session = id ? sessions_.find(std::string(*id)) : nullptr;
  // Who is somebody else learns no more than that there is none for him.
  if (session && !is_of_user(*session, request)) session = nullptr;
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

bool HttpEndpoint::is_version_acceptable(const HttpHead& request,
                                         const HttpSession& session) const {
  const auto header = find_header(request.headers, kVersionHeader);
  // Without the header the session tells the version.
  if (!header || !conduct_.does(HttpDuty::kChecksProtocolVersion)) return true;
  const auto settled = session.session->revision();
  if (!settled || !settled->has_protocol_version_header()) return true;
  const auto named = model::Revision::parse(*header);
  const auto& known = options_.revisions;
  return named && std::find(known.begin(), known.end(), *named) != known.end();
}

HttpReply HttpEndpoint::answer(const HttpHead& request, const std::shared_ptr<HttpSession>& session,
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
  if (options_.protection.is_on()) stream->set_credentials(credentials_in(request));
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
std::optional<HttpReply> HttpEndpoint::shaped_answer(const HttpSession& session,
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
bool HttpEndpoint::streams_by_choice(const wire::Message* request) const {
  const bool is_poll = request && request->method() == "tasks/get";
  if (is_poll) return !conduct_.does(HttpDuty::kAnswersTaskPollsAtOnce);
  return options_.answers == HttpServerOptions::Answers::kSse;
}

}  // namespace assay::transport
