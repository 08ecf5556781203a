#include "harness/cli/login.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <utility>
#include <variant>

#include "harness/cli/command.h"
#include "harness/cli/login_callback.h"
#include "harness/cli/target_words.h"
#include "reference/client/login.h"
#include "reference/transport/http_fetch.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

using model::Revision;

constexpr std::chrono::seconds kExchange{15};
// As reports call who has logged in.
constexpr const char* kUser = "login";

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string client_id_of(const LoginChoice& choice) {
  return choice.client_id.empty() ? from_environment(kClientIdVariable) : choice.client_id;
}

// How the server receives who shows nothing.
struct Reception {
  int status = 0;  // 0: there was no answer
  std::string challenge;
  std::string problem;
};

Reception knock_without_token(const std::string& endpoint) {
  transport::HttpMessage message;
  message.method = "POST";
  message.headers = {{"Content-Type", "application/json"},
                     {"Accept", "application/json, text/event-stream"}};
  message.body = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  const auto answer = transport::fetch(endpoint, std::move(message), kExchange);
  if (const auto* failure = std::get_if<transport::Failure>(&answer)) {
    return {0, "", failure->detail};
  }
  const auto& fetched = std::get<transport::Fetched>(answer);
  const auto field = transport::find_header(fetched.headers, "WWW-Authenticate");
  return {fetched.status, std::string(field.value_or("")), ""};
}

client::LoginOptions login_options_of(const ServerOptions& options, Revision revision) {
  client::LoginOptions login;
  login.endpoint = options.url;
  login.revision = revision;
  login.client_name = "mcp-assay";
  login.client_id = client_id_of(options.login);
  login.client_secret = from_environment(kClientSecretVariable);
  login.timeout = kExchange;
  if (options.login.grant == kClientGrant) login.grant = client::LoginGrant::kClientCredentials;
  if (options.login.grant == kRefreshGrant) {
    login.grant = client::LoginGrant::kRefreshToken;
    login.refresh_token = from_environment(kRefreshTokenVariable);
  }
  return login;
}

// With resource metadata where a revision that is asked for has them, and otherwise, or where there
// are none, with the server as its own authorization server.
std::vector<Revision> ways_of(const std::vector<Revision>& revisions) {
  std::vector<Revision> ways;
  for (const bool has_metadata : {true, false}) {
    const auto found = std::find_if(revisions.rbegin(), revisions.rend(), [&](Revision revision) {
      return revision.has_authorization() && revision.has_resource_metadata() == has_metadata;
    });
    if (found != revisions.rend()) ways.push_back(*found);
  }
  return ways;
}

LoggedIn take_token(ServerJob& job, const ServerOptions& options, const client::Login& login) {
  harness::UserToken token;
  token.user = kUser;
  token.text = login.access_token();
  const std::string& next = login.refresh_token();
  const bool is_another = !next.empty() && next != from_environment(kRefreshTokenVariable);
  if (!next.empty()) job.vault->add(next);
  if (options.login.grant == kRefreshGrant && is_another) {
    fmt::print(stderr,
               "mcp-assay: the authorization server has given another refresh token, and may take "
               "the one in {} no more\n",
               kRefreshTokenVariable);
  }
  show_tokens(job, options, {token});
  return {"", login.lifetime()};
}

}  // namespace

void check_login(const ServerOptions& options) {
  const LoginChoice& choice = options.login;
  if (!choice.is_wanted()) {
    if (!choice.client_id.empty() || choice.callback_port > 0) {
      throw UsageError("--client-id and --callback-port need --login");
    }
    return;
  }
  if (options.url.empty()) throw UsageError("--login needs --url");
  const bool has_authorization =
      transport::find_header(parse_headers(options.headers), "Authorization").has_value();
  if (!options.auth_tokens.empty() || !options.auth_token_file.empty() || has_authorization ||
      options.has_auth_server) {
    throw UsageError(
        "--login gets the token: it goes with none of --auth-token, --auth-token-file, "
        "--auth-server and an Authorization header");
  }
  const bool is_by_client = choice.grant == kClientGrant;
  if (is_by_client &&
      (client_id_of(choice).empty() || from_environment(kClientSecretVariable).empty())) {
    throw UsageError(fmt::format("--grant {} needs {} and {} in the environment", kClientGrant,
                                 kClientIdVariable, kClientSecretVariable));
  }
  if (choice.grant == kRefreshGrant &&
      (client_id_of(choice).empty() || from_environment(kRefreshTokenVariable).empty())) {
    throw UsageError(fmt::format("--grant {} needs {} and {} in the environment", kRefreshGrant,
                                 kClientIdVariable, kRefreshTokenVariable));
  }
}

LoggedIn log_in(ServerJob& job, const ServerOptions& options,
                const std::vector<Revision>& revisions, const std::stop_token& stop) {
  for (const char* name : {kClientSecretVariable, kRefreshTokenVariable}) {
    if (const std::string value = from_environment(name); !value.empty()) job.vault->add(value);
  }
  const Reception reception = knock_without_token(options.url);
  if (reception.status == 0) return {"", std::nullopt};  // the runs tell why
  if (reception.status != 401 && reception.status != 403) {
    fmt::print(stderr, "mcp-assay: the server asks for no token, so nobody logs in\n");
    return {"", std::nullopt};
  }
  LoginCallback callback(static_cast<int>(options.login.callback_port));
  if (const auto trouble = callback.start()) return {"--login: " + *trouble, std::nullopt};
  Browsing browsing(callback, stop);
  std::string problem = "no revision that is asked for has authorization";
  for (const Revision revision : ways_of(revisions)) {
    client::LoginOptions login_options = login_options_of(options, revision);
    login_options.redirect_uri = callback.url();
    login_options.browse = std::ref(browsing);
    client::Login login(std::move(login_options));
    const auto trouble = login.answer(401, reception.challenge);
    if (!trouble) return take_token(job, options, login);
    // The first way is the usual one, so its trouble is what to tell, unless another got further.
    if (revision == ways_of(revisions).front() || browsing.has_asked()) problem = *trouble;
    if (browsing.has_asked()) break;
  }
  job.vault->redact(problem);
  return {"the login failed: " + reports::printable_line(problem), std::nullopt};
}

}  // namespace assay::cli
