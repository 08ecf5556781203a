// How a session takes what comes from the server, and the ends of its exchanges.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

#include "reference/client/session_impl.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::client {
namespace {

using transport::Party;

constexpr int kOk = 200;
constexpr int kAccepted = 202;
constexpr int kNoContent = 204;
constexpr int kNotFound = 404;

ServerAnswer to_reply(const wire::Message& message, int http_status) {
  ServerAnswer reply;
  const bool is_result = message.kind() == wire::MessageKind::kResult;
  reply.kind = is_result ? ServerAnswer::Kind::kResult : ServerAnswer::Kind::kError;
  reply.json = is_result ? message.result() : message.error();
  reply.http_status = http_status;
  return reply;
}

}  // namespace

void ClientSession::Impl::observe(const Observation& observation) {
  if (observation.speaker == Party::kClient && observation.kind != Observation::Kind::kBroken) {
    if (observation.kind == Observation::Kind::kHttpRequest) begin_exchange(observation);
    return;
  }
  switch (observation.kind) {
    case Observation::Kind::kHttpResponse:
    case Observation::Kind::kSseEvent: {
      const std::lock_guard lock(mutex_);
      streams_.note(observation);
      break;
    }
    case Observation::Kind::kClosed:
    case Observation::Kind::kBroken:
      end_exchange(observation);
      return;
    case Observation::Kind::kExit:
      close_all("the server's process has ended");
      return;
    case Observation::Kind::kCutOff:
      close_all("the server sent more than is read: " + observation.bytes);
      return;
    case Observation::Kind::kLine:
    case Observation::Kind::kHttpBody:
    case Observation::Kind::kStderr:
    case Observation::Kind::kHttpRequest:
      break;
  }
  if (const auto bytes = observation.message()) take_message(*bytes, observation.lane);
}

void ClientSession::Impl::take_message(std::string_view bytes, Lane lane) {
  const wire::Decoded decoded = wire::decode(bytes);
  const auto* message = std::get_if<wire::Message>(&decoded);
  if (message == nullptr) {
    ++strays_;
    return;
  }
  if (message->kind() != wire::MessageKind::kBatch) return take_one(*message, lane);
  std::vector<wire::Message> requests;
  for (const wire::Message& member : message->members()) {
    if (member.kind() == wire::MessageKind::kRequest) {
      requests.push_back(member);
    } else {
      take_one(member, lane);
    }
  }
  if (!requests.empty()) {
    worker_.post([this, requests = std::move(requests)] { answer_batch(requests); });
  }
}

void ClientSession::Impl::take_one(const wire::Message& message, Lane lane) {
  switch (message.kind()) {
    case wire::MessageKind::kRequest:
      if (is_stateless_) {  // what a server wants, its results ask for
        ++strays_;
        return;
      }
      take_question(message);
      return;
    case wire::MessageKind::kNotification:
      return take_notification(message);
    case wire::MessageKind::kResult:
    case wire::MessageKind::kError:
      return take_answer(message, lane);
    case wire::MessageKind::kBatch:  // within a batch
    case wire::MessageKind::kMalformed:
      ++strays_;
      return;
  }
}

// Until it is answered the server may cancel it.
void ClientSession::Impl::take_question(const wire::Message& message) {
  {
    const std::lock_guard lock(mutex_);
    if (questions_.size() >= Worker::kMaxTasks) return;
    questions_.insert(*message.id());
  }
  worker_.post([this, message] {
    const std::string text = answer_one(message);
    if (!settle_question(*message.id()) || closed()) return;
    transport_->send(text);
  });
}

// False if nobody waits for its answer any more.
bool ClientSession::Impl::settle_question(const wire::Id& id) {
  const std::lock_guard lock(mutex_);
  const auto found = questions_.find(id);
  if (found == questions_.end()) return false;
  questions_.erase(found);
  return true;
}

// Who asked what this answers: the request with its id; or, where an error came without one, the
// request that the exchange belongs to.
PendingPtr ClientSession::Impl::asker_locked(const wire::Message& message, Lane lane) {
  std::optional<wire::Id> id = message.id();
  const bool is_anonymous = !id || id->kind() == wire::Id::Kind::kNull;
  if (is_anonymous && message.kind() == wire::MessageKind::kError) {
    const Stream* stream = streams_.find(lane);
    id = stream == nullptr || stream->is_get ? std::nullopt : stream->request;
  }
  if (!id) return nullptr;
  const auto found = pending_.find(*id);
  return found == pending_.end() ? nullptr : found->second;
}

void ClientSession::Impl::take_answer(const wire::Message& message, Lane lane) {
  const std::lock_guard lock(mutex_);
  const PendingPtr pending = asker_locked(message, lane);
  if (!pending) {
    ++strays_;
    return;
  }
  const Stream* stream = streams_.find(lane);
  const int status = stream == nullptr ? 0 : stream->status;
  pending->is_session_gone = stream != nullptr && stream->has_session && status == kNotFound;
  finish_locked(pending, to_reply(message, status));
}

