// A sandbox in a directory that is gone at the end of a test.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

#include "fuzz/live/target/sandbox.h"

namespace assay::fuzz {

// A directory of its own, with a blank in its name.
class ScratchFolder {
 public:
  ScratchFolder() {
    static std::atomic<int> last{0};
    path_ = std::filesystem::temp_directory_path() /
            ("assay sandbox " + std::to_string(::getpid()) + "-" + std::to_string(++last));
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::unique_ptr<Sandbox> sandbox_in(const std::filesystem::path& directory) {
  auto made = Sandbox::make(directory.string());
  if (std::holds_alternative<std::string>(made)) return nullptr;
  return std::get<std::unique_ptr<Sandbox>>(std::move(made));
}

inline std::string text_of_file(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace assay::fuzz
