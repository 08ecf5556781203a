#include "harness/project/server_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"
#include "harness/project/auth_tokens.h"
#include "harness/project/env_file.h"
#include "harness/project/jsonc.h"
#include "harness/project/server_members.h"
#include "reference/model/revision.h"
#include "reports/escape.h"
#include "reports/output.h"
#include "reports/yaml.h"

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

bool has_yaml_name(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

bool is_in_yaml(const ListFile& file) {
  return file.is_project || has_yaml_name(file.path);
}

// Reads one server of the file, and complains in its name.
class ServerReader {
 public:
  ServerReader(const ListFile& file, const std::string& name, const Variables& variables)
      : path_(file.path),
        folder_(file.folder),
        is_yaml_(is_in_yaml(file)),
        is_project_(file.is_project),
        variables_(variables) {
    server_.name = name;
  }

  ListedServer read(const OrderedJson& entry) {
    if (!entry.is_object()) fail("", "is not an object");
    // It would be ignored in silence, and the server started without it.
    if (const auto odd = odd_member(entry, is_project_)) fail(shown(odd->name), odd->why);
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
    for (const std::string_view word : kUrlTypes) {
      if (type == std::string(word)) return word == "sse" ? Kind::kHttpSse : Kind::kHttp;
    }
    fail("type", "is none of stdio, http, streamable-http, sse, as fits a url");
  }

  // What gets or shows tokens has no place where there is no URL, and is not dropped in silence.
  void refuse_members_of_a_url(const OrderedJson& entry) const {
    for (const char* const member : kMembersOfAUrl) {
      if (!entry.contains(member) || entry[member] == false || entry[member] == "false") continue;
      fail(member, "is for servers at a url");
    }
  }

  void read_command(const OrderedJson& entry) {
    refuse_members_of_a_url(entry);
    server_.words.push_back(text(entry["command"], "command"));
    if (server_.words.front().value.empty()) fail("command", "is empty");
    if (entry.contains("args")) {
      if (!entry["args"].is_array()) fail("args", "is not an array");
      for (std::size_t i = 0; i < entry["args"].size(); ++i) {
        server_.words.push_back(argument(entry["args"][i], fmt::format("args[{}]", i)));
      }
    }
    if (entry.contains("cwd")) server_.directory = text(entry["cwd"], "cwd").value;
    server_.directory = in_folder(server_.directory);
    if (entry.contains("envFile")) {
      read_environment_file(in_folder(text(entry["envFile"], "envFile").value));
    }
    for (auto& [key, value] : pairs(entry, "env")) set_variable(key, value);
    if (!server_.directory.empty() && !std::filesystem::is_directory(server_.directory)) {
      fail("cwd", fmt::format("is no folder: '{}'", shown(server_.directory)));
    }
  }

  std::string in_folder(const std::string& path) const {
    if (folder_.empty() || folder_ == std::filesystem::current_path()) return path;
    const std::filesystem::path folder(folder_);
    return (path.empty() ? folder : folder / path).lexically_normal().string();
  }

  void read_url(const OrderedJson& entry) {
    if (entry.contains("url") && entry.contains("serverUrl"))
      fail("", "has both url and serverUrl");
    const char* member = entry.contains("url") ? "url" : "serverUrl";
    server_.url = text(entry[member], member);
    server_.headers = pairs(entry, "headers");
    read_tokens(entry);
    read_login(entry);
    server_.auth_server_port = port(entry, "authServerPort");
    server_.upstream_port = port(entry, "upstreamPort");
  }

  // What the options of these names say of the one server of a command line.
  void read_login(const OrderedJson& entry) {
    LoginChoice& login = server_.login;
    login.is_of_list = true;
    if (entry.contains("login")) {
      const OrderedJson& how = entry["login"];
      const bool is_grant = how == kCodeGrant || how == kClientGrant || how == kRefreshGrant;
      if (!is_truth(how) && !is_grant) {
        fail("login", fmt::format("is none of true, false, {}, {}, {}", kCodeGrant, kClientGrant,
                                  kRefreshGrant));
      }
      if (is_grant) login.grant = how.get<std::string>();
      login.is_flagged = how == true || how == "true";
    }
    if (login.is_wanted() && server_.kind != ListedServer::Kind::kHttp) {
      fail("login", "is for servers over Streamable HTTP");
    }
    refuse_members_without_login(entry);
    if (entry.contains("clientId")) login.client_id = text(entry["clientId"], "clientId").value;
    login.client_secret = secret(entry, "clientSecret");
    login.refresh_token = secret(entry, "refreshToken");
    login.callback_port = port(entry, "callbackPort");
  }

  void refuse_members_without_login(const OrderedJson& entry) const {
    for (const char* member : {"clientId", "clientSecret", "refreshToken", "callbackPort"}) {
      if (entry.contains(member) && !server_.login.is_wanted()) {
        fail(member, "needs login: true, or the grant by which to log in");
      }
    }
    if (entry.contains("refreshToken") && server_.login.grant != kRefreshGrant) {
      fail("refreshToken", fmt::format("needs login: {}", kRefreshGrant));
    }
  }

  // In YAML a truth value may come as its word.
  static bool is_truth(const OrderedJson& json) {
    return json.is_boolean() || json == "true" || json == "false";
  }

  std::string secret(const OrderedJson& entry, const char* member) {
    if (!entry.contains(member)) return "";
    if (is_variable(entry[member])) return text(entry[member], member).value;
    fail(member, "names no variable, ${NAME}: do not write a secret into a file");
  }

  std::int64_t port(const OrderedJson& entry, const char* member) const {
    if (!entry.contains(member)) return 0;
    if (server_.kind != ListedServer::Kind::kHttp) {
      fail(member, "is for servers over Streamable HTTP");
    }
    const OrderedJson& json = entry[member];
    const std::string digits = json.is_string() ? json.get<std::string>() : json.dump();
    const bool is_number =
        !digits.empty() && digits.size() < 6 &&
        std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c); });
    const std::int64_t number = is_number ? std::stoll(digits) : 0;
    if (number < 1 || number > 65535) fail(member, "is no port, from 1 to 65535");
    return number;
  }

  void read_tokens(const OrderedJson& entry) {
    std::vector<std::string> texts;
    if (entry.contains("authTokens")) {
      if (!entry["authTokens"].is_object()) fail("authTokens", "is not an object");
      for (const auto& [user, reference] : entry["authTokens"].items()) {
        const std::string place = fmt::format("authTokens.{}", shown(user));
        if (!is_variable(reference)) {
          fail(place, "names no variable, ${NAME}: do not write a token into a file");
        }
        const std::string token = text(reference, place).value;
        texts.push_back(user + "=" + token);
        parse_auth_token(texts.back(), fmt::format("'{}': {}", shown(path_), place));
      }
    }
    const std::string file =
        entry.contains("authTokenFile") ? text(entry["authTokenFile"], "authTokenFile").value : "";
    server_.tokens = read_auth_tokens(texts, file.empty() ? file : in_folder(file));
  }

  // "${NAME}", and nothing beside it.
  static bool is_variable(const OrderedJson& json) {
    if (!json.is_string()) return false;
    std::string_view text = json.get_ref<const std::string&>();
    if (!text.starts_with("${") || !text.ends_with('}')) return false;
    text = text.substr(2, text.size() - 3);
    if (text.starts_with("env:")) text.remove_prefix(4);
    return is_variable_name(text);
  }

  void set_variable(const std::string& key, const std::string& value) {
    if (key.empty() || key.find('=') != std::string::npos) {
      fail("env", fmt::format("has the name '{}'", shown(key)));
    }
    keep_secret(value, key);
    std::erase_if(server_.environment, [&](const auto& each) { return each.first == key; });
    server_.environment.emplace_back(key, value);
  }

  // A revision of the protocol is in every exchange: if it were hidden, no report could be read.
  void keep_secret(const std::string& value, const std::string& name) {
    if (model::Revision::parse(value)) return;
    server_.secrets.push_back({value, fmt::format("${{{}}}", name)});
  }

  void read_environment_file(const std::string& path) {
    const reports::FileText file = reports::read_file(path);
    if (!file.error.empty()) fail("envFile", file.error);
    for (const auto& [key, value] : variables_in(file.text)) set_variable(key, value);
  }

  std::vector<std::pair<std::string, std::string>> pairs(const OrderedJson& entry,
                                                         const char* member) {
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

  // The words true and false are truth values in YAML, and a command gets them as they are written.
  ListedText argument(const OrderedJson& json, const std::string& member) {
    return is_yaml_ && json.is_boolean() ? text(json.dump(), member) : text(json, member);
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
    keep_secret(*value, name);
    return *value;
  }

  const std::string& path_;
  const std::string& folder_;
  const bool is_yaml_;
  const bool is_project_;
  const Variables& variables_;
  ListedServer server_;
};

