// The help of options that several subcommands take.
#pragma once

namespace assay::cli {

inline constexpr const char* kCatalogueHelp =
    "Judge only by the rules of this version of the catalogue (default: the latest)";
inline constexpr const char* kStrictHelp = "A violated SHOULD also fails the run";
inline constexpr const char* kRulesUrlHelp =
    "Link to the pages of 'report --rules' that you publish at this address";

}  // namespace assay::cli
