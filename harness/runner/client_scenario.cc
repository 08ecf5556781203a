#include "harness/runner/client_scenario.h"

#include <algorithm>
#include <utility>

namespace assay::harness {
namespace {

std::vector<ClientScenario>& registered_client_scenarios() {
  static std::vector<ClientScenario> all;
  return all;
}

}  // namespace

bool ClientScenario::applies_to(model::Revision revision, TransportKind transport) const {
  const bool is_over_it = transports.empty() || std::find(transports.begin(), transports.end(),
                                                          transport) != transports.end();
  return is_over_it && holds_in(revision);
}

ClientScenarioRegistration::ClientScenarioRegistration(ClientScenario scenario) {
  auto& all = registered_client_scenarios();
  const auto place = std::upper_bound(
      all.begin(), all.end(), scenario.name,
      [](std::string_view name, const ClientScenario& other) { return name < other.name; });
  all.insert(place, std::move(scenario));
}

std::span<const ClientScenario> client_scenarios() {
  return registered_client_scenarios();
}

}  // namespace assay::harness
