#include "reference/client/session.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "reference/client/session_impl.h"
#include "reference/wire/compose.h"

namespace assay::client {
namespace {

// No server has more pages than this for an honest reason.
constexpr std::size_t kMaxPages = 10000;
// How long a handler waits for the server to take what it tells.
constexpr std::chrono::milliseconds kTellingPatience{2000};

ServerAnswer closed_reply(std::string_view why) {
  ServerAnswer reply;
  reply.kind = ServerAnswer::Kind::kClosed;
  reply.detail = why;
  return reply;
}

// The stream broke that was to bring the answer: where none is resumed, it does not come any more.
bool was_lost(const ServerAnswer& reply) {
  constexpr int kOkStatus = 200;
  return reply.kind == ServerAnswer::Kind::kClosed && reply.http_status == kOkStatus;
}

}  // namespace

std::optional<transport::Failure> ClientSession::Impl::open(transport::ClientTransport& transport) {
  transport_ = &transport;
  auto failure = transport.open();
  if (failure) close_all(failure->detail);
  return failure;
}

void ClientSession::Impl::close(Deadline deadline) {
  close_all("we closed the session");
  if (transport_ != nullptr) transport_->close(deadline);
  worker_.stop();
}

void ClientSession::Impl::close_all(std::string_view why) {
  const std::lock_guard lock(mutex_);
  if (!closed_) closed_ = why;
  while (!pending_.empty()) finish_locked(pending_.begin()->second, closed_reply(why));
  changed_.notify_all();
}

std::optional<std::string> ClientSession::Impl::closed() {
  const std::lock_guard lock(mutex_);
  return closed_;
}

std::optional<model::Revision> ClientSession::Impl::revision() {
  const std::lock_guard lock(mutex_);
  return revision_;
}

Json ClientSession::Impl::server() {
  const std::lock_guard lock(mutex_);
  return server_;
}

ServerAnswer ClientSession::Impl::initialize(Deadline deadline) {
  if (options_.opening == SessionOptions::Opening::kHandshake) return handshake(deadline);
  return discover(deadline);
}

// What a handler tells comes before its answer: over HTTP that would overtake it now and then.
Notify ClientSession::Impl::telling() {
  return [this](std::string_view method, Json params) {
    const Lane lane = notify(method, std::move(params));
    wait_until_over(lane, std::chrono::steady_clock::now() + kTellingPatience);
  };
}

ServerAnswer ClientSession::Impl::handshake(Deadline deadline) {
  const Json params{{"protocolVersion", options_.revision.text()},
                    {"capabilities", client_capabilities(options_.offer, options_.revision)},
                    {"clientInfo",
                     {{"name", options_.name},
                      {"version", options_.version.empty() ? ASSAY_VERSION : options_.version}}}};
  {
    // A server may ping before it answers.
    const std::lock_guard lock(mutex_);
    handlers_ = default_handlers(options_.offer, options_.revision, telling());
    for (const auto& [method, handler] : options_.handlers) handlers_[method] = handler;
  }
  ServerAnswer reply = wait_for(begin("initialize", params, {}, {}), deadline);
  return reply.is_result() ? settle(std::move(reply), deadline) : reply;
}

// Takes what the server answered to `initialize`.
ServerAnswer ClientSession::Impl::settle(ServerAnswer reply, Deadline deadline) {
  const auto version =
      reply.json.is_object() ? reply.json.find("protocolVersion") : reply.json.end();
  if (!reply.json.is_object() || version == reply.json.end() || !version->is_string()) {
    return closed_reply("the server's answer to initialize names no protocol version");
  }
  const auto revision = model::Revision::parse(version->get_ref<const std::string&>());
  if (!revision || !revision->has_handshake()) {
    return closed_reply("the server answered with a revision that we do not speak");
  }
  {
    const std::lock_guard lock(mutex_);
    revision_ = revision;
    server_ = reply.json;
    ++generation_;
    handlers_ = default_handlers(options_.offer, *revision, telling());
    for (const auto& [method, handler] : options_.handlers) handlers_[method] = handler;
  }
  transport_->set_protocol_version(revision->text());
  // Over HTTP nothing may overtake this notification, so its exchange must have ended.
  wait_until_over(notify("notifications/initialized", nullptr), deadline);
  if (options_.listens && transport_->is_resumable()) transport_->resume(std::nullopt);
  return reply;
}

void ClientSession::Impl::wait_until_over(Lane lane, Deadline deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [&] { return closed_ || streams_.find(lane) == nullptr; });
}

