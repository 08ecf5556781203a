// Children that are scripts of a shell, for tests.
#pragma once

#include <string>

#include "reference/transport/stdio_child.h"

namespace assay::transport {

inline StdioOptions shell(const std::string& script) {
  StdioOptions options;
  options.spawn.command = {"sh", "-c", script};
  return options;
}

}  // namespace assay::transport
