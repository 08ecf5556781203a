// Keeps secrets that we were given for a target out of what is written about it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/result.h"

namespace assay::reports {

struct Secret {
  std::string value;
  std::string shown;  // what stands in its place: "${TOKEN}"
};

// Shorter values are no secrets: "1", "true" and "debug" would be found everywhere.
inline constexpr std::size_t kShortestSecret = 8;

// Replaces the values wherever they stand, as they are or as JSON writes them.
void redact(std::string& text, std::span<const Secret> secrets);
// In everything that quotes the target. A value that stands across the end of a text that was cut
// is replaced as well.
void redact(Result& result, std::span<const Secret> secrets);

}  // namespace assay::reports
