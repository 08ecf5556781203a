// What is in a folder and below it at one moment, so that what a tool did there can be seen.
//
// The folder may hold anything: links are not followed, and only plain files are read. What is
// beyond the bounds is not seen, which is_complete() tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay::harness {

struct FileChange {
  enum class Kind { kCreated, kChanged, kShrunk, kRemoved };
  Kind kind = Kind::kCreated;
  std::string path;  // from the folder; as the file system has it, not fit for a terminal

  friend auto operator<=>(const FileChange&, const FileChange&) = default;
};

class FolderState {
 public:
  static constexpr std::size_t kMostEntries = 10'000;
  static constexpr std::uint64_t kMostBytes = 256u << 20;  // of all files together

  static FolderState of(const std::string& folder);

  // Everything was seen: otherwise a comparison says less.
  bool is_complete() const { return is_complete_; }
  // What differs in `after`, by path. Times and modes do not count, and contents do.
  std::vector<FileChange> changes_in(const FolderState& after) const;

 private:
  struct Entry {
    char type = 'f';  // 'f' a plain file, 'd' a folder, 'l' a link, 'o' anything else
    std::uint64_t size = 0;
    std::uint64_t digest = 0;  // of the content, or of where the link leads

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  std::map<std::string, Entry> entries_;
  bool is_complete_ = true;
};

}  // namespace assay::harness
