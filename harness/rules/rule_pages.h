// mcp-assay report --rules DIR: a page for each rule of the catalogue, and their list.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

// Throws UsageError for a --rules-url that nobody can follow; an empty one is none.
void check_rules_url(const std::string& url);

// Writes them into `folder`, with examples from real runs of the reference server, and tells on
// standard error how far it is. `globs` choose the rules; all if there are none. Throws UsageError
// for a glob that fits none and for what cannot be written. False if it was interrupted.
bool write_rule_pages(const std::string& folder, const std::vector<std::string>& globs);

}  // namespace assay::cli
