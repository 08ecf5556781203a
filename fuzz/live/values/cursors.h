// Cursors opened up: what a server packs into one is changed inside, and packed again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::fuzz {

// The cursor with each value inside changed in many ways: of base64 (or base64url) of JSON or of a
// number, of a number, or of JSON. Empty if it is none of these.
std::vector<std::string> changed_cursors(std::string_view cursor);

}  // namespace assay::fuzz
