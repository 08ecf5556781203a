#include "harness/interop/matrix_testing.h"

namespace assay::harness::matrices {

const char* const kProgramOfPeers = ASSAY_PROGRAM;

}  // namespace assay::harness::matrices
