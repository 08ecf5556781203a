// Who the server is and what it can do, as it tells clients of a revision.
#pragma once

#include "reference/model/revision.h"
#include "reference/wire/json.h"

namespace assay::server {

inline constexpr const char* kServerName = "mcp-assay-reference-server";

Json server_capabilities(model::Revision revision);
// An Implementation, with all that the revision lets it say.
Json server_info(model::Revision revision);
// For the model that uses the server.
inline constexpr const char* kInstructions =
    "Fixtures for conformance tests: the tools, resources and prompts named test_* do what their "
    "descriptions say.";

}  // namespace assay::server
