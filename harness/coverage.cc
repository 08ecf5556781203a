#include "harness/coverage.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "harness/monitors/monitor.h"
#include "harness/runner/authority_scenario.h"
#include "harness/runner/client_scenario.h"
#include "harness/runner/scenario.h"
#include "reference/authorization/fault.h"
#include "reference/client/faults/fault.h"
#include "reference/server/faults/fault.h"

namespace assay::harness {
namespace {

// The revisions in which somebody judges.
std::vector<model::Revision> revisions_of(const auto& judge) {
  std::vector<model::Revision> out;
  for (const model::Revision revision : model::Revision::all()) {
    if (judge.holds_in(revision)) out.push_back(revision);
  }
  return out;
}

void add_scenarios(std::vector<Coverage>& judges) {
  for (const Scenario& scenario : scenarios()) {
    for (const catalogue::RequirementId requirement : scenario.requirements) {
      judges.push_back({std::string(requirement.text()), Coverage::Kind::kActive,
                        std::string(scenario.name), revisions_of(scenario), true, false});
    }
  }
}

void add_client_scenarios(std::vector<Coverage>& judges) {
  for (const ClientScenario& scenario : client_scenarios()) {
    for (const catalogue::RequirementId requirement : scenario.requirements) {
      judges.push_back({std::string(requirement.text()), Coverage::Kind::kActive,
                        std::string(scenario.name), revisions_of(scenario), false, true});
    }
  }
}

void add_authority_scenarios(std::vector<Coverage>& judges) {
  for (const AuthorityScenario& scenario : authority_scenarios()) {
    for (const catalogue::RequirementId requirement : scenario.requirements) {
      judges.push_back({std::string(requirement.text()), Coverage::Kind::kActive,
                        std::string(scenario.name), revisions_of(scenario), false, false, true});
    }
  }
}

void add_monitors(std::vector<Coverage>& judges) {
  for (const MonitorFactory factory : monitors()) {
    const std::unique_ptr<Monitor> monitor = factory();
    std::map<std::string, std::pair<bool, bool>> judged;  // for each rule: of servers, of clients
    for (const auto& rule : monitor->requirements(Party::kServer)) {
      judged[std::string(rule.text())].first = true;
    }
    for (const auto& rule : monitor->requirements(Party::kClient)) {
      judged[std::string(rule.text())].second = true;
    }
    for (const auto& [rule, of] : judged) {
      judges.push_back({rule, Coverage::Kind::kPassive, std::string(monitor->name()),
                        revisions_of(*monitor), of.first, of.second});
    }
  }
}

void add_faults(std::vector<FaultProof>& faults) {
  for (const server::Fault& fault : server::all_faults()) {
    for (const std::string_view requirement : fault.breaks) {
      faults.push_back({std::string(requirement), std::string(fault.id), false});
    }
  }
  for (const client::Fault& fault : client::all_faults()) {
    for (const std::string_view requirement : fault.breaks) {
      faults.push_back({std::string(requirement), std::string(fault.id), true});
    }
  }
  for (const authorization::Fault& fault : authorization::all_faults()) {
    for (const std::string_view requirement : fault.breaks) {
      faults.push_back({std::string(requirement), std::string(fault.id), false, true});
    }
  }
}

std::vector<std::string> faults_among(const std::vector<FaultProof>& faults,
                                      std::string_view requirement, bool are_of_client,
                                      bool are_of_authority = false) {
  std::vector<std::string> out;
  for (const FaultProof& proof : faults) {
    const bool is_it = proof.requirement == requirement && proof.is_of_client == are_of_client &&
                       proof.is_of_authority == are_of_authority;
    if (is_it) out.push_back(proof.fault);
  }
  return out;
}

}  // namespace

std::string_view name(Coverage::Kind kind) {
  switch (kind) {
    case Coverage::Kind::kActive:
      return "active";
    case Coverage::Kind::kPassive:
      return "passive";
  }
  return "";
}

bool judges_bound_party(const Coverage& coverage, const catalogue::Requirement& requirement) {
  return std::any_of(requirement.in.begin(), requirement.in.end(), [&](const auto& holding) {
    return (coverage.judges_servers && requirement.binds_server_in(holding.revision)) ||
           (coverage.judges_clients && requirement.binds_client_in(holding.revision)) ||
           (coverage.judges_authorities && binds_authority_in(requirement, holding.revision));
  });
}

std::span<const Coverage> CoverageMap::of(std::string_view requirement) const {
  const auto is_before = [](const Coverage& it, std::string_view id) {
    return it.requirement < id;
  };
  const auto begin = std::lower_bound(judges.begin(), judges.end(), requirement, is_before);
  const auto end = std::find_if(begin, judges.end(),
                                [&](const Coverage& it) { return it.requirement != requirement; });
  return {begin, end};
}

std::vector<std::string> CoverageMap::faults_of(std::string_view requirement) const {
  return faults_among(faults, requirement, false);
}

std::vector<std::string> CoverageMap::client_faults_of(std::string_view requirement) const {
  return faults_among(faults, requirement, true);
}

std::vector<std::string> CoverageMap::authority_faults_of(std::string_view requirement) const {
  return faults_among(faults, requirement, false, true);
}

CoverageMap collect_coverage() {
  CoverageMap map;
  add_scenarios(map.judges);
  add_client_scenarios(map.judges);
  add_authority_scenarios(map.judges);
  add_monitors(map.judges);
  add_faults(map.faults);
  std::sort(map.judges.begin(), map.judges.end(), [](const Coverage& a, const Coverage& b) {
    return std::tie(a.requirement, a.kind, a.judge) < std::tie(b.requirement, b.kind, b.judge);
  });
  std::sort(map.faults.begin(), map.faults.end(), [](const FaultProof& a, const FaultProof& b) {
    return std::tie(a.requirement, a.fault) < std::tie(b.requirement, b.fault);
  });
  return map;
}

}  // namespace assay::harness
