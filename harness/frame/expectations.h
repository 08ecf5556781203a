// --expected-failures FILE: violations that are known and do not fail a run.
#pragma once

#include <optional>
#include <string>

#include "reports/expected.h"
#include "reports/result.h"

namespace assay::cli {

class Expectations {
 public:
  // Reads the list; an empty path is an empty list. Throws UsageError for a file that cannot be
  // read.
  explicit Expectations(const std::string& path);

  // Marks what is expected and what is stale. Whatever matches nothing is told on standard error in
  // the name of this subcommand.
  void apply(reports::Result& result, const char* subcommand) const;

 private:
  std::string path_;
  std::optional<reports::ExpectedFailures> expected_;
};

}  // namespace assay::cli
