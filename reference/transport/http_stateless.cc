#include "reference/transport/http_stateless.h"

#include <algorithm>
#include <span>
#include <utility>

#include "reference/transport/http_guard.h"
#include "reference/transport/http_replies.h"
#include "reference/transport/request_headers.h"
#include "reference/transport/sse_body.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::transport {
namespace {

const wire::Message* request_in(const wire::Decoded& arrived) {
  const auto* message = std::get_if<wire::Message>(&arrived);
  const bool is_request = message && message->kind() == wire::MessageKind::kRequest;
  return is_request ? message : nullptr;
}

bool is_listen(const wire::Message* request) {
  return request && request->method() == "subscriptions/listen";
}

// What only a request of this era has, be its version missing or not.
bool looks_stateless(const wire::Message& request) {
  if (is_listen(&request) || request.method() == "server/discover") return true;
  const Json& params = request.params();
  if (!params.is_object() || !params.contains("_meta")) return false;
  const Json& meta = params["_meta"];
  return meta.is_object() && (meta.contains("io.modelcontextprotocol/clientCapabilities") ||
                              meta.contains("io.modelcontextprotocol/protocolVersion"));
}

std::vector<model::Revision> stateless_among(std::vector<model::Revision> revisions) {
  std::erase_if(revisions, [](model::Revision revision) { return revision.has_handshake(); });
  return revisions;
}

// Who begins with `initialize` is told what is spoken here, whatever else is wrong: it may be all
// that its user gets to see.
std::string versions_for(const wire::Message& request, std::span<const model::Revision> spoken) {
  if (request.method() != "initialize") return "";
  std::string text = "; this server speaks";
  for (const model::Revision revision : spoken) text += " " + std::string(revision.text());
  return text;
}

HttpReply mismatch_reply(const wire::Message& request, std::string_view why,
                         std::span<const model::Revision> spoken) {
  HttpReply reply = json_reply({Outgoing::Kind::kRefusal, ""});
  const std::optional<wire::Id> id = request.id();
  reply.body =
      wire::encode_error(id && id->is_valid() ? id : std::nullopt, kHeaderMismatch,
                         "Header mismatch: " + std::string(why) + versions_for(request, spoken));
  return reply;
}

}  // namespace

