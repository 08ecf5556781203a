// JUnit XML in the subset that GitHub, GitLab and Jenkins read.
//
// A suite is one revision over one transport, a case is one requirement: classname is the area,
// name the id, its time is its
// share of what the scenario took that judged it. A failure is what fails the run; a violated
// SHOULD (unless strict), an expected failure, and everything that was not judged is skipped, with
// the reason. A run that could not be tested is one case with an error.
#pragma once

#include <string>

#include "reports/result.h"

namespace assay::reports {

std::string render_junit(const Result& result);

}  // namespace assay::reports
