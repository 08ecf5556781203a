#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "harness/cli/list_topics.h"
#include "harness/coverage_table.h"
#include "harness/frame/command.h"

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

nlohmann::ordered_json to_json(const harness::CoverageTable& table) {
  auto rows = nlohmann::ordered_json::array();
  for (const harness::CoverageRow& row : table) {
    rows.push_back({{"revision", row.revision.text()},
                    {"extension", row.extension},
                    {"subject", name(row.side)},
                    {"level", reports::name(row.strength)},
                    {"active", row.active},
                    {"passive", row.passive},
                    {"open", row.open},
                    {"unobservable", row.unobservable}});
  }
  return rows;
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
  } else if (options.format == "json") {
    fmt::print("{}\n", to_json(table).dump(2));
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
