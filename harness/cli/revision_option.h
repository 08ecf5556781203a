// The --revision option of the subcommands that take exactly one.
#pragma once

#include <string>

#include "reference/model/revision.h"

namespace assay::cli {

// The revision that is written `text`. Throws UsageError, which names the known ones, if there is
// none.
model::Revision parse_revision_option(const std::string& text);

}  // namespace assay::cli
