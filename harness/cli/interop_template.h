// The first mcp-interop.yaml, which `init --interop` writes.
#pragma once

#include <string>
#include <vector>

#include "harness/project/server_list.h"

namespace assay::cli {

// With these servers, and a client that can be had from npm. Values of variables are not written.
std::string interop_template(const std::vector<ListedServer>& servers,
                             const std::string& schema_file);

}  // namespace assay::cli
