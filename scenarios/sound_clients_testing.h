// What a scenario for clients says of hand-made traffic.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/host/play.h"
#include "harness/host/review.h"
#include "harness/monitors/traffic_testing.h"
#include "harness/runner/client_scenario.h"

namespace assay::scenarios {

// The rules of which it says that of a client that passed these lines. `crash`: how the client did.
inline std::set<std::string> told(std::string_view name, model::Revision revision,
                                  const harness::Traffic& traffic, harness::Finding::Kind kind,
                                  const std::string& crash = "") {
  std::vector<harness::RecordedSession> sessions(1);
  for (const harness::EventPtr& event : traffic.transcript().events()) {
    const bool is_http = event->observation.lane.kind == transport::Lane::Kind::kHttp;
    if (is_http) sessions[0].transport = harness::TransportKind::kHttp;
    sessions[0].events.push_back(event);
  }
  harness::Review review(std::string(name), revision, sessions);
  review.set_crash(crash);
  const auto all = harness::client_scenarios();
  const auto scenario =
      std::find_if(all.begin(), all.end(),
                   [&](const harness::ClientScenario& each) { return each.name == name; });
  scenario->make()->review(review);
  std::set<std::string> rules;
  for (const harness::Finding& each : review.take_findings()) {
    if (each.kind == kind) rules.insert(std::string(each.requirement.text()));
  }
  return rules;
}

// What passed last did so at that time.
inline void passed_at(const harness::Traffic& traffic, std::chrono::milliseconds at) {
  const auto last = traffic.transcript().events().back();
  std::const_pointer_cast<harness::Event>(last)->at = at;
}

}  // namespace assay::scenarios
