// What users say of a target on the command line, for all subcommands that have one.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace assay::cli {

using NamedValues = std::vector<std::pair<std::string, std::string>>;

// "K=V" and "NAME: VALUE", as curl takes it, taken apart. Throw UsageError, which does not repeat
// the text: what is wrong about it may be all but the credential.
NamedValues parse_environment(const std::vector<std::string>& assignments);
NamedValues parse_headers(const std::vector<std::string>& texts);

}  // namespace assay::cli
