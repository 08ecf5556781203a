// The part of a piece of evidence that a reader should see: bounded, harmless to show, and split
// around the offending part.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "reports/result.h"

namespace assay::reports {

// Where a value stands in a text, in bytes: [begin, end).
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_exact = true;  // false: the value is missing, and this is its nearest existing parent

  friend bool operator==(const Span&, const Span&) = default;
};

// Finds the value that a JSON pointer (RFC 6901) names. `text` may be a JSON text, or one behind
// HTTP fields or an SSE "data:". A broken text is searched as far as it goes. Empty if nothing was
// found. A member's span includes its name.
std::optional<Span> locate(std::string_view text, std::string_view pointer);

// The first part of a text that is JSON by itself, up to its end or to the end of its line: the
// text may begin with HTTP fields, or be an event of a stream.
std::optional<Span> json_part(std::string_view text);

// Printable text in three parts; `marked` is empty when nothing is to be marked.
struct Excerpt {
  std::string before;
  std::string marked;
  std::string after;
  std::string missing;  // the pointer, when the value it names does not exist
  std::string unseen;   // the pointer, when the value stands behind what the harness kept
};

// What its pointer is of the evidence: "offending part", "missing" or "behind the cut".
std::string_view pointer_word(const Excerpt& part);

// At most about `max_bytes` of the evidence, around the offending part. What is left out is said in
// place: "[cut: 512 bytes]".
Excerpt excerpt(const Evidence& evidence, std::size_t max_bytes);

}  // namespace assay::reports
