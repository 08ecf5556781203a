// Whether a server gives its loggers the same names each time, for scenarios of both eras.
//
// Specification: server/utilities/logging, "Implementation Considerations".
#pragma once

#include <functional>
#include <vector>

#include "harness/script/script.h"

namespace assay::scenarios {

// Judges logging.logger-names-consistent by several calls of one tool, and leaves off as soon as
// two of them name a logger alike. `call` makes one, and returns what came meanwhile. Which part of
// a server logs may differ from call to call: broken is the rule only where the same words come
// under another name every time.
void judge_logger_names(harness::Script& script,
                        const std::function<std::vector<harness::EventPtr>()>& call);

}  // namespace assay::scenarios
