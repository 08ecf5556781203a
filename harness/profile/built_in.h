// The profiles that come with the program: data/*.yaml.
#pragma once

#include <span>
#include <string_view>

#include "harness/profile/profile.h"

namespace assay::harness {

// All of them, sorted by name.
std::span<const Profile> built_in_profiles();
// Null if there is none of that name.
const Profile* built_in_profile(std::string_view name);
// The YAML it was read from.
std::string_view built_in_text(std::string_view name);

}  // namespace assay::harness
