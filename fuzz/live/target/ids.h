// Which request is which, to parsers other than ours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reference/wire/id.h"
#include "reference/wire/message_fwd.h"

namespace assay::fuzz {

// A request that is longer or deeper is none that every parser takes.
inline constexpr std::size_t kLongestPlain = 32u << 10;
inline constexpr std::size_t kDeepestPlain = 32;

// What two ids have in common that a parser may take for the same: numbers by their nearest double.
std::string id_key(const wire::Id& id);
// The keys of everything in the line that a lenient parser might take for an id: what stands behind
// "id":. At most 2,000.
std::vector<std::string> ids_in(std::string_view line);
// True if every parser reads this request alike: no unusual number, no escape of half a character,
// neither long nor deep, and with params that are an object.
bool is_plain_request(const wire::Message& message);

}  // namespace assay::fuzz
