// What a report shows of a transcript: the events that prove a finding, and what was exchanged
// around them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/transcript/transcript.h"
#include "reports/result.h"

namespace assay::harness {

// An event as reports show it, its text cut to a bound.
reports::Evidence make_evidence(const Event& event);

// The last few of `proof`, in order, without what stands around them.
std::vector<reports::Evidence> make_evidence(std::span<const EventPtr> proof,
                                             const std::string& pointer);

// The same with the events before, between and behind them in their session's transcript, marked as
// context. `pointer` names the offending part of the last one's message.
std::vector<reports::Evidence> make_evidence(std::span<const EventPtr> transcript,
                                             std::span<const EventPtr> proof,
                                             const std::string& pointer);

}  // namespace assay::harness
