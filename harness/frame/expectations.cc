#include "harness/frame/expectations.h"

#include <fmt/format.h>

#include <string>
#include <variant>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"
#include "reports/escape.h"
#include "reports/output.h"

namespace assay::cli {

namespace {

// A rule that is spelled wrong would never match, and no reader would know.
void check_rule(const std::string& pattern, const std::string& path) {
  std::vector<std::string> known;
  for (const catalogue::Requirement& each : catalogue::all()) {
    if (reports::matches_glob(pattern, each.id)) return;
    known.emplace_back(each.id);
  }
  throw UsageError(fmt::format("'{}': no rule matches '{}'{}", reports::printable_line(path),
                               reports::printable_line(reports::cut(pattern, 80)),
                               did_you_mean(pattern, known)));
}

}  // namespace

Expectations::Expectations(const std::string& path) : path_(path) {
  if (path.empty()) return;
  const reports::FileText file = reports::read_file(path);
  if (!file.error.empty()) throw UsageError(file.error);
  const auto parsed = reports::parse_expected(file.text);
  if (const auto* error = std::get_if<std::string>(&parsed)) {
    throw UsageError(fmt::format("'{}': {}", path, *error));
  }
  expected_ = std::get<reports::ExpectedFailures>(parsed);
  for (const auto* list : {&expected_->server, &expected_->client, &expected_->authorization}) {
    for (const reports::Expectation& each : *list) check_rule(each.pattern, path);
  }
}

void Expectations::apply(reports::Result& result, const char* subcommand) const {
  if (!expected_) return;
  reports::clear_expected(result);
  for (const std::string& pattern : reports::apply_expected(*expected_, result)) {
    fmt::print(stderr, "mcp-assay {}: '{}' in '{}' matches nothing\n", subcommand, pattern, path_);
  }
}

}  // namespace assay::cli
