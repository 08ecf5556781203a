// Judges event streams: what begins them, how they are told apart and taken up again, which of them
// carries an answer, how they end. What else they carry is stream_messages_monitor.cc's matter.
//
// Specification: basic/transports, "Sending Messages to the Server", "Listening for Messages from
// the Server", "Multiple Connections", "Resumability and Redelivery".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "reference/wire/message.h"
#include "reference/wire/peer_json.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using transport::Lane;
using wire::Id;
using wire::Message;
using wire::MessageKind;

// A stream as it is known over all the connections that have carried it.
struct Stream {
  std::set<Id> open;  // requests of its POST that it has not answered yet
  bool is_post = false;
  bool is_begun = false;   // an event that means something has come
  bool has_ids = false;    // there is an event to resume from
  bool has_retry = false;  // on the latest connection
  bool has_messages = false;
  // The connection that the server closed while the stream went on, for as long as that is not
  // judged, and whether it had said when to come back.
  const HttpLane* left = nullptr;
  bool has_left_retry = false;
  Lane latest;  // the connection that carries it
};

// Where something was seen first.
struct Origin {
  Lane root;
  std::string text;  // of a message
  EventPtr event;
};

class SseStreamMonitor : public Monitor {
 public:
  std::string_view name() const override { return "sse_stream_monitor"; }
  std::vector<catalogue::RequirementId> server_requirements() const override {
    return {"http.stream-primed",
            "http.stream-polling",
            "http.retry-before-close",
            "http.stream-response",
            "http.stream-not-closed-early",
            "http.stream-closed-after-response",
            "http.stream-responses-batched",
            "http.stream-ends-with-session",
            "http.stream-resumable",
            "http.get-stream-no-response",
            "http.get-stream-server-closes",
            "http.event-id",
            "http.event-id-unique",
            "http.resume-replays",
            "http.resume-own-stream-only"};
  }

  void on_event(const EventPtr& event, const SessionView& session, Judge& judge) override {
    if (!session.transport().is_streamable_http()) return;
    HttpLane* lane = lanes_.note(event);
    if (lane == nullptr) return;
    const Lane number = event->observation.lane;
    if (event->observation.kind == Kind::kHttpRequest) begin(number, *lane);
    if (event->observation.kind == Kind::kHttpResponse && lane->is_stream()) {
      take_up(number, *lane);
    }
    if (event->observation.kind == Kind::kSseEvent) take_event(number, *lane, event, judge);
    if (event->observation.kind == Kind::kClosed && lane->is_stream()) {
      close(number, *lane, judge);
    }
    if (lane->method() == "DELETE" && lane->is_success()) is_session_over_ = true;
    if (event->is_from_server() && event->message() != nullptr) {
      collect_answers(*event->message(), answered_);
      judge_elsewhere(*lane, event, judge);
    }
  }

  void on_end(const SessionView& session, Judge& judge) override {
    for (const auto& [root, stream] : streams_) {
      if (stream.is_post) judge_answered(root, stream, session, judge);
    }
  }

 private:
  // The stream that a lane carries: the one that its own POST or GET opened, or the resumed one.
  Lane root_of(Lane lane) const {
    const auto found = roots_.find(lane);
    return found == roots_.end() ? lane : found->second;
  }

  void begin(Lane number, const HttpLane& lane) {
    for (const Id& id : lane.request_ids) asked_on_[id] = number;
    if (!lane.resumes) return;
    const auto origin = event_ids_.find(*lane.resumes);
    if (origin != event_ids_.end()) roots_[number] = origin->second.root;
  }

  // A stream has been opened, or taken up again.
  void take_up(Lane number, const HttpLane& lane) {
    if (!lane.resumes) {
      Stream& stream = streams_[number];
      stream.is_post = lane.is_post();
      stream.open.insert(lane.request_ids.begin(), lane.request_ids.end());
      stream.latest = number;
      return;
    }
    const auto found = streams_.find(root_of(number));
    if (found == streams_.end()) return;
    Stream& stream = found->second;
    const HttpLane* before = lanes_.find(stream.latest);
    const bool is_polled = before != nullptr && before->is_closed_by_server() &&
                           (!stream.is_post || !stream.open.empty());
    stream.left = is_polled ? before : nullptr;
    stream.has_left_retry = stream.has_retry;
    stream.latest = number;
    stream.has_retry = false;
  }

