// `server --upstream`: we are the API that the target asks on behalf of its clients.
#pragma once

#include <memory>

#include "harness/project/server_jobs.h"
#include "harness/script/upstream.h"

namespace assay::cli {

// What stands in the target's command for the URL of the API, and the variable in its environment
// that holds it.
inline constexpr const char* kUpstreamPlace = "{upstream}";
inline constexpr const char* kUpstreamVariable = "MCP_CONFORMANCE_UPSTREAM_URL";

// Throws UsageError where the options do not fit.
void check_upstream(const ServerOptions& options);

// Null where none is asked for; what it sees stands in reports by the labels of the job's vault.
// Throws UsageError where the options do not fit, or nobody can listen.
std::shared_ptr<harness::Upstream> start_upstream(const ServerOptions& options,
                                                  const ServerJob& job);

// The same options, in which the command is told where the API is.
ServerOptions told_of(const harness::Upstream& upstream, ServerOptions options);

// Scenarios look at what reaches the API from now on.
void watch_upstream(ServerJob& job, const std::shared_ptr<harness::Upstream>& upstream);

}  // namespace assay::cli
