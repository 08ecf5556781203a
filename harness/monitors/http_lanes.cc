#include "harness/monitors/http_lanes.h"

#include <algorithm>
#include <functional>

#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using wire::Message;
using wire::MessageKind;

void read_message(const Message& message, HttpLane& lane) {
  if (message.kind() == MessageKind::kRequest) {
    lane.request_ids.push_back(*message.id());
    if (message.method() == "initialize") lane.is_initialize = true;
  }
  for (const Message& member : message.members()) read_message(member, lane);
}

bool is_without_request(const Message& message) {
  switch (message.kind()) {
    case MessageKind::kNotification:
    case MessageKind::kResult:
    case MessageKind::kError:
      return true;
    case MessageKind::kBatch:
      return !message.members().empty() &&
             std::all_of(message.members().begin(), message.members().end(), is_without_request);
    case MessageKind::kRequest:
    case MessageKind::kMalformed:
      return false;
  }
  return false;
}

HttpLane begun_by(const EventPtr& request) {
  HttpLane lane;
  lane.request = request;
  if (const Message* message = request->message()) {
    read_message(*message, lane);
    lane.has_no_request = is_without_request(*message);
  }
  const auto resumes =
      transport::find_header(request->observation.http()->headers, "Last-Event-ID");
  if (lane.is_get() && resumes) lane.resumes = std::string(*resumes);
  return lane;
}

}  // namespace

bool HttpLane::is_stream() const {
  return is_success() &&
         transport::media_type(response->observation.http()->headers) == "text/event-stream";
}

bool HttpLane::is_closed_by_server() const {
  return end && end->observation.kind == Kind::kClosed && end->is_from_server();
}

std::optional<std::string_view> HttpLane::sent_header(std::string_view name) const {
  return transport::find_header(request->observation.http()->headers, name);
}

HttpLane* HttpLanes::find(transport::Lane lane) {
  const auto found = lanes_.find(lane);
  return found == lanes_.end() ? nullptr : &found->second;
}

HttpLane* HttpLanes::note(const EventPtr& event) {
  const auto& observation = event->observation;
  if (observation.lane.kind != transport::Lane::Kind::kHttp) return nullptr;
  if (observation.kind == Kind::kHttpRequest) {
    return &lanes_.insert_or_assign(observation.lane, begun_by(event)).first->second;
  }
  HttpLane* lane = find(observation.lane);
  if (lane == nullptr) return nullptr;
  if (observation.kind == Kind::kHttpResponse) lane->response = event;
  if (observation.kind == Kind::kClosed || observation.kind == Kind::kBroken) lane->end = event;
  return lane;
}

bool is_of_one_client(const Event& event) {
  if (event.observation.lane.kind != transport::Lane::Kind::kHttp) return true;
  const transport::HttpHead* head = event.observation.http();
  return head != nullptr && transport::find_header(head->headers, "Mcp-Session-Id").has_value();
}

bool is_response(const Message& message) {
  return message.kind() == MessageKind::kResult || message.kind() == MessageKind::kError;
}

void collect_answers(const Message& message, std::set<wire::Id>& ids) {
  for (const Message& member : message.members()) collect_answers(member, ids);
  if (is_response(message) && message.id()) ids.insert(*message.id());
}

bool RepeatedMessages::note(const Event& event) {
  const auto& observation = event.observation;
  const Message* message = event.message();
  if (event.is_from_client() || message == nullptr) return false;
  if (observation.lane.kind != transport::Lane::Kind::kHttp) return false;
  const std::size_t hash = std::hash<std::string_view>{}(message->bytes());
  bool is_replay = false;
  if (observation.event() && observation.event()->id && !observation.event()->id->empty()) {
    const auto [found, is_new] = events_.try_emplace(*observation.event()->id, hash);
    is_replay = !is_new && found->second == hash;
  }
  if (!message->id() || message->id()->kind() == wire::Id::Kind::kNull) return is_replay;
  const auto [found, is_new] = messages_with_ids_.try_emplace(hash, observation.lane);
  return is_replay || (!is_new && found->second != observation.lane);
}

}  // namespace assay::harness
