#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string>

#include "harness/cli/command.h"
#include "harness/cli/list_topics.h"
#include "harness/coverage_table.h"

namespace assay::cli {
namespace {

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw UsageError(fmt::format("cannot read {}", path));
  return text.str();
}

void write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) throw UsageError(fmt::format("cannot write {}", path));
}

void update(const std::string& path, const harness::CoverageTable& table) {
  const std::string document = read(path);
  const std::string updated = harness::with_table(document, harness::to_markdown(table));
  if (updated.find(harness::to_markdown(table)) == std::string::npos) {
    throw UsageError(
        fmt::format("{} lacks the lines <!-- coverage --> and <!-- /coverage -->", path));
  }
  if (updated != document) write(path, updated);
}

}  // namespace

int list_coverage(const CoverageOptions& options) {
  const harness::CoverageTable table =
      harness::count_coverage(catalogue::all(), harness::collect_coverage());
  if (options.format == "markdown") {
    fmt::print("{}", harness::to_markdown(table));
  } else if (options.format == "tsv") {
    fmt::print("{}", harness::to_tsv(table));
  } else {
    fmt::print("{}", harness::to_text(table));
  }
  if (!options.update.empty()) update(options.update, table);
  int status = kConformant;
  if (!options.check.empty()) {
    for (const std::string& sentence : harness::fallen(read(options.check), table)) {
      fmt::print(stderr, "coverage fell: {}\n", sentence);
      status = kViolations;
    }
  }
  if (!options.record.empty()) write(options.record, harness::to_tsv(table));
  return status;
}

}  // namespace assay::cli
