// `server --url URL --start -- COMMAND`: starts an HTTP server before it is certified.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/project/server_jobs.h"
#include "harness/script/started_server.h"
#include "reports/result.h"

namespace assay::cli {

// What --start asks for.
struct Start {
  std::unique_ptr<harness::StartedServer> server;  // null without --start
  std::string problem;  // why it did not come up; empty if it did. Whoever answers is not it
};
// Throws UsageError where something answers at the URL already: that would be certified instead.
Start start_server(const ServerOptions& options, std::chrono::milliseconds limit,
                   const std::stop_token& stop);

// In place of the ways to a server that did not come up: none of them opens a connection, and the
// reports tell `problem`.
void close_ways(std::vector<harness::TargetAccess>& accesses, const std::string& problem);
// The command ended while its server was certified: who answered afterwards is not known, and
// nothing counts as tested.
void mark_ended(reports::Result& result, const std::string& end);

}  // namespace assay::cli
