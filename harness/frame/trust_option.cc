#include "harness/frame/trust_option.h"

#include "reference/transport/trust.h"
#include "reports/escape.h"
#include "reports/output.h"

namespace assay::cli {

void TrustOption::declare(Arguments& arguments) {
  arguments.text("--ca", file_, "FILE",
                 "Trust the certification authorities in this file (PEM), too");
}

void TrustOption::apply() const {
  if (file_.empty()) return;
  const reports::FileText file = reports::read_file(file_);
  if (!file.error.empty()) throw UsageError("--ca: " + file.error);
  if (const auto trouble = transport::trust_authorities_in(file_)) {
    throw UsageError("--ca: " + reports::printable_line(*trouble));
  }
}

}  // namespace assay::cli
