// What tests of sound servers that ask for tokens have in common: how one behaves otherwise than
// the reference server, and what is found of it then.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/runner.h"
#include "reference/server/faults/fault.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {

// By the ids of rules.
using Outcomes = std::map<std::string, std::set<reports::Outcome>>;

// What was found of the rules of authorization in all runs.
inline Outcomes outcomes(
    harness::TargetAccess access, std::vector<model::Revision> revisions,
    std::function<bool(std::string_view scenario)> wants = [](std::string_view scenario) {
      return scenario.starts_with("authorization_");
    }) {
  harness::CertifyOptions options;
  options.revisions = std::move(revisions);
  options.accesses = {std::move(access)};
  options.wants = std::move(wants);
  NoEvents events;
  Outcomes found;
  for (const reports::Run& run : harness::certify(options, events).runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      if (!verdict.requirement.starts_with("authorization.")) continue;
      found[verdict.requirement].insert(verdict.outcome);
    }
  }
  return found;
}

inline std::set<std::string> rules_with(const Outcomes& found, reports::Outcome outcome) {
  std::set<std::string> rules;
  for (const auto& [rule, all] : found) {
    if (all.contains(outcome)) rules.insert(rule);
  }
  return rules;
}

using ReplyChange = void (*)(const transport::HttpHead&, std::string_view, transport::HttpReply&);

inline server::Fault behaviour_of(ReplyChange reply) {
  return {.id = "sound", .description = "", .breaks = {}, .reply = reply};
}

inline transport::HttpReply json_with(int status, std::string body) {
  return {status, {{"Content-Type", "application/json"}}, std::move(body), nullptr};
}

inline bool is_for(const transport::HttpHead& request, std::string_view path) {
  return std::string_view(request.target).substr(0, request.target.find('?')) == path;
}

}  // namespace assay::scenarios
