#include "harness/cli/server_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <utility>
#include <variant>

#include "harness/cli/command.h"
#include "harness/runner/target.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

using harness::TargetAccess;

transport::Headers parse_headers(const std::vector<std::string>& texts) {
  transport::Headers headers;
  for (const std::string& text : texts) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0) {
      // The text is not repeated: what is wrong about it may be all but the credential.
      throw UsageError("--header takes 'NAME: VALUE'");
    }
    const std::size_t value = text.find_first_not_of(" \t", colon + 1);
    headers.emplace_back(text.substr(0, colon),
                         value == std::string::npos ? std::string() : text.substr(value));
  }
  return headers;
}

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

// The first of the words that is a file below the current folder, as seen from there.
std::string source_among(const std::vector<std::string>& words) {
  namespace fs = std::filesystem;
  for (const std::string& word : words) {
    std::error_code error;
    if (word.empty() || !fs::is_regular_file(word, error)) continue;
    const fs::path path = fs::proximate(fs::canonical(word, error), fs::current_path(), error);
    if (!error && path.is_relative() && *path.begin() != "..") return path.generic_string();
  }
  return "";
}

// A name that cannot leave its folder, and that no other server has.
std::string plain_name(const std::string& name, std::set<std::string>& taken) {
  std::string out;
  for (const unsigned char c : name.substr(0, 80)) {
    const bool is_plain = c < 0x80 && (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.');
    out += is_plain ? static_cast<char>(c) : '_';
  }
  if (out.empty() || out.front() == '.') out.insert(0, 1, '_');
  std::string unique = out;
  for (int number = 2; !taken.insert(unique).second; ++number) {
    unique = fmt::format("{}-{}", out, number);
  }
  return unique;
}

// What one connection learns to be secret is so for all, and for the reports.
void share_vault(ServerJob& job) {
  for (TargetAccess& access : job.accesses) access.vault = job.vault;
}

ServerJob make_job(const ListedServer& server) {
  ServerJob job;
  for (const reports::Secret& secret : server.secrets) job.vault->add(secret.value, secret.shown);
  for (const auto& [key, value] : server.headers) job.vault->add_field(key, value);
  job.target.label = server.name;
  if (server.kind == ListedServer::Kind::kStdio) {
    harness::CommandTarget command;
    for (const ListedText& word : server.words) {
      command.words.push_back(word.value);
      job.target.command.push_back(word.written);
    }
    for (const auto& [key, value] : server.environment) {
      command.environment.push_back(key + "=" + value);
    }
    command.directory = server.directory;
    job.accesses.push_back(harness::over_stdio(command));
    job.accesses.back().shell_form = shell_form(server);
    share_vault(job);
    return job;
  }
  job.target.url = server.url.written;
  const harness::UrlTarget url{server.url.value, server.headers};
  const std::string whose =
      fmt::format("server '{}': ", reports::printable_line(reports::cut(server.name, 80)));
  const bool is_older = server.kind == ListedServer::Kind::kHttpSse;
  job.accesses.push_back(
      checked(is_older ? harness::over_http_sse(url) : harness::over_http(url), whose));
  job.accesses.back().shell_form = shell_form(server.url.written);
  share_vault(job);
  return job;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_environment(
    const std::vector<std::string>& assignments) {
  std::vector<std::pair<std::string, std::string>> variables;
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) throw UsageError("--env takes K=V");
    variables.emplace_back(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return variables;
}

ServerJob make_job(const ServerOptions& options) {
  ServerJob job;
  job.name = "server";
  const bool has_url = !options.url.empty() || !options.sse_url.empty();
  if (options.is_started && (!has_url || options.command.empty())) {
    throw UsageError("--start needs the URL where the server will listen, and -- COMMAND");
  }
  if (!options.command.empty() && !options.is_started) {
    job.accesses.push_back(harness::over_stdio({options.command, options.environment, ""}));
  }
  const transport::Headers headers = parse_headers(options.headers);
  const wire::BudgetPtr budget = harness::make_budget();  // one target, however it is reached
  if (!options.url.empty()) {
    job.accesses.push_back(checked(harness::over_http({options.url, headers, budget})));
  }
  if (!options.sse_url.empty()) {
    job.accesses.push_back(checked(harness::over_http_sse({options.sse_url, headers, budget})));
  }
  if (job.accesses.empty()) {
    throw UsageError(
        "nothing to certify: give --url URL, --config FILE, or -- COMMAND; or write a mcp-assay.yaml "
        "('mcp-assay init')");
  }
  if (!headers.empty() && options.url.empty() && options.sse_url.empty()) {
    throw UsageError("--header needs --url or --sse-url");
  }
  if (!options.environment.empty() && options.command.empty()) {
    throw UsageError("--env needs -- COMMAND");
  }
  const auto variables = parse_environment(options.environment);
  for (const auto& [key, value] : variables) job.vault->add(value, fmt::format("${{{}}}", key));
  if (!variables.empty() && !options.is_started) {
    std::string& form = job.accesses.front().shell_form;
    form = fmt::format("env{} {}", shell_form(variables), form);
  }
  for (const auto& [key, value] : headers) job.vault->add_field(key, value);
  for (const std::string& url : {options.url, options.sse_url}) job.vault->add_query(url);
  share_vault(job);
  if (!options.is_started) job.target.command = options.command;
  job.target.source = source_among(options.command);
  job.target.url = options.url.empty() ? options.sse_url : options.url;
  return job;
}

std::vector<ServerJob> make_jobs(const std::vector<ListedServer>& servers,
                                 const std::string& list) {
  std::vector<ServerJob> jobs;
  std::set<std::string> taken;
  for (const ListedServer& server : servers) {
    jobs.push_back(make_job(server));
    jobs.back().name = plain_name(server.name, taken);
    jobs.back().target.source = source_among({list});
  }
  return jobs;
}

}  // namespace assay::cli
