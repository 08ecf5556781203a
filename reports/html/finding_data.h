// What finding.mustache shows of the violated rules, within the bounds of a page.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "reports/findings.h"
#include "reports/result.h"

namespace assay::reports::html {

// Where the page tells of a violated rule: "finding-tools.name-unique"; a rule of which some runs
// fail and others are expected to is told in both places ("expected-...").
std::string finding_anchor(const Result& result, const Verdict& verdict);
// Where it shows what was exchanged in that run: "finding-tools.name-unique.2025-11-25.stdio".
std::string exchange_anchor(const Result& result, const Run& run, const Verdict& verdict);

// What exchange.mustache shows of it: the proof in the open, and what stands around it folded.
// Takes from the budget, in bytes, and leaves out what is beyond it.
nlohmann::json evidence_groups(std::span<const Evidence> all, std::size_t& budget);

// One event of it, as event.mustache shows it.
nlohmann::json event_data(const Evidence& evidence, bool is_left_out, std::size_t& budget);

class FindingData {
 public:
  explicit FindingData(const Result& result) : result_(result) {}

  // In the order in which people read them. Findings of one call are of one kind: they fail, are
  // advice, or are expected.
  nlohmann::json build(const Findings& findings);

 private:
  nlohmann::json finding(const RuleFinding& finding, bool is_open);
  nlohmann::json exchange(const RuleFinding& finding, std::size_t index, std::size_t& budget);

  const Result& result_;
  // A page stays small whatever a run finds; what is beyond it stands in the JSON report. The
  // newest run of each finding has its own share, so that it is there where others are not.
  std::size_t newest_bytes_ = 1'500'000;
  std::size_t other_bytes_ = 500'000;
  bool has_open_ = false;  // at least one finding is unfolded, and shows what is in the others
};

}  // namespace assay::reports::html
