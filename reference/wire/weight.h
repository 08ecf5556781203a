// What a JSON text costs in memory once somebody reads it.
//
// "[[],[],[],..." is small as text and twenty times as large as a tree: what a peer may make us
// hold is counted as what it can become.
#pragma once

#include <cstddef>
#include <string_view>

namespace assay::wire {

// How many tokens a text has, see tokens.h: brackets, colons, commas, strings, and runs of other
// characters. The text need not be JSON; of no text there are fewer than decode() finds.
std::size_t count_tokens(std::string_view text);

// At most what the tree of a text of that many tokens and bytes takes.
constexpr std::size_t tree_bytes(std::size_t tokens, std::size_t text_bytes) {
  // A member costs 96 bytes for four tokens, an empty object in an array 96 for three, a string in
  // an array 80 for two. A long string is copied once, and once more while it is parsed.
  constexpr std::size_t kPerToken = 40;
  return kPerToken * tokens + 2 * text_bytes;
}

}  // namespace assay::wire
