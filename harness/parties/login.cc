#include "harness/parties/login.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <utility>
#include <variant>

#include "harness/frame/command.h"
#include "harness/frame/target_words.h"
#include "harness/parties/login_callback.h"
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

// What was said, or else, of the one server of the command line, what the environment holds.
std::string said_or(const LoginChoice& choice, const std::string& said, const char* variable) {
  return said.empty() && !choice.is_of_list ? from_environment(variable) : said;
}
std::string client_id_of(const LoginChoice& choice) {
  return said_or(choice, choice.client_id, kClientIdVariable);
}
std::string client_secret_of(const LoginChoice& choice) {
  return said_or(choice, choice.client_secret, kClientSecretVariable);
}
std::string refresh_token_of(const LoginChoice& choice) {
  return said_or(choice, choice.refresh_token, kRefreshTokenVariable);
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
  login.client_secret = client_secret_of(options.login);
  login.timeout = kExchange;
  if (options.login.grant == kClientGrant) login.grant = client::LoginGrant::kClientCredentials;
  if (options.login.grant == kRefreshGrant) {
    login.grant = client::LoginGrant::kRefreshToken;
    login.refresh_token = refresh_token_of(options.login);
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

LoggedIn take_token(ServerJob& job, const client::Login& login) {
  const LoginChoice& choice = job.options.login;
  harness::UserToken token;
  token.user = kUser;
  token.text = login.access_token();
  const std::string& next = login.refresh_token();
  const bool is_another = !next.empty() && next != refresh_token_of(choice);
  if (!next.empty()) job.vault->add(next);
  if (choice.grant == kRefreshGrant && is_another) {
    fmt::print(stderr,
               "mcp-assay: the authorization server has given another refresh token, and may take "
               "the one in {} no more\n",
               choice.is_of_list ? "refreshToken" : kRefreshTokenVariable);
  }
  show_tokens(job, {token});
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
  if (options.shows_tokens() || has_authorization || options.has_auth_server) {
    throw UsageError(
        choice.is_of_list
            ? "login gets the token: it goes with none of authTokens, authTokenFile, "
              "authServerPort and an Authorization header"
            : "--login gets the token: it goes with none of --auth-token, --auth-token-file, "
              "--auth-server and an Authorization header");
  }
  const bool needs_secret = choice.grant == kClientGrant;
  const bool needs_refresh_token = choice.grant == kRefreshGrant;
  const bool lacks_own = (needs_secret && client_secret_of(choice).empty()) ||
                         (needs_refresh_token && refresh_token_of(choice).empty());
  if (!lacks_own && (client_id_of(choice).size() > 0 || !(needs_secret || needs_refresh_token))) {
    return;
  }
  if (choice.is_of_list) {
    throw UsageError(fmt::format("a login by {} needs clientId and {}", choice.grant,
                                 needs_secret ? "clientSecret" : "refreshToken"));
  }
  throw UsageError(fmt::format("--grant {} needs {} and {} in the environment", choice.grant,
                               kClientIdVariable,
                               needs_secret ? kClientSecretVariable : kRefreshTokenVariable));
}

LoggedIn log_in(ServerJob& job, const std::vector<Revision>& revisions,
                const std::stop_token& stop) {
  const ServerOptions options = job.options;
  for (const std::string& value :
       {client_secret_of(options.login), refresh_token_of(options.login)}) {
    if (!value.empty()) job.vault->add(value);
  }
  const Reception reception = knock_without_token(options.url);
  if (reception.status == 0) return {"", std::nullopt};  // the runs tell why
  if (reception.status != 401 && reception.status != 403) {
    fmt::print(stderr, "mcp-assay: the server asks for no token, so no login is needed\n");
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
    if (!trouble) return take_token(job, login);
    // The first way is the usual one, so its trouble is what to tell, unless another got further.
    if (revision == ways_of(revisions).front() || browsing.has_asked()) problem = *trouble;
    if (browsing.has_asked()) break;
  }
  job.vault->redact(problem);
  return {"the login failed: " + reports::printable_line(problem), std::nullopt};
}

}  // namespace assay::cli
