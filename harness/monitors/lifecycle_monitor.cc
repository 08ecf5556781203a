// Judges what a server says before the client has said that it is initialized.
//
// Specification: basic/lifecycle, "Initialization".
#include <fmt/format.h>

#include "harness/monitors/monitor.h"

namespace assay::harness {
namespace {

class LifecycleMonitor : public Monitor {
 public:
  std::string_view name() const override { return "lifecycle_monitor"; }
  std::vector<catalogue::RequirementId> requirements() const override {
    return {"lifecycle.server-waits-for-initialized", "lifecycle.server-shutdown-closes-stdout"};
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_target || !sighting.is_request()) return;
    const bool may_be_early = session.is_initialized() || sighting.message.method() == "ping";
    judge.check("lifecycle.server-waits-for-initialized", may_be_early,
                fmt::format("the server sent {} before notifications/initialized",
                            sighting.message.method()),
                sighting.event, "/method");
  }

  void on_event(const EventPtr& event, const SessionView& session, Judge& judge) override {
    const auto& observation = event->observation;
    if (observation.kind != transport::Observation::Kind::kExit || !session.is_initialized())
      return;
    if (!observation.exit->was_killed_by_us && !observation.exit->signal) {
      judge.held("lifecycle.server-shutdown-closes-stdout", event);
    }
  }
};

const MonitorRegistration<LifecycleMonitor> kRegistration;

}  // namespace
}  // namespace assay::harness