  // The server had closed the connection, and the stream goes on: it had not ended.
  static void judge_polling(Stream& stream, const HttpLane& lane, Judge& judge) {
    const HttpLane& before = *std::exchange(stream.left, nullptr);
    if (!stream.is_post) return;
    judge.held("http.stream-polling", before.end);
    const catalogue::RequirementId rule("http.retry-before-close");
    if (stream.has_left_retry) {
      judge.held(rule, before.end);
    } else {
      judge.broke(
          rule,
          "the server closed the connection before the stream had ended, and sent no retry field",
          {before.request, before.end, lane.request});
    }
  }

  void take_event(Lane number, const HttpLane& lane, const EventPtr& event, Judge& judge) {
    const wire::SseEvent& sse = *event->observation.event();
    const Lane root = root_of(number);
    Stream* stream = nullptr;
    if (const auto found = streams_.find(root); found != streams_.end()) stream = &found->second;
    if (stream != nullptr) {
      if (!stream->is_begun && (sse.id || sse.has_data)) {
        stream->is_begun = true;
        // Without the header a server may take the request for one of 2025-03-26.
        const bool has_version = lane.sent_header("MCP-Protocol-Version").has_value();
        if (lane.is_post() && has_version) judge_priming(sse, event, judge);
      }
      stream->has_retry = stream->has_retry || sse.retry;
      stream->has_ids = stream->has_ids || (sse.id && !sse.id->empty());
    }
    const bool is_known = sse.id && !sse.id->empty() && take_id(root, lane, event, judge);
    if (event->message() == nullptr) return;
    if (!is_known && stream != nullptr && stream->left != nullptr) {
      judge_polling(*stream, lane, judge);
    }
    if (!is_known) judge_place(number, lane, *event->message(), event, judge);
    if (stream != nullptr) stream->has_messages = true;
    if (lane.resumes) judge.held("http.stream-resumable", event);
  }

  // A response, or a message of the server's own, came where it belongs while a stream was open
  // that was opened with GET: the response could have gone there, and did not.
  void judge_elsewhere(const HttpLane& lane, const EventPtr& event, Judge& judge) {
    const bool is_message = event->message()->kind() == MessageKind::kRequest ||
                            event->message()->kind() == MessageKind::kNotification;
    const bool is_tempting = lane.is_post() && is_response(*event->message());
    if (!is_tempting && !(is_message && lane.is_get())) return;
    const bool has_get =
        std::any_of(lanes_.all().begin(), lanes_.all().end(), [](const auto& entry) {
          const HttpLane& other = entry.second;
          return other.is_get() && !other.resumes && other.is_stream() && !other.end;
        });
    if (has_get) judge.held("http.get-stream-no-response", event);
  }

  static void judge_priming(const wire::SseEvent& sse, const EventPtr& event, Judge& judge) {
    const bool is_primed = sse.id && !sse.id->empty() && sse.data.empty();
    judge.check("http.stream-primed", is_primed,
                "the stream does not begin with an event that has an id and empty data", event);
  }

  // Whether data on a resumed stream can be those of the earlier event of the same id. A priming
  // event may come back in another form, and a message in other text that says the same.
  static bool may_be_replayed(const Origin& origin, Lane root, const std::string& data) {
    if (origin.text.empty() || origin.text == data) return true;
    if (origin.root != root) return false;
    return data.empty() || wire::parse_of_peer(origin.text) == wire::parse_of_peer(data);
  }

  // Judges the id of an event. True if the event had been sent before, and is replayed.
  bool take_id(Lane root, const HttpLane& lane, const EventPtr& event, Judge& judge) {
    const wire::SseEvent& sse = *event->observation.event();
    judge.held("http.event-id", event);
    if (is_session_over_) return false;  // what is served now is served for another session
    const auto [found, is_new] = event_ids_.try_emplace(*sse.id, Origin{root, sse.data, event});
    if (is_new) {
      judge.held("http.event-id-unique", event);
      return false;
    }
    Origin& origin = found->second;
    if (lane.resumes && may_be_replayed(origin, root, sse.data)) {
      if (origin.text.empty()) origin.text = sse.data;
      const bool is_known = roots_.contains(event->observation.lane) && !has_repeated_ids_;
      if (is_known && origin.root != root && !origin.text.empty()) {
        judge.broke("http.resume-own-stream-only",
                    "a client that resumed one stream was sent an event of another",
                    {origin.event, lane.request, event});
      }
      return true;
    }
    has_repeated_ids_ = true;
    judge.broke("http.event-id-unique",
                fmt::format("the event id {} was already used for another event",
                            Json(*sse.id).dump(-1, ' ', false, Json::error_handler_t::replace)),
                {origin.event, event});
    return false;
  }

