// Whether the arguments of a call are what the tool's inputSchema asks for.
// Specification: server/tools ("Security Considerations"), basic ("JSON Schema Usage").
#pragma once

#include <optional>
#include <string>

#include "reference/server/options.h"
#include "reference/wire/json.h"

namespace assay::server {

// What is wrong with the arguments: by `required`, by the type and the enum of each property,
// inside of objects too, by dependentRequired and prefixItems, and by the whole schema where it has
// definitions. Nothing if nothing is wrong, or if nobody can tell. The schemas are our own, and
// simple.
std::optional<std::string> defect_of_arguments(const Options& options, const Json& schema,
                                               const Json& arguments);

}  // namespace assay::server
