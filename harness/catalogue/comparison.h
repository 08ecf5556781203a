// What differs between the pages that the catalogue stands for and those of another folder, such as
// a draft: each normative statement that was added, changed, moved or removed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/catalogue/accounting.h"

namespace assay::catalogue {

// A sentence and its page.
struct Stated {
  std::string page;
  Sentence sentence;
};

// One of the two is missing where a statement was added or removed.
struct Difference {
  enum class Kind { kAdded, kChanged, kMoved, kRemoved };
  Kind kind = Kind::kAdded;
  std::optional<Stated> before;
  std::optional<Stated> after;
};

// Every page below `folder`, or below its folder `pages` if it has one, by its path without its
// ending; and its schema.json, if there is one.
Pages read_other_pages(const std::filesystem::path& folder);

// In the order of the pages. The same words on another page have moved; on the same page two
// sentences that share most of their words are one that has changed. Where one of
// them has no schema, that of the other does not count.
std::vector<Difference> compare_pages(const Pages& before, const Pages& after);

// For a person: one paragraph for each difference, with the ids that stand for the statement today,
// and a last line that counts them.
std::string to_text(const std::vector<Difference>& differences, const Accounts& accounts);

}  // namespace assay::catalogue
