// The metadata document of a client, fetched as an authorization server does.
//
// Specification: basic/authorization, "Client ID Metadata Documents" (2025-11-25 and later), and
// its "Authorization Server Abuse Protection".
#pragma once

#include <string>

#include "harness/host/play.h"
#include "reference/transport/public_address.h"

namespace assay::cli {

// Asks the host that the URL names, which is the client's choice: only where a user wants that.
// Within `reach`, whatever the host's name stands for. No redirect is followed. There is a text
// only if an answer came with 200 over https.
harness::DocumentRead fetch_client_document(const std::string& url, transport::Reach reach);

}  // namespace assay::cli
