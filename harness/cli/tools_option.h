// --tools and --explore: which tools of a server may be called, and how long it may take to find
// out what they do.
#pragma once

#include <string>

#include "harness/frame/command.h"
#include "harness/runner/runner.h"

namespace assay::cli {

class ToolsOption {
 public:
  void declare(Arguments& arguments);
  void apply(harness::CertifyOptions& options) const;

 private:
  std::string tools_ = "readonly";
  double explore_ = 0;  // not given
};

}  // namespace assay::cli
