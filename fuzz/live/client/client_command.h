// What `mcp-assay fuzz --client` and `mcp-assay replay` do about a client, once the command line is
// read.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/live/client/client_fuzzer.h"

namespace assay::fuzz {

struct ClientFuzzSettings {
  ClientTarget target;
  ClientFuzzOptions options;
  std::string out;  // a folder
  std::vector<std::string> report_files;
  bool is_quiet = false;
};

// Prints what it finds. The exit status.
int fuzz_client(ClientFuzzSettings settings);

struct ClientReplay {
  std::filesystem::path path;
  std::vector<std::string> command;  // empty: the one that the finding names
  std::vector<std::pair<std::string, std::string>> environment;
  bool trusts = false;  // that one
};
// Throws cli::UsageError for what cannot be replayed. The exit status.
int replay_client(const ClientReplay& replay);

// mcp-assay itself, which stands in for servers over stdio.
std::string own_program();

}  // namespace assay::fuzz
