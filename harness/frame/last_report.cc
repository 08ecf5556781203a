#include "harness/frame/last_report.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostReports = 1000;

std::optional<fs::path> state_file() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return fs::path(state) / "mcp-assay" / "last-reports";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return std::nullopt;
  return fs::path(home) / ".local" / "state" / "mcp-assay" / "last-reports";
}

}  // namespace

void remember_reports(const std::vector<std::string>& paths) {
  const auto file = state_file();
  if (!file || paths.empty()) return;
  std::error_code ignored;
  fs::create_directories(file->parent_path(), ignored);
  std::ofstream out(*file, std::ios::trunc);
  for (std::size_t i = 0; i < paths.size() && i < kMostReports; ++i) {
    const std::string path = fs::absolute(paths[i], ignored).lexically_normal().string();
    if (path.find('\n') == std::string::npos) out << path << '\n';
  }
}

std::vector<std::string> last_reports() {
  std::vector<std::string> out;
  const auto file = state_file();
  if (!file) return out;
  std::ifstream in(*file);
  std::error_code ignored;
  for (std::string line; out.size() < kMostReports && std::getline(in, line);) {
    if (fs::is_regular_file(line, ignored)) out.push_back(line);
  }
  return out;
}

}  // namespace assay::cli
