// mcp-assay.yaml: what `mcp-assay server` is to do in a project, so that nobody has to type it.
//
//   servers:
//     files: {command: node, args: [server.js]}      as in a client's file, mcpServers
//   revision: 2025-11-25                             options of `server`, by their names
//   report: [html=out/{name}.html, json=out/{name}.json]
//   strict: true
//
// Paths are meant from the folder of the file, and its servers are started there. It can name
// commands to run, and files to write: so it is searched for in the project only, and has to belong
// to the user.
#pragma once

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/frame/command_info.h"
#include "harness/project/server_list.h"

namespace assay::cli {

inline constexpr const char* kProjectFile = "mcp-assay.yaml";
// Where clients keep the servers of a project.
inline constexpr std::array<const char*, 4> kClientFiles{".mcp.json", "mcp.json",
                                                         ".cursor/mcp.json", ".vscode/mcp.json"};

struct Project {
  std::filesystem::path path;      // empty: there is none
  std::vector<std::string> words;  // for the command line of `server`
  // Where its servers are named: in the file itself, or in what `config` says. No path: it names
  // none, or the command line names a target.
  ListFile servers;
};

// The project's file in `folder` or the nearest one above, up to the first folder that has `.git`
// (the root of a repository) or is `home`; empty if there is none.
std::filesystem::path find_project(std::filesystem::path folder, const std::filesystem::path& home);

// Nothing if the file and its folder belong to `user` or root: nobody else can have written it, or
// put another in its place. Otherwise a sentence.
std::string why_not_trusted(const std::filesystem::path& path, unsigned user);

// What the file at `path` says: those options that `given`, the words of the user, lack, and its
// servers unless `given` names a target (`has_command`: behind "--"). Paths are as seen from
// `here`. Throws UsageError.
Project read_project(const std::filesystem::path& path, const std::vector<std::string>& given,
                     bool has_command, const std::filesystem::path& here);

// All that a subcommand has to add: finds the file, or takes that of `--project`, and says on
// standard error that it goes by it. Throws UsageError for a file that somebody else owns, unless
// `--project` names it.
Project project_of(const std::vector<std::string>& given, bool has_command);

// The options that a project may name, and the name of each there.
std::vector<OptionInfo> project_options();
std::string member_name(const OptionInfo& option);

// The format, as a JSON Schema for editors.
nlohmann::json project_schema();

// The servers of this folder: of its project's file (a file that this user can trust), or of the
// file of a client that has one. Throws UsageError for a file that cannot be read.
std::vector<std::string> project_server_names();

}  // namespace assay::cli
