#include "harness/script/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/script/abandoned.h"
#include "harness/script/answers.h"
#include "harness/script/capability.h"
#include "harness/script/handshake_connection.h"
#include "harness/script/pace.h"
#include "harness/script/polite_client.h"
#include "harness/script/stateless_connection.h"
#include "reference/model/validate.h"
#include "reference/transport/http_client.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using wire::Message;
using wire::MessageKind;

// How long we wait for an orderly end after Ctrl-C.
constexpr std::chrono::milliseconds kStoppedClose{1000};

bool is_end_of(const Transcript& transcript, const Event& event) {
  const EventPtr end = transcript.end();
  return end && end->n <= event.n;
}

bool ends_lane(const Event& event, const transport::Lane& lane) {
  const auto& observation = event.observation;
  if (observation.kind == Kind::kCutOff) return true;
  return observation.lane == lane && lane.kind == transport::Lane::Kind::kHttp &&
         (observation.kind == Kind::kClosed || observation.kind == Kind::kBroken);
}

// An answer without an end in sight: that of a notification may be left open.
bool begins_stream(const Event& event, const transport::Lane& lane) {
  const auto& observation = event.observation;
  return observation.lane == lane && observation.kind == Kind::kHttpResponse &&
         observation.http() &&
         transport::media_type(observation.http()->headers) == "text/event-stream";
}

// Over the older HTTP pair answers come on the stream, which is the first exchange; the POST that
// carries a request ends as soon as it is accepted.
constexpr transport::Lane kHttpSseStream{transport::Lane::Kind::kHttp, 1};

}  // namespace

std::string late_start(model::Revision revision, const Patience& patience) {
  return fmt::format(
      "the server did not answer {} within {} s; --timeout lets it take longer, --jobs "
      "has fewer sessions begin at once",
      revision.has_handshake() ? "initialize" : "server/discover",
      std::chrono::duration<double>(patience.start).count());
}

std::unique_ptr<Connection> connect(const TargetAccess& access, model::Revision revision,
                                    Patience patience, std::stop_token stop) {
  if (revision.is_stateless()) {
    return std::make_unique<StatelessConnection>(access, revision, patience, std::move(stop));
  }
  return std::make_unique<HandshakeConnection>(access, revision, patience, std::move(stop));
}

Connection::Connection(const TargetAccess& access, model::Revision revision, Patience patience,
                       std::stop_token stop)
    : Conversation(
          Party::kClient, revision, patience, std::move(stop),
          std::make_shared<Transcript>(access.secret_headers, access.vault, access.budget)),
      kind_(access.kind),
      budget_(access.budget),
      pace_(access.pace),
      link_(access.connect(transcript())),
      handlers_(polite_handlers(revision)) {}

Connection::~Connection() {
  close();
}

std::optional<transport::Failure> Connection::open() {
  // To start a child takes no time; a host that does not answer does.
  if (kind_.has_process()) return link_.transport->open();
  const std::stop_callback give_up(stop(), [this] { link_.transport->close(Clock::now()); });
  return link_.transport->open();
}

void Connection::close() {
  if (std::exchange(is_closed_, true)) return;
  const bool is_stopped = stop().stop_requested();
  if (!is_stopped && pace_ && pace_->is_limited()) end_sessions();
  link_.transport->close(
      Clock::now() + (is_stopped ? std::min(patience().close, kStoppedClose) : patience().close));
}

void Connection::end_sessions() {
  if (link_.http == nullptr) return;
  try {
    const std::size_t from = mark();
    for (const transport::Lane& lane : link_.http->end_all_sessions()) {
      wait_for(
          from, [&](const Event& event) { return ends_lane(event, lane); }, patience().close);
    }
  } catch (const Abandoned&) {
    // The run was stopped.
  }
}

Reply Connection::request(std::string_view method, Json params) {
  return request_with_id(next_id(), method, std::move(params));
}

Reply Connection::request_with_id(const wire::Id& id, std::string_view method, Json params) {
  return completed(method, params,
                   ask_patiently(start_with_id(id, method, params), method, params));
}

EventPtr Connection::error_without_id(std::size_t from) const {
  EventPtr found;
  for (const EventPtr& event : shared_transcript()->events(from)) {
    if (event->is_from_client() || event->message() == nullptr) continue;
    if (has_null_id(*event->message())) found = event;
  }
  return found;
}

Pending Connection::start(std::string_view method, Json params) {
  return start_with_id(next_id(), method, std::move(params));
}

Pending Connection::start_with_id(const wire::Id& id, std::string_view method, Json params) {
  const Json message = wire::make_request(id, method, prepared(method, std::move(params)));
  check_own(message);
  return send_request(id, message);
}

Json Connection::fence_request(const wire::Id& id) const {
  return wire::make_request(id, fence_method(), prepared(fence_method(), nullptr));
}

