// Which part of everything a run does: --revision, --scenario, --shard.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/revision.h"
#include "reports/result.h"

namespace assay::cli {

inline constexpr std::string_view kAllRevisions = "all";

// In their order, each once; all throw UsageError for what is not known.
std::vector<model::Revision> parse_revisions(const std::vector<std::string>& texts);
// Of the scenarios that servers are certified with.
std::vector<std::string_view> server_scenario_names();
// Whether the name of a scenario matches one of the globs; every name does if there are none. Each
// glob has to match one of `names`.
std::function<bool(std::string_view)> scenario_filter(const std::vector<std::string>& globs,
                                                      const std::vector<std::string_view>& names);
// "2/5"; the whole for an empty text.
reports::Shard parse_shard(const std::string& text);

}  // namespace assay::cli