  // Judges the answers among what came.
  void judge_place(Lane number, const HttpLane& lane, const Message& message, const EventPtr& event,
                   Judge& judge) {
    if (message.kind() == MessageKind::kBatch) {
      const bool has_answers =
          std::any_of(message.members().begin(), message.members().end(),
                      [](const Message& member) { return is_response(member); });
      if (has_answers) judge.held("http.stream-responses-batched", event);
      for (const Message& member : message.members()) {
        judge_place(number, lane, member, event, judge);
      }
    } else if (is_response(message)) {
      judge_answer(number, lane, message, event, judge);
    }
  }

  void judge_answer(Lane number, const HttpLane& lane, const Message& message,
                    const EventPtr& event, Judge& judge) {
    const Lane root = root_of(number);
    if (lane.is_get() && !lane.resumes) {
      judge.broke("http.get-stream-no-response",
                  "a response came on a stream that was opened with GET", {lane.request, event});
    }
    if (!message.id()) return;
    const auto asked = asked_on_.find(*message.id());
    const bool is_resumed = lane.resumes && roots_.contains(number) && !has_repeated_ids_;
    if (is_resumed && asked != asked_on_.end()) {
      judge_replay(root, asked->second, lane, event, judge);
    }
    if (const auto stream = streams_.find(root); stream != streams_.end()) {
      stream->second.open.erase(*message.id());
    }
  }

  // A response on a resumed stream: it must be that stream's own.
  void judge_replay(Lane root, Lane asked, const HttpLane& lane, const EventPtr& event,
                    Judge& judge) {
    if (asked == root) {
      judge.held("http.resume-replays", event);
      const bool has_others = std::any_of(streams_.begin(), streams_.end(), [&](const auto& entry) {
        return entry.first != root && entry.second.has_messages;
      });
      if (has_others) judge.held("http.resume-own-stream-only", event);
      return;
    }
    const HttpLane* other = lanes_.find(asked);
    judge.broke("http.resume-own-stream-only",
                "a client that resumed one stream was sent the response of another",
                {other != nullptr ? other->request : nullptr, lane.request, event});
  }

  void close(Lane number, const HttpLane& lane, Judge& judge) {
    if (!lane.is_closed_by_server()) return;
    const auto stream = streams_.find(root_of(number));
    if (stream == streams_.end()) return;
    if (!stream->second.is_post) {
      judge.held("http.get-stream-server-closes", lane.end);
    } else if (stream->second.open.empty()) {
      judge.held("http.stream-closed-after-response", lane.end);
    } else if (is_session_over_) {
      judge.held("http.stream-ends-with-session", lane.end);
    }
  }

  // What became of the requests that a stream is to answer.
  void judge_answered(Lane root, const Stream& stream, const SessionView& session, Judge& judge) {
    const HttpLane& lane = *lanes_.find(root);
    if (stream.open.empty()) {
      judge.held("http.stream-response", lane.request);
      judge.held("http.stream-not-closed-early", lane.request);
      return;
    }
    const HttpLane* latest = lanes_.find(stream.latest);
    if (is_session_over_ || latest == nullptr || !latest->is_closed_by_server()) return;
    for (const Id& id : stream.open) {
      const Exchange* exchange = session.exchange(id, Party::kClient);
      const bool is_cancelled = exchange != nullptr && exchange->cancelled;
      // What was answered elsewhere breaks the rule that says where answers go.
      if (is_cancelled || answered_.contains(id)) return;
    }
    const catalogue::RequirementId rule =
        session.revision().has_sse_polling()
            ? catalogue::RequirementId("http.stream-response")
            : catalogue::RequirementId("http.stream-not-closed-early");
    const std::vector<EventPtr> events = {lane.request, latest->end};
    if (stream.has_ids || stream.has_retry) {
      judge.unclear(rule, "the connection was closed before the response, and the stream may go on",
                    events);
    } else {
      judge.broke(rule, "the stream was closed before it held the response", events);
    }
  }

  HttpLanes lanes_;
  std::map<Lane, Stream> streams_;  // by the lane that opened each
  std::map<Lane, Lane> roots_;      // of lanes that resume a stream that we know
  std::map<std::string, Origin> event_ids_;
  std::map<Id, Lane> asked_on_;
  std::set<Id> answered_;
  bool is_session_over_ = false;
  bool has_repeated_ids_ = false;  // ids do not tell streams apart
};

const MonitorRegistration<SseStreamMonitor> kSseStreamMonitorRegistration;

}  // namespace
}  // namespace assay::harness
