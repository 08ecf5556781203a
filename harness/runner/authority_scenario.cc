#include "harness/runner/authority_scenario.h"

#include <algorithm>
#include <utility>

#include "harness/runner/registry.h"

namespace assay::harness {
namespace {

Registry<AuthorityScenario>& registered_authority_scenarios() {
  static Registry<AuthorityScenario> all;
  return all;
}

}  // namespace

bool AuthorityScenario::holds_in(model::Revision revision) const {
  const bool binds_any = std::any_of(requirements.begin(), requirements.end(), [&](auto rule) {
    return binds_authority_in(*catalogue::find(rule.text()), revision);
  });
  return revision.has_separate_authorization_servers() && binds_any && revision.satisfies(concerns);
}

bool binds_authority_in(const catalogue::Requirement& requirement, model::Revision revision) {
  return requirement.holds_in(revision) &&
         requirement.subject_in(revision) == catalogue::Subject::kAuthorizationServer;
}

AuthorityScenarioRegistration::AuthorityScenarioRegistration(AuthorityScenario scenario) {
  registered_authority_scenarios().add(std::move(scenario));
}

std::span<const AuthorityScenario> authority_scenarios() {
  return registered_authority_scenarios().all();
}

}  // namespace assay::harness
