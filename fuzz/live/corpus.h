// Cases that were answered in a new way, kept in a folder from one run to the next.
//
//   DIR/case-0123456789abcdef.jsonl   what was sent (step.h); named by a hash of what is in it
//   DIR/ANYTHING                      a file of the user's: lines of steps, or of messages
//
// What is in the folder may be damaged, or somebody else's: it is read within bounds, and what is
// no case of ours is passed over.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/live/target/step.h"

namespace assay::fuzz {

// Used by one thread.
class Corpus {
 public:
  // What is read, and what is kept.
  static constexpr std::size_t kMostFiles = 2000;
  static constexpr std::size_t kMostBytes = 32u << 20;
  static constexpr std::size_t kLargestFile = 256u << 10;
  static constexpr std::size_t kMostSteps = 32;  // of a case

  explicit Corpus(std::filesystem::path directory) : directory_(std::move(directory)) {}

  struct Loaded {
    std::vector<Case> cases;  // in the order of their names
    std::size_t skipped = 0;  // files that are damaged, or hold too much
    std::string first_skipped = {};
  };
  // Reads what is there; an empty folder, or none, has no cases. `is_http`: what only HTTP can send
  // is taken too.
  Loaded load(bool is_http);
  // Writes the case, whole or not at all, unless it is there or the folder is full. Returns what
  // went wrong.
  std::optional<std::string> keep(Case made);

  std::size_t added() const { return added_; }
  bool is_full() const { return names_.size() >= kMostFiles || bytes_ >= kMostBytes; }

 private:
  std::filesystem::path directory_;
  std::set<std::string> names_;
  std::size_t bytes_ = 0;
  std::size_t added_ = 0;
};

}  // namespace assay::fuzz
