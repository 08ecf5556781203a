// What `mcp-assay server` is asked to certify: one server of the command line, or those of a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/project/server_list.h"
#include "harness/project/server_options.h"
#include "harness/script/link.h"
#include "reports/result.h"
#include "reports/vault.h"

namespace assay::cli {

struct ServerJob {
  std::string name;  // as {name} in a path: only letters, digits, '.', '_' and '-'
  std::vector<harness::TargetAccess> accesses;
  reports::Target target;  // as reports show it
  std::shared_ptr<reports::Vault> vault = std::make_shared<reports::Vault>();
  // As it is reached: what a file says of a server stands here as options would.
  ServerOptions options = {};
};

// What has to be so where a party of ours that the server is told of is wanted, or its port: those
// that `option` asks for. Throws UsageError. Of a file of servers all of that has been looked at.
void check_party(const ServerOptions& options, bool is_wanted, std::int64_t port,
                 const std::string& option);

// The same options, in which the command finds `url` where `place` stands in it, and in the
// variable.
ServerOptions told_of(ServerOptions options, const std::string& place, const std::string& variable,
                      const std::string& url);

// All throw UsageError. `list` is the file that names the servers.
ServerJob make_job(const ServerOptions& options);
// For commands that look at the server in one way: options that name several are a mistake, as the
// others would be left out in silence.
ServerJob make_job_with_one_way(const ServerOptions& options);
// From now on requests by URL show these tokens.
void show_tokens(ServerJob& job, const std::vector<harness::UserToken>& tokens);
std::vector<ServerJob> make_jobs(const std::vector<ListedServer>& servers,
                                 const ListFile& list = {});

// A path without '.' and '..', from `folder` (empty: from here) where the file is below it.
std::string seen_from(const std::string& path, const std::string& folder);

}  // namespace assay::cli
