// What of a target's lists may stand in a request of ours.
//
// A malformed value is the listing's fault, and the monitors have judged it there: to repeat it
// would make our own message malformed, and show nothing more.
#pragma once

#include "reference/wire/json.h"

namespace assay::harness {

// The resource has a URI that is one.
bool is_readable(const Json& resource);
// The tool, prompt or argument has a name that is text.
bool is_named(const Json& item);

}  // namespace assay::harness
