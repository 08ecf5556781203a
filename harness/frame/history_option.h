// --history DIR: what earlier runs came to, for the trends of an overview.
#pragma once

#include <span>
#include <string>

#include "harness/frame/command.h"
#include "reports/history.h"

namespace assay::cli {

class HistoryOption {
 public:
  void declare(Arguments& arguments);
  bool is_given() const { return !folder_.empty(); }
  // Reads what is there, before the work starts. `has_overview`: there is a page to show it. Throws
  // UsageError.
  void prepare(bool has_overview);
  // Adds these results, and keeps the file. Throws UsageError where it cannot be written.
  const reports::History& add(std::span<const reports::Result> results);

 private:
  std::string path() const;

  std::string folder_;
  reports::History history_;
};

}  // namespace assay::cli
