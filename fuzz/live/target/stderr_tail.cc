#include "fuzz/live/target/stderr_tail.h"

#include "reference/transport/stdio_child.h"

namespace assay::fuzz {

std::string stderr_without_secrets(const transport::StdioChild* child,
                                   const reports::Vault* vault) {
  std::string tail = child == nullptr ? "" : child->stderr_tail();
  if (vault != nullptr) vault->redact_piece(tail);
  return tail;
}

}  // namespace assay::fuzz
