#include "harness/cli/project.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <optional>

#include "harness/cli/command.h"
#include "harness/cli/command_info.h"
#include "reports/escape.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using ProjectJson = nlohmann::ordered_json;

// Aliases can make a small file a large value.
constexpr int kMostYamlValues = 10'000;
constexpr int kDeepestYaml = 32;
// Options that name one target, or one run: they do not belong into a file.
constexpr std::array<std::string_view, 8> kNotInProjects{"--url",     "--sse-url",       "--start",
                                                         "--header",  "--env",           "--shard",
                                                         "--project", "--write-expected"};
constexpr std::array<std::string_view, 3> kTargets{"--url", "--sse-url", "--config"};

std::string shown_path(const fs::path& path) {
  return reports::printable_line(path.string());
}

[[noreturn]] void wrong_project(const fs::path& path, std::string_view what) {
  throw UsageError(fmt::format("'{}': {}", shown_path(path), what));
}

struct TooMuch {};

ProjectJson from_yaml(const YAML::Node& node, int depth, int& values) {
  if (depth > kDeepestYaml || ++values > kMostYamlValues) throw TooMuch();
  if (node.IsSequence()) {
    ProjectJson out = ProjectJson::array();
    for (const YAML::Node& item : node) out.push_back(from_yaml(item, depth + 1, values));
    return out;
  }
  if (node.IsMap()) {
    ProjectJson out = ProjectJson::object();
    for (const auto& pair : node) {
      const std::string key = pair.first.IsScalar() ? pair.first.Scalar() : "";
      if (key.empty() || out.contains(key)) {
        throw YAML::Exception(pair.first.Mark(), "a key is no text, or comes twice");
      }
      out[key] = from_yaml(pair.second, depth + 1, values);
    }
    return out;
  }
  if (node.IsNull()) return nullptr;
  const bool is_quoted = node.Tag() == "!";
  if (!is_quoted && node.Scalar() == "true") return true;
  if (!is_quoted && node.Scalar() == "false") return false;
  return node.Scalar();
}

// What `server` takes and a project may say.
std::vector<OptionInfo> project_options() {
  std::vector<OptionInfo> out;
  for (const CommandInfo& command : describe_commands()) {
    if (command.name != "server") continue;
    for (const OptionInfo& option : command.options) {
      const bool is_excluded = std::find(kNotInProjects.begin(), kNotInProjects.end(),
                                         option.names.front()) != kNotInProjects.end();
      if (!is_excluded) out.push_back(option);
    }
  }
  return out;
}

std::string member_name(const OptionInfo& option) {
  return option.names.front().substr(2);
}

bool is_given(const std::vector<std::string>& words, std::string_view name) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word == name || word.starts_with(std::string(name) + "=");
  });
}

// A path of the file, as seen from `here`.
std::string as_seen(const std::string& path, const fs::path& folder, const fs::path& here) {
  if (path.empty() || path == "-" || fs::path(path).is_absolute() || folder == here) return path;
  return (folder / path).string();
}

// A value of an option: what of it is a path depends on what the option takes.
std::string seen_value(const OptionInfo& option, const std::string& value, const fs::path& folder,
                       const fs::path& here) {
  if (option.placeholder == "FILE" || option.placeholder == "PATH") {
    return as_seen(value, folder, here);
  }
  if (option.placeholder == "FORMAT=PATH") {
    const std::size_t equals = value.find('=');
    if (equals == std::string::npos) return value;
    return value.substr(0, equals + 1) + as_seen(value.substr(equals + 1), folder, here);
  }
  std::error_code ignored;
  if (option.placeholder.starts_with("FILE|") && fs::exists(folder / value, ignored)) {
    return as_seen(value, folder, here);
  }
  return value;
}

std::vector<std::string> values_in(const fs::path& path, const std::string& name,
                                   const ProjectJson& json) {
  if (json.is_string()) return {json.get<std::string>()};
  if (!json.is_array())
    wrong_project(path, fmt::format("{} is no text, and no list of texts", name));
  std::vector<std::string> out;
  for (const ProjectJson& each : json) {
    if (!each.is_string()) wrong_project(path, fmt::format("{} holds what is no text", name));
    out.push_back(each.get<std::string>());
  }
  return out;
}

ProjectJson load_project(const fs::path& path) {
  const reports::FileText file = reports::read_file(path.string());
  if (!file.error.empty()) throw UsageError(file.error);
  auto parsed = parse_yaml(file.text);
  if (const auto* error = std::get_if<std::string>(&parsed)) wrong_project(path, *error);
  auto& json = std::get<ProjectJson>(parsed);
  if (!json.is_object()) wrong_project(path, "has no members, such as 'servers:'");
  return std::move(json);
}

