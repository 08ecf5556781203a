// How a client that does several things in one start is told what to do, and says how it went: the
// part of that which clients need. INTEROP.md describes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::harness {

// The acts that it should do, as JSON.
inline constexpr const char* kActsVariable = "MCP_ASSAY_ACTS";
// A file to which a client may append how each act went, as JSON lines.
inline constexpr const char* kActsLogVariable = "MCP_ASSAY_ACTS_LOG";

// A word for the file: {"act": "call", "ok": false, "why": "..."}. `ok` is null for an act that the
// client cannot do.
std::string client_word(std::string_view act, std::optional<bool> ok, std::string_view why);

}  // namespace assay::harness
