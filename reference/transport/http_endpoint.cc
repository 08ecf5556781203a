#include "reference/transport/http_endpoint.h"

#include <algorithm>
#include <utility>

#include "reference/transport/http_replies.h"
#include "reference/transport/observed_handler.h"
#include "reference/transport/random_id.h"
#include "reference/wire/compose.h"
#include "reference/wire/form.h"
#include "reference/wire/http_text.h"
#include "reference/wire/message.h"

namespace assay::transport {
namespace {

constexpr const char* kSessionHeader = "MCP-Session-Id";
constexpr const char* kVersionHeader = "MCP-Protocol-Version";
// More than one session can open.
constexpr std::uint64_t kStreamsOfOne = std::uint64_t{1} << 32;
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
  const std::optional<HttpHead> taken = taken_for_first(request);
  if (auto refusal = gatekeeper_.refusal(taken ? *taken : request, body)) {
    return *std::move(refusal);
  }
  const std::string_view path = wire::path_in(request.target);
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

// The request as if it showed the token that opened its session, where that is what counts.
std::optional<HttpHead> HttpEndpoint::taken_for_first(const HttpHead& request) {
  if (conduct_.does(HttpDuty::kReadsScopesOfEachToken)) return std::nullopt;
  const NamedSession named = named_session(request);
  if (!named.session || !is_of_user(*named.session, request)) return std::nullopt;
  HttpHead taken = request;
  for (auto& [name, value] : taken.headers) {
    if (wire::equals_without_case(name, "Authorization")) value = named.session->credentials;
  }
  return taken;
}

HttpReply HttpEndpoint::post(const HttpHead& request, std::string_view body) {
  const Acceptance takes = acceptance_of(request.headers);
  if (auto refusal = guard_.check_form(request, takes)) return *std::move(refusal);
  const wire::Decoded arrived = wire::decode(body);
  NamedSession named = named_session(request);
  if (stateless_.concerns(request, arrived, named.session != nullptr)) {
    return stateless_.answer(request, arrived, gatekeeper_.user_of(request));
  }
  if (is_initialize(arrived) && !named.id) return begin_session(request, takes, arrived);
  if (const auto* error = std::get_if<wire::DecodeError>(&arrived)) {
    HttpReply reply = error_reply(400, "");
    reply.body = wire::encode(
        wire::make_error(std::nullopt, wire::kParseError, "Parse error: " + error->detail));
    return reply;
  }
  if (!conduct_.does(HttpDuty::kKeepsSessions)) return answer_alone(request, takes, arrived);
  std::optional<HttpReply> refusal;
  const std::shared_ptr<HttpSession> session = admit(request, std::move(named), refusal);
  if (!session) return *std::move(refusal);
  return answer(request, takes, session, arrived);
}

bool HttpEndpoint::has_handshake() const {
  return std::any_of(options_.revisions.begin(), options_.revisions.end(),
                     [](model::Revision revision) { return revision.has_handshake(); });
}

HttpEndpoint::NamedSession HttpEndpoint::named_session(const HttpHead& request) {
  const auto id = find_header(request.headers, kSessionHeader);
  return {id, id ? sessions_.find(*id) : nullptr};
}

// In a session that lasts for this request only, and speaks the version that its header names.
HttpReply HttpEndpoint::answer_alone(const HttpHead& request, Acceptance takes,
                                     const wire::Decoded& arrived) {
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
  return answer(request, takes, session, arrived);
}

HttpReply HttpEndpoint::bad_version() {
  return error_reply(400, "Bad request: MCP-Protocol-Version names no supported version");
}

HttpReply HttpEndpoint::begin_session(const HttpHead& request, Acceptance takes,
                                      const wire::Decoded& arrived) {
  const auto session = make_session(WireKind::kStreamableHttp, request);
  HttpReply reply = answer(request, takes, session, arrived);
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
  session->credentials = credentials_in(request);
  session->id = conduct_.session_id(random_id());
  // Without sessions, event ids are unique among all streams of all clients. So they are where they
  // find the streams of other sessions.
  const bool is_apart =
      conduct_.does(HttpDuty::kKeepsSessions) && conduct_.does(HttpDuty::kResumesInSessionOnly);
  session->streams = std::make_shared<SessionStreams>(
      conduct_, is_apart ? 0 : kStreamsOfOne * ++numbered_sessions_);
  session->session = server_.open_for(session->user, wire, session->streams);
  return session;
}

bool HttpEndpoint::is_of_user(const HttpSession& session, const HttpHead& request) const {
  return session.user == gatekeeper_.user_of(request) ||
         !conduct_.does(HttpDuty::kKeepsSessionsToUsers);
}

// Nothing, and why in `refusal`, if the request names no session that it may use.
std::shared_ptr<HttpSession> HttpEndpoint::admit(const HttpHead& request, NamedSession named,
                                                 std::optional<HttpReply>& refusal) {
  const auto& id = named.id;
  std::shared_ptr<HttpSession> session = std::move(named.session);
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

HttpReply HttpEndpoint::answer(const HttpHead& request, Acceptance takes,
                               const std::shared_ptr<HttpSession>& session,
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
  const bool is_json = options_.answers == HttpServerOptions::Answers::kJson || !takes.events;
  const bool is_torn = !conduct_.does(HttpDuty::kKeepsProgressOffGet) && streams.is_listened_to();
  if (is_json || is_torn) stream->divert(session->streams);
  if (!conduct_.does(HttpDuty::kKeepsStreamsApart)) {
    if (const auto other = streams.other_post()) stream->divert(other);
  }
  if (options_.protection.is_on()) stream->set_credentials(credentials_in(request));
  session->session->receive(arrived, stream);
  if (is_asked && !is_json && (streams_by_choice(message) || !takes.json)) {
    return stream_answer(*session, stream, arrived);
  }
  return answer_when_known(session, stream, arrived);
}

HttpReply HttpEndpoint::answer_when_known(const std::shared_ptr<HttpSession>& session,
                                          const std::shared_ptr<EventStream>& stream,
                                          const wire::Decoded& arrived) {
  HttpReply reply;
  if (!shape_answer(*session, stream, arrived, reply)) {
    reply = late_reply(stream, [this, session, stream, arrived]() -> std::optional<HttpReply> {
      HttpReply late;
      if (!shape_answer(*session, stream, arrived, late)) return std::nullopt;
      return late;
    });
  }
  return reply;
}

// False while it is not clear what the answer is.
bool HttpEndpoint::shape_answer(const HttpSession& session,
                                const std::shared_ptr<EventStream>& stream,
                                const wire::Decoded& arrived, HttpReply& reply) {
  Outgoing answer;
  const std::optional<EventStream::Shape> shape = stream->settle(answer);
  if (!shape) return false;
  // A request that was cancelled has no answer: its stream ends without one.
  const auto ends_without_answer = [&] {
    const auto* message = std::get_if<wire::Message>(&arrived);
    return message && has_request(*message);
  };
  if (shape == EventStream::Shape::kAnswer) {
    fill_json_reply(std::move(answer), reply);
  } else if (shape == EventStream::Shape::kStream || ends_without_answer()) {
    reply = stream_answer(session, stream, arrived);
  } else {
    reply = empty_reply(202);
  }
  return true;
}

// Who polls a task does not want a stream.
bool HttpEndpoint::streams_by_choice(const wire::Message* request) const {
  const bool is_poll = request && request->method() == "tasks/get";
  if (is_poll) return !conduct_.does(HttpDuty::kAnswersTaskPollsAtOnce);
  return options_.answers == HttpServerOptions::Answers::kSse;
}

}  // namespace assay::transport
