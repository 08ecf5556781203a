// The ways in which the reference authorization server can be wrong on purpose.
//
// For every requirement of authorization servers that is tested there is a fault that breaks just
// that one. To add one, write an entry of a few lines in faults.cc, or in faults_clients.cc,
// faults_assertions.cc or faults_proofs.cc.
#pragma once

#include <string_view>
#include <vector>

#include "reference/authorization/knobs.h"
#include "reference/model/revision.h"

namespace assay::authorization {

// Broken by faults of several topics.
inline constexpr std::string_view kOauth21 = "authorization.oauth21-authorization-server";

struct Fault {
  std::string_view id;           // stable, in words joined by hyphens
  std::string_view description;  // what the server does, in one line
  // Ids of the requirements that it breaks.
  std::vector<std::string_view> breaks;
  // In which of the revisions that have one of `breaks` it breaks it. Null: in all.
  model::Revision::Question concerns = nullptr;
  void (*spoil)(Knobs& knobs) = nullptr;
};

// What a server is to be like that has everything, at that origin.
Knobs sound_knobs(const std::string& origin);

// Those of clients that register or that have a secret: faults_clients.cc.
std::vector<Fault> client_faults();
// Those of what clients show without a code: faults_assertions.cc.
std::vector<Fault> assertion_faults();
// Those of proofs of possession: faults_proofs.cc.
std::vector<Fault> proof_faults();
// All of them, by topic.
const std::vector<Fault>& all_faults();
// Null if there is none of that id.
const Fault* find_fault(std::string_view id);

}  // namespace assay::authorization
