// Judges the HTTP answers of a server without sessions: the heads and ends of event streams,
// session ids of old, and names that are to stand in headers.
//
// Specification of 2026-07-28: basic/transports/streamable-http, "Receiving Messages", "Value
// Encoding" and "Earlier Streamable HTTP Revisions".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/model/revision.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using Kind = transport::Observation::Kind;

constexpr std::string_view kSessionId = "Mcp-Session-Id";

// Visible ASCII, and blanks that are not at either end.
bool is_header_safe(std::string_view name) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  if (name.empty() || is_blank(name.front()) || is_blank(name.back())) return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_blank(c) || (c > 0x20 && c < 0x7f); });
}

class ResponseStreamMonitor : public Monitor {
 public:
  std::string_view name() const override { return "response_stream_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"http.no-proxy-buffering", "http.stream-closed-after-response",
            "http.old-session-id-ignored", "http.header-safe-names"};
  }
  bool holds_in(model::Revision revision) const override { return revision.is_stateless(); }

  void on_event(const EventPtr& event, const SessionView& session, Judge& judge) override {
    if (!session.transport().is_streamable_http()) return;
    const HttpLane* lane = lanes_.note(event);
    if (lane == nullptr || !lane->is_post() || !lane->response) return;
    const Kind kind = event->observation.kind;
    if (kind == Kind::kHttpResponse) judge_session_id(*lane, session, judge);
    // What an older client is told has rules of its own revision.
    const bool is_ours = lane->sent_header("MCP-Protocol-Version") == session.revision().text();
    if (!is_ours || lane->request_ids.size() != 1) return;
    if (kind == Kind::kHttpResponse) judge_buffering(*lane, judge);
    if (kind == Kind::kSseEvent) judge_end(*lane, event, judge);
    if (kind == Kind::kClosed && lane->is_closed_by_server() && responses_.contains(lane)) {
      judge.held("http.stream-closed-after-response", lane->end);
    }
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged || !session.transport().is_streamable_http()) return;
    if (sighting.is_result_of("tools/list")) judge_names("tools", sighting, judge);
    if (sighting.is_result_of("prompts/list")) judge_names("prompts", sighting, judge);
  }

 private:
  static void judge_buffering(const HttpLane& lane, Judge& judge) {
    if (!lane.is_stream()) return;
    const auto value =
        transport::find_header(lane.response->observation.http()->headers, "X-Accel-Buffering");
    judge.check("http.no-proxy-buffering", value == "no",
                value ? "the X-Accel-Buffering of an event stream is not \"no\""
                      : "an event stream has no header X-Accel-Buffering: no",
                lane.response);
  }

  // Only a server that serves no older revision has no use for the header; which it serves it says
  // itself.
  static void judge_session_id(const HttpLane& lane, const SessionView& session, Judge& judge) {
    if (!lane.sent_header(kSessionId)) return;
    const Json& versions = array_member(session.server(), "supportedVersions");
    const bool is_modern_only =
        !versions.empty() && std::none_of(versions.begin(), versions.end(), [](const Json& each) {
          const auto known = each.is_string()
                                 ? model::Revision::parse(each.get_ref<const std::string&>())
                                 : std::nullopt;
          return !known || known->has_handshake();
        });
    if (!is_modern_only) return;
    judge.check("http.old-session-id-ignored",
                !transport::find_header(lane.response->observation.http()->headers, kSessionId),
                "a request with a session id was answered with one", lane.response);
  }

  // The final response ends the stream: nothing follows it.
  void judge_end(const HttpLane& lane, const EventPtr& event, Judge& judge) {
    const wire::Message* message = event->message();
    if (message == nullptr) return;
    const auto response = responses_.find(&lane);
    if (response != responses_.end()) {
      judge.broke("http.stream-closed-after-response",
                  "a message followed the response on its stream",
                  {lane.request, response->second, event});
    } else if (is_response(*message) && message->id() == lane.request_ids.front()) {
      responses_.emplace(&lane, event);
    }
  }

  static void judge_names(const char* key, const Sighting& sighting, Judge& judge) {
    const Json& items = array_member(sighting.message.result(), key);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string_view item = text_member(items[i], "name");
      if (item.empty()) continue;
      judge.check("http.header-safe-names", is_header_safe(item),
                  "the name holds characters that a header cannot carry as they are",
                  sighting.event, fmt::format("/result/{}/{}/name", key, i));
    }
  }

  HttpLanes lanes_;
  std::map<const HttpLane*, EventPtr> responses_;  // by the lane of their stream
};

const MonitorRegistration<ResponseStreamMonitor> kResponseStreamMonitorRegistration;

}  // namespace
}  // namespace assay::harness
