// The file of `mcp-assay interop`: which servers, which clients, over what, in which eras.
//
//   servers:
//     everything:
//       command: mcp-server-everything             over stdio, as in a client's file
//       url: "http://127.0.0.1:{port}/mcp"         over HTTP, and what listens there
//       start: [mcp-server-everything, streamableHttp]
//   clients:
//     inspector:
//       command: mcp-inspector
//       args: [--cli, "{url}"]                     or {server} over stdio, or {config}
//       profile: inspector-cli
//     mine: {command: node, args: [client.mjs], oldest: {env: {MODE: legacy}}}
//
// Such a file may hold secrets by variables, as the files of clients do; what they hold is kept out
// of reports.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/interop/matrix.h"
#include "harness/project/server_list.h"
#include "reports/vault.h"

namespace assay::cli {

inline constexpr const char* kInteropFile = "mcp-interop.yaml";

struct InteropFile {
  std::vector<harness::InteropServer> servers;
  std::vector<harness::InteropClient> clients;
  std::vector<harness::InteropGateway> gateways;
  std::vector<harness::TransportKind> transports;  // empty: the file does not say
  std::vector<std::string> eras;
  double timeout = 0;  // in seconds, for one start of a client; 0: the file does not say
};

// Throws UsageError with one sentence that names the file, the entry and the member. Secrets go to
// the vault.
InteropFile read_interop_file(const std::string& path, reports::Vault& vault,
                              const Variables& variables = environment_variable);
InteropFile parse_interop_file(const std::string& text, const ListFile& file, reports::Vault& vault,
                               const Variables& variables = environment_variable);

}  // namespace assay::cli
