// What a scenario or a monitor has to say about one requirement, once.
//
// Findings of all sessions of a run are merged into one verdict for each requirement (verdicts.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/catalogue/requirement_id.h"
#include "harness/transcript/proof.h"
#include "harness/transcript/transcript.h"

namespace assay::harness {

struct Finding {
  enum class Kind {
    kHeld,          // the situation arose and the rule held
    kBroke,         // the rule was broken, and `events` prove it
    kUnclear,       // the situation arose, but the harness cannot tell
    kNotExercised,  // it could not be provoked here; `detail` says why, `hint` what would let it be
    kNotApplicable,  // the target declared what rules it out; `detail` says what
  };
  catalogue::RequirementId requirement;
  Kind kind;
  Party party = Party::kServer;  // whom it is about
  std::string judge;             // the scenario or monitor
  std::string detail;            // one sentence: what happened
  std::string hint;              // what would let it be exercised
  std::string pointer;           // JSON pointer to the offending part of the last event's message
  std::vector<EventPtr> events;
  std::vector<EventPtr> more_events;  // of further breaches of the same kind, not told one by one
  Proof proof = Proof::seen();        // of a breach: what kind of evidence `events` are
  bool is_passive = false;            // a monitor's: read off the traffic itself
  std::string caused_by;              // for kUnclear: the requirement whose breach came first
  std::string reproduce;              // a shell command, where one exists

  Finding(catalogue::RequirementId its_requirement, Kind its_kind, std::string its_judge,
          std::string its_detail)
      : requirement(its_requirement),
        kind(its_kind),
        judge(std::move(its_judge)),
        detail(std::move(its_detail)) {}
};

using Findings = std::vector<Finding>;

}  // namespace assay::harness
