// A result before anything was found.
#pragma once

#include "reports/result.h"

namespace assay::harness {

// With the time of now, and what it is judged by: that version of the catalogue, or the latest (0).
reports::Result new_result(int catalogue_version);

}  // namespace assay::harness
