// What two parties speak: a revision, and the extensions that they use with it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/model/revision.h"

namespace assay::model {

// Some of the extensions, by their place in extensions() (extension.h).
class ExtensionSet {
 public:
  static constexpr std::size_t kMost = 32;

  constexpr ExtensionSet() = default;

  constexpr bool contains(std::size_t extension) const { return (bits_ & bit(extension)) != 0; }
  constexpr bool is_empty() const { return bits_ == 0; }
  constexpr void add(std::size_t extension) { bits_ |= bit(extension); }

  friend constexpr ExtensionSet operator|(ExtensionSet a, ExtensionSet b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr auto operator<=>(ExtensionSet, ExtensionSet) = default;

 private:
  static constexpr std::uint32_t bit(std::size_t extension) { return 1u << extension; }

  std::uint32_t bits_ = 0;
};

// A revision alone is a protocol without extensions.
struct Protocol {
  Revision revision;
  ExtensionSet extensions;

  constexpr Protocol(Revision its_revision, ExtensionSet its_extensions = {})  // NOLINT
      : revision(its_revision), extensions(its_extensions) {}

  friend constexpr auto operator<=>(Protocol, Protocol) = default;
};

}  // namespace assay::model
