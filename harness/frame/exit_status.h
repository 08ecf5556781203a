// What a Result means for the exit status, alike in every subcommand that ends with one.
#pragma once

#include "reports/result.h"

namespace assay::cli {

int exit_status(const reports::Result& result);

}  // namespace assay::cli