PendingPtr ClientSession::Impl::begin(std::string_view method, Json params,
                                      std::function<void(const ServerAnswer&)> on_reply,
                                      const RequestOptions& options) {
  PendingPtr pending;
  {
    const std::lock_guard lock(mutex_);
    const std::int64_t number = ++last_id_;
    if (is_stateless_) params = prepared(std::move(params));
    if (options.on_progress) params["_meta"]["progressToken"] = number;
    pending = std::make_shared<Pending>(Pending{wire::Id::of(number), std::string(method),
                                                std::move(on_reply), options.on_progress,
                                                std::nullopt, false});
    pending_.emplace(pending->id, pending);
    if (closed_ || transport_ == nullptr) {
      finish_locked(pending, closed_reply(closed_.value_or("the session was not opened")));
      return pending;
    }
  }
  const Json message = wire::make_request(pending->id, method, std::move(params));
  if (!is_stateless_) {
    transport_->send(wire::encode(message));
    return pending;
  }
  const Lane lane = transport_->send_alone(
      wire::encode(message), options_.mirrored ? options_.mirrored(message) : transport::Headers());
  const std::lock_guard lock(mutex_);
  pending->lane = lane;
  return pending;
}

// By value: the caller's pointer may be the one in pending_, which goes.
void ClientSession::Impl::finish_locked(PendingPtr pending, ServerAnswer reply) {
  if (pending_.erase(pending->id) == 0) return;
  pending->reply = std::move(reply);
  if (pending->on_reply) {
    worker_.post([pending] { pending->on_reply(*pending->reply); });
  }
  changed_.notify_all();
}

ServerAnswer ClientSession::Impl::wait_for(const PendingPtr& pending, Deadline deadline) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, deadline, [&] { return pending->reply.has_value(); });
  }
  expire(pending);
  const std::lock_guard lock(mutex_);
  return *pending->reply;
}

void ClientSession::Impl::expire_at(const PendingPtr& pending, Deadline deadline) {
  worker_.post([this, pending] { expire(pending); }, deadline);
}

void ClientSession::Impl::expire(const PendingPtr& pending) {
  {
    const std::lock_guard lock(mutex_);
    if (pending->reply) return;
    ServerAnswer reply;
    reply.kind = ServerAnswer::Kind::kTimeout;
    reply.detail = fmt::format("no answer to {} in time", pending->method);
    finish_locked(pending, std::move(reply));
    // The one request that must not be cancelled.
    if (pending->method == "initialize") return;
  }
  if (is_stateless_ && transport_->leave(pending->lane)) return;
  notify("notifications/cancelled",
         {{"requestId", Json::parse(pending->id.json_text())}, {"reason", "no answer in time"}});
}

void ClientSession::Impl::cancel(const wire::Id& id, std::string_view reason) {
  PendingPtr pending;
  {
    const std::lock_guard lock(mutex_);
    const auto found = pending_.find(id);
    if (found == pending_.end() || found->second->method == "initialize") return;
    pending = found->second;
    finish_locked(pending, closed_reply("cancelled"));
  }
  if (is_stateless_ && transport_->leave(pending->lane)) return;
  notify("notifications/cancelled",
         {{"requestId", Json::parse(id.json_text())}, {"reason", reason}});
}

transport::Lane ClientSession::Impl::notify(std::string_view method, Json params) {
  if (transport_ == nullptr || closed()) return {};
  return transport_->send(wire::encode(wire::make_notification(method, std::move(params))));
}

