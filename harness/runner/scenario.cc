#include "harness/runner/scenario.h"

#include <algorithm>

#include "harness/runner/registry.h"
#include "reference/model/extension.h"

namespace assay::harness {
namespace {

// Filled before main() by the registrations, and only read afterwards.
Registry<Scenario>& registered() {
  static Registry<Scenario> all;
  return all;
}

// "pagination" of "/somewhere/scenarios/pagination.cc".
std::string_view topic_of(std::string_view file) {
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos) {
    file = file.substr(slash + 1);
  }
  return file.substr(0, file.rfind('.'));
}

Trait turn_at(Scenario::Place place, std::string_view round) {
  return [place, round](Scenario& scenario) {
    scenario.session_use = Scenario::SessionUse::kTurn;
    scenario.round = round;
    scenario.place = place;
  };
}

}  // namespace

bool Scenario::holds_in(model::Revision revision) const {
  return (revision.has_handshake() ? is_for_handshake : is_for_stateless) && question(revision);
}

bool Scenario::may_judge(std::string_view requirement) const {
  return std::any_of(
      requirements.begin(), requirements.end(),
      [&](const catalogue::RequirementId& each) { return each.text() == requirement; });
}

bool Scenario::applies_to(model::Revision revision, TransportKind transport) const {
  const bool fits = transports.empty() ||
                    std::find(transports.begin(), transports.end(), transport) != transports.end();
  return fits && holds_in(revision);
}

Trait judges(std::initializer_list<catalogue::RequirementId> requirements) {
  return [all = std::vector<catalogue::RequirementId>(requirements)](Scenario& scenario) {
    scenario.requirements.insert(scenario.requirements.end(), all.begin(), all.end());
  };
}

Trait own_session() {
  return [](Scenario& scenario) { scenario.session_use = Scenario::SessionUse::kOwn; };
}

Trait in_turn(std::string_view round) {
  return turn_at(Scenario::Place::kAmong, round);
}

Trait first_in_turn(std::string_view round) {
  return turn_at(Scenario::Place::kFirst, round);
}

Trait last_in_turn(std::string_view round) {
  return turn_at(Scenario::Place::kLast, round);
}

Trait heavy_session() {
  return [](Scenario& scenario) {
    scenario.session_use = Scenario::SessionUse::kOwn;
    scenario.is_heavy = true;
  };
}

Trait before_login() {
  return [](Scenario& scenario) { scenario.is_before_login = true; };
}

Trait lengthy() {
  return [](Scenario& scenario) { scenario.is_lengthy = true; };
}

Trait only_over(std::initializer_list<TransportKind> transports) {
  return [all = std::vector<TransportKind>(transports)](Scenario& scenario) {
    scenario.transports = all;
  };
}

Trait over_http() {
  return only_over({TransportKind::kHttp});
}

Trait in_both_eras() {
  return [](Scenario& scenario) { scenario.is_for_stateless = true; };
}

Trait stateless() {
  return [](Scenario& scenario) {
    scenario.is_for_handshake = false;
    scenario.is_for_stateless = true;
  };
}

Trait with_tasks() {
  return in_revisions(&model::Revision::has_core_tasks);
}

Trait of_extension(std::string_view name) {
  return [name](Scenario& scenario) {
    scenario.extension = name;
    scenario.is_for_stateless = true;
    scenario.question = [name](model::Revision revision) {
      const model::Extension* const extension = model::find_extension(name);
      return extension != nullptr && extension->extends(revision);
    };
  };
}

Trait in_revisions(model::Revision::Question question) {
  return [question](Scenario& scenario) {
    scenario.question = [question, before = scenario.question](model::Revision revision) {
      return before(revision) && revision.satisfies(question);
    };
  };
}

ScenarioRegistration::ScenarioRegistration(std::string_view name, std::string_view file,
                                           std::initializer_list<Trait> traits,
                                           void (*body)(Script&)) {
  Scenario scenario;
  scenario.name = name;
  scenario.topic = topic_of(file);
  scenario.body = body;
  for (const Trait& trait : traits) trait(scenario);
  registered().add(std::move(scenario));
}

std::span<const Scenario> scenarios() {
  return registered().all();
}

}  // namespace assay::harness
