#include "harness/runner/client_scenario.h"

#include <algorithm>
#include <utility>

#include "harness/catalogue/catalogue.h"
#include "harness/runner/registry.h"

namespace assay::harness {
namespace {

Registry<ClientScenario>& registered_client_scenarios() {
  static Registry<ClientScenario> all;
  return all;
}

}  // namespace

bool binds_client_in(std::span<const catalogue::RequirementId> rules, model::Revision revision) {
  return rules.empty() || std::any_of(rules.begin(), rules.end(), [&](auto rule) {
           return catalogue::find(rule.text())->binds_client_in(revision);
         });
}

bool ClientScenario::holds_in(model::Revision revision) const {
  return binds_client_in(requirements, revision) && revision.satisfies(concerns);
}

bool ClientScenario::applies_to(model::Revision revision, TransportKind transport) const {
  const bool is_over_it = transports.empty() || std::find(transports.begin(), transports.end(),
                                                          transport) != transports.end();
  return is_over_it && holds_in(revision);
}

ClientScenarioRegistration::ClientScenarioRegistration(ClientScenario scenario) {
  registered_client_scenarios().add(std::move(scenario));
}

std::span<const ClientScenario> client_scenarios() {
  return registered_client_scenarios().all();
}

}  // namespace assay::harness
