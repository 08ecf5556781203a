#include "harness/project/server_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <utility>
#include <variant>

#include "harness/frame/command.h"
#include "harness/frame/target_words.h"
#include "harness/project/auth_tokens.h"
#include "harness/runner/target.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

using harness::TargetAccess;

TargetAccess checked(std::variant<TargetAccess, transport::Failure> access,
                     const std::string& whose = "") {
  if (const auto* failure = std::get_if<transport::Failure>(&access)) {
    throw UsageError(whose + failure->detail);
  }
  return std::get<TargetAccess>(std::move(access));
}

// A word as a shell takes it that has the variables which the file refers to.
std::string shell_form(const std::string& written) {
  if (written.find("${") == std::string::npos) return reports::shell_word(written);
  std::string out = "\"";
  for (std::size_t i = 0; i < written.size(); ++i) {
    const char c = written[i];
    const bool is_reference = c == '$' && written.compare(i, 2, "${") == 0;
    if (is_reference && written.compare(i, 6, "${env:") == 0) {
      out += "${";
      i += 5;
      continue;
    }
    if (c == '"' || c == '\\' || c == '`' || (c == '$' && !is_reference)) out += '\\';
    out += c;
  }
  return out + '"';
}

// " K=\"$K\"" for each variable: its value stays with the reader.
std::string shell_form(const std::vector<std::pair<std::string, std::string>>& environment) {
  std::string out;
  for (const auto& [key, value] : environment) {
    if (std::all_of(key.begin(), key.end(),
                    [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; })) {
      out += fmt::format(" {}=\"${}\"", key, key);
    }
  }
  return out;
}

// The command with its folder and the names of its variables.
std::string shell_form(const ListedServer& server) {
  std::string out;
  if (!server.directory.empty()) out += " -C " + reports::shell_word(server.directory);
  out += shell_form(server.environment);
  if (!out.empty()) out = "env" + out;
  for (const ListedText& word : server.words) {
    out += (out.empty() ? "" : " ") + shell_form(word.written);
  }
  return out;
}

// The first of the words that is a file below the folder, as seen from there.
std::string source_among(const std::vector<std::string>& words, const std::string& folder) {
  namespace fs = std::filesystem;
  for (const std::string& word : words) {
    std::error_code error;
    if (word.empty() || !fs::is_regular_file(word, error)) continue;
    const fs::path path = fs::canonical(word, error);
    if (error) continue;
    std::string seen = seen_from(path.string(), folder);
    if (!fs::path(seen).is_absolute()) return seen;
  }
  return "";
}

// A name that cannot leave its folder, and that no other server has.
std::string plain_name(const std::string& name, std::set<std::string>& taken) {
  std::string out;
  for (const char c : name.substr(0, 80)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_word = byte < 0x80 && std::isalnum(byte) != 0;
    out += is_word || c == '-' || c == '_' || c == '.' ? c : '_';
  }
  if (out.empty() || out.front() == '.') out.insert(0, 1, '_');
  std::string unique = out;
  for (int number = 2; !taken.insert(unique).second; ++number) {
    unique = fmt::format("{}-{}", out, number);
  }
  return unique;
}

// One request has one Authorization.
void check_credentials(const transport::Headers& headers,
                       const std::vector<harness::UserToken>& tokens, const std::string& whose) {
  if (tokens.empty() || !transport::find_header(headers, "Authorization")) return;
  throw UsageError(whose + "a token and an Authorization header cannot both be shown");
}

// What one connection learns to be secret is so for all, and for the reports.
void share_vault(ServerJob& job) {
  for (TargetAccess& access : job.accesses) access.vault = job.vault;
}

// Each session is a process that joins it to the socket. No shell command shows that again: the
// socket is gone by then.
TargetAccess at_socket(const ServerOptions& options) {
  if (!options.command.empty() && !options.is_started) {
    throw UsageError("--socket and -- COMMAND do not go together");
  }
  std::error_code ignored;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  TargetAccess access = harness::over_stdio({{program, "relay", "--copy", options.socket}, {}, ""});
  access.shell_form.clear();
  return access;
}

