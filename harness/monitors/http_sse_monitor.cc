// Judges the older pair of HTTP endpoints: a stream that names where messages are POSTed.
//
// Specification: 2024-11-05, basic/transports, "HTTP with SSE".
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <variant>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

class HttpSseMonitor : public Monitor {
 public:
  std::string_view name() const override { return "http_sse_monitor"; }
  std::vector<catalogue::RequirementId> server_requirements() const override {
    return {"http-sse.endpoint-event", "http-sse.post-endpoint", "http-sse.sse-endpoint",
            "http-sse.message-events"};
  }

  void on_event(const EventPtr& event, const SessionView& session, Judge& judge) override {
    if (!session.transport().is_http_sse()) return;
    const HttpLane* lane = lanes_.note(event);
    if (lane == nullptr) return;
    if (event->observation.kind == Kind::kHttpResponse && lane->is_post()) {
      judge_post(*lane, judge);
    } else if (event->observation.kind == Kind::kHttpBody && lane->is_post()) {
      take_posted(*lane, event);
    } else if (event->observation.kind == Kind::kSseEvent && lane->is_get()) {
      take_event(event, judge);
    } else if (event->observation.kind == Kind::kHttpBody && lane->is_get()) {
      judge_body(*lane, event, judge);
    } else if (lane->end == event && lane->is_stream()) {
      has_ended_ = true;
      without_endpoint_.insert_or_assign(event->observation.lane, event);
    }
  }

  void on_end(const SessionView& /*session*/, Judge& judge) override {
    for (const auto& [id, event] : posted_) {
      if (streamed_.contains(id)) continue;
      judge.crossed("http-sse.message-events",
                    "a response came in the body of the answer to its POST, and in no event",
                    {lanes_.find(event->observation.lane)->request, event}, false);
    }
    for (const auto& [number, event] : without_endpoint_) {
      if (endpoints_.contains(number)) continue;
      judge.broke("http-sse.endpoint-event", "the stream did not begin with an endpoint event",
                  {lanes_.find(number)->request, event});
    }
  }

 private:
  // What is refused once others were taken may have come after the end of the session, which is
  // seen on a lane of its own; what is taken after that tells that it had not ended.
  void judge_post(const HttpLane& lane, Judge& judge) {
    if (lane.is_success()) {
      judge.held("http-sse.post-endpoint", lane.response);
      was_taken_ = true;
      if (refused_ && refused_->response->n < lane.request->n) judge_refused(*refused_, judge);
    } else if (lane.status() == 404 || lane.status() == 405 || lane.status() == 501) {
      const bool is_foreign = lane.sent_header("Origin").has_value();
      if (is_foreign) return;
      if (!was_taken_) return judge_refused(lane, judge);
      if (!refused_) refused_ = lane;
    }
  }

  static void judge_refused(const HttpLane& lane, Judge& judge) {
    judge.broke(
        "http-sse.post-endpoint",
        fmt::format("a POST to the endpoint that the server named was answered with HTTP {}",
                    lane.status()),
        {lane.request, lane.response});
  }

  // A stream that is not called one. Any other body says that the URL is no such endpoint at all.
  static void judge_body(const HttpLane& lane, const EventPtr& event, Judge& judge) {
    const std::string_view body = event->observation.bytes();
    const bool has_endpoint =
        body.starts_with("event: endpoint") || body.starts_with("event:endpoint");
    if (!lane.is_success() || !has_endpoint) return;
    judge.broke("http-sse.sse-endpoint", "the Content-Type of the stream is not text/event-stream",
                {lane.request, lane.response, event});
  }

  void judge_message(const wire::SseEvent& sse, const EventPtr& event, Judge& judge) {
    const wire::Decoded decoded = wire::decode(sse.data);
    const bool is_json_rpc = std::holds_alternative<wire::Message>(decoded);
    const bool is_of_type = sse.event.empty() || sse.event == "message";
    if (is_of_type && endpoints_.contains(event->observation.lane)) {
      judge.check("http-sse.message-events", is_json_rpc,
                  "the data of a message event are not a JSON-RPC message", event);
    } else if (!is_of_type && is_json_rpc &&
               std::get<wire::Message>(decoded).kind() != wire::MessageKind::kMalformed) {
      judge.broke("http-sse.message-events",
                  fmt::format("a message came in an event of type {}",
                              Json(sse.event).dump(-1, ' ', false, Json::error_handler_t::replace)),
                  {event});
    }
  }

  // What a stream that has ended cannot carry any more may be said elsewhere.
  void take_posted(const HttpLane& lane, const EventPtr& event) {
    if (!lane.is_success() || event->message() == nullptr || endpoints_.empty() || has_ended_) {
      return;
    }
    std::set<wire::Id> answered;
    collect_answers(*event->message(), answered);
    for (const wire::Id& id : answered) posted_.try_emplace(id, event);
  }

  void take_event(const EventPtr& event, Judge& judge) {
    if (event->message() != nullptr) collect_answers(*event->message(), streamed_);
    const wire::SseEvent& sse = *event->observation.event();
    const transport::Lane number = event->observation.lane;
    judge.held("http-sse.sse-endpoint", event);
    if (sse.has_data && sse.event != "endpoint") judge_message(sse, event, judge);
    if (sse.event == "endpoint" && !sse.data.empty()) {
      endpoints_.insert_or_assign(number, event);
      judge.held("http-sse.endpoint-event", event);
    } else if (sse.has_data && !endpoints_.contains(number)) {
      without_endpoint_.insert_or_assign(number, event);
    }
  }

  HttpLanes lanes_;
  std::map<wire::Id, EventPtr> posted_;            // responses that came in the answer to a POST
  std::set<wire::Id> streamed_;                    // responses that came in events
  bool has_ended_ = false;                         // a stream
  bool was_taken_ = false;                         // a POST to the endpoint
  std::optional<HttpLane> refused_;                // the first after that
  std::map<transport::Lane, EventPtr> endpoints_;  // the event that names it
  // Streams that ended, or went on, without an endpoint event so far: what came instead.
  std::map<transport::Lane, EventPtr> without_endpoint_;
};

const MonitorRegistration<HttpSseMonitor> kHttpSseMonitorRegistration;

}  // namespace
}  // namespace assay::harness
