#include "harness/cli/interop_template.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace assay::cli {
namespace {

constexpr const char* kTemplateHead =
    "# Every client of this file is run with every server: 'mcp-assay interop'.\n"
    "# yaml-language-server: $schema=./{}\n"
    "\n"
    "servers:\n";

constexpr const char* kTemplateTail =
    "\n"
    "clients:\n"
    "  inspector:\n"
    "    command: npx\n"
    "    stdio: [-y, \"@modelcontextprotocol/inspector@0.15.0\", --cli, \"{server}\"]\n"
    "    http: [-y, \"@modelcontextprotocol/inspector@0.15.0\", --cli, \"{url}\"]\n"
    "    profile: inspector-cli  # how it is started to do one thing: 'mcp-assay list profiles'\n"
    "  # A client of yours. It is told in its environment what to do (MCP_ASSAY_ACTS), or acts by "
    "itself.\n"
    "  # mine:\n"
    "  #   command: node\n"
    "  #   args: [client.mjs]       # the server's URL, or a command that starts it, comes last\n"
    "  #   oldest: {args: [--old]}  # what makes it speak its oldest revision\n";

// JSON is YAML.
std::string in_yaml(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string words_in_yaml(const std::vector<ListedText>& words) {
  std::string out;
  for (std::size_t i = 1; i < words.size(); ++i) {
    out += (out.empty() ? "" : ", ") + in_yaml(words[i].written);
  }
  return "[" + out + "]";
}

std::string server_in_yaml(const ListedServer& server) {
  std::string out = fmt::format("  {}:\n", in_yaml(server.name));
  if (server.words.empty()) {
    return out + fmt::format("    url: {}\n", in_yaml(server.url.written));
  }
  out += fmt::format("    command: {}\n", in_yaml(server.words.front().written));
  if (server.words.size() > 1) out += fmt::format("    args: {}\n", words_in_yaml(server.words));
  if (!server.environment.empty()) out += "    env:\n";
  for (const auto& [name, value] : server.environment) {
    out += fmt::format("      {}: \"${{{}}}\"\n", in_yaml(name), name);
  }
  return out;
}

}  // namespace

std::string interop_template(const std::vector<ListedServer>& servers,
                             const std::string& schema_file) {
  std::string out = fmt::format(kTemplateHead, schema_file);
  for (const ListedServer& server : servers) out += server_in_yaml(server);
  out +=
      "    # Over HTTP as well: what listens, at a port that is free.\n"
      "    # url: \"http://127.0.0.1:{port}/mcp\"\n"
      "    # start: [node, server.js, --port, \"{port}\"]\n";
  return out + kTemplateTail;
}

}  // namespace assay::cli
