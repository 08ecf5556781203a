#include "harness/cli/file_watch.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <string_view>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 10> kForeignFolders{
    "node_modules", "build", "dist-info", "target", "vendor",
    "venv",         "env",   "coverage",  "out",    "mcp-report"};
constexpr std::array<std::string_view, 38> kSources{
    ".js",  ".mjs",  ".cjs", ".ts",   ".mts",   ".cts",   ".jsx",  ".tsx", ".py", ".go",
    ".rs",  ".java", ".kt",  ".kts",  ".scala", ".cs",    ".fs",   ".c",   ".cc", ".cpp",
    ".cxx", ".h",    ".hh",  ".hpp",  ".m",     ".swift", ".rb",   ".php", ".ex", ".exs",
    ".lua", ".sh",   ".pl",  ".dart", ".zig",   ".toml",  ".yaml", ".yml"};
// The JSON that is source; other JSON is often data.
constexpr std::array<std::string_view, 3> kSourceNames{"package.json", "tsconfig.json",
                                                       "mcp-assay.yaml"};

bool is_among(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_left_out(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with('.') || name.starts_with("__") || is_among(kForeignFolders, name);
}

bool is_source(const fs::path& file) {
  return is_among(kSources, file.extension().string()) ||
         is_among(kSourceNames, file.filename().string());
}

}  // namespace

FileWatch::Files FileWatch::look() const {
  Files out;
  std::error_code ignored;
  fs::recursive_directory_iterator walk(folder_, fs::directory_options::skip_permission_denied,
                                        ignored);
  for (; walk != fs::recursive_directory_iterator() && out.size() < kMostFiles;
       walk.increment(ignored)) {
    if (walk->is_directory(ignored)) {
      if (is_left_out(walk->path())) walk.disable_recursion_pending();
      continue;
    }
    if (!is_source(walk->path())) continue;
    std::error_code gone;
    const State state{walk->last_write_time(gone), walk->file_size(gone)};
    if (!gone) out[walk->path().lexically_relative(folder_).string()] = state;
  }
  return out;
}

void FileWatch::note() {
  noted_ = look();
}

std::string FileWatch::changed() const {
  const Files now = look();
  for (const auto& [path, state] : now) {
    const auto before = noted_.find(path);
    if (before == noted_.end() || before->second != state) return path;
  }
  for (const auto& [path, state] : noted_) {
    if (!now.contains(path)) return path;
  }
  return "";
}

std::string FileWatch::wait(const std::stop_token& stop, std::chrono::milliseconds pause) const {
  std::mutex mutex;  // guards nothing: only the stop is waited for
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    std::string path = changed();
    if (!path.empty()) return path;
    never.wait_for(lock, stop, pause, [] { return false; });
  }
  return "";
}

}  // namespace assay::cli
