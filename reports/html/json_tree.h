// JSON as the page shows it: a line for each member, what is long folded, the marked part in sight.
//
// The text is shown token by token as it was sent: repeated members, numbers such as 1.0 and
// escapes stay; only white space between tokens is ours.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reports/excerpt.h"

namespace assay::reports::html {

// HTML of one JSON text. `mark` is the part of it, in bytes, that stands out. Empty if `text` is no
// JSON, longer than kLongestTree, or nested too deeply.
inline constexpr std::size_t kLongestTree = 16'000;
std::string json_tree(std::string_view text, const std::optional<Span>& mark);

// A piece of evidence of which a part is JSON: the lines before it (fields of HTTP, of an event
// stream), the tree, and what follows. Empty `tree`: there is no such part.
struct EvidenceTree {
  std::string before;   // printable
  std::string tree;     // HTML
  std::string after;    // printable
  std::string missing;  // the pointer, when the value that it names does not exist
  bool is_marked = false;
};
EvidenceTree evidence_tree(const Evidence& evidence);

}  // namespace assay::reports::html
