// --history DIR of a matrix: what earlier runs came to.
#pragma once

#include <string>
#include <vector>

#include "harness/frame/command.h"
#include "reports/interop/interop_history.h"

namespace assay::cli {

class InteropHistoryOption {
 public:
  void declare(Arguments& arguments);
  bool is_given() const { return !folder_.empty(); }
  // Before anything starts: reads what is there. Throws UsageError if it cannot be written.
  void prepare();
  // Says in the result what changed since the last run, and keeps it. One that was cut short is
  // compared, and not kept: the next one is compared with a whole one. A word on standard error
  // tells what goes wrong.
  void keep(reports::InteropResult& result);

 private:
  std::string path() const;

  std::string folder_;
  std::vector<reports::InteropPoint> runs_;
};

}  // namespace assay::cli
