// Which profiles fit a target, and what they name that it lacks.
#pragma once

#include <string>
#include <vector>

#include "harness/runner/runner.h"

namespace assay::harness {

struct ProfileChoice {
  bool was_made = false;  // false as long as nothing has been listed
  Profile known;          // what all that fit say together
  std::vector<std::string> used;
  std::vector<std::string> lacking;  // one sentence each
};

// `server` is the result of `initialize`.
ProfileChoice choose_profiles(const KnownProfiles& profiles, const Survey& survey,
                              const Json& server);

// Of several runs: what any of them used, and what every one of them lacks.
ProfileNotes sum_up(const std::vector<const ProfileChoice*>& choices);

}  // namespace assay::harness
