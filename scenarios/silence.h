// Listening while nothing is asked.
#pragma once

#include "harness/script/connection.h"

namespace assay::scenarios {

// Waits for a while in which we say nothing, so that what a server says by itself is heard: 1.5 s,
// or as long as an answer is waited for where that is shorter.
void hear_nothing(harness::Connection& session);

}  // namespace assay::scenarios
