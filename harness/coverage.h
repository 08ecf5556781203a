// Who judges which requirement: the scenarios that provoke it, the monitors that watch for it, and
// the faults that prove the check can fail.
//
// Collected from the registrations; a program sees what it links (assay_judges for everything).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "reference/model/revision.h"

namespace assay::harness {

// One scenario or monitor that names one requirement.
struct Coverage {
  enum class Kind { kActive, kPassive };
  std::string requirement;
  Kind kind = Kind::kActive;
  std::string judge;                       // name of the scenario or monitor
  std::vector<model::Revision> revisions;  // where it applies; the requirement need not hold in all
  bool judges_servers = true;
  bool judges_clients = false;
  bool judges_authorities = false;  // authorization servers
};
std::string_view name(Coverage::Kind kind);  // "active"
// Whether it judges a party that the requirement binds in some revision.
bool judges_bound_party(const Coverage& coverage, const catalogue::Requirement& requirement);

// A fault of a reference peer that breaks the requirement.
struct FaultProof {
  std::string requirement;
  std::string fault;
  bool is_of_client = false;     // of the reference client, and not of the server
  bool is_of_authority = false;  // of the reference authorization server
};

// What is known of every requirement. Lists are sorted by requirement.
struct CoverageMap {
  std::vector<Coverage> judges;
  std::vector<FaultProof> faults;

  std::span<const Coverage> of(std::string_view requirement) const;
  // Of the reference server; and of the reference client.
  std::vector<std::string> faults_of(std::string_view requirement) const;
  std::vector<std::string> client_faults_of(std::string_view requirement) const;
  // Of the reference authorization server.
  std::vector<std::string> authority_faults_of(std::string_view requirement) const;
};

// From every registered scenario and monitor, and the faults of the reference peers.
CoverageMap collect_coverage();

}  // namespace assay::harness
