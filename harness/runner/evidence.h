// What a report shows of a transcript: the events that prove a finding, and what was exchanged
// around them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/transcript/transcript.h"
#include "reports/result.h"

namespace assay::harness {

// `proof` with the request before each answer in it, of those that stand in the transcript: nobody
// can read an answer, or provoke it again, without what was asked.
std::vector<EventPtr> with_requests(std::span<const EventPtr> transcript,
                                    std::span<const EventPtr> proof);

// One event, with at most so many bytes of it.
reports::Evidence shown_event(const Event& event, std::size_t longest);

// The last few of `proof`, in order, without what stands around them. Their texts are cut to a
// bound; the one of the last is longer where `pointer`, the offending part, stands further behind.
std::vector<reports::Evidence> make_evidence(std::span<const EventPtr> proof,
                                             const std::string& pointer);

// The same with the events before, between and behind them in their session's transcript, marked as
// context.
std::vector<reports::Evidence> make_evidence(std::span<const EventPtr> transcript,
                                             std::span<const EventPtr> proof,
                                             const std::string& pointer);

}  // namespace assay::harness
