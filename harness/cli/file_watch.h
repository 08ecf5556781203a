// Which of a project's files changed: what `server --watch` waits for.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>

namespace assay::cli {

// Sources below a folder, and the further files that are named. Folders that hold no sources of
// the project's own (.git, node_modules, build) are left out, and so is what servers write: data.
class FileWatch {
 public:
  // What a project has beyond this is not watched.
  static constexpr std::size_t kMostFiles = 20'000;

  explicit FileWatch(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Takes the files as they are now.
  void note();
  // The first file that differs from what was noted, seen from the folder; empty if none does.
  std::string changed() const;
  // Waits for that. Empty if somebody asked to stop.
  std::string wait(const std::stop_token& stop,
                   std::chrono::milliseconds pause = std::chrono::milliseconds(200)) const;

 private:
  struct State {
    std::filesystem::file_time_type changed;
    std::uintmax_t size = 0;

    friend bool operator==(const State&, const State&) = default;
  };
  using Files = std::map<std::string, State>;
  Files look() const;

  std::filesystem::path folder_;
  Files noted_;
};

}  // namespace assay::cli
