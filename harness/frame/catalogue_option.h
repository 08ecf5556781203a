// The --catalogue option: a version of the catalogue, so that a release is held to what was
// required when it was made.
#pragma once

#include <string>

namespace assay::cli {

// Throws UsageError, which names the known versions, if there is none that is written `text`.
int parse_catalogue_option(const std::string& text);

}  // namespace assay::cli