// A POST that is under way. Its client is gone when nothing holds it any more.
class StatelessEndpoint::Exchange {
 public:
  Exchange(StatelessEndpoint& endpoint, std::shared_ptr<ServerSession> session)
      : endpoint_(endpoint), session_(std::move(session)) {
    const std::lock_guard lock(endpoint_.mutex_);
    endpoint_.under_way_.insert(this);
  }
  ~Exchange() {
    {
      const std::lock_guard lock(endpoint_.mutex_);
      endpoint_.under_way_.erase(this);
    }
    if (endpoint_.conduct_.does(HttpDuty::kStopsWithClient)) session_->close();
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const std::shared_ptr<ServerSession>& session() const { return session_; }

 private:
  StatelessEndpoint& endpoint_;
  const std::shared_ptr<ServerSession> session_;
};

StatelessEndpoint::StatelessEndpoint(SessionFactory& server, const HttpServerOptions& options,
                                     const HttpConduct& conduct)
    : server_(server),
      options_(options),
      conduct_(conduct),
      spoken_(stateless_among(options.revisions)),
      is_alone_(spoken_.size() == options.revisions.size()) {}

bool StatelessEndpoint::speaks(std::optional<model::Revision> version) const {
  return version && std::find(spoken_.begin(), spoken_.end(), *version) != spoken_.end();
}

bool StatelessEndpoint::concerns(const HttpHead& request, const wire::Decoded& arrived,
                                 bool has_session) const {
  if (is_alone_ || spoken_.empty()) return is_alone_;
  const auto belongs_to_session = [&](std::optional<model::Revision> version) {
    const auto& all = options_.revisions;
    return version && version->has_handshake() &&
           std::find(all.begin(), all.end(), *version) != all.end();
  };
  const wire::Message* const asked = request_in(arrived);
  const auto header = find_header(request.headers, kProtocolVersionHeader);
  const auto named = model::Revision::parse(header.value_or(""));
  if (asked) {
    // The body is the source of truth.
    const std::optional<std::string> version = version_in_body(*asked);
    if (version) return !belongs_to_session(model::Revision::parse(*version)) || speaks(named);
    if (asked->method() == "initialize") return false;
  }
  // A notification without a session may well be of a server's that keeps none.
  if (header) return speaks(named) || (asked && !belongs_to_session(named) && !has_session);
  return asked && !has_session && looks_stateless(*asked);
}

bool StatelessEndpoint::concerns(const HttpHead& request) const {
  const auto header = find_header(request.headers, kProtocolVersionHeader);
  return is_alone_ || speaks(model::Revision::parse(header.value_or("")));
}

HttpReply StatelessEndpoint::answer(const HttpHead& request, const wire::Decoded& arrived,
                                    const std::string& user) {
  const wire::Message* const asked = request_in(arrived);
  if (asked) {
    const auto why =
        header_mismatch(request.headers, *asked, spoken_, server_.mirrored(*asked), conduct_);
    if (why) return mismatch_reply(*asked, *why, spoken_);
  }
  const Acceptance takes = acceptance_of(request.headers);
  if (is_listen(asked) && !takes.events) {
    return error_reply(406, "Not acceptable: the client must accept text/event-stream");
  }
  const auto stream = std::make_shared<EventStream>(0, EventStream::Bounds{.keeps_read = false});
  const bool is_json = options_.answers == HttpServerOptions::Answers::kJson || !takes.events;
  // What is told on the way has nowhere to go.
  if (is_json && !is_listen(asked)) stream->divert(std::make_shared<NoSink>());
  if (options_.protection.is_on()) stream->set_credentials(credentials_in(request));
  const auto exchange = std::make_shared<Exchange>(
      *this, server_.open_for(user, WireKind::kStatelessHttp, std::make_shared<NoSink>()));
  exchange->session()->receive(arrived, stream);
  return reply_to(takes, asked, stream, exchange);
}

HttpReply StatelessEndpoint::reply_to(Acceptance takes, const wire::Message* asked,
                                      const std::shared_ptr<EventStream>& stream,
                                      std::shared_ptr<Exchange> exchange) const {
  using Answers = HttpServerOptions::Answers;
  const bool is_json = options_.answers == Answers::kJson || !takes.events;
  const bool is_stream = takes.events && (options_.answers == Answers::kSse || !takes.json);
  Outgoing answer;
  const std::optional<EventStream::Shape> shape = stream->settle(answer);
  if (shape == EventStream::Shape::kNothing && !asked) return empty_reply(202);
  if (shape == EventStream::Shape::kAnswer) {
    if (!is_stream || answer.kind != Outgoing::Kind::kResponse) {
      return json_reply(std::move(answer));
    }
    const auto only = std::make_shared<EventStream>(0);
    only->send(std::move(answer));
    only->finish();
    return stream_reply_to(only, std::move(exchange));
  }
  if (!is_json || shape || is_listen(asked)) return stream_reply_to(stream, std::move(exchange));
  return late_reply(
      stream,
      [stream, exchange]() -> std::optional<HttpReply> {
        Outgoing late;
        const auto known = stream->settle(late);
        if (!known) return std::nullopt;
        if (known == EventStream::Shape::kAnswer) return json_reply(std::move(late));
        return empty_reply(202);
      },
      true);
}

HttpReply StatelessEndpoint::stream_reply_to(const std::shared_ptr<EventStream>& stream,
                                             std::shared_ptr<Exchange> exchange) const {
  SseBody::Setting setting{.has_ids = false,
                           .on_close = [held = std::move(exchange)]() mutable { held.reset(); }};
  HttpReply reply =
      stream_reply(std::make_shared<SseBody>(stream, 0, conduct_, std::move(setting)));
  // Proxies are not to keep events back.
  reply.headers.emplace_back("X-Accel-Buffering", "no");
  return reply;
}

void StatelessEndpoint::end() {
  std::vector<std::shared_ptr<ServerSession>> sessions;
  {
    const std::lock_guard lock(mutex_);
    for (const Exchange* exchange : under_way_) sessions.push_back(exchange->session());
  }
  for (const auto& session : sessions) session->close();
}

}  // namespace assay::transport
