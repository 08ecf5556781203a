// --profile FILE|NAME|none: what is known of the target.
#pragma once

#include <string>
#include <vector>

#include "harness/runner/runner.h"

namespace assay::cli {

// Reads what the option names, in its order. Throws UsageError for a name that is neither built in
// nor a file, for a file that is no profile, and for a profile that says nothing of that party.
harness::KnownProfiles read_profiles(const std::vector<std::string>& names, transport::Party party);

// Tells on standard error what was made of them. `given` is what read_profiles() returned.
void tell_profiles(const harness::KnownProfiles& given, const harness::ProfileNotes& notes,
                   bool is_quiet);

}  // namespace assay::cli
