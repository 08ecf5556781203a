#include <utility>

#include "reference/transport/accept.h"
#include "reference/transport/http_endpoint.h"
#include "reference/transport/http_replies.h"
#include "reference/transport/sse_body.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "reference/wire/sse.h"

// The answers that are event streams, and how they are resumed; and what a client may do beside
// posting.
namespace assay::transport {
namespace {

constexpr std::string_view kSessionQuery = "sessionId=";

}  // namespace

HttpReply HttpEndpoint::stream_answer(const HttpSession& session,
                                      const std::shared_ptr<EventStream>& stream,
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

void HttpEndpoint::cancel(ServerSession& session, const wire::Decoded& arrived) {
  const auto* message = std::get_if<wire::Message>(&arrived);
  if (!message || !message->id()) return;
  const Json cancelled = wire::make_notification("notifications/cancelled",
                                                 {{"requestId", wire::to_json(*message->id())}});
  session.receive(wire::decode(wire::encode(cancelled)), std::make_shared<NoSink>());
}

bool HttpEndpoint::has_polling(const HttpSession& session) {
  const auto revision = session.session->revision();
  return revision && revision->has_sse_polling();
}

HttpReply HttpEndpoint::get(const HttpHead& request) {
  if (!conduct_.does(HttpDuty::kKeepsSessions)) return method_not_allowed("POST");
  if (conduct_.does(HttpDuty::kChecksAccept) && !accepts(request.headers, "text/event-stream")) {
    return error_reply(406, "Not acceptable: the client must accept text/event-stream");
  }
  std::optional<HttpReply> refusal;
  const std::shared_ptr<HttpSession> session = find_session(request, refusal);
  if (!session) return *std::move(refusal);
  if (const auto id = find_header(request.headers, "Last-Event-ID")) {
    return resume(*session, *id);
  }
  return stream_reply(
      std::make_shared<SseBody>(session->streams->open_get(), 0, conduct_,
                                SseBody::Setting{.is_primed = has_polling(*session)}));
}

HttpReply HttpEndpoint::resume(const HttpSession& session, std::string_view last_event_id) {
  const std::optional<EventPlace> place = parse_event_id(last_event_id);
  auto stream = place ? session.streams->find(place->stream) : nullptr;
  if (place && !stream && !conduct_.does(HttpDuty::kResumesInSessionOnly)) {
    stream = sessions_.find_stream(place->stream);
  }
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
std::string HttpEndpoint::all_kept(const HttpSession& session,
                                   const std::shared_ptr<EventStream>& stream) {
  std::string text;
  for (const auto& other : session.streams->all()) {
    if (other == stream) continue;
    for (const auto& event : other->kept()) text += sse_text(other->number(), event, conduct_);
  }
  return text;
}

HttpReply HttpEndpoint::unknown_event(const HttpSession& session) {
  if (conduct_.does(HttpDuty::kRefusesUnknownEvents)) {
    return error_reply(400, "Bad request: Last-Event-ID names no stream");
  }
  SseBody::Setting setting{.preamble = all_kept(session, nullptr)};
  return stream_reply(
      std::make_shared<SseBody>(session.streams->open_get(), 0, conduct_, std::move(setting)));
}

HttpReply HttpEndpoint::remove(const HttpHead& request) {
  if (!conduct_.does(HttpDuty::kKeepsSessions)) return method_not_allowed("POST");
  std::optional<HttpReply> refusal;
  const std::shared_ptr<HttpSession> session = find_session(request, refusal);
  if (!session) return *std::move(refusal);
  if (conduct_.does(HttpDuty::kEndsSessionOnDelete)) sessions_.end(session->id);
  return empty_reply(200);
}

HttpReply HttpEndpoint::open_pair(const HttpHead& request) {
  const auto session = make_session(WireKind::kHttpSse, request);
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

HttpReply HttpEndpoint::post_to_pair(const HttpHead& request, std::string_view body) {
  const std::string_view target = request.target;
  const std::size_t found = target.find(kSessionQuery);
  if (found == std::string_view::npos) return error_reply(400, "Bad request: no sessionId");
  const std::string_view rest = target.substr(found + kSessionQuery.size());
  const auto session = sessions_.find(rest.substr(0, rest.find('&')));
  if (!session || !is_of_user(*session, request)) {
    return error_reply(404, "Not found: no such session");
  }
  session->session->receive(wire::decode(body), std::make_shared<ForwardingSink>(session->streams));
  return empty_reply(202);
}

}  // namespace assay::transport
