// Judges what a server says before the client has said that it is initialized, and whether it keeps
// to the version that was agreed on.
//
// Specification: basic/lifecycle, "Initialization" and "Operation".
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/model/validate.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

bool is_known(model::Revision revision, Party speaker, std::string_view method) {
  const auto direction = speaker == Party::kServer ? model::Direction::kServerToClient
                                                   : model::Direction::kClientToServer;
  return model::known_method(revision, direction, method).has_value();
}

// A client that speaks both eras may ask for the other one at any time.
bool is_of_another_era(const wire::Message& message) {
  const Json& meta = member(message.params(), "_meta");
  return message.method() == "server/discover" ||
         member(meta, "io.modelcontextprotocol/protocolVersion").is_string();
}

// The member of a request that asks for what only a later revision has: who knows nothing of it
// does something else than it was asked for. Empty if there is none. Members
// of results are let pass: the schema lets anybody add some, and who does not know one ignores it.
std::string_view later_use(const wire::Message& message, model::Revision revision) {
  if (message.kind() != wire::MessageKind::kRequest) return "";
  const Json& params = message.params();
  const bool is_sampling = message.method() == "sampling/createMessage";
  if (is_sampling && !revision.has_sampling_tools()) {
    for (const char* later : {"tools", "toolChoice"}) {
      if (!member(params, later).is_null()) return later;
    }
  }
  return !revision.has_core_tasks() && !member(params, "task").is_null() ? "task" : "";
}

class LifecycleMonitor : public Monitor {
 public:
  std::string_view name() const override { return "lifecycle_monitor"; }
  std::vector<catalogue::RequirementId> server_requirements() const override {
    return {"lifecycle.server-waits-for-initialized", "lifecycle.server-shutdown-closes-stdout",
            "lifecycle.initialize-first", "lifecycle.respects-negotiated-version"};
  }
  std::vector<catalogue::RequirementId> client_requirements() const override {
    return {"lifecycle.respects-negotiated-version"};
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (judge.judged() == Party::kClient) {
      judge_client(sighting, session, judge);
      return;
    }
    judge_beginning(sighting, judge);
    if (!sighting.is_from_judged) return;
    if (sighting.is_request() || sighting.is_notification()) {
      judge_version(sighting, session, judge);
    }
    if (serves_version(sighting, session)) {
      judge.held("lifecycle.respects-negotiated-version", sighting.event);
    }
    if (!sighting.is_request()) return;
    const bool may_be_early = session.is_initialized() || sighting.message.method() == "ping";
    judge.check("lifecycle.server-waits-for-initialized", may_be_early,
                fmt::format("the server sent {} before notifications/initialized",
                            sighting.message.method()),
                sighting.event, "/method");
  }

  void on_event(const EventPtr& event, const SessionView& session, Judge& judge) override {
    if (judge.judged() == Party::kClient) return;
    const auto& observation = event->observation;
    if (observation.kind != transport::Observation::Kind::kExit || !session.is_initialized())
      return;
    if (!observation.exit()->was_killed_by_us && !observation.exit()->signal) {
      judge.held("lifecycle.server-shutdown-closes-stdout", event);
    }
  }

 private:
  static void judge_client(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const bool speaks = sighting.is_request() || sighting.is_notification();
    if (!sighting.is_from_judged || !speaks || is_of_another_era(sighting.message)) return;
    judge_version(sighting, session, judge);
  }

  // Only of what comes before we have said anything can the target be blamed.
  // What answers an HTTP request of ours that holds no message, such as one for a document, is none
  // of that either.
  void judge_beginning(const Sighting& sighting, Judge& judge) {
    const bool is_client = sighting.speaker() == Party::kClient;
    const bool is_body =
        sighting.event->observation.kind == transport::Observation::Kind::kHttpBody;
    if (is_body && !is_client) return;
    if (std::exchange(has_begun_, true)) return;
    if (is_client && sighting.message.method() != "initialize") return;
    judge.check("lifecycle.initialize-first", is_client,
                "the server spoke before the client had sent initialize", sighting.event);
  }

  // It answers as that version has it: what results may hold is judged by the schema.
  static bool serves_version(const Sighting& sighting, const SessionView& session) {
    if (!sighting.is_result() || sighting.exchange == nullptr || !session.is_initialized()) {
      return false;
    }
    const model::Revision revision = session.revision();
    return member(session.server(), "protocolVersion") == revision.text() &&
           is_known(revision, Party::kClient, sighting.exchange->request.method());
  }

  // Methods may be added by anybody; one that another revision of MCP brings is that revision's.
  static void judge_version(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const model::Revision revision = session.revision();
    if (member(session.server(), "protocolVersion") != revision.text()) return;
    const std::string_view method = sighting.message.method();
    const Party speaker = sighting.speaker();
    const auto all = model::Revision::all();
    const bool is_of_mcp = std::any_of(all.begin(), all.end(), [&](model::Revision other) {
      return is_known(other, speaker, method);
    });
    if (!is_of_mcp) return;
    if (const std::string_view later = later_use(sighting.message, revision); !later.empty()) {
      judge.broke(
          "lifecycle.respects-negotiated-version",
          fmt::format("{} uses {}, which {}, the version that was negotiated, does not have",
                      method, later, revision.text()),
          {sighting.event}, fmt::format("/params/{}", later));
      return;
    }
    judge.check("lifecycle.respects-negotiated-version", is_known(revision, speaker, method),
                fmt::format("{} is a method of another revision than {}, which was negotiated",
                            method, revision.text()),
                sighting.event, "/method");
  }

  bool has_begun_ = false;  // a message has passed
};

const MonitorRegistration<LifecycleMonitor> kLifecycleMonitorRegistration;

}  // namespace
}  // namespace assay::harness
