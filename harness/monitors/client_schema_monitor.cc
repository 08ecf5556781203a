// Judges the form of every request, notification and result of a client by the tables of the wire
// model. What a sentence of its own says is left to the monitor that judges that.
//
// Specification: basic, "Schema". Since 2026-07-28 a client's results stand in its requests, as
// `inputResponses`: basic/patterns/mrtr.
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
// The same of what every request says where there is no session: meta.required-fields. What a
// request answers is judged by what was asked.
constexpr std::array<std::string_view, 4> kOfEachRequest = {
    "/params", "/params/_meta", "/params/_meta/io.modelcontextprotocol~1protocolVersion",
    "/params/_meta/io.modelcontextprotocol~1clientCapabilities"};
constexpr std::string_view kResponses = "/params/inputResponses";

// A client's result of a server's request, where it is no task.
std::optional<std::string_view> type_of_result(std::string_view method) {
  if (method == "roots/list") return "ListRootsResult";
  if (method == "sampling/createMessage") return "CreateMessageResult";
  return method == "elicitation/create" ? std::optional<std::string_view>("ElicitResult")
                                        : std::nullopt;
}

bool is_judged_elsewhere(const Deviation& deviation, std::string_view method, bool is_stateless) {
  const std::string_view pointer = deviation.pointer;
  const bool is_inside = pointer.starts_with("/params") || pointer.starts_with("/result");
  const bool is_must = deviation.strength == model::Strength::kMust;
  if (!is_inside || !is_must || deviation.rule == model::Rule::kMetaKey) return true;
  if (pointer == kProgressToken) return true;
  if (is_stateless) {
    // A client reads what a server names, as that writes it.
    if (deviation.rule == model::Rule::kUri) return true;
    return pointer.starts_with(kResponses) ||
           std::find(kOfEachRequest.begin(), kOfEachRequest.end(), pointer) != kOfEachRequest.end();
  }
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
  bool holds_in(model::Revision /*revision*/) const override { return true; }
  bool rests_on_history(RequirementId /*id*/) const override { return false; }

  void on_input(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged || sighting.exchange == nullptr) return;
    const auto type = type_of_result(sighting.exchange->request.method());
    if (!type) return;
    const auto deviations = model::validate(session.revision(), *type, sighting.message.result());
    const auto first = std::find_if(deviations.begin(), deviations.end(), is_of_form);
    if (first == deviations.end()) return judge.held("schema.client-results", sighting.event);
    judge.broke("schema.client-results", model::to_text(*first),
                {sighting.exchange->request_event, sighting.event}, first->pointer);
  }

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
        tell(deviations_of(sighting, session, method), sighting, session, method, rule, judge);
    if (is_held) judge.held(rule, sighting.event);
  }

  static bool is_of_form(const Deviation& deviation) {
    return deviation.strength == model::Strength::kMust && deviation.rule != model::Rule::kMetaKey;
  }

  static bool is_about_task(std::string_view method, const Sighting& sighting) {
    return sighting.is_result() &&
           (method.starts_with("tasks/") || is_create_task_result(sighting));
  }

  static model::Deviations deviations_of(const Sighting& sighting, const SessionView& session,
                                         std::string_view method) {
    const model::Revision revision = session.revision();
    const bool is_task = is_create_task_result(sighting) && revision.has_core_tasks();
    if (!is_task && sighting.is_result()) {
      // A union with CreateTaskResult would be explained by either.
      if (const auto type = type_of_result(method)) {
        return inside_of_result(model::validate(revision, *type, sighting.message.result()));
      }
    }
    if (!is_task) {
      return model::validate_message(
          revision, model::Direction::kClientToServer, sighting.message.json(),
          sighting.is_result() ? std::optional<std::string_view>(method) : std::nullopt);
    }
    return inside_of_result(
        model::validate(revision, "CreateTaskResult", sighting.message.result()));
  }

  static model::Deviations inside_of_result(model::Deviations deviations) {
    for (Deviation& deviation : deviations) deviation.pointer.insert(0, "/result");
    return deviations;
  }

  // False if something breaks the rule.
  static bool tell(const model::Deviations& deviations, const Sighting& sighting,
                   const SessionView& session, std::string_view method, RequirementId rule,
                   Judge& judge) {
    const bool is_stateless = session.revision().is_stateless();
    bool is_sound = true;
    for (const Deviation& deviation : deviations) {
      if (is_judged_elsewhere(deviation, method, is_stateless)) continue;
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
