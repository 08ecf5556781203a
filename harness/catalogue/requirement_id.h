// The name of a requirement in code. A name that the catalogue lacks does not compile:
//
//   script.check("pagination.invalid-cursor", ...);   // RequirementId from a literal
//
// Light to include: it brings the sorted list of ids and nothing else.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "harness/catalogue/catalogue_ids.h"

namespace assay::catalogue {

class RequirementId {
 public:
  // From a literal, checked by the compiler.
  template <std::size_t N>
  consteval RequirementId(const char (&literal)[N])  // NOLINT(google-explicit-constructor)
      : index_(position({literal, N - 1})) {
    if (index_ == kNone) throw "no requirement of this id stands in harness/catalogue/data";
  }

  // From text that is known only when the program runs.
  static constexpr std::optional<RequirementId> find(std::string_view id) {
    const std::size_t index = position(id);
    if (index == kNone) return std::nullopt;
    return RequirementId(index);
  }

  constexpr std::string_view text() const { return kRequirementIds[index_]; }
  friend constexpr auto operator<=>(RequirementId, RequirementId) = default;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  constexpr explicit RequirementId(std::size_t index) : index_(index) {}

  static constexpr std::size_t position(std::string_view id) {
    std::size_t low = 0;
    std::size_t high = kRequirementIds.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (kRequirementIds[middle] < id) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < kRequirementIds.size() && kRequirementIds[low] == id ? low : kNone;
  }

  std::size_t index_;
};

}  // namespace assay::catalogue
