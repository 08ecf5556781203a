// What reports call a target that is neither a server nor a client of MCP.
#pragma once

#include <string_view>

namespace assay::reports {

inline constexpr std::string_view kAuthoritySubject = "authorization server";

}  // namespace assay::reports