Pending Connection::start_as_is(const Json& request) {
  const auto id = request.find("id");
  return send_request(wire::Id::from_json_text(id == request.end() ? "null" : id->dump()), request);
}

Pending Connection::start_out_of_turn(std::string_view method, Json params) {
  const wire::Id id = next_id();
  const Json message = wire::make_request(id, method, prepared(method, std::move(params)));
  check_own(message);
  Pending pending = send_now(id, message);
  pending.is_paced = false;
  return pending;
}

Pending Connection::send_request(const wire::Id& id, const Json& message) {
  await_turn();
  return send_now(id, message);
}

Pending Connection::send_now(const wire::Id& id, const Json& message) {
  await_arrivals();
  const std::size_t from = mark();
  const auto lane = transmit(message);
  return {id, lane, find_sent(from), from};
}

transport::Lane Connection::transmit(const Json& message) {
  return link_.transport->send(wire::encode(message));
}

void Connection::notify(std::string_view method, Json params) {
  const Json message = wire::make_notification(method, prepared(method, std::move(params)));
  check_own(message);
  await_turn();
  const std::size_t from = mark();
  note_sent(transmit(message), from);
}

void Connection::note_sent(const transport::Lane& lane, std::size_t from, bool may_be_answered) {
  if (lane.kind != transport::Lane::Kind::kHttp) return;
  under_way_.push_back({lane, from, may_be_answered});
}

void Connection::await_arrivals() {
  while (!under_way_.empty()) {
    const UnderWay next = under_way_.front();
    under_way_.erase(under_way_.begin());
    wait_for(
        next.from,
        [&](const Event& event) {
          return is_end_of(*shared_transcript(), event) || ends_lane(event, next.lane) ||
                 (begins_stream(event, next.lane) && !next.may_be_answered);
        },
        patience().request);
  }
}

void Connection::check_own(const Json& message) const {
  if (malformed_on_purpose_ > 0) return;
  for (const model::Deviation& deviation :
       model::validate_message(revision(), model::Direction::kClientToServer, message)) {
    if (deviation.strength != model::Strength::kMust) continue;
    const std::string text = fmt::format(
        "harness error, unless the target gave the value: a {} of the suite would break the schema "
        "and was not sent: {}",
        message.value("method", "message"), model::to_text(deviation));
    fmt::print(stderr, "mcp-assay: {}\n", text);
    throw Abandoned(text);
  }
}

Pending Connection::send_raw(std::string_view bytes, std::optional<wire::Id> expected_id) {
  await_turn();
  const std::size_t from = mark();
  const auto lane = link_.transport->send_raw(bytes);
  note_sent(lane, from, true);
  is_within_line_ = kind_.has_lines() && !bytes.ends_with('\n');
  while (!is_within_line_ && !waiting_answers_.empty()) {
    send_answer(std::exchange(waiting_answers_.front(), ""));
    waiting_answers_.erase(waiting_answers_.begin());
  }
  return {expected_id.value_or(wire::Id::from_json_text("null")), lane, find_sent(from), from};
}

Pending Connection::send_line(std::string_view bytes, std::optional<wire::Id> expected_id) {
  std::string line(bytes);
  if (kind_.has_lines()) line += '\n';
  return send_raw(line, std::move(expected_id));
}

// What was sent last is observed before send() returns, or (over HTTP) a moment later on the thread
// that sends it; evidence then begins with the answer.
EventPtr Connection::find_sent(std::size_t from) const {
  EventPtr event = shared_transcript()->event(from);
  while (event && event->is_from_server()) event = shared_transcript()->event(++from);
  return event;
}

bool Connection::listen() {
  // Without sessions, what relates to no request comes on the stream of one that asks for it.
  if (!link_.transport->is_resumable() || revision().is_stateless()) return true;
  const std::size_t from = mark();
  const transport::Lane lane = link_.transport->resume(std::nullopt);
  const EventPtr event = wait_for(
      from,
      [&](const Event& candidate) {
        const bool is_head = candidate.observation.kind == Kind::kHttpResponse;
        return candidate.observation.lane == lane && (is_head || ends_lane(candidate, lane));
      },
      patience().request);
  return event && event->observation.kind == Kind::kHttpResponse &&
         event->observation.http()->status == 200;
}

Reply Connection::await(const Pending& pending) {
  return await(pending, may_be_starting() ? patience().start : patience().request);
}

bool Connection::may_be_starting() const {
  if (!kind_.has_process()) return false;
  const auto events = shared_transcript()->events();
  return std::none_of(events.begin(), events.end(), [](const EventPtr& event) {
    return event->is_from_server() && event->message() != nullptr;
  });
}

