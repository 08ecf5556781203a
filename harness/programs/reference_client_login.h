// What the reference client is told about how it logs in.
#pragma once

#include "reference/client/login.h"
#include "reference/wire/json.h"

namespace assay::cli {

// Takes over what MCP_CONFORMANCE_CONTEXT holds: a client that somebody registered, with a secret
// or a private key, and an identity provider. What is not there is left as it is.
void take_login_context(const Json& told, client::LoginOptions& options);

// New keys, to which its tokens may be bound.
void give_proof_keys(client::LoginOptions& options);

}  // namespace assay::cli
