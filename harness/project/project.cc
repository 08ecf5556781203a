#include "harness/project/project.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"
#include "harness/project/option_value.h"
#include "reports/escape.h"
#include "reports/output.h"
#include "reports/yaml.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using ProjectJson = nlohmann::ordered_json;

// Options that name one target, or one run: they do not belong into a file.
constexpr std::array<std::string_view, 20> kNotInProjects{
    "--url",        "--sse-url",         "--start",       "--header",
    "--auth-token", "--auth-token-file", "--env",         "--shard",
    "--project",    "--write-expected",  "--auth-server", "--auth-server-port",
    "--upstream",   "--upstream-port",   "--login",       "--grant",
    "--client-id",  "--callback-port",   "--socket",      "--events"};
constexpr std::array<std::string_view, 4> kTargets{"--url", "--sse-url", "--socket", "--config"};

std::string shown_path(const fs::path& path) {
  return reports::printable_line(path.string());
}

[[noreturn]] void wrong_project(const fs::path& path, std::string_view what) {
  throw UsageError(fmt::format("'{}': {}", shown_path(path), what));
}

bool is_given(const std::vector<std::string>& words, std::string_view name) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word == name || word.starts_with(std::string(name) + "=");
  });
}

// A path of the file, as seen from `here`.
std::string as_seen(const std::string& path, const fs::path& folder, const fs::path& here) {
  if (path.empty() || path == "-" || fs::path(path).is_absolute() || folder == here) return path;
  return (folder / path).lexically_normal().string();
}

// A value of an option: what of it is a path depends on what the option takes.
std::string seen_value(const OptionInfo& option, const std::string& value, const fs::path& folder,
                       const fs::path& here) {
  // It is no file of ours to open: reports name it as seen from the project.
  if (option.names.front() == "--source") return value;
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

ProjectJson load_project(const fs::path& path) {
  const reports::FileText file = reports::read_file(path.string());
  if (!file.error.empty()) throw UsageError(file.error);
  auto parsed = reports::parse_yaml(file.text, reports::YamlNumbers::kAreTexts);
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
    if (json.get<bool>()) words.push_back(name);
    return;
  }
  for (const ProjectJson& value : json.is_array() ? json : ProjectJson::array({json})) {
    words.push_back(name + "=" +
                    seen_value(option, value.get<std::string>(), path.parent_path(), here));
  }
}

const OptionInfo& option_of(const fs::path& path, const std::vector<OptionInfo>& options,
                            const std::string& name) {
  std::vector<std::string> known{"servers"};
  for (const OptionInfo& each : options) {
    if (member_name(each) == name) return each;
    known.push_back(member_name(each));
  }
  wrong_project(path, unknown_name("member", name, known));
}

// What `--project` names; empty without it.
std::string given_project(const std::vector<std::string>& given) {
  constexpr std::string_view kOption = "--project";
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == kOption && i + 1 < given.size()) return given[i + 1];
    if (given[i].starts_with("--project=")) return given[i].substr(kOption.size() + 1);
  }
  return "";
}

bool is_trusted_owner(const struct ::stat& status, unsigned user) {
  return status.st_uid == user || status.st_uid == 0;
}

}  // namespace

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

fs::path find_project(fs::path folder, const fs::path& home) {
  std::error_code ignored;
  while (true) {
    if (fs::is_regular_file(folder / kProjectFile, ignored)) return folder / kProjectFile;
    const bool is_boundary =
        fs::exists(folder / ".git", ignored) || fs::equivalent(folder, home, ignored);
    if (is_boundary || folder == folder.parent_path()) return {};
    folder = folder.parent_path();
  }
}

std::string why_not_trusted(const fs::path& path, unsigned user) {
  // A link is as good as what it leads to and who made it.
  struct ::stat link {};
  struct ::stat file {};
  struct ::stat folder {};
  const bool is_known = ::lstat(path.c_str(), &link) == 0 && ::stat(path.c_str(), &file) == 0 &&
                        ::stat(path.parent_path().c_str(), &folder) == 0;
  if (is_known && is_trusted_owner(link, user) && is_trusted_owner(file, user) &&
      is_trusted_owner(folder, user)) {
    return "";
  }
  return fmt::format(
      "'{}' or its folder belongs to another user, and such a file can name commands to run: "
      "--project FILE uses it anyway, --project none uses no file",
      shown_path(path));
}

Project read_project(const fs::path& path, const std::vector<std::string>& given, bool has_command,
                     const fs::path& here) {
  const ProjectJson json = load_project(path);
  const bool has_target =
      has_command || std::any_of(kTargets.begin(), kTargets.end(),
                                 [&](auto each) { return is_given(given, each); });
  if (json.contains("servers") && json.contains("config")) {
    wrong_project(path, "has both servers and config");
  }
  const std::vector<OptionInfo> options = project_options();
  Project out{.path = path, .words = {}, .servers = {}};
  for (const auto& [name, value] : json.items()) {
    if (name == "servers") {
      if (!has_target) out.servers = {path.string(), true, path.parent_path().string()};
      continue;
    }
    const OptionInfo& option = option_of(path, options, name);
    const std::string complaint = why_not_value(option, value);
    if (!complaint.empty()) wrong_project(path, complaint);
    if (name == "config") {
      const std::string list = as_seen(value.get<std::string>(), path.parent_path(), here);
      if (!has_target) out.servers = {list, false, path.parent_path().string()};
      continue;
    }
    if (is_given(given, "--" + name) || (name == "name" && has_target)) continue;
    add_words(path, option, value, here, out.words);
  }
  return out;
}

Project project_of(const std::vector<std::string>& given, bool has_command) {
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored);
  const std::string named = given_project(given);
  if (named == "none" || is_given(given, "--help") || is_given(given, "-h")) return {};
  const char* home = std::getenv("HOME");
  const fs::path path = named.empty() ? find_project(here, home == nullptr ? "" : home)
                                      : fs::absolute(named).lexically_normal();
  if (path.empty()) return {};
  if (named.empty()) {
    const std::string complaint = why_not_trusted(path, ::geteuid());
    if (!complaint.empty()) throw UsageError(complaint);
  }
  Project project = read_project(path, given, has_command, here);
  fmt::print(stderr, "mcp-assay server: uses {} (--project none to ignore it)\n", shown_path(path));
  return project;
}

std::vector<std::string> project_server_names() {
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored);
  const char* home = std::getenv("HOME");
  const fs::path path = find_project(here, home == nullptr ? "" : home);
  if (!path.empty() && why_not_trusted(path, ::geteuid()).empty()) {
    const ListFile list = read_project(path, {}, false, here).servers;
    if (!list.path.empty()) return server_names(list);
  }
  for (const char* each : kClientFiles) {
    if (fs::is_regular_file(each, ignored)) return server_names({each});
  }
  return {};
}

nlohmann::json project_schema() {
  nlohmann::json schema = {{"title", "What mcp-assay server does in a project"},
                           {"type", "object"},
                           {"additionalProperties", false}};
  schema["not"]["required"] = {"servers", "config"};
  schema["properties"]["servers"] = {
      {"description", "By name, as in the mcpServers of a client's file"},
      {"type", "object"},
      {"minProperties", 1},
      {"additionalProperties", listed_server_schema()}};
  for (const OptionInfo& option : project_options()) {
    schema["properties"][member_name(option)] = value_schema(option);
  }
  return schema;
}

}  // namespace assay::cli
