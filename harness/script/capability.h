// Looking up a declared capability.
#pragma once

#include <string_view>

#include "reference/wire/json.h"

namespace assay::harness {

// True if `side` (the params or the result of `initialize`) declares the capability that `path`
// names
// ("resources.subscribe"). A member that is false or null declares nothing.
bool declares(const Json& side, std::string_view path);
// The same of the capabilities themselves.
bool declares_in(const Json& capabilities, std::string_view path);

}  // namespace assay::harness
