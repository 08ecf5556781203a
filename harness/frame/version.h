// What the program says of itself.
#pragma once

#include <string>

namespace assay::cli {

// What the program is, in one sentence.
inline constexpr const char* kSummary =
    "Conformance suite and protocol fuzzer for the Model Context Protocol.";

// "mcp-assay 0.1.0", and in a second line the commit, the catalogue and the compiler.
std::string version_text();

}  // namespace assay::cli
