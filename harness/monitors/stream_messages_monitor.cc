// Judges which messages of its own a server puts on which event stream: answers aside, which are
// sse_stream_monitor.cc's matter.
//
// Specification: basic/transports, "Sending Messages to the Server", "Listening for Messages from
// the Server", "Multiple Connections".
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using transport::Lane;
using wire::Id;
using wire::Message;
using wire::MessageKind;

// Where a request of the server's was seen first.
struct Sender {
  Lane lane;
  std::string text;
  EventPtr event;
};

class StreamMessagesMonitor : public Monitor {
 public:
  std::string_view name() const override { return "stream_messages_monitor"; }
  std::vector<catalogue::RequirementId> server_requirements() const override {
    return {"http.stream-messages-batched", "http.stream-messages-before-response",
            "http.get-stream-messages",     "http.get-stream-unrelated",
            "http.stream-messages-relate",  "http.message-on-one-stream",
            "http.message-not-broadcast"};
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }

  void on_event(const EventPtr& event, const SessionView& session, Judge& judge) override {
    if (!session.transport().is_streamable_http()) return;
    const HttpLane* lane = lanes_.note(event);
    if (lane == nullptr) return;
    const Lane number = event->observation.lane;
    if (event->observation.kind == Kind::kHttpRequest) {
      if (const Message* message = lane->request->message()) note_tokens(number, *message);
    }
    if (event->observation.kind == Kind::kSseEvent) take_event(number, *lane, event, judge);
    if (event->is_from_server() && event->message() != nullptr) {
      collect_answers(*event->message(), answered_);
    }
  }

  void on_end(const SessionView& /*session*/, Judge& judge) override {
    if (!concurrent_) return;
    judge.held("http.message-on-one-stream", concurrent_);
    judge.held("http.message-not-broadcast", concurrent_);
  }

 private:
  void take_event(Lane number, const HttpLane& lane, const EventPtr& event, Judge& judge) {
    const auto& id = event->observation.event()->id;
    const bool is_known = id && !id->empty() && !event_ids_.insert(*id).second;
    if (event->message() == nullptr) return;
    // What a client that resumes has had before is replayed to it, and judged no second time.
    if (!(is_known && lane.resumes)) {
      judge_message(number, lane, *event->message(), event, judge);
    }
    note_concurrency(event);
  }

  void judge_message(Lane number, const HttpLane& lane, const Message& message,
                     const EventPtr& event, Judge& judge) {
    if (message.kind() == MessageKind::kBatch) {
      const auto& members = message.members();
      if (std::none_of(members.begin(), members.end(), is_response)) {
        judge.held("http.stream-messages-batched", event);
      }
      for (const Message& member : members) judge_message(number, lane, member, event, judge);
    } else if (!is_response(message) && message.kind() != MessageKind::kMalformed) {
      judge_unasked(number, lane, message, event, judge);
    }
  }

  void note_tokens(Lane number, const Message& message) {
    for (const Message& member : message.members()) note_tokens(number, member);
    if (message.kind() != MessageKind::kRequest || !message.has_params()) return;
    const Json token =
        message.params().is_object()
            ? message.params().value(Json::json_pointer("/_meta/progressToken"), Json())
            : Json();
    if (token.is_null()) return;
    const auto [found, is_new] = tokens_.try_emplace(wire::encode(token), number);
    if (!is_new) found->second = std::nullopt;
  }

  void judge_unasked(Lane number, const HttpLane& lane, const Message& message,
                     const EventPtr& event, Judge& judge) {
    if (lane.is_post()) judge.held("http.stream-messages-before-response", event);
    if (lane.is_get() && !lane.resumes) judge.held("http.get-stream-messages", event);
    judge_copy(number, lane, message, event, judge);
    if (!lane.resumes) judge_relation(lane, message, event, judge);
  }

  // The same request of the server on two streams that are open. Notifications may well be equal
  // and yet be two.
  void judge_copy(Lane number, const HttpLane& lane, const Message& message, const EventPtr& event,
                  Judge& judge) {
    if (message.kind() != MessageKind::kRequest || lane.resumes) return;
    const std::string text = wire::encode(message.json());
    const auto [found, is_new] =
        server_requests_.try_emplace(*message.id(), Sender{number, text, event});
    if (is_new || found->second.lane == number || found->second.text != text) return;
    const HttpLane* other = lanes_.find(found->second.lane);
    if (other == nullptr || other->end) return;
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("http.message-on-one-stream"),
          catalogue::RequirementId("http.message-not-broadcast")}) {
      judge.broke(rule, "the same request came on two streams", {found->second.event, event});
    }
  }

  // Only of progress can a stranger tell which request it belongs to.
  void judge_relation(const HttpLane& lane, const Message& message, const EventPtr& event,
                      Judge& judge) {
    if (message.method() != "notifications/progress") {
      const bool is_unrelated = message.method().ends_with("/list_changed");
      if (lane.is_get() && is_unrelated) judge.held("http.get-stream-unrelated", event);
      return;
    }
    const Json token = message.has_params() && message.params().is_object()
                           ? message.params().value("progressToken", Json())
                           : Json();
    const auto owner = tokens_.find(wire::encode(token));
    if (owner == tokens_.end() || !owner->second) return;
    if (lane.is_post() && *owner->second == event->observation.lane) {
      judge.held("http.stream-messages-relate", event);
      return;
    }
    const HttpLane* request = lanes_.find(*owner->second);
    if (request == nullptr || !is_under_way(*request)) return;
    if (lane.is_post()) {
      judge.broke("http.stream-messages-relate",
                  "progress of one request came on the stream of another",
                  {request->request, lane.request, event});
    } else {
      judge.broke("http.get-stream-unrelated",
                  "progress of a request that is under way came on a stream opened with GET",
                  {request->request, event});
    }
  }

  bool is_under_way(const HttpLane& lane) const {
    return std::any_of(lane.request_ids.begin(), lane.request_ids.end(),
                       [&](const Id& id) { return !answered_.contains(id); });
  }

  // A message came while two streams were open: it could have gone to both.
  void note_concurrency(const EventPtr& event) {
    const auto open = std::count_if(
        lanes_.all().begin(), lanes_.all().end(),
        [](const auto& entry) { return entry.second.is_stream() && !entry.second.end; });
    if (open >= 2) concurrent_ = event;
  }

  HttpLanes lanes_;
  std::set<std::string> event_ids_;
  std::map<std::string, std::optional<Lane>> tokens_;  // none: of several requests
  std::map<Id, Sender> server_requests_;
  std::set<Id> answered_;
  EventPtr concurrent_;  // a message that came while two streams were open
};

const MonitorRegistration<StreamMessagesMonitor> kStreamMessagesMonitorRegistration;

}  // namespace
}  // namespace assay::harness
