#include "harness/cli/server_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "harness/cli/command.h"
#include "harness/cli/jsonc.h"
#include "harness/cli/project.h"
#include "reports/escape.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string shown(std::string_view text) {
  return reports::printable_line(reports::cut(text, 80));
}

bool is_variable_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

bool is_yaml(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

// Reads one server of the file, and complains in its name.
class ServerReader {
 public:
  ServerReader(const std::string& path, const std::string& name, const Variables& variables)
      : path_(path), variables_(variables) {
    server_.name = name;
  }

  ListedServer read(const OrderedJson& entry) {
    if (!entry.is_object()) fail("", "is not an object");
    server_.kind = kind_of(entry);
    if (server_.kind == ListedServer::Kind::kStdio) {
      read_command(entry);
    } else {
      read_url(entry);
    }
    return std::move(server_);
  }

 private:
  [[noreturn]] void fail(std::string_view member, std::string_view what) const {
    const std::string place =
        member.empty() ? std::string() : fmt::format(": {}", reports::printable_line(member));
    throw UsageError(
        fmt::format("'{}': server '{}'{} {}", shown(path_), shown(server_.name), place, what));
  }

  // Of the type where one is given, else of what there is to reach it by.
  ListedServer::Kind kind_of(const OrderedJson& entry) const {
    using Kind = ListedServer::Kind;
    const bool has_url = entry.contains("url") || entry.contains("serverUrl");
    if (has_url && entry.contains("command")) fail("", "has both a command and a url");
    if (!has_url && !entry.contains("command")) fail("", "has neither a command nor a url");
    if (!entry.contains("type")) return has_url ? Kind::kHttp : Kind::kStdio;
    const OrderedJson& type = entry["type"];
    if (!has_url && type != "stdio") fail("type", "is not \"stdio\", but there is a command");
    if (!has_url) return Kind::kStdio;
    if (type == "sse") return Kind::kHttpSse;
    if (type == "http" || type == "streamable-http" || type == "streamableHttp") return Kind::kHttp;
    fail("type", "is none of stdio, http, streamable-http, sse, as fits a url");
  }

  void read_command(const OrderedJson& entry) {
    server_.words.push_back(text(entry["command"], "command"));
    if (server_.words.front().value.empty()) fail("command", "is empty");
    if (entry.contains("args")) {
      if (!entry["args"].is_array()) fail("args", "is not an array");
      for (std::size_t i = 0; i < entry["args"].size(); ++i) {
        server_.words.push_back(text(entry["args"][i], fmt::format("args[{}]", i)));
      }
    }
    if (entry.contains("cwd")) server_.directory = text(entry["cwd"], "cwd").value;
    server_.directory = in_project(server_.directory);
    if (entry.contains("envFile")) {
      read_environment_file(in_project(text(entry["envFile"], "envFile").value));
    }
    for (auto& [key, value] : pairs(entry, "env")) set_variable(key, value);
    if (!server_.directory.empty() && !std::filesystem::is_directory(server_.directory)) {
      fail("cwd", fmt::format("is no folder: '{}'", shown(server_.directory)));
    }
  }

  // A project's file (YAML) means paths from its own folder; those of clients, from here.
  std::string in_project(const std::string& path) const {
    if (!is_yaml(path_)) return path;
    const std::filesystem::path folder = std::filesystem::absolute(path_).parent_path();
    if (folder == std::filesystem::current_path()) return path;
    return (path.empty() ? folder : folder / path).lexically_normal().string();
  }

  void read_url(const OrderedJson& entry) {
    if (entry.contains("url") && entry.contains("serverUrl"))
      fail("", "has both url and serverUrl");
    const char* member = entry.contains("url") ? "url" : "serverUrl";
    server_.url = text(entry[member], member);
    server_.headers = pairs(entry, "headers");
  }

  void set_variable(const std::string& key, const std::string& value) {
    if (key.empty() || key.find('=') != std::string::npos) {
      fail("env", fmt::format("has the name '{}'", shown(key)));
    }
    server_.secrets.push_back({value, fmt::format("${{{}}}", key)});
    std::erase_if(server_.environment, [&](const auto& each) { return each.first == key; });
    server_.environment.emplace_back(key, value);
  }

  // NAME=VALUE lines; '#' begins a comment line, quotes around a value are taken off.
  void read_environment_file(const std::string& path) {
    const reports::FileText file = reports::read_file(path);
    if (!file.error.empty()) fail("envFile", file.error);
    std::istringstream lines(file.text);
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      const std::size_t equals = line.find('=');
      if (line.empty() || line.front() == '#' || equals == std::string::npos) continue;
      std::string value = line.substr(equals + 1);
      const bool is_quoted = value.size() >= 2 && value.front() == value.back() &&
                             (value.front() == '"' || value.front() == '\'');
      set_variable(line.substr(0, equals), is_quoted ? value.substr(1, value.size() - 2) : value);
    }
  }

  std::vector<std::pair<std::string, std::string>> pairs(const OrderedJson& entry, const char* member) {
    std::vector<std::pair<std::string, std::string>> out;
    if (!entry.contains(member)) return out;
    if (!entry[member].is_object()) fail(member, "is not an object");
    for (const auto& [key, value] : entry[member].items()) {
      const std::string place = fmt::format("{}.{}", member, shown(key));
      // Numbers and truth values are written without quotes now and then, and clients take them.
      const bool is_plain = value.is_number() || value.is_boolean();
      out.emplace_back(key, is_plain ? value.dump() : text(value, place).value);
    }
    return out;
  }

  ListedText text(const OrderedJson& json, const std::string& member) {
    if (!json.is_string()) fail(member, "is not a string");
    const std::string& written = json.get_ref<const std::string&>();
    if (written.find('\0') != std::string::npos) fail(member, "holds a NUL character");
    return {written, expanded(written, member)};
  }

  std::string expanded(std::string_view text, const std::string& member) {
    std::string out;
    while (!text.empty()) {
      const std::size_t begin = text.find("${");
      const std::size_t end = text.find('}', begin == std::string_view::npos ? 0 : begin);
      if (begin == std::string_view::npos || end == std::string_view::npos) break;
      out += text.substr(0, begin);
      out += value_of(text.substr(begin + 2, end - begin - 2), member);
      text.remove_prefix(end + 1);
    }
    return out + std::string(text);
  }

  std::string value_of(std::string_view reference, const std::string& member) {
    const std::filesystem::path folder = std::filesystem::absolute(path_).parent_path();
    if (reference == "workspaceFolder") {
      return folder.filename() == ".vscode" ? folder.parent_path().string() : folder.string();
    }
    if (reference == "userHome") reference = "HOME";
    if (reference.starts_with("env:")) reference.remove_prefix(4);
    if (reference.starts_with("input:")) {
      fail(member,
           fmt::format("asks for the input '{}', which only an editor can ask a person for: "
                       "write a variable, ${{NAME}}, in its place",
                       shown(reference.substr(6))));
    }
    const std::size_t mark = reference.find(":-");
    const std::string name(reference.substr(0, mark));
    if (!is_variable_name(name)) {
      fail(member, fmt::format("holds '${{{}}}', which names no variable", shown(reference)));
    }
    const std::optional<std::string> value = variables_(name);
    if (mark != std::string_view::npos && value.value_or("").empty()) {
      return std::string(reference.substr(mark + 2));
    }
    if (!value) {
      fail(member, fmt::format("needs the variable {}, which is not set (a default can be given: "
                               "${{{}:-default}})",
                               name, name));
    }
    server_.secrets.push_back({*value, fmt::format("${{{}}}", name)});
    return *value;
  }

  const std::string& path_;
  const Variables& variables_;
  ListedServer server_;
};

