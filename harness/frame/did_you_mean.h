// What somebody may have meant who wrote a name that does not exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

// How many letters have to be added, removed, changed, or swapped with the next one.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Those of `known` that a slip of the fingers makes of `asked`, the nearest first: at most three.
// Names that only begin with what was asked for count, too.
std::vector<std::string> nearest(std::string_view asked, const std::vector<std::string>& known);

// "; do you mean 'tools' or 'toll'?", printable; empty where no name is near.
std::string did_you_mean(std::string_view asked, const std::vector<std::string>& known);

// "; do you mean 'tools'?", or "; known: ..." with all names where none is near. Few names stand
// behind the question, too.
std::string meant_or_known(std::string_view asked, const std::vector<std::string>& known);
// "unknown area 'tols'; do you mean 'tools'?"
std::string unknown_name(std::string_view what, std::string_view asked,
                         const std::vector<std::string>& known);

// The same question, or else where the names can be seen: "; --list-faults shows the known ones".
std::string did_you_mean_or(std::string_view asked, const std::vector<std::string>& known,
                            std::string_view where);

// The ids of faults, bugs and the like.
std::vector<std::string> ids_of(const auto& items) {
  std::vector<std::string> out;
  for (const auto& item : items) out.emplace_back(item.id);
  return out;
}

}  // namespace assay::cli
