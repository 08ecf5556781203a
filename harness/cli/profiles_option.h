// --profile FILE|NAME|none: what is known of the target.
#pragma once

#include <string>
#include <vector>

#include "harness/runner/runner.h"

namespace assay::cli {

// Reads what the option names, in its order. Throws UsageError for a name that is neither built in
// nor a file, and for a file that is no profile.
harness::KnownProfiles read_profiles(const std::vector<std::string>& names);

// Tells on standard error what was made of them. `given` is what read_profiles() returned.
void tell_profiles(const harness::KnownProfiles& given, const harness::ProfileNotes& notes,
                   bool is_quiet);

}  // namespace assay::cli
