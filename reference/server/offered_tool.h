// The tool that our tools offer to a client's model, and what such a model says.
//
// Specification: client/sampling.
#pragma once

#include <string>

#include "reference/wire/json.h"

namespace assay::server {

// As a sampling request lists it.
Json offered_tool();
// The results of all tool uses in what the model said; empty if it used no tool.
Json tool_results(const Json& said);
// The text of a sampling result, whose content is one block, or since 2025-11-25 several.
std::string sampled_text(const Json& result);

}  // namespace assay::server
