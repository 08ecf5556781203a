// `server --auth-server`: we are the authorization server of the target, which is told so.
#pragma once

#include <chrono>
#include <memory>

#include "harness/project/server_jobs.h"
#include "harness/script/token_issuer.h"

namespace assay::cli {

// What stands in the target's command for the URL of the authorization server, and the variable in
// its environment that holds it.
inline constexpr const char* kAuthServerPlace = "{auth}";
inline constexpr const char* kAuthServerVariable = "MCP_CONFORMANCE_AUTH_SERVER_URL";

// Throws UsageError where the options do not fit.
void check_auth_server(const ServerOptions& options);

// Null where none is asked for; its tokens stand in reports by the labels of the job's vault.
// Throws UsageError where the options do not fit, or nobody can listen.
std::shared_ptr<harness::TokenIssuer> start_auth_server(const ServerOptions& options,
                                                        const ServerJob& job);

// The same options, in which the command is told where the authorization server is.
ServerOptions told_of(const harness::TokenIssuer& issuer, ServerOptions options);

// Asks the target what it wants of tokens, and shows it such from now on. The target listens
// already.
void give_tokens(ServerJob& job, const std::shared_ptr<harness::TokenIssuer>& issuer,
                 std::chrono::milliseconds timeout);

}  // namespace assay::cli
