// Judges the heads and bodies of HTTP answers: status codes, content types, session ids.
//
// Specification: basic/transports, "Streamable HTTP" and "Session Management"; of 2026-07-28
// basic/transports/streamable-http, "Sending Messages".
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

constexpr std::string_view kSessionHeader = "Mcp-Session-Id";

// An error that says why a message was not taken.
bool is_error_without_request(const Event& event) {
  const wire::Message* message = event.message();
  return message != nullptr && message->kind() == wire::MessageKind::kError &&
         (!message->id() || message->id()->kind() == wire::Id::Kind::kNull);
}

class HttpMonitor : public Monitor {
 public:
  std::string_view name() const override { return "http_monitor"; }
  std::vector<catalogue::RequirementId> server_requirements() const override {
    return {"http.request-answer-type",
            "http.accepted-202",
            "http.not-accepted-error-status",
            "http.not-accepted-body",
            "http.get-answer",
            "http.session-id-assigned",
            "http.session-id-visible-ascii",
            "http.session-terminated",
            "http.session-delete-405",
            "http.disconnect-any-time"};
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }
  bool rests_on_history(catalogue::RequirementId /*id*/) const override { return false; }

  void on_event(const EventPtr& event, const SessionView& session, Judge& judge) override {
    if (!session.transport().is_streamable_http()) return;
    HttpLane* lane = lanes_.note(event);
    if (lane == nullptr) return;
    if (event->observation.kind == Kind::kHttpRequest) forget_responses(*lane, session);
    const Kind kind = event->observation.kind;
    if (kind == Kind::kHttpResponse) judge_head(*lane, judge);
    if (kind == Kind::kHttpBody) judge_body(*lane, event, judge);
    if (kind == Kind::kSseEvent) judge_no_body(*lane, event, judge);
    if (kind == Kind::kClosed) judge_end(*lane, event, judge);
    if (kind == Kind::kBroken) judge.held("http.disconnect-any-time", event);
  }

 private:
  // Without sessions clients send no responses, and no rule says how one is answered.
  static void forget_responses(HttpLane& lane, const SessionView& session) {
    if (session.revision().has_sessions() || !lane.has_no_request) return;
    lane.has_no_request = lane.request->message()->kind() == wire::MessageKind::kNotification;
  }

  void judge_head(const HttpLane& lane, Judge& judge) {
    judge_session(lane, judge);
    if (lane.is_post() && !lane.request_ids.empty()) judge_answer_type(lane, judge);
    if (lane.is_get() && lane.status() == 405) judge.held("http.get-answer", lane.response);
    if (lane.is_get() && lane.is_success() && accepts(lane, "text/event-stream")) {
      judge.check("http.get-answer", lane.is_stream(),
                  fmt::format("a GET was answered with HTTP {} and no event stream", lane.status()),
                  lane.response);
    }
    if (lane.has_no_request && lane.status() >= 400) {
      judge.held("http.not-accepted-error-status", lane.response);
    }
  }

  static bool accepts(const HttpLane& lane, std::string_view type) {
    return lane.sent_header("Accept").value_or("").find(type) != std::string_view::npos;
  }

  // An error status may come with anything: the sentence is about requests that were taken.
  static void judge_answer_type(const HttpLane& lane, Judge& judge) {
    if (!lane.is_success()) return;
    if (!accepts(lane, "application/json") || !accepts(lane, "text/event-stream")) return;
    const std::string type = transport::media_type(lane.response->observation.http()->headers);
    const std::string shown = type.empty() ? "no Content-Type" : "Content-Type " + type;
    judge.check("http.request-answer-type",
                type == "application/json" || type == "text/event-stream",
                fmt::format("a request was answered with HTTP {} and {}", lane.status(), shown),
                lane.response);
  }

  void judge_session(const HttpLane& lane, Judge& judge) {
    const auto given =
        transport::find_header(lane.response->observation.http()->headers, kSessionHeader);
    if (lane.is_initialize && lane.is_success() && given) {
      judge.held("http.session-id-assigned", lane.response);
      const bool is_visible =
          !given->empty() &&
          std::all_of(given->begin(), given->end(), [](char c) { return c > 0x20 && c < 0x7f; });
      judge.check("http.session-id-visible-ascii", is_visible,
                  "the session id has characters outside of visible ASCII", lane.response);
      if (!session_id_) session_id_ = std::string(*given);
    }
    if (lane.status() == 404 && session_id_ && lane.sent_header(kSessionHeader) == session_id_) {
      judge.held("http.session-terminated", lane.response);
    }
    if (lane.method() == "DELETE" && lane.status() == 405) {
      judge.held("http.session-delete-405", lane.response);
    }
  }

  void judge_body(const HttpLane& lane, const EventPtr& event, Judge& judge) {
    const auto& observation = event->observation;
    if (lane.is_post() && !lane.request_ids.empty() && lane.is_success() &&
        event->carries_message()) {
      if (const auto* error = event->decode_error()) {
        const bool is_json = error->kind != wire::DecodeError::Kind::kInvalidJson &&
                             error->kind != wire::DecodeError::Kind::kEmpty;
        judge.check("http.request-answer-type", is_json,
                    "the Content-Type is application/json, but the body is not JSON", event);
      }
    }
    if (!lane.has_no_request) return;
    if (lane.status() >= 400 && is_error_without_request(*event)) {
      judge.held("http.not-accepted-body", event);
    }
    if (!observation.bytes().empty()) judge_no_body(lane, event, judge);
  }

  // Something came in answer to what asks for nothing.
  void judge_no_body(const HttpLane& lane, const EventPtr& event, Judge& judge) {
    if (!lane.has_no_request || !lane.is_success()) return;
    if (is_error_without_request(*event)) {
      refused_.insert(event->observation.lane);
      judge.broke(
          "http.not-accepted-error-status",
          fmt::format("a message that was not accepted was answered with HTTP {}", lane.status()),
          {lane.request, lane.response, event});
      return;
    }
    judge.broke("http.accepted-202",
                fmt::format("a notification or response was answered with HTTP {} and a body",
                            lane.status()),
                {lane.request, lane.response, event});
  }

  void judge_end(const HttpLane& lane, const EventPtr& event, Judge& judge) const {
    if (!lane.has_no_request || !lane.is_success()) return;
    if (refused_.contains(event->observation.lane)) return;
    judge.check("http.accepted-202", lane.status() == 202,
                fmt::format("a notification or response was accepted with HTTP {}", lane.status()),
                lane.response ? lane.response : event);
  }

  HttpLanes lanes_;
  std::optional<std::string> session_id_;
  std::set<transport::Lane> refused_;  // with a success status, and an error in the body
};

const MonitorRegistration<HttpMonitor> kHttpMonitorRegistration;

}  // namespace
}  // namespace assay::harness