Reply Connection::await_before_fence(const Pending& pending) {
  if (kind_.answers_in_exchanges()) return await(pending);
  if (const auto reply = poll(pending)) return *reply;
  const Pending fence = start_fence();
  wait_for(
      pending.from,
      [&](const Event& event) { return settles(pending, event) || settles(fence, event); },
      patience().request);
  return await(pending, patience().grace);
}

bool Connection::settles(const Pending& pending, const Event& event) const {
  if (is_end_of(*shared_transcript(), event)) return true;
  if (kind_.is_http_sse()) {
    if (ends_lane(event, kHttpSseStream)) return true;
    const auto& observation = event.observation;
    if (observation.kind == Kind::kBroken && observation.lane == pending.lane) return true;
    if (observation.kind == Kind::kHttpResponse && observation.lane == pending.lane) {
      return observation.http()->status >= 300;
    }
  } else if (ends_lane(event, pending.lane)) {
    return true;
  }
  if (event.is_from_client() || event.message() == nullptr) return false;
  const Message& message = *event.message();
  if (find_answer(pending.id, message) != nullptr) return true;
  if (!has_null_id(message)) return false;
  if (kind_.has_order()) {
    return is_only_open(*shared_transcript(), pending.sent, event);
  }
  return event.observation.lane == pending.lane;
}

Reply Connection::await(const Pending& pending, std::chrono::milliseconds patience) {
  const EventPtr event = wait_for(
      pending.from, [&](const Event& candidate) { return settles(pending, candidate); }, patience);
  Reply reply = reply_from(pending, event ? event : shared_transcript()->end());
  note_pace(pending, reply);
  return reply;
}

std::optional<Reply> Connection::poll(const Pending& pending) {
  attend_to_all(Clock::now() + patience().request);
  for (const EventPtr& event : shared_transcript()->events(pending.from)) {
    if (settles(pending, *event)) return reply_from(pending, event);
  }
  return std::nullopt;
}

Reply Connection::reply_from(const Pending& pending, const EventPtr& event) const {
  std::vector<EventPtr> events;
  EventPtr sent = pending.sent;
  int http_status = 0;
  const bool has_own_lane = pending.lane.kind == transport::Lane::Kind::kHttp;
  for (std::size_t i = pending.from; has_own_lane; ++i) {
    const EventPtr earlier = shared_transcript()->event(i);
    if (!earlier || (event && earlier->n > event->n)) break;
    const auto& observation = earlier->observation;
    if (observation.lane != pending.lane) continue;
    if (observation.kind == Kind::kHttpRequest) sent = earlier;
    if (observation.kind == Kind::kHttpResponse && observation.http()) {
      http_status = observation.http()->status;
    }
  }
  if (sent) events.push_back(sent);
  if (!event) return Reply(Reply::Kind::kSilence, std::move(events), nullptr, http_status);
  events.push_back(event);
  if (event->message() != nullptr && event->is_from_server()) {
    const Message* answer = find_answer(pending.id, *event->message());
    if (answer == nullptr && has_null_id(*event->message())) answer = event->message();
    if (answer != nullptr) {
      const auto kind = answer->kind() == MessageKind::kError || answer->json().contains("error")
                            ? Reply::Kind::kError
                            : Reply::Kind::kResult;
      return Reply(kind, std::move(events), std::make_shared<const wire::Message>(*answer),
                   http_status);
    }
  }
  const auto kind = event->observation.kind == Kind::kCutOff ? Reply::Kind::kCutOff
                    : http_status != 0                       ? Reply::Kind::kRefused
                                                             : Reply::Kind::kGone;
  return Reply(kind, std::move(events), nullptr, http_status);
}

bool Connection::has_capability(std::string_view path) const {
  return declares(server_, path);
}

void Connection::restore_handlers() {
  handlers_ = polite_handlers(revision());
}

void Connection::on_request(std::string method, RequestHandler handler) {
  if (!handler) {
    const auto polite = polite_handlers(revision());
    if (const auto found = polite.find(method); found != polite.end()) handler = found->second;
  }
  if (handler) {
    handlers_[std::move(method)] = std::move(handler);
  } else {
    handlers_.erase(method);
  }
}

void Connection::respond(const wire::Id& id, Json result) {
  send_answer(wire::encode_result(id, result));
}

Answer Connection::answer_to(std::string_view method, const Json& params) const {
  const auto handler = handlers_.find(method);
  if (handler == handlers_.end()) return RefusedRequest{wire::kMethodNotFound, "Method not found"};
  return handler->second(params);
}

void Connection::send_answer(const std::string& bytes) {
  if (is_within_line_) {
    waiting_answers_.push_back(bytes);
    return;
  }
  const std::size_t from = mark();
  note_sent(link_.transport->send(bytes), from);
}

}  // namespace assay::harness
