// Judges how a client begins: what comes first, what it waits for, and what it says then.
//
// Specification: basic/lifecycle, "Initialization"; basic/utilities/cancellation.
#include <fmt/format.h>

#include <string_view>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

// A sign of life, a probe, or a request that stands alone, because it names a revision without a
// handshake: none is part of the handshake.
bool may_come_first(const wire::Message& request) {
  const std::string_view method = request.method();
  if (method == "ping" || method == "server/discover") return true;
  const std::string_view named =
      text_member(member(request.params(), "_meta"), "io.modelcontextprotocol/protocolVersion");
  if (named.empty()) return false;
  const auto revision = model::Revision::parse(named);
  return !revision || revision->is_stateless();
}

class ClientLifecycleMonitor : public Monitor {
 public:
  std::string_view name() const override { return "client_lifecycle_monitor"; }
  std::vector<RequirementId> client_requirements() const override {
    return {"lifecycle.initialize-first",
            "lifecycle.client-initializes",
            "lifecycle.initialize-not-batched",
            "lifecycle.initialized-notification",
            "lifecycle.client-waits-for-initialize-result",
            "cancellation.initialize-not-cancelled"};
  }

  // Over HTTP only a session id tells that all requests are one client's.
  void on_event(const EventPtr& event, const SessionView& session, Judge& /*judge*/) override {
    if (!session.transport().is_streamable_http()) {
      is_one_client_ = true;
      return;
    }
    const HttpLane* lane = lanes_.note(event);
    const bool is_answer =
        lane != nullptr && event->observation.kind == transport::Observation::Kind::kHttpResponse;
    if (!is_answer || !lane->is_initialize) return;
    const auto& headers = lane->response->observation.http()->headers;
    is_one_client_ = transport::find_header(headers, "Mcp-Session-Id").has_value();
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged) {
      if (sighting.exchange != nullptr) note_answer(sighting);
      return;
    }
    const std::string_view method = sighting.message.method();
    if (sighting.is_request()) {
      if (method == "initialize") {
        judge_initialize(sighting, session, judge);
      } else if (is_one_client_ && !may_come_first(sighting.message)) {
        judge_request(sighting, session, judge);
      }
    } else if (method == "notifications/initialized") {
      if (accepted_) judge.held("lifecycle.initialized-notification", sighting.event);
    } else if (method == "notifications/cancelled") {
      judge_cancellation(sighting, session, judge);
    }
  }

  void on_end(const SessionView& session, Judge& judge) override {
    if (!unannounced_ || session.is_initialized()) return;
    // Its POST may have been overtaken, and given up when the client left.
    judge.crossed("lifecycle.initialized-notification",
                  "the client asked, was answered and asked again, and sent no "
                  "notifications/initialized",
                  {accepted_, unannounced_}, /*is_kept_by_transport=*/false);
  }

 private:
  void note_answer(const Sighting& sighting) {
    if (sighting.exchange->request.method() != "initialize") {
      has_gone_on_ = accepted_ != nullptr;
      return;
    }
    is_answered_ = true;
    if (sighting.is_result()) accepted_ = sighting.event;
  }

  void judge_initialize(const Sighting& sighting, const SessionView& session, Judge& judge) {
    // A second try may name another version; one is enough to know what kind of client it is.
    if (!asked_) {
      const Json& params = sighting.message.params();
      const bool is_complete = member(params, "protocolVersion").is_string() &&
                               member(params, "capabilities").is_object() &&
                               member(params, "clientInfo").is_object();
      judge.check("lifecycle.client-initializes", is_complete,
                  "initialize lacks its protocolVersion, its capabilities or its clientInfo",
                  sighting.event, "/params");
      if (!has_begun_) judge.held("lifecycle.initialize-first", sighting.event);
    }
    has_begun_ = true;
    asked_ = sighting.event;
    if (!accepted_) is_answered_ = false;
    if (session.revision().has_batching()) {
      judge.check("lifecycle.initialize-not-batched", !sighting.is_batch_member,
                  "initialize is part of a batch", sighting.event);
    }
  }

  void judge_request(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const std::string_view method = sighting.message.method();
    if (!asked_) {
      if (!has_begun_) {
        judge.broke("lifecycle.initialize-first",
                    fmt::format("the client sent {} before initialize", method.substr(0, 80)),
                    {sighting.event}, "/method");
      }
      has_begun_ = true;
      return;
    }
    if (!is_answered_) {
      judge.broke(
          "lifecycle.client-waits-for-initialize-result",
          fmt::format("the client sent {} and initialize was not answered", method.substr(0, 80)),
          {asked_, sighting.event}, "/method");
      return;
    }
    judge.held("lifecycle.client-waits-for-initialize-result", sighting.event);
    if (!accepted_ || session.is_initialized()) return;
    // Over HTTP one POST may overtake another.
    if (!session.transport().has_order()) {
      if (has_gone_on_) unannounced_ = sighting.event;
      return;
    }
    judge.broke("lifecycle.initialized-notification",
                fmt::format("the client sent {} and no notifications/initialized before it",
                            method.substr(0, 80)),
                {accepted_, sighting.event}, "/method");
  }

  static void judge_cancellation(const Sighting& sighting, const SessionView& session,
                                 Judge& judge) {
    const Json& id = member(sighting.message.params(), "requestId");
    if (id.is_null()) return;
    const Exchange* exchange =
        session.exchange(wire::Id::from_json_text(id.dump()), sighting.speaker());
    if (exchange == nullptr) return;
    const bool is_another = exchange->request.method() != "initialize";
    if (is_another) {
      judge.held("cancellation.initialize-not-cancelled", sighting.event);
    } else {
      judge.broke("cancellation.initialize-not-cancelled", "the client cancels initialize",
                  {exchange->request_event, sighting.event}, "/params/requestId");
    }
  }

  HttpLanes lanes_;
  bool is_one_client_ = false;
  bool has_begun_ = false;  // something has come that is no probe
  EventPtr asked_;          // initialize
  bool is_answered_ = false;
  EventPtr accepted_;         // its result
  bool has_gone_on_ = false;  // a later request has been answered
  // Over HTTP: a request behind that, while nothing said that the client is initialized.
  EventPtr unannounced_;
};

const MonitorRegistration<ClientLifecycleMonitor> kClientLifecycleMonitorRegistration;

}  // namespace
}  // namespace assay::harness
