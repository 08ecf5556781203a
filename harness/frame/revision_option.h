// The --revision option of the subcommands that take exactly one.
#pragma once

#include <string>
#include <vector>

#include "reference/model/revision.h"

namespace assay::cli {

// The revision that is written `text`. Throws UsageError, which names the known ones, if there is
// none.
model::Revision parse_revision_option(const std::string& text);

// What is said of a word that names none; `more` are further words that an option takes.
std::string why_no_revision(const std::string& text, const std::vector<std::string>& more);

}  // namespace assay::cli
