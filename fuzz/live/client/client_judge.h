// What a launch says against the client, held against launches in which nothing was spoilt.
#pragma once

#include <chrono>
#include <cstddef>
#include <set>
#include <string>

#include "fuzz/live/client/client_suspicion.h"
#include "fuzz/live/client/launch.h"

namespace assay::fuzz {

// How the client is when nothing, or nothing but a plain error, comes to it.
struct ClientBaseline {
  std::set<int> statuses;  // exits that are its way to end, or to refuse
  std::set<int> signals;
  std::chrono::milliseconds duration{0};
  std::chrono::milliseconds pause{0};  // the longest between two words
  std::size_t memory = 0;
  std::size_t repeats = 1;  // of one request
  std::size_t requests = 0;
  std::string errors;            // what it wrote to standard error
  std::set<std::string> causes;  // what ended it, as it said: its way to refuse

  void learn(const LaunchReport& report);
  // How long a spoilt launch may take. `patience` 1; more for a proof.
  LaunchLimits limits(int patience) const;
};

// None of a launch that was stopped.
ClientSuspicions judge_launch(const LaunchReport& report, const ClientBaseline& baseline,
                              const std::set<ClientOracle>& checks);

}  // namespace assay::fuzz
