#include "harness/frame/history_option.h"

#include <filesystem>
#include <optional>

#include "reports/output.h"

namespace assay::cli {
namespace {

void check_history(const std::optional<std::string>& error) {
  if (error) throw UsageError("--history: " + *error);
}

}  // namespace

void HistoryOption::declare(Arguments& arguments) {
  arguments.text("--history", folder_, "DIR",
                 "Keep the result of each run in this folder, and show the trend in --overview");
}

std::string HistoryOption::path() const {
  return (std::filesystem::path(folder_) / "mcp-assay-history.jsonl").string();
}

void HistoryOption::prepare(bool has_overview) {
  if (folder_.empty()) return;
  if (!has_overview) throw UsageError("--history needs --overview, which shows it");
  check_history(reports::check_writable(path()));
  std::error_code ignored;
  if (!std::filesystem::exists(path(), ignored)) return;
  const reports::FileText file = reports::read_file(path());
  if (!file.error.empty()) throw UsageError("--history: " + file.error);
  history_ = reports::parse_history(file.text);
}

const reports::History& HistoryOption::add(std::span<const reports::Result> results) {
  if (folder_.empty()) return history_;
  for (const reports::Result& result : results) reports::add_to_history(history_, result);
  check_history(reports::write_file(path(), reports::render_history(history_)));
  return history_;
}

}  // namespace assay::cli
