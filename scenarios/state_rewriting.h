// A requestState that names its user, with another name in it: opaque as it is to a client, some
// are written so that anybody can read them, and write them anew.
//
// Specification of 2026-07-28: basic/patterns/mrtr, "Server Requirements (Basic Workflow)".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::scenarios {

// The state with another name in place of its own, in the form that it has: as text, in hexadecimal
// digits or in base64, as a whole or in a part between dots. A sum that needs no key, of a part or
// behind the whole, is made anew. Nothing where it does not hold the name in the clear.
std::optional<std::string> state_renamed(const std::string& state, std::string_view own,
                                         std::string_view other);

}  // namespace assay::scenarios
