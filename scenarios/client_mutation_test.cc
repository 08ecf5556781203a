// Each fault of the reference client is caught, over each wire that shows it, and nobody is blamed
// for what it does not break. Faults of the login: client_authorization_mutation_test.cc.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/client_mutation_testing.h"
#include "scenarios/fault_matrix_testing.h"

namespace assay::scenarios {
namespace {

using client::Fault;
using harness::TransportKind;
using model::Revision;

using Filter = std::function<bool(std::string_view scenario)>;

bool all_scenarios(std::string_view /*scenario*/) {
  return true;
}

// Those that judge what it breaks, and a few in which every client does well; all of them for a
// fault that only monitors see.
std::set<std::string_view> pertinent_to(const Fault& fault) {
  std::set<std::string_view> names = {"initialize", "tools_call"};
  bool is_judged = false;
  for (const harness::ClientScenario& scenario : harness::client_scenarios()) {
    for (const catalogue::RequirementId rule : scenario.requirements) {
      const auto& broken = fault.breaks;
      if (std::find(broken.begin(), broken.end(), rule.text()) == broken.end()) continue;
      names.insert(scenario.name);
      is_judged = true;
    }
  }
  names.insert(fault.shown_in.begin(), fault.shown_in.end());
  if (is_judged || !fault.shown_in.empty()) return names;
  for (const harness::ClientScenario& scenario : harness::client_scenarios()) {
    names.insert(scenario.name);
  }
  return names;
}

Filter among(std::set<std::string_view> names) {
  return [names = std::move(names)](std::string_view scenario) { return names.contains(scenario); };
}

// And a part of the others. Named faults play all of them, and so does every fault in ci/soak.
Filter pertinent_and_some(const Fault& fault) {
  if (is_whole_matrix()) return all_scenarios;
  std::set<std::string_view> names = pertinent_to(fault);
  const auto row = static_cast<std::size_t>(&fault - client::all_faults().data());
  const auto all = harness::client_scenarios();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_in_part_of(row, i)) names.insert(all[i].name);
  }
  return among(std::move(names));
}

reports::Result certified(const Fault& fault, int slowness, Revision revision,
                          TransportKind transport, Filter plays) {
  harness::CertifyClientOptions options =
      reference_client_options({fmt::format("--fault={}", fault.id)}, transport, slowness);
  options.revisions = {revision};
  options.wants = std::move(plays);
  options.extensions = extensions_of(fault);
  NoClientEvents events;
  return harness::certify_client(options, events);
}

Row certify(const Fault& fault, int slowness) {
  Row row;
  int tried = 0;
  bool has_played_more = false;
  for (const TransportKind transport : {TransportKind::kHttp, TransportKind::kStdio}) {
    const std::vector<Revision> revisions = revisions_of(fault, transport);
    for (const Revision revision : revisions) {
      const bool plays_more = !has_played_more && revision == revisions.back();
      has_played_more = has_played_more || plays_more;
      ++tried;
      row.take(fault,
               certified(fault, slowness, revision, transport,
                         plays_more ? pertinent_and_some(fault) : among(pertinent_to(fault))),
               revision, transport);
    }
  }
  EXPECT_GT(tried, 0) << fault.id << " breaks nothing anywhere";
  return row;
}

TEST(ClientMutations, EachIsCaughtAndNothingElseIsBlamed) {
  std::vector<const Fault*> faults;
  for (const Fault& fault : client::all_faults()) {
    if (!is_about_login(fault) && is_wanted_fault(fault.id)) faults.push_back(&fault);
  }
  expect_each_caught(faults, certify);
}

// What a scenario for clients judges can fail.
TEST(ClientMutations, EachRuleOfAScenarioIsBrokenByAFault) {
  // These can be seen to be kept, and by nobody to be broken: the text names no time and no rate,
  // lets go on what cannot be cancelled, has clients support what they need not use, and allows
  // some of it.
  std::set<std::string> broken = {"lifecycle.request-timeout",
                                  "lifecycle.timeout-maximum",
                                  "tools.calls-time-out",
                                  "sampling.rate-limited",
                                  "elicitation.rate-limited",
                                  "tasks.rate-limited",
                                  "tasks.create-result-soon",
                                  "ext-tasks.cancelled-may-be-forgotten",
                                  "ext-tasks.ttl-as-backstop",
                                  "cancellation.no-response",
                                  "authorization.dynamic-registration-client",
                                  "authorization.offline-access-requested"};
  for (const Fault& fault : client::all_faults())
    broken.insert(fault.breaks.begin(), fault.breaks.end());
  for (const harness::ClientScenario& scenario : harness::client_scenarios()) {
    for (const catalogue::RequirementId rule : scenario.requirements) {
      EXPECT_TRUE(broken.contains(std::string(rule.text())))
          << scenario.name << ": " << rule.text();
    }
  }
}

}  // namespace
}  // namespace assay::scenarios
