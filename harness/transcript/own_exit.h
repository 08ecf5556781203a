// How a process ended by itself, for the person who typed its command.
#pragma once

#include <string>

#include "harness/transcript/transcript.h"

namespace assay::harness {

// " (exit status 3)", " (ended by signal 11 (SIGSEGV))"; empty if it runs, or ended because we
// asked.
std::string own_exit(const Transcript& transcript);

}  // namespace assay::harness
