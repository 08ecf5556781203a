// The metadata document of a client, fetched as an authorization server does.
//
// Specification: basic/authorization, "Client ID Metadata Documents" (2025-11-25 and later).
#pragma once

#include <optional>
#include <string>

namespace assay::cli {

// Asks the host that the URL names, which is the client's choice: only where a user wants that. No
// redirect is followed. Nothing unless an answer came with 200 over https.
std::optional<std::string> fetch_client_document(const std::string& url);

}  // namespace assay::cli
