// What a run of `mcp-assay interop` has beside its file: gateways of the command line, and our own
// client and servers.
#pragma once

#include <string>
#include <vector>

#include "harness/interop/matrix.h"
#include "reports/vault.h"

namespace assay::cli {

// Where a gateway that is given a port listens, if nothing else is said.
inline constexpr const char* kGatewayUrl = "http://127.0.0.1:{port}/mcp";
// The names of our own client and server in a matrix.
inline constexpr const char* kReferenceName = "reference";
inline constexpr const char* kReferenceLoginName = "reference with login";

// A gateway of the command line: the URL of one that runs already, or the words of a command, in
// which {port} says that it listens there, at /mcp. Secrets among them go to the vault.
harness::InteropGateway gateway_of_words(const std::vector<std::string>& words,
                                         reports::Vault& vault);
// Of a gateway that runs already: says which of the servers of the run it reaches, if there is one
// only. Throws UsageError if that is not clear.
void name_server_of(harness::InteropGateway& gateway,
                    const std::vector<harness::InteropServer>& servers);

// Our own client and servers, with which the others are tried. `program` is mcp-assay.
harness::InteropServer reference_server_entry(const std::string& program);
// That which asks for a token.
harness::InteropServer reference_login_entry(const std::string& program);
harness::InteropClient reference_client_entry(const std::string& program);

}  // namespace assay::cli
