// Whether a client that we ended had fallen silent, or had no time to go on.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "harness/runner/recorded_session.h"

namespace assay::harness {

// Why nothing may be made of what did not come after `last`, an event of that session: the client
// was ended too soon after it, for one that took as long before it said anything. Nothing where it
// had time. `lived`: from when the server was up until the client was ended.
std::optional<std::string> had_no_time(const RecordedSession& session, const EventPtr& last,
                                       std::chrono::nanoseconds lived);

}  // namespace assay::harness
