#include "harness/cli/expectations.h"

#include <fmt/format.h>

#include <variant>

#include "harness/cli/command.h"
#include "reports/output.h"

namespace assay::cli {

Expectations::Expectations(const std::string& path) : path_(path) {
  if (path.empty()) return;
  const reports::FileText file = reports::read_file(path);
  if (!file.error.empty()) throw UsageError(file.error);
  const auto parsed = reports::parse_expected(file.text);
  if (const auto* error = std::get_if<std::string>(&parsed)) {
    throw UsageError(fmt::format("'{}': {}", path, *error));
  }
  expected_ = std::get<reports::ExpectedFailures>(parsed);
}

void Expectations::apply(reports::Result& result, const char* subcommand) const {
  if (!expected_) return;
  reports::clear_expected(result);
  for (const std::string& pattern : reports::apply_expected(*expected_, result)) {
    fmt::print(stderr, "mcp-assay {}: '{}' in '{}' matches nothing\n", subcommand, pattern, path_);
  }
}

}  // namespace assay::cli
