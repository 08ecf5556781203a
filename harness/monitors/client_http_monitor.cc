// Judges the header fields of a client's HTTP requests.
//
// Specification: basic/transports, "Streamable HTTP" (2025-03-26 to 2025-11-25).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/monitor.h"
#include "harness/script/json_member.h"
#include "reference/wire/http_text.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using Kind = transport::Observation::Kind;

constexpr std::string_view kVersionField = "MCP-Protocol-Version";
constexpr std::string_view kSessionField = "Mcp-Session-Id";

// Whether a field that lists media types has this one, whatever its parameters and case.
bool lists(std::string_view accept, std::string_view type) {
  while (!accept.empty()) {
    const std::size_t comma = std::min(accept.find(','), accept.size());
    std::string_view each = accept.substr(0, comma);
    accept.remove_prefix(std::min(comma + 1, accept.size()));
    each = each.substr(0, each.find(';'));
    while (each.starts_with(' ') || each.starts_with('\t')) each.remove_prefix(1);
    while (each.ends_with(' ') || each.ends_with('\t')) each.remove_suffix(1);
    if (wire::equals_without_case(each, type)) return true;
  }
  return false;
}

class ClientHttpMonitor : public Monitor {
 public:
  std::string_view name() const override { return "client_http_monitor"; }
  std::vector<RequirementId> client_requirements() const override {
    return {"http.post-accept", "http.get-accept", "http.session-id-sent", "http.version-header",
            "http.version-header-negotiated"};
  }

  void on_event(const EventPtr& event, const SessionView& session, Judge& judge) override {
    if (session.transport() != TransportKind::kHttp) return;
    const HttpLane* lane = lanes_.note(event);
    if (lane == nullptr) return;
    if (event->observation.kind == Kind::kHttpResponse) note_session(*lane);
    if (event->observation.kind == Kind::kHttpRequest) judge_request(*lane, event, session, judge);
  }
  bool rests_on_history(RequirementId id) const override {
    return id.text() != "http.post-accept" && id.text() != "http.get-accept";
  }

 private:
  void note_session(const HttpLane& lane) {
    if (!lane.is_initialize || !lane.is_success()) return;
    const auto id =
        transport::find_header(lane.response->observation.http()->headers, kSessionField);
    session_id_ = id ? std::string(*id) : "";
    assigned_ = lane.response;
  }

  void judge_request(const HttpLane& lane, const EventPtr& event, const SessionView& session,
                     Judge& judge) {
    judge_accept(lane, event, judge);
    // A session begins with it, and belongs to none.
    if (lane.is_initialize || !assigned_) return;
    if (!session_id_.empty()) {
      const auto sent = lane.sent_header(kSessionField);
      if (sent == session_id_) {
        judge.held("http.session-id-sent", event);
      } else {
        judge.broke("http.session-id-sent",
                    sent ? "the request carries another session id than the server assigned"
                         : "the request carries no session id, and the server assigned one",
                    {assigned_, event});
      }
    }
    judge_version(lane, event, session, judge);
  }

  static void judge_accept(const HttpLane& lane, const EventPtr& event, Judge& judge) {
    const std::string_view accept = lane.sent_header("Accept").value_or("");
    // Whether a wildcard is a list, the text does not say.
    if (accept.find("*/*") != std::string_view::npos) return;
    const bool has_events = lists(accept, "text/event-stream");
    if (lane.is_post()) {
      judge.check("http.post-accept", has_events && lists(accept, "application/json"),
                  "the Accept field of a POST does not list application/json and "
                  "text/event-stream",
                  event);
    } else if (lane.is_get()) {
      judge.check("http.get-accept", has_events,
                  "the Accept field of a GET does not list text/event-stream", event);
    }
  }

  static void judge_version(const HttpLane& lane, const EventPtr& event, const SessionView& session,
                            Judge& judge) {
    const Json& negotiated = member(session.server(), "protocolVersion");
    if (!negotiated.is_string()) return;
    const auto sent = lane.sent_header(kVersionField);
    judge.check("http.version-header", sent.has_value(),
                fmt::format("the request carries no {}", kVersionField), event);
    if (!sent) return;
    judge.check(
        "http.version-header-negotiated", *sent == negotiated.get_ref<const std::string&>(),
        fmt::format("{} names another version than the one that was negotiated", kVersionField),
        event);
  }

  HttpLanes lanes_;
  EventPtr assigned_;       // the answer to initialize
  std::string session_id_;  // that it assigned; empty if none
};

const MonitorRegistration<ClientHttpMonitor> kClientHttpMonitorRegistration;

}  // namespace
}  // namespace assay::harness