OrderedJson parse(const std::string& text, const ListFile& file) {
  auto parsed = is_in_yaml(file) ? reports::parse_yaml(text, reports::YamlNumbers::kAreTexts)
                                 : parse_jsonc(text);
  if (const auto* error = std::get_if<std::string>(&parsed)) {
    throw UsageError(fmt::format("'{}': {}", shown(file.path), *error));
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

std::vector<ListedServer> read_server_list(const ListFile& file, std::span<const std::string> names,
                                           const Variables& variables) {
  const reports::FileText text = reports::read_file(file.path);
  if (!text.error.empty()) throw UsageError(text.error);
  ListFile read = file;
  if (read.folder.empty() && has_yaml_name(read.path)) {
    read.folder = std::filesystem::absolute(read.path).parent_path().string();
  }
  return parse_server_list(text.text, read, names, variables);
}

std::vector<ListedServer> parse_server_list(const std::string& text, const ListFile& file,
                                            std::span<const std::string> names,
                                            const Variables& variables) {
  const std::string& path = file.path;
  const OrderedJson root = parse(text, file);
  const OrderedJson& servers = servers_of(path, root);
  for (const std::string& name : names) {
    if (servers.contains(name)) continue;
    std::vector<std::string> known;
    for (const auto& [each, entry] : servers.items()) known.push_back(shown(each));
    throw UsageError(fmt::format("'{}' names no server '{}'{}", shown(path), shown(name),
                                 meant_or_known(name, known)));
  }
  std::vector<ListedServer> out;
  for (const auto& [name, entry] : servers.items()) {
    const bool is_named = std::find(names.begin(), names.end(), name) != names.end();
    if (!names.empty() && !is_named) continue;
    const bool is_disabled = entry.is_object() && entry.value("disabled", OrderedJson()) == true;
    if (is_disabled && !is_named) continue;
    out.push_back(ServerReader(file, name, variables).read(entry));
  }
  if (out.empty()) throw UsageError(fmt::format("'{}': every server is disabled", shown(path)));
  return out;
}

ListedServer read_listed_server(const ListFile& file, const std::string& name,
                                const OrderedJson& entry, const Variables& variables) {
  return ServerReader(file, name, variables).read(entry);
}

std::vector<std::string> server_names(const ListFile& file) {
  const reports::FileText text = reports::read_file(file.path);
  if (!text.error.empty()) throw UsageError(text.error);
  const OrderedJson root = parse(text.text, file);
  std::vector<std::string> names;
  for (const auto& [name, entry] : servers_of(file.path, root).items()) names.push_back(name);
  return names;
}

}  // namespace assay::cli
