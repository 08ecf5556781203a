// Scenarios for authorization servers: what is asked of one, so that it shows whether it keeps a
// rule.
//
// An authorization server is not told which revision of MCP a client speaks, so each scenario is
// played once, and counts in every revision in which it holds.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/catalogue/requirement_id.h"
#include "reference/model/revision.h"

namespace assay::harness {

class AuthorityScript;

struct AuthorityScenario {
  std::string_view name;  // "authority_checks_the_verifier"
  // All rules that it may speak of.
  std::vector<catalogue::RequirementId> requirements;
  // In which of the revisions that have one of its rules. Null: in all.
  model::Revision::Question concerns = nullptr;
  void (*body)(AuthorityScript& script) = nullptr;
  // The extension that it is about, by name: played where that was asked for. Empty: the core.
  std::string_view extension = "";

  bool holds_in(model::Revision revision) const;
};

// Whether the statement is a rule for authorization servers in the revision.
bool binds_authority_in(const catalogue::Requirement& requirement, model::Revision revision);

// Called before main().
struct AuthorityScenarioRegistration {
  explicit AuthorityScenarioRegistration(AuthorityScenario scenario);
};

// All of them, sorted by name.
std::span<const AuthorityScenario> authority_scenarios();

}  // namespace assay::harness
