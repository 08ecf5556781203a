// What the headers of a POST say of the message in its body: they mirror it, and must agree with
// it.
//
// Specification: basic/transports/streamable-http, "Request Metadata" and "Server Validation"
// (since 2026-07-28).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/revision.h"
#include "reference/transport/http_conduct.h"
#include "reference/transport/server_transport.h"

namespace assay::transport {

inline constexpr std::string_view kProtocolVersionHeader = "MCP-Protocol-Version";
inline constexpr std::string_view kMethodHeader = "Mcp-Method";
inline constexpr std::string_view kNameHeader = "Mcp-Name";
inline constexpr std::int64_t kHeaderMismatch = -32020;

// The version that `_meta` of a request names; nothing where it names none in a string.
std::optional<std::string> version_in_body(const wire::Message& request);

// What is wrong with the headers of a request, in one sentence; nothing if nothing is. The headers
// of a request in a revision that is not among `spoken` are not looked at further than that.
std::optional<std::string> header_mismatch(const Headers& headers, const wire::Message& request,
                                           const std::vector<model::Revision>& spoken,
                                           const std::vector<MirroredParameter>& mirrored,
                                           const HttpConduct& conduct);

}  // namespace assay::transport
