// What `mcp-assay server` is asked to certify: one server of the command line, or those of a file.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/server_list.h"
#include "harness/script/link.h"
#include "reports/result.h"
#include "reports/vault.h"

namespace assay::cli {

struct ServerJob {
  std::string name;  // as {name} in a path: only letters, digits, '.', '_' and '-'
  std::vector<harness::TargetAccess> accesses;
  reports::Target target;  // as reports show it
  std::shared_ptr<reports::Vault> vault = std::make_shared<reports::Vault>();
};

// The options that name one server.
struct ServerOptions {
  bool is_started = false;  // the command makes the server listen at the URL
  std::vector<std::string> command;
  std::vector<std::string> environment;  // "K=V"
  std::string url;
  std::string sse_url;
  std::vector<std::string> headers;  // "K: V", as curl takes it
};

// "K=V" taken apart. Throws UsageError, like those below.
std::vector<std::pair<std::string, std::string>> parse_environment(
    const std::vector<std::string>& assignments);

// Both throw UsageError. `list` is the file that names the servers; empty if there is none.
ServerJob make_job(const ServerOptions& options);
std::vector<ServerJob> make_jobs(const std::vector<ListedServer>& servers,
                                 const std::string& list = "");

}  // namespace assay::cli
