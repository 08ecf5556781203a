// What tests of recordings share.
#pragma once

#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "harness/recording/recording.h"

namespace assay::harness {

using Rules = std::set<std::string>;

struct ReadBack {
  ReadRecording read;
  std::vector<RecordedSession> conversations;
  std::shared_ptr<reports::Vault> vault = std::make_shared<reports::Vault>();

  explicit ReadBack(const std::string& text) {
    std::istringstream input(text);
    read = read_recording(
        input, vault, [this](RecordedSession each) { conversations.push_back(std::move(each)); });
  }

  // The verdicts on a party that came to this outcome.
  std::set<std::string> judged(Party party, reports::Outcome outcome) const {
    PassiveJudge judge(party);
    for (const RecordedSession& each : conversations) judge.add(each);
    std::set<std::string> rules;
    const reports::Result result = judge.finish({});
    for (const reports::Run& run : result.runs) {
      for (const reports::Verdict& verdict : run.verdicts) {
        if (verdict.outcome == outcome) rules.insert(verdict.requirement);
      }
    }
    return rules;
  }
  std::set<std::string> violated(Party party = Party::kServer) const {
    return judged(party, reports::Outcome::kViolated);
  }
};

}  // namespace assay::harness
