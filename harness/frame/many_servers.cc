#include "harness/frame/many_servers.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "harness/frame/command.h"
#include "reports/escape.h"
#include "reports/output.h"
#include "reports/overview.h"
#include "reports/text.h"

namespace assay::cli {
namespace {

constexpr std::string_view kNameMark = "{name}";

std::vector<reports::OverviewEntry> entries(std::span<const reports::Result> results) {
  std::vector<reports::OverviewEntry> out;
  for (const reports::Result& result : results) out.push_back({&result, ""});
  return out;
}

}  // namespace

bool is_for_each(const std::string& path) {
  return path.find(kNameMark) != std::string::npos;
}

std::string path_for(const std::string& path, const std::string& name, std::size_t total) {
  const std::size_t at = path.find(kNameMark);
  if (at == std::string::npos) {
    if (total > 1 && path != "-" && !path.ends_with("=-")) {
      throw UsageError(fmt::format("'{}' would be written {} times: put {{name}} into its path",
                                   reports::printable_line(path), total));
    }
    return path;
  }
  std::string out = path;
  return out.replace(at, kNameMark.size(), name);
}

std::optional<std::string> write_overview(const std::string& path,
                                          std::span<const reports::Result> results,
                                          std::span<const std::string> pages,
                                          const reports::History& history) {
  std::vector<reports::OverviewEntry> rows = entries(results);
  for (reports::OverviewEntry& row : rows) {
    const auto found = history.find(reports::history_key(*row.result));
    if (found != history.end()) row.history = found->second;
  }
  const auto folder = std::filesystem::absolute(path).parent_path();
  for (std::size_t i = 0; i < rows.size() && i < pages.size(); ++i) {
    if (pages[i].empty() || pages[i] == "-") continue;
    const auto page = std::filesystem::absolute(pages[i]);
    rows[i].link = page.lexically_relative(folder).generic_string();
  }
  return reports::write_file(path, reports::render_overview(rows));
}

std::string place_among(const std::string& name, std::size_t number, std::size_t total) {
  return total == 1 ? "" : fmt::format("{} ({} of {})", name, number, total);
}

std::string heading(const reports::Target& target, bool is_first) {
  return fmt::format("{}== {}\n", is_first ? "" : "\n", reports::target_title(target));
}

std::string overview_table(std::span<const reports::Result> results) {
  return "\n" + reports::render_overview_text(entries(results));
}

std::string overview_place(const std::string& path) {
  const bool is_file = !path.empty() && path != "-";
  return is_file ? fmt::format("Report: {}\n", reports::printable_line(path)) : "";
}

}  // namespace assay::cli