void ClientSession::Impl::take_notification(const wire::Message& message) {
  if (message.method() == "notifications/progress") {
    const Json& params = message.params();
    const auto token = params.is_object() ? params.find("progressToken") : params.end();
    if (params.is_object() && token != params.end() && token->is_number_integer()) {
      const std::lock_guard lock(mutex_);
      const auto found = pending_.find(wire::Id::from_json_text(token->dump()));
      if (found != pending_.end() && found->second->on_progress) {
        worker_.post(
            [pending = found->second, message] { pending->on_progress(message.params()); });
      }
    }
  }
  if (message.method() == "notifications/cancelled" && message.params().is_object()) {
    const auto id = message.params().find("requestId");
    const bool is_id = id != message.params().end() && (id->is_string() || id->is_number_integer());
    if (is_id) settle_question(wire::Id::from_json_text(id->dump()));
  }
  if (options_.on_notification) {
    worker_.post([this, message] { options_.on_notification(message.method(), message.params()); });
  }
}

void ClientSession::Impl::answer_batch(const std::vector<wire::Message>& requests) {
  std::string answers;
  for (const wire::Message& request : requests) {
    if (!answers.empty()) answers += ',';
    answers += answer_one(request);
  }
  if (closed()) return;
  transport_->send("[" + answers + "]");
}

// As text, because only text keeps every id as it came.
std::string ClientSession::Impl::answer_one(const wire::Message& request) {
  Handler handler;
  {
    const std::lock_guard lock(mutex_);
    const auto found = handlers_.find(request.method());
    if (found != handlers_.end()) handler = found->second;
  }
  if (!handler) {
    return wire::encode_error(request.id(), wire::kMethodNotFound, "the client has no such method");
  }
  Answer outcome = ErrorAnswer{wire::kInternalError, "the client's handler failed"};
  try {
    outcome = handler(request.params());
  } catch (const std::exception&) {
    // Handlers are other people's code, and the server chose the params: it gets the error above.
  }
  if (const auto* error = std::get_if<ErrorAnswer>(&outcome)) {
    return wire::encode_error(request.id(), error->code, error->message);
  }
  return wire::encode_result(*request.id(), std::get<Json>(outcome));
}

void ClientSession::Impl::begin_exchange(const Observation& observation) {
  std::optional<wire::Id> request;
  if (const auto bytes = observation.message()) {
    const wire::Decoded decoded = wire::decode(*bytes);
    const auto* message = std::get_if<wire::Message>(&decoded);
    if (message != nullptr && message->kind() == wire::MessageKind::kRequest) {
      request = message->id();
    }
  }
  const std::lock_guard lock(mutex_);
  streams_.begin(observation, std::move(request));
}

void ClientSession::Impl::end_exchange(const Observation& observation) {
  if (observation.lane.kind == Lane::Kind::kStderr) return;
  if (observation.lane.kind != Lane::Kind::kHttp) return close_all(observation.bytes);
  std::string fatal;
  {
    const std::lock_guard lock(mutex_);
    auto stream = streams_.end(observation.lane);
    changed_.notify_all();
    if (!stream || closed_) return;
    const bool is_over = observation.speaker == Party::kClient;  // we gave it up
    if (stream->request) {
      if (is_over) stream->last_event_id.reset();
      end_stream_of_request_locked(std::move(*stream), observation.bytes);
    } else if (stream->is_get && !transport_->is_resumable()) {
      fatal = observation.bytes;
    } else if (stream->is_get && !is_over && (stream->status == kOk || stream->status == 0)) {
      resume_later_locked(std::move(*stream));
    }
  }
  if (!fatal.empty()) close_all(fatal);
}

// The exchange, or the resumed stream, that was to bring an answer is over.
void ClientSession::Impl::end_stream_of_request_locked(Stream stream, std::string_view how) {
  const auto found = pending_.find(*stream.request);
  if (found == pending_.end()) return;
  // In the older HTTP transport the answer comes on another stream.
  if (stream.status == kAccepted || stream.status == kNoContent) return;
  const PendingPtr pending = found->second;
  const bool is_worth_it = stream.last_event_id && transport_->is_resumable() &&
                           stream.fruitless_attempts < options_.max_reconnects &&
                           (stream.status == kOk || stream.status == 0);
  if (is_worth_it) return resume_later_locked(std::move(stream));
  ServerAnswer reply;
  reply.http_status = stream.status;
  reply.detail = stream.status == 0 || stream.status == kOk
                     ? fmt::format("no answer came: {}", how)
                     : fmt::format("HTTP status {} instead of an answer", stream.status);
  pending->is_session_gone = stream.has_session && stream.status == kNotFound && !stream.is_get;
  finish_locked(pending, std::move(reply));
}

void ClientSession::Impl::resume_later_locked(Stream stream) {
  if (stream.fruitless_attempts >= options_.max_reconnects) return;
  ++stream.fruitless_attempts;
  const auto delay =
      std::min(stream.retry.value_or(options_.reconnect_delay), options_.max_reconnect_delay);
  worker_.post(
      [this, stream = std::move(stream)] {
        const auto last_event_id = stream.last_event_id;
        {
          const std::lock_guard lock(mutex_);
          if (closed_ || (stream.request && !pending_.contains(*stream.request))) return;
          streams_.expect(stream);
        }
        transport_->resume(last_event_id);
      },
      std::chrono::steady_clock::now() + delay);
}

}  // namespace assay::client
