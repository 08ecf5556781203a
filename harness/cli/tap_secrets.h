// What `mcp-assay tap` is told in confidence without being told so: the secrets that a client gives
// to its server on the command line and in the environment.
#pragma once

#include <string>
#include <vector>

#include "reports/vault.h"

namespace assay::cli {

// Hides the values of variables of the environment, and of arguments, that are called like secrets.
void hide_secrets(const std::vector<std::string>& command, reports::Vault& vault);

}  // namespace assay::cli
