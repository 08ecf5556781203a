#include "harness/script/http_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/script/handshake_connection.h"
#include "reference/transport/http_sse_client.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using wire::Message;
using wire::MessageKind;

const Message* first_answer(const Message& message) {
  if (message.kind() == MessageKind::kResult || message.kind() == MessageKind::kError) {
    return &message;
  }
  for (const Message& member : message.members()) {
    if (const Message* found = first_answer(member)) return found;
  }
  return nullptr;
}

void take(const EventPtr& event, HttpAnswer& reply) {
  const auto& observation = event->observation;
  reply.events.push_back(event);
  switch (observation.kind) {
    case Kind::kHttpResponse:
      reply.status = observation.http()->status;
      reply.headers = observation.http()->headers;
      break;
    case Kind::kHttpBody:
      reply.body = observation.bytes();
      break;
    case Kind::kSseEvent:
      reply.streamed.push_back(event);
      break;
    case Kind::kClosed:
      reply.is_closed = true;
      break;
    case Kind::kBroken:
    case Kind::kCutOff:
      reply.is_broken = true;
      break;
    case Kind::kLine:
    case Kind::kStderr:
    case Kind::kExit:
    case Kind::kHttpRequest:
      break;
  }
}

}  // namespace

bool HttpAnswer::is_stream() const {
  return is_success() && transport::media_type(headers) == "text/event-stream";
}

const Message* HttpAnswer::answer() const {
  for (const EventPtr& event : events) {
    if (event->is_from_client() || event->message() == nullptr) continue;
    if (const Message* found = first_answer(*event->message())) return found;
  }
  return nullptr;
}

bool HttpAnswer::is_served() const {
  const Message* found = answer();
  return is_success() && found != nullptr && found->kind() == MessageKind::kResult;
}

std::optional<std::string> HttpAnswer::last_event_id() const {
  std::optional<std::string> last;
  for (const EventPtr& event : streamed) {
    const auto& id = event->observation.event()->id;
    if (id && !id->empty() && transport::is_field_value(*id)) last = id;
  }
  return last;
}

std::string HttpAnswer::describe() const {
  if (status == 0) return is_broken ? "the end of the connection" : "silence";
  const Message* found = answer();
  if (found == nullptr) return fmt::format("HTTP {}", status);
  if (found->kind() == MessageKind::kResult) return fmt::format("HTTP {} with a result", status);
  return fmt::format("HTTP {} with error {}", status, found->error_code().value_or(0));
}

bool is_over(const HttpAnswer& reply) {
  return reply.is_closed || reply.is_broken;
}

bool has_begun(const HttpAnswer& reply) {
  return reply.is_stream() || is_over(reply);
}

bool has_answer(const HttpAnswer& reply) {
  return reply.answer() != nullptr || is_over(reply);
}

HttpAnswer look(Connection& connection, transport::Lane lane, std::size_t from) {
  HttpAnswer reply;
  reply.lane = lane;
  for (const EventPtr& event : connection.transcript().events(from)) {
    const bool is_cut_off = event->observation.kind == Kind::kCutOff;
    if (event->observation.lane == lane || is_cut_off) take(event, reply);
  }
  return reply;
}

HttpAnswer follow(Connection& connection, transport::Lane lane, std::size_t from,
                  const HttpCondition& is_enough, std::chrono::milliseconds at_most) {
  HttpAnswer reply;
  reply.lane = lane;
  std::size_t seen = from;
  connection.wait_for(
      from,
      [&](const Event& event) {
        seen = static_cast<std::size_t>(event.n);
        if (event.observation.lane != lane && event.observation.kind != Kind::kCutOff) return false;
        take(connection.transcript().event(seen - 1), reply);
        return is_over(reply) || is_enough(reply);
      },
      std::min(connection.patience().request, at_most));
  return reply;
}

HttpAnswer exchange(Connection& connection, transport::HttpRequest request,
                    std::chrono::milliseconds at_most) {
  const bool is_get = request.method == "GET";
  connection.await_turn();
  const std::size_t from = connection.mark();
  const transport::Lane lane = connection.http() != nullptr
                                   ? connection.http()->start(std::move(request))
                                   : connection.http_sse()->start(std::move(request));
  return follow(connection, lane, from, is_get ? has_begun : has_answer, at_most);
}

const transport::HttpUrl& url_of(Connection& connection) {
  return connection.http() != nullptr ? connection.http()->endpoint()
                                      : connection.http_sse()->url();
}

void abandon(Connection& connection, transport::Lane lane) {
  if (connection.http() != nullptr) {
    connection.http()->abandon(lane);
  } else {
    connection.http_sse()->abandon(lane);
  }
}

HttpAnswer post(Connection& connection, const Json& message, transport::Headers headers,
                std::chrono::milliseconds at_most) {
  transport::HttpRequest request;
  for (auto& field : connection.fields_of(message)) {
    if (!transport::find_header(headers, field.first)) headers.push_back(std::move(field));
  }
  request.headers = std::move(headers);
  request.body = wire::encode(message);
  return exchange(connection, std::move(request), at_most);
}

Json opening_request(Connection& connection) {
  const wire::Id id = connection.next_id();
  return connection.revision().has_handshake()
             ? wire::make_request(id, "initialize", initialize_params(connection.revision()))
             : connection.fence_request(id);
}

HttpAnswer get_stream(Connection& connection, transport::Headers headers) {
  transport::HttpRequest request;
  request.method = "GET";
  request.headers = std::move(headers);
  HttpAnswer reply = exchange(connection, std::move(request));
  if (!is_over(reply)) abandon(connection, reply.lane);
  return reply;
}

HttpAnswer post_probe(Connection& connection, transport::Headers headers) {
  return post(connection, connection.fence_request(connection.next_id()), std::move(headers));
}

HeldStream HeldStream::open(Connection& connection,
                            const std::optional<std::string>& last_event_id) {
  connection.await_turn();
  const std::size_t from = connection.mark();
  return {connection, connection.http()->open_stream(last_event_id), from};
}

HeldStream HeldStream::post(Connection& connection, const Json& message) {
  connection.await_turn();
  const std::size_t from = connection.mark();
  transport::HttpRequest request;
  request.body = wire::encode(message);
  return {connection, connection.http()->start(std::move(request)), from};
}

HttpAnswer HeldStream::abandon() const {
  connection_->http()->abandon(lane_);
  return until(is_over);
}

}  // namespace assay::harness
