// Judges both parties in every session of a cell, and says which broken rules lie in which act.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "harness/interop/act_sights.h"
#include "reports/interop/interop_result.h"
#include "reports/vault.h"

namespace assay::harness {

// A breach that only counts if it is seen twice: of which party, in which start, of which rule.
using OpenBreach = std::tuple<Party, std::string, std::string>;

struct PairVerdicts {
  std::vector<reports::PairBreach> breaches;
  std::set<OpenBreach> open;
  std::string client;  // as it introduced itself: "example-client 1.0.0"; may be empty
  std::string server;
};

// `has_gateway`: what stands next to the client is a gateway. `seen_before`: what an earlier look
// at the same cell left open; seen again, it counts.
PairVerdicts judge_pair(const std::vector<SeenStart>& starts,
                        const std::vector<ReadSession>& sessions, bool has_gateway,
                        const reports::Vault& vault, const std::set<OpenBreach>& seen_before);

// The breaches whose proof lies in these events.
std::vector<std::size_t> breaches_in(const std::set<EventPlace>& events,
                                     const std::vector<reports::PairBreach>& breaches);

}  // namespace assay::harness