// What options would say of a server at a URL.
ServerOptions options_of(const ListedServer& server) {
  ServerOptions options;
  const bool is_older = server.kind == ListedServer::Kind::kHttpSse;
  (is_older ? options.sse_url : options.url) = server.url.value;
  for (const auto& [key, value] : server.headers) options.headers.push_back(key + ": " + value);
  options.login = server.login;
  options.has_auth_server = server.auth_server_port > 0;
  options.auth_server_port = server.auth_server_port;
  options.has_upstream = server.upstream_port > 0;
  options.upstream_port = server.upstream_port;
  options.has_tokens = !server.tokens.empty();
  return options;
}

ServerJob make_job(const ListedServer& server) {
  ServerJob job;
  for (const reports::Secret& secret : server.secrets) job.vault->add(secret.value, secret.shown);
  for (const auto& [key, value] : server.headers) job.vault->add_field(key, value);
  for (const harness::UserToken& token : server.tokens) job.vault->add(token.text);
  job.options = options_of(server);
  job.target.label = server.name;
  if (server.kind == ListedServer::Kind::kStdio) {
    harness::CommandTarget command;
    for (const ListedText& word : server.words) {
      command.words.push_back(word.value);
      job.target.command.push_back(word.written);
    }
    command.environment = server.environment;
    command.directory = server.directory;
    job.accesses.push_back(harness::over_stdio(command));
    job.accesses.back().shell_form = shell_form(server);
    share_vault(job);
    return job;
  }
  job.target.url = server.url.written;
  const std::string whose =
      fmt::format("server '{}': ", reports::printable_line(reports::cut(server.name, 80)));
  check_credentials(server.headers, server.tokens, whose);
  const harness::UrlTarget url{
      .url = server.url.value, .headers = server.headers, .tokens = server.tokens};
  const bool is_older = server.kind == ListedServer::Kind::kHttpSse;
  job.accesses.push_back(
      checked(is_older ? harness::over_http_sse(url) : harness::over_http(url), whose));
  job.accesses.back().shell_form = shell_form(server.url.written);
  share_vault(job);
  return job;
}

void add_ways_by_url(ServerJob& job, const ServerOptions& options,
                     const transport::Headers& headers,
                     const std::vector<harness::UserToken>& tokens) {
  const wire::BudgetPtr budget = harness::make_budget();  // one target, however it is reached
  if (!options.url.empty()) {
    job.accesses.push_back(checked(harness::over_http({options.url, headers, budget, tokens})));
  }
  if (!options.sse_url.empty()) {
    job.accesses.push_back(
        checked(harness::over_http_sse({options.sse_url, headers, budget, tokens})));
  }
}

}  // namespace

void check_party(const ServerOptions& options, bool is_wanted, std::int64_t port,
                 const std::string& option) {
  if (port > 0 && !is_wanted) throw UsageError(fmt::format("{0}-port needs {0}", option));
  if (!is_wanted) return;
  if (options.url.empty()) throw UsageError(option + " needs --url");
  if (!options.is_started && port == 0) {
    throw UsageError(
        fmt::format("{0} needs --start -- COMMAND, which is told where it is; or {0}-port N, for a "
                    "server that was told before",
                    option));
  }
}

ServerOptions told_of(ServerOptions options, const std::string& place, const std::string& variable,
                      const std::string& url) {
  for (std::string& word : options.command) {
    for (std::size_t at = word.find(place); at != std::string::npos;
         at = word.find(place, at + url.size())) {
      word.replace(at, place.size(), url);
    }
  }
  options.environment.push_back(variable + "=" + url);
  return options;
}

