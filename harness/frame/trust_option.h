// --ca FILE: authorities that are trusted beside the system's.
#pragma once

#include <string>

#include "harness/frame/command.h"

namespace assay::cli {

class TrustOption {
 public:
  void declare(Arguments& arguments);
  // Before any connection. Throws UsageError for a file without a certificate.
  void apply() const;

 private:
  std::string file_;
};

}  // namespace assay::cli
