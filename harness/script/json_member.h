// Reading JSON that a peer sent: what is not there, or of another type, is a value and no
// exception.
#pragma once

#include <string_view>

#include "reference/wire/json.h"

namespace assay::harness {

// The member of that name; null if `object` is no object or has none.
const Json& member(const Json& object, std::string_view name);

// The text of a member that is a string; empty otherwise.
std::string_view text_member(const Json& object, std::string_view name);

// The items of a member that is an array; an empty array otherwise.
const Json& array_member(const Json& object, std::string_view name);

// What a server says of itself in its result of `initialize`, or of `server/discover`, where it
// stands in `_meta`; null if it says nothing.
const Json& server_info(const Json& result);

}  // namespace assay::harness