OrderedJson load(const std::string& path) {
  const reports::FileText file = reports::read_file(path);
  if (!file.error.empty()) throw UsageError(file.error);
  auto parsed = is_yaml(path) ? parse_yaml(file.text) : parse_jsonc(file.text);
  if (const auto* error = std::get_if<std::string>(&parsed)) {
    throw UsageError(fmt::format("'{}': {}", shown(path), *error));
  }
  return std::get<OrderedJson>(std::move(parsed));
}

const OrderedJson& servers_of(const std::string& path, const OrderedJson& root) {
  for (const char* member : {"mcpServers", "servers"}) {
    if (!root.is_object() || !root.contains(member)) continue;
    if (!root[member].is_object()) {
      throw UsageError(
          fmt::format("'{}': {} is not an object of servers by name", shown(path), member));
    }
    if (root[member].empty()) {
      throw UsageError(fmt::format("'{}': {} names no server", shown(path), member));
    }
    return root[member];
  }
  throw UsageError(
      fmt::format("'{}' has neither an object \"mcpServers\" nor \"servers\"", shown(path)));
}

}  // namespace

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::vector<ListedServer> read_server_list(const std::string& path,
                                           std::span<const std::string> names,
                                           const Variables& variables) {
  const OrderedJson root = load(path);
  const OrderedJson& servers = servers_of(path, root);
  for (const std::string& name : names) {
    if (servers.contains(name)) continue;
    std::string known;
    for (const auto& [each, entry] : servers.items()) {
      known += (known.empty() ? "" : ", ") + shown(each);
    }
    throw UsageError(
        fmt::format("'{}' names no server '{}'; known: {}", shown(path), shown(name), known));
  }
  std::vector<ListedServer> out;
  for (const auto& [name, entry] : servers.items()) {
    const bool is_named = std::find(names.begin(), names.end(), name) != names.end();
    if (!names.empty() && !is_named) continue;
    const bool is_disabled = entry.is_object() && entry.value("disabled", OrderedJson()) == true;
    if (is_disabled && !is_named) continue;
    out.push_back(ServerReader(path, name, variables).read(entry));
  }
  if (out.empty()) throw UsageError(fmt::format("'{}': every server is disabled", shown(path)));
  return out;
}

}  // namespace assay::cli
