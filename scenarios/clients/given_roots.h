// The roots that a client gives, by a response or with a request.
//
// Specification: client/roots, "Data Types" and "Security Considerations".
#pragma once

#include <string>
#include <vector>

#include "harness/host/review.h"
#include "reference/wire/json.h"

namespace assay::scenarios {

// Judges the URIs of a ListRootsResult, which is there in the last of the events.
void review_given_roots(harness::Review& review, const Json& result,
                        const std::vector<harness::EventPtr>& events, const std::string& pointer);

}  // namespace assay::scenarios
