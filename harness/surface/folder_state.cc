#include "harness/surface/folder_state.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "reference/transport/unique_fd.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;

// FNV-1a. Nobody gains by a collision but the one who hides a change of his own files.
class Digest {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

// Of a plain file, at most so many bytes; nothing where it is none any more, or is longer.
std::optional<std::uint64_t> digest_of(const std::string& path, std::uint64_t most) {
  const transport::UniqueFd file(
      ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  Digest digest;
  std::array<char, 64u << 10> part;
  while (true) {
    const ssize_t read = ::read(file.get(), part.data(), part.size());
    if (read == 0) return digest.value();
    if (read < 0 || static_cast<std::uint64_t>(read) > most) return std::nullopt;
    most -= static_cast<std::uint64_t>(read);
    digest.add({part.data(), static_cast<std::size_t>(read)});
  }
}

}  // namespace

FolderState FolderState::of(const std::string& folder) {
  FolderState state;
  std::uint64_t left = kMostBytes;
  std::error_code error;
  fs::recursive_directory_iterator walk(folder, fs::directory_options::skip_permission_denied,
                                        error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    if (state.entries_.size() == kMostEntries) {
      state.is_complete_ = false;
      return state;
    }
    const fs::path& path = walk->path();
    std::error_code gone;
    const fs::file_status status = walk->symlink_status(gone);
    if (gone) continue;
    Entry entry;
    if (fs::is_symlink(status)) {
      entry.type = 'l';
      Digest digest;
      digest.add(fs::read_symlink(path, gone).native());
      entry.digest = digest.value();
    } else if (fs::is_directory(status)) {
      entry.type = 'd';
    } else if (fs::is_regular_file(status)) {
      entry.size = fs::file_size(path, gone);
      const auto digest = digest_of(path.native(), left);
      left -= digest ? std::min(left, entry.size) : 0;
      state.is_complete_ = state.is_complete_ && digest.has_value();
      entry.digest = digest.value_or(0);
    } else {
      entry.type = 'o';
    }
    state.entries_.emplace(path.lexically_relative(folder).native(), entry);
  }
  state.is_complete_ = state.is_complete_ && !error;
  return state;
}

std::vector<FileChange> FolderState::changes_in(const FolderState& after) const {
  std::vector<FileChange> out;
  for (const auto& [path, entry] : entries_) {
    const auto found = after.entries_.find(path);
    if (found == after.entries_.end()) {
      out.push_back({FileChange::Kind::kRemoved, path});
    } else if (entry != found->second) {
      const bool is_shorter = entry.type == found->second.type && found->second.size < entry.size;
      out.push_back({is_shorter ? FileChange::Kind::kShrunk : FileChange::Kind::kChanged, path});
    }
  }
  for (const auto& [path, entry] : after.entries_) {
    if (!entries_.contains(path)) out.push_back({FileChange::Kind::kCreated, path});
  }
  return out;
}

}  // namespace assay::harness
