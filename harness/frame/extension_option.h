// The --extension option: which extensions a subcommand knows beside a revision.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/model/extension.h"

namespace assay::cli {

// The extension of that name or identifier. Throws UsageError, which names the known ones, if there
// is none.
const model::Extension& parse_extension_option(const std::string& text);
std::vector<const model::Extension*> parse_extension_options(const std::vector<std::string>& texts);
// What --drafts means.
inline constexpr const char* kDraftsHelp =
    "Judge drafts of extensions as they are written (default: what they demand is reported as "
    "advice)";
// A scenario that is named as it is, and not by a pattern, asks for its extension; one that has
// none is "".
void add_named_extension(const std::vector<std::string>& named, std::string_view scenario,
                         std::string_view extension,
                         std::vector<const model::Extension*>& extensions);
// The revision with these extensions. Throws UsageError for one that does not extend it.
model::Protocol protocol_of(model::Revision revision,
                            const std::vector<const model::Extension*>& extensions);

}  // namespace assay::cli
