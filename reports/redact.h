// Keeps secrets that we were given for a target out of what is written about it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/result.h"

namespace assay::reports {

struct Secret {
  std::string value;
  std::string shown;  // what stands in its place: "${TOKEN}"
};

// Shorter values are no secrets: "1", "true" and "debug" would be found everywhere.
inline constexpr std::size_t kShortestSecret = 8;

// As text.find(what), in a time that does not grow with the product of both: whoever is judged may
// have chosen both.
std::size_t find_quickly(std::string_view text, std::string_view what);

// A copy with each `what`, which is not empty, replaced, in one pass.
std::string replaced(std::string_view text, std::string_view what, std::string_view by);

// Replaces the values wherever they stand, as they are or as JSON or a URL writes them.
void redact(std::string& text, std::span<const Secret> secrets);
// The same of a piece of a longer text: also the end of a value at its very beginning, and the
// beginning of one at its very end.
void redact_piece(std::string& text, std::span<const Secret> secrets);
// The same of a text of our own that quotes the target: also the beginning of a value where what is
// quoted was cut (escape.h, cut()).
void redact_quoted(std::string& text, std::span<const Secret> secrets);
// In everything that quotes the target. A value of which a text that was cut holds only a part is
// replaced as well.
void redact(Result& result, std::span<const Secret> secrets);

}  // namespace assay::reports
