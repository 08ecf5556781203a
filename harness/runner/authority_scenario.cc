#include "harness/runner/authority_scenario.h"

#include <algorithm>
#include <utility>

namespace assay::harness {
namespace {

std::vector<AuthorityScenario>& registered_authority_scenarios() {
  static std::vector<AuthorityScenario> all;
  return all;
}

}  // namespace

bool AuthorityScenario::holds_in(model::Revision revision) const {
  return binds_authorities(revision) && (concerns == nullptr || concerns(revision));
}

bool binds_authorities(model::Revision revision) {
  return revision.has_resource_metadata();
}

bool binds_authority_in(const catalogue::Requirement& requirement, model::Revision revision) {
  return requirement.holds_in(revision) &&
         requirement.subject_in(revision) == catalogue::Subject::kAuthorizationServer;
}

AuthorityScenarioRegistration::AuthorityScenarioRegistration(AuthorityScenario scenario) {
  auto& all = registered_authority_scenarios();
  const auto place = std::upper_bound(
      all.begin(), all.end(), scenario.name,
      [](std::string_view name, const AuthorityScenario& other) { return name < other.name; });
  all.insert(place, std::move(scenario));
}

std::span<const AuthorityScenario> authority_scenarios() {
  return registered_authority_scenarios();
}

}  // namespace assay::harness
