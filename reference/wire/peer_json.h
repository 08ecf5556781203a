// JSON text of a peer's, as a value that is safe to copy, compare and write: those take as much of
// the stack as the value is deep.
#pragma once

#include <cstddef>
#include <string_view>

#include "reference/wire/json.h"

namespace assay::wire {

// Nested arrays and objects; what messages may have as well.
inline constexpr std::size_t kDeepestPeerJson = 512;

// True if arrays and objects are nested deeper in `text`, be it JSON or not.
bool is_nested_deeper(std::string_view text, std::size_t most = kDeepestPeerJson);

// The value of `text`; a discarded one, which is of no type, where that is no JSON or is nested
// deeper than kDeepestPeerJson.
Json parse_of_peer(std::string_view text);

}  // namespace assay::wire
