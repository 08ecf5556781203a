// The --extension option: which extensions a subcommand knows beside a revision.
#pragma once

#include <string>
#include <vector>

#include "reference/model/extension.h"

namespace assay::cli {

// The extension of that name or identifier. Throws UsageError, which names the known ones, if there
// is none.
const model::Extension& parse_extension_option(const std::string& text);
std::vector<const model::Extension*> parse_extension_options(const std::vector<std::string>& texts);
// The revision with these extensions. Throws UsageError for one that does not extend it.
model::Protocol protocol_of(model::Revision revision,
                            const std::vector<const model::Extension*>& extensions);

}  // namespace assay::cli
