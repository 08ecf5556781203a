// Judges to whom log messages go: to requests that ask for them, and on their own streams.
//
// Specification of 2026-07-28: server/utilities/logging, "Per-request log level". Over stdio a
// message does not say which request it belongs to, so only what belongs to none for certain is
// held against a server.
#include <set>
#include <string_view>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

constexpr RequirementId kRequested("logging.level-requested");
constexpr RequirementId kOwnStream("logging.on-requesting-stream-only");

bool has_level(const wire::Message& request) {
  return !member(member(request.params(), "_meta"), "io.modelcontextprotocol/logLevel").is_null();
}

class RequestLogMonitor : public Monitor {
 public:
  std::string_view name() const override { return "request_log_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {kRequested, kOwnStream, "logging.level-respected"};
  }
  bool holds_in(model::Revision revision) const override { return revision.is_stateless(); }

  void on_event(const EventPtr& event, const SessionView& session, Judge& /*judge*/) override {
    if (session.transport().answers_in_exchanges()) lanes_.note(event);
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged) {
      if (sighting.is_request()) note_request(sighting);
    } else if (sighting.exchange != nullptr) {
      open_with_.erase(sighting.exchange->request_event->n);
      open_without_.erase(sighting.exchange->request_event->n);
    } else if (sighting.message.method() == "notifications/message") {
      if (session.transport().answers_in_exchanges()) {
        judge_on_stream(sighting, judge);
      } else {
        judge_on_line(sighting, judge);
      }
    }
  }

 private:
  void note_request(const Sighting& sighting) {
    const bool is_listen = sighting.message.method() == "subscriptions/listen";
    if (has_level(sighting.message)) {
      has_asked_ = true;
      if (!is_listen) open_with_.insert(sighting.event->n);
    } else if (!is_listen) {
      open_without_.insert(sighting.event->n);
    }
  }

  void judge_on_stream(const Sighting& sighting, Judge& judge) {
    const HttpLane* lane = lanes_.find(sighting.event->observation.lane);
    if (lane == nullptr || lane->request->message() == nullptr) return;
    const wire::Message& request = *lane->request->message();
    if (request.kind() != wire::MessageKind::kRequest) return;
    const std::vector<EventPtr> evidence = {lane->request, sighting.event};
    if (request.method() == "subscriptions/listen") {
      judge.broke(kOwnStream, "a log message came on the stream of a subscription", evidence);
    } else if (has_level(request)) {
      hold_all(sighting, judge);
    } else if (open_with_.empty()) {
      judge.broke(kRequested, "a log message came, and its request has no log level", evidence);
    } else {
      // It may have been meant for another request, which has one.
      judge.broke(kOwnStream, "a log message came on the stream of a request without a log level",
                  evidence);
    }
  }

  void judge_on_line(const Sighting& sighting, Judge& judge) const {
    const Json& meta = member(sighting.message.params(), "_meta");
    if (!member(meta, "io.modelcontextprotocol/subscriptionId").is_null()) {
      judge.broke(kOwnStream, "a log message carries the id of a subscription", {sighting.event},
                  "/params/_meta");
    } else if (!has_asked_) {
      judge.broke(kRequested, "a log message came, and no request had a log level",
                  {sighting.event}, "/method");
    } else if (!open_with_.empty() && open_without_.empty()) {
      hold_all(sighting, judge);
    }
  }

  static void hold_all(const Sighting& sighting, Judge& judge) {
    judge.held(kRequested, sighting.event);
    judge.held(kOwnStream, sighting.event);
    judge.held("logging.level-respected", sighting.event);
  }

  HttpLanes lanes_;
  bool has_asked_ = false;  // any request had a level
  // Requests under way, by the number of their event.
  std::set<std::uint64_t> open_with_;
  std::set<std::uint64_t> open_without_;
};

const MonitorRegistration<RequestLogMonitor> kRequestLogMonitorRegistration;

}  // namespace
}  // namespace assay::harness
