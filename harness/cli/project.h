// mcp-assay.yaml: what `mcp-assay server` is to do in a project, so that nobody has to type it.
//
//   servers:
//     files: {command: node, args: [server.js]}      as in a client's file, mcpServers
//   revision: 2025-11-25                             any option of `server`, by its name
//   report: [html=out/{name}.html, json=out/{name}.json]
//   strict: true
//
// Paths are meant from the folder of the file.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

namespace assay::cli {

inline constexpr const char* kProjectFile = "mcp-assay.yaml";

// The project's file in `folder` or the nearest one above; empty if there is none.
std::filesystem::path find_project(std::filesystem::path folder);

// What the file at `path` says, as words of the command line of `server`: those options that
// `given`, the words of the user, lack, and its servers unless `given` names a target
// (`has_command`: behind "--"). Paths are as seen from `here`. Throws UsageError.
std::vector<std::string> project_words(const std::filesystem::path& path,
                                       const std::vector<std::string>& given, bool has_command,
                                       const std::filesystem::path& here);

// All that a subcommand has to add: finds the file, or takes that of `--project`, and says on
// standard error that it goes by it, unless it is to be quiet.
std::vector<std::string> words_of_project(const std::vector<std::string>& given, bool has_command);

// YAML as the same JSON that a file in JSON would be: `true` and `false` without quotes are truth
// values, every other scalar is a string. Otherwise one sentence that names the line.
std::variant<nlohmann::ordered_json, std::string> parse_yaml(const std::string& text);

// The format, as a JSON Schema for editors.
nlohmann::json project_schema();

}  // namespace assay::cli