// Of one member that is an option.
void add_words(const fs::path& path, const OptionInfo& option, const ProjectJson& json,
               const fs::path& here, std::vector<std::string>& words) {
  const std::string& name = option.names.front();
  if (option.placeholder.empty()) {
    if (!json.is_boolean()) wrong_project(path, member_name(option) + " is neither true nor false");
    if (json.get<bool>()) words.push_back(name);
    return;
  }
  for (const std::string& value : values_in(path, member_name(option), json)) {
    words.push_back(name + "=" + seen_value(option, value, path.parent_path(), here));
  }
}

}  // namespace

std::variant<ProjectJson, std::string> parse_yaml(const std::string& text) {
  try {
    int values = 0;
    return from_yaml(YAML::Load(text), 0, values);
  } catch (const TooMuch&) {
    return std::string("is too large, or too deep");
  } catch (const YAML::Exception& bad) {
    return fmt::format("line {}: not YAML: {}", bad.mark.line + 1,
                       reports::printable_line(bad.msg));
  }
}

fs::path find_project(fs::path folder) {
  std::error_code ignored;
  while (true) {
    if (fs::is_regular_file(folder / kProjectFile, ignored)) return folder / kProjectFile;
    if (folder == folder.parent_path()) return {};
    folder = folder.parent_path();
  }
}

std::vector<std::string> project_words(const fs::path& path, const std::vector<std::string>& given,
                                       bool has_command, const fs::path& here) {
  const ProjectJson json = load_project(path);
  const bool has_target =
      has_command || std::any_of(kTargets.begin(), kTargets.end(),
                                 [&](auto each) { return is_given(given, each); });
  const std::vector<OptionInfo> options = project_options();
  std::vector<std::string> words;
  if (json.contains("servers") && json.contains("config")) {
    wrong_project(path, "has both servers and config");
  }
  for (const auto& [name, value] : json.items()) {
    const auto option =
        std::find_if(options.begin(), options.end(),
                     [&name = name](const OptionInfo& each) { return member_name(each) == name; });
    if (name != "servers" && option == options.end()) {
      wrong_project(path, fmt::format("unknown member '{}'; known are servers, and the options of "
                                      "'mcp-assay server' that name no target",
                                      reports::printable_line(reports::cut(name, 60))));
    }
    if (name == "servers") {
      if (!has_target) words.push_back("--config=" + path.string());
      continue;
    }
    if (is_given(given, "--" + name) || ((name == "config" || name == "name") && has_target))
      continue;
    add_words(path, *option, value, here, words);
  }
  return words;
}

std::vector<std::string> words_of_project(const std::vector<std::string>& given, bool has_command) {
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored);
  fs::path path;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == "--project" && i + 1 < given.size()) path = given[i + 1];
    if (given[i].starts_with("--project=")) path = given[i].substr(10);
  }
  if (path == "none" || is_given(given, "--help") || is_given(given, "-h")) return {};
  path = path.empty() ? find_project(here) : fs::absolute(path);
  if (path.empty()) return {};
  if (!is_given(given, "--quiet")) {
    fmt::print(stderr, "mcp-assay server: goes by {} (--project none to go without)\n",
               shown_path(path));
  }
  return project_words(path, given, has_command, here);
}

nlohmann::json project_schema() {
  nlohmann::json schema = nlohmann::json::parse(R"({
      "title": "What mcp-assay server does in a project",
      "type": "object", "additionalProperties": false, "properties": {
        "servers": {
          "description": "By name, as in the mcpServers of a client's file",
          "type": "object", "minProperties": 1,
          "additionalProperties": {
            "type": "object",
            "properties": {
              "command": {"type": "string"}, "args": {"type": "array", "items": {"type": "string"}},
              "env": {"type": "object"}, "envFile": {"type": "string"}, "cwd": {"type": "string"},
              "type": {"enum": ["stdio", "http", "streamable-http", "sse"]},
              "url": {"type": "string"}, "headers": {"type": "object"},
              "disabled": {"type": "boolean"}},
            "oneOf": [{"required": ["command"]}, {"required": ["url"]}]}}},
      "not": {"required": ["servers", "config"]}})");
  for (const OptionInfo& option : project_options()) {
    nlohmann::json value = {{"type", "string"}};
    if (option.placeholder == "N" || option.placeholder == "SECONDS") value["type"] = "number";
    if (!option.choices.empty()) value = {{"enum", option.choices}};
    if (option.placeholder.empty()) value["type"] = "boolean";
    if (option.help.find("(repeatable") != std::string::npos) {
      value = {{"anyOf", {value, {{"type", "array"}, {"items", value}}}}};
    }
    value["description"] = option.help;
    schema["properties"][member_name(option)] = value;
  }
  return schema;
}

}  // namespace assay::cli
