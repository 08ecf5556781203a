// What a process said on stderr before it ended.
#pragma once

#include <string>

#include "reports/vault.h"

namespace assay::transport {
class StdioChild;
}

namespace assay::fuzz {

// The end of what the process has said on stderr, without the secrets of the vault and what is left
// of them at its ends: before anything of it is quoted, cut or made plain. Both may be null.
std::string stderr_without_secrets(const transport::StdioChild* child, const reports::Vault* vault);

}  // namespace assay::fuzz
