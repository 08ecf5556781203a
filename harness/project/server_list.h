// Files in which people name the servers that their client uses: "mcpServers" (Claude, Cursor,
// Windsurf and others) or "servers" (VS Code).
//
//   {"mcpServers": {"files": {"command": "npx", "args": ["-y", "x"], "env": {"KEY": "${KEY}"}},
//                   "remote": {"url": "https://example.org/mcp", "headers": {"A": "${B:-none}"}}}}
//
// Besides what clients read, a server at a URL may have access tokens (auth_tokens.h), which do not
// stand in the file: {"url": "...", "authTokens": {"alice": "${ALICE_TOKEN}", "bob":
// "${BOB_TOKEN}"}}, or "authTokenFile": "tokens". Or one is got: {"url": "...", "login": true},
// with what the options --grant, --client-id and --callback-port say as "login", "clientId" and
// "callbackPort", and "clientSecret" and "refreshToken" named by variables. "authServerPort" and
// "upstreamPort" are the options of those names.
//
// Such a file holds secrets: what stands in `written` may be shown, what stands in `value` may not.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/project/login_choice.h"
#include "harness/script/user_token.h"
#include "reports/redact.h"

namespace assay::cli {

struct ListedText {
  std::string written;  // "${TOKEN}"
  std::string value;    // what the variable holds
};

struct ListedServer {
  enum class Kind { kStdio, kHttp, kHttpSse };
  std::string name;
  Kind kind = Kind::kStdio;
  std::vector<ListedText> words;  // command and arguments; empty unless kStdio
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory;  // empty: here
  ListedText url;         // empty for kStdio
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<harness::UserToken> tokens;
  LoginChoice login;                  // at a URL that speaks Streamable HTTP, as the two below
  std::int64_t auth_server_port = 0;  // of an authorization server of ours that it trusts; 0: none
  std::int64_t upstream_port = 0;     // of an API of ours that it asks; 0: none
  std::vector<reports::Secret> secrets;  // of its variables; headers are secrets as a whole
};

struct ListFile {
  std::string path;
  bool is_project = false;  // in YAML, whatever its name
  // Where its servers are started, and what its paths are meant from; empty: here.
  std::string folder = "";
};

// The value of a variable of the environment; empty if it is not set.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;
std::optional<std::string> environment_variable(const std::string& name);

// The servers of the file, in its order: those that `names` names, or, when it is empty, all that
// are not disabled. Variables are replaced in every text of theirs: ${NAME}, ${NAME:-default},
// ${env:NAME}, ${workspaceFolder}, ${userHome}. Throws UsageError with one sentence that names the
// file, the server and the member: for what is no such file, an unknown name (and which there are),
// a variable that is not set.
//
// A file whose name ends in .yaml or .yml is read as YAML too, and meant from its own folder.
std::vector<ListedServer> read_server_list(const ListFile& file, std::span<const std::string> names,
                                           const Variables& variables = environment_variable);
// The same of a text that would be the contents of `file`.
std::vector<ListedServer> parse_server_list(const std::string& text, const ListFile& file,
                                            std::span<const std::string> names,
                                            const Variables& variables = environment_variable);

// One server, as such a file would say it; `file` is named where something is wrong with it.
ListedServer read_listed_server(const ListFile& file, const std::string& name,
                                const nlohmann::ordered_json& entry, const Variables& variables);

// How the file calls its servers, whatever it says of each. Throws UsageError for what is no such
// file.
std::vector<std::string> server_names(const ListFile& file);

// What `type` may say of a server at a URL; the last is that of the older pair of endpoints.
inline constexpr std::array<std::string_view, 4> kUrlTypes = {"http", "streamable-http",
                                                              "streamableHttp", "sse"};
// What only a server at a URL may say.
inline constexpr std::array<const char*, 9> kMembersOfAUrl = {
    "authTokens",   "authTokenFile", "login",          "clientId",    "clientSecret",
    "refreshToken", "callbackPort",  "authServerPort", "upstreamPort"};
// What one of the servers of a project's file may say, as a JSON Schema.
nlohmann::json listed_server_schema();

}  // namespace assay::cli