void show_tokens(ServerJob& job, const std::vector<harness::UserToken>& tokens) {
  const ServerOptions& options = job.options;
  const std::vector<TargetAccess> before = job.accesses;
  std::erase_if(job.accesses, [](const TargetAccess& access) { return access.kind.has_url(); });
  add_ways_by_url(job, options, parse_headers(options.headers), tokens);
  // As the file has written them, if one has.
  for (TargetAccess& access : job.accesses) {
    const auto same = std::find_if(before.begin(), before.end(),
                                   [&](const auto& each) { return each.kind == access.kind; });
    if (same != before.end()) access.shell_form = same->shell_form;
  }
  for (const harness::UserToken& token : tokens) job.vault->add(token.text);
  share_vault(job);
}

ServerJob make_job(const ServerOptions& options) {
  ServerJob job;
  job.name = "server";
  job.options = options;
  const bool has_url = !options.url.empty() || !options.sse_url.empty();
  if (options.is_started && (!has_url || options.command.empty())) {
    throw UsageError("--start needs the URL where the server will listen, and -- COMMAND");
  }
  const NamedValues variables = parse_environment(options.environment);
  if (!options.command.empty() && !options.is_started) {
    job.accesses.push_back(harness::over_stdio({options.command, variables, ""}));
  }
  if (!options.socket.empty()) job.accesses.push_back(at_socket(options));
  const transport::Headers headers = parse_headers(options.headers);
  const std::vector<harness::UserToken> tokens =
      read_auth_tokens(options.auth_tokens, options.auth_token_file);
  check_credentials(headers, tokens, "");
  add_ways_by_url(job, options, headers, tokens);
  if (job.accesses.empty()) {
    throw UsageError(
        "nothing to certify: give --url URL, --config FILE, or -- COMMAND; or write a "
        "mcp-assay.yaml "
        "('mcp-assay init')");
  }
  if (!headers.empty() && !has_url) throw UsageError("--header needs --url or --sse-url");
  if (!tokens.empty() && !has_url) throw UsageError("--auth-token needs --url or --sse-url");
  if (!options.environment.empty() && options.command.empty()) {
    throw UsageError("--env needs -- COMMAND");
  }
  for (const auto& [key, value] : variables) job.vault->add(value, fmt::format("${{{}}}", key));
  if (!variables.empty() && !options.is_started) {
    std::string& form = job.accesses.front().shell_form;
    form = fmt::format("env{} {}", shell_form(variables), form);
  }
  for (const auto& [key, value] : headers) job.vault->add_field(key, value);
  for (const harness::UserToken& token : tokens) job.vault->add(token.text);
  for (const std::string& url : {options.url, options.sse_url}) job.vault->add_query(url);
  share_vault(job);
  if (!options.is_started) job.target.command = options.command;
  job.target.source = source_among(options.command, "");
  job.target.url = options.url.empty() ? options.sse_url : options.url;
  return job;
}

ServerJob make_job_with_one_way(const ServerOptions& options) {
  ServerJob job = make_job(options);
  if (job.accesses.size() == 1) return job;
  throw UsageError(
      "choose one of -- COMMAND, --url, --sse-url and --socket; or have COMMAND started at the "
      "URL, with --start");
}

std::vector<ServerJob> make_jobs(const std::vector<ListedServer>& servers, const ListFile& list) {
  std::vector<ServerJob> jobs;
  std::set<std::string> taken;
  for (const ListedServer& server : servers) {
    jobs.push_back(make_job(server));
    jobs.back().name = plain_name(server.name, taken);
    jobs.back().target.source = source_among({list.path}, list.folder);
  }
  return jobs;
}

std::string seen_from(const std::string& path, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path whole = fs::path(path).lexically_normal();
  if (whole.is_relative()) return whole.generic_string();
  const fs::path base = folder.empty() ? fs::current_path(error) : fs::canonical(folder, error);
  const fs::path seen = whole.lexically_relative(base);
  const bool is_below = !error && !seen.empty() && *seen.begin() != "..";
  return (is_below ? seen : whole).generic_string();
}

}  // namespace assay::cli
