#include "harness/frame/output_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"
#include "reports/escape.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// What any output may have in its path, somewhere.
const std::vector<std::string>& all_placeholders() {
  static const std::vector<std::string> all{"{name}", "{party}", "{revision}", "{session}"};
  return all;
}

std::string shown_path(const std::string& text) {
  return reports::printable_line(reports::cut(text, 200));
}

void check_placeholders(const std::string& path, const std::vector<std::string>& placeholders) {
  for (std::size_t begin = path.find('{'); begin != std::string::npos;
       begin = path.find('{', begin + 1)) {
    const std::size_t end = path.find('}', begin);
    if (end == std::string::npos) return;
    const std::string place = path.substr(begin, end - begin + 1);
    if (std::find(placeholders.begin(), placeholders.end(), place) != placeholders.end()) continue;
    const bool is_word =
        place.size() > 2 && std::all_of(place.begin() + 1, place.end() - 1,
                                        [](unsigned char c) { return std::isalpha(c) != 0; });
    if (!is_word) continue;
    const auto& all = all_placeholders();
    const bool is_elsewhere = std::find(all.begin(), all.end(), place) != all.end();
    throw UsageError(fmt::format("'{}' has {} in it, which means nothing here{}", shown_path(path),
                                 shown_path(place), is_elsewhere ? "" : did_you_mean(place, all)));
  }
}

// The same for each way to write the path of one file.
std::string key_of(const std::string& path) {
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  return whole.empty() ? path : whole.string();
}

}  // namespace

void OutputPaths::claim(const std::string& path, const std::vector<std::string>& placeholders) {
  if (path == "-") return;
  check_placeholders(path, placeholders);
  std::error_code ignored;
  const bool is_device = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
  if (!is_device && !taken_.insert(key_of(path)).second) {
    throw UsageError(
        fmt::format("two outputs go to '{}': give each a path of its own", shown_path(path)));
  }
  // A run of minutes must not end in a report that cannot be kept.
  if (const auto error = reports::check_writable(path)) throw UsageError(*error);
}

}  // namespace assay::cli