ServerAnswer ClientSession::Impl::request(std::string_view method, const Json& params,
                                          Deadline deadline, const RequestOptions& options) {
  std::uint64_t generation = 0;
  {
    const std::lock_guard lock(mutex_);
    generation = generation_;
  }
  const PendingPtr pending = begin(method, params, {}, options);
  ServerAnswer reply = wait_for(pending, deadline);
  if (is_stateless_) {
    if (was_lost(reply) && !closed()) {
      reply = wait_for(begin(method, params, {}, options), deadline);
    }
    return completed(method, params, std::move(reply), deadline, options);
  }
  bool is_session_gone = false;
  {
    const std::lock_guard lock(mutex_);
    is_session_gone = pending->is_session_gone;
  }
  if (!is_session_gone || !restart(generation, deadline)) return reply;
  if (params.is_object() && params.contains("cursor")) {
    reply.is_session_new = true;
    return reply;
  }
  return wait_for(begin(method, params, {}, options), deadline);
}

// Begins a new session, unless somebody else has done so since `generation`.
bool ClientSession::Impl::restart(std::uint64_t generation, Deadline deadline) {
  const std::lock_guard restarting(restart_mutex_);
  {
    const std::lock_guard lock(mutex_);
    if (generation_ != generation) return true;
  }
  return handshake(deadline).is_result();
}

ClientSession::ClientSession(SessionOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
ClientSession::~ClientSession() = default;
std::optional<transport::Failure> ClientSession::open(transport::ClientTransport& transport) {
  return impl_->open(transport);
}
void ClientSession::give_up(std::string_view why) {
  impl_->close_all(why);
}
void ClientSession::close(Deadline deadline) {
  impl_->close(deadline);
}
ServerAnswer ClientSession::initialize(Deadline deadline) {
  return impl_->initialize(deadline);
}
std::optional<model::Revision> ClientSession::revision() const {
  return impl_->revision();
}
Json ClientSession::server() const {
  return impl_->server();
}
ServerAnswer ClientSession::request(std::string_view method, Json params, Deadline deadline,
                                    RequestOptions options) {
  return impl_->request(method, params, deadline, options);
}
wire::Id ClientSession::start(std::string_view method, Json params, Deadline deadline,
                              std::function<void(const ServerAnswer&)> on_reply,
                              RequestOptions options) {
  const PendingPtr pending = impl_->begin(method, std::move(params), std::move(on_reply), options);
  impl_->expire_at(pending, deadline);
  return pending->id;
}
void ClientSession::cancel(const wire::Id& id, std::string_view reason) {
  impl_->cancel(id, reason);
}
void ClientSession::notify(std::string_view method, Json params) {
  impl_->notify(method, std::move(params));
}

ListOutcome ClientSession::list_all(std::string_view method, const std::string& key,
                                    Deadline deadline) {
  ListOutcome outcome;
  std::set<Json> cursors;
  Json params = Json::object();
  bool was_begun_anew = false;
  while (outcome.pages < kMaxPages) {
    outcome.last = request(method, params, deadline);
    // The cursor does not hold any more, and neither does what was read by those before it.
    const bool is_cursor_lost =
        outcome.last.is_error(wire::kInvalidParams) && params.contains("cursor");
    if ((outcome.last.is_session_new || is_cursor_lost) && !was_begun_anew) {
      was_begun_anew = true;
      outcome = ListOutcome();
      params = Json::object();
      cursors.clear();
      continue;
    }
    if (!outcome.last.is_result() || !outcome.last.json.is_object()) return outcome;
    ++outcome.pages;
    const Json& page = outcome.last.json;
    if (const auto items = page.find(key); items != page.end() && items->is_array()) {
      outcome.items.insert(outcome.items.end(), items->begin(), items->end());
    }
    const auto cursor = page.find("nextCursor");
    if (cursor == page.end() || cursor->is_null()) {
      outcome.is_complete = true;
      return outcome;
    }
    // A cursor is a string: another value would make our next request invalid.
    if (!cursor->is_string() || !cursors.insert(*cursor).second) return outcome;
    params["cursor"] = *cursor;
  }
  return outcome;
}

void ClientSession::wait_until_over(transport::Lane lane, Deadline deadline) {
  impl_->wait_until_over(lane, deadline);
}
std::optional<std::string> ClientSession::closed() const {
  return impl_->closed();
}
std::size_t ClientSession::stray_messages() const {
  return impl_->stray_messages();
}
void ClientSession::observe(const transport::Observation& observation) {
  impl_->observe(observation);
}

}  // namespace assay::client
