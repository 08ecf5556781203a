// Judges the form of every request, notification and result of a client by the tables of the wire
// model. What a sentence of its own says is left to the monitor that judges that.
//
// Specification: basic, "Schema"; 2024-11-05 to 2025-11-25.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/monitors/task_sightings.h"
#include "reference/model/validate.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using model::Deviation;

// Where it says what has a rule of its own: lifecycle.client-initializes, progress.token-type.
constexpr std::array<std::string_view, 3> kOfInitialize = {
    "/params/protocolVersion", "/params/capabilities", "/params/clientInfo"};
constexpr std::string_view kProgressToken = "/params/_meta/progressToken";

bool is_judged_elsewhere(const Deviation& deviation, std::string_view method) {
  const std::string_view pointer = deviation.pointer;
  const bool is_inside = pointer.starts_with("/params") || pointer.starts_with("/result");
  const bool is_must = deviation.strength == model::Strength::kMust;
  if (!is_inside || !is_must || deviation.rule == model::Rule::kMetaKey) return true;
  if (pointer == kProgressToken) return true;
  return method == "initialize" &&
         std::find(kOfInitialize.begin(), kOfInitialize.end(), pointer) != kOfInitialize.end();
}

class ClientSchemaMonitor : public Monitor {
 public:
  std::string_view name() const override { return "client_schema_monitor"; }
  std::vector<RequirementId> client_requirements() const override {
    return {"schema.client-requests", "schema.client-notifications", "schema.client-results",
            "tasks.created-at-given", "tasks.last-updated-given",    "tasks.ttl-reported",
            "tasks.id-string"};
  }
  bool rests_on_history(RequirementId /*id*/) const override { return false; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged) return;
    if (sighting.is_request()) {
      validate(sighting, session, sighting.message.method(), "schema.client-requests", judge);
    } else if (sighting.is_notification()) {
      validate(sighting, session, sighting.message.method(), "schema.client-notifications", judge);
    } else if (sighting.is_result() && sighting.exchange != nullptr) {
      const std::string_view method = sighting.exchange->request.method();
      validate(sighting, session, method, "schema.client-results", judge);
    }
  }

 private:
  static void validate(const Sighting& sighting, const SessionView& session,
                       std::string_view method, RequirementId rule, Judge& judge) {
    const model::Direction direction = sighting.is_result() ? model::Direction::kServerToClient
                                                            : model::Direction::kClientToServer;
    if (!model::known_method(session.revision(), direction, method)) return;
    const bool is_held =
        tell(deviations_of(sighting, session, method), sighting, method, rule, judge);
    if (is_held) judge.held(rule, sighting.event);
  }

  static bool is_about_task(std::string_view method, const Sighting& sighting) {
    return sighting.is_result() &&
           (method.starts_with("tasks/") || is_create_task_result(sighting));
  }

  static model::Deviations deviations_of(const Sighting& sighting, const SessionView& session,
                                         std::string_view method) {
    const model::Revision revision = session.revision();
    if (!is_create_task_result(sighting) || !revision.has_core_tasks()) {
      return model::validate_message(
          revision, model::Direction::kClientToServer, sighting.message.json(),
          sighting.is_result() ? std::optional<std::string_view>(method) : std::nullopt);
    }
    auto deviations = model::validate(revision, "CreateTaskResult", sighting.message.result());
    for (Deviation& deviation : deviations) deviation.pointer.insert(0, "/result");
    return deviations;
  }

  // False if something breaks the rule.
  static bool tell(const model::Deviations& deviations, const Sighting& sighting,
                   std::string_view method, RequirementId rule, Judge& judge) {
    bool is_sound = true;
    for (const Deviation& deviation : deviations) {
      if (is_judged_elsewhere(deviation, method)) continue;
      is_sound = false;
      std::vector<EventPtr> events = {sighting.event};
      if (sighting.exchange != nullptr) {
        events.insert(events.begin(), sighting.exchange->request_event);
      }
      const auto sentence =
          is_about_task(method, sighting) ? sentence_about_task(method, deviation) : std::nullopt;
      judge.broke(sentence.value_or(rule), model::to_text(deviation), std::move(events),
                  deviation.pointer);
    }
    return is_sound;
  }
};

const MonitorRegistration<ClientSchemaMonitor> kClientSchemaMonitorRegistration;

}  // namespace
}  // namespace assay::harness
