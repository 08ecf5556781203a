#include "harness/cli/interop_history_option.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "reports/output.h"

namespace assay::cli {

void InteropHistoryOption::declare(Arguments& arguments) {
  arguments.text("--history", folder_, "DIR",
                 "Keep what each run of a matrix came to in this folder, and say what changed "
                 "since the last");
}

std::string InteropHistoryOption::path() const {
  return (std::filesystem::path(folder_) / "mcp-interop-history.jsonl").string();
}

void InteropHistoryOption::prepare() {
  if (!is_given()) return;
  if (const auto trouble = reports::check_writable(path())) {
    throw UsageError("--history: " + *trouble);
  }
  std::error_code ignored;
  if (!std::filesystem::exists(path(), ignored)) return;
  const reports::FileText file = reports::read_file(path());
  if (!file.error.empty()) throw UsageError("--history: " + file.error);
  runs_ = reports::parse_interop_history(file.text);
}

void InteropHistoryOption::keep(reports::InteropResult& result) {
  if (!is_given()) return;
  if (!runs_.empty()) reports::note_changes(result, runs_.back());
  if (result.was_interrupted) return;
  reports::add_to_interop_history(runs_, result);
  const auto trouble = reports::write_file(path(), reports::render_interop_history(runs_));
  if (trouble) std::cerr << fmt::format("mcp-assay: --history: {}\n", *trouble);
}

}  // namespace assay::cli
