// What a subcommand printed has to arrive: a full disk is an error, and no success in silence.
#pragma once

#include <string>

namespace assay::cli {

// Hands on what is still in the buffers of standard output. Empty if all of it arrived, else why it
// did not. Somebody who stopped reading (a pipe into `head`) is no error.
std::string finish_standard_output();

// The same of what a failed fmt::print said of itself.
std::string why_not_written(int error);

}  // namespace assay::cli
