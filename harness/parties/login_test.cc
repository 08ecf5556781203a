// Where a browser is sent, and where it comes back to; and which options go together.
#include "harness/parties/login.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "harness/frame/command.h"
#include "harness/parties/auth_server.h"
#include "harness/parties/login_callback.h"
#include "harness/parties/upstream.h"
#include "reference/transport/http_fetch.h"
#include "reference/wire/message.h"

namespace assay::cli {
namespace {

using std::chrono::seconds;
using Words = std::vector<std::string>;

constexpr const char* kPage = "https://as.example.org/authorize?state=1";

TEST(BrowserCommand, IsThatOfTheEnvironment) {
  EXPECT_EQ(browser_command("firefox", kPage), (Words{"firefox", kPage}));
  EXPECT_EQ(browser_command("open -a Safari %s", kPage), (Words{"open", "-a", "Safari", kPage}));
  EXPECT_EQ(browser_command("w3m:firefox", kPage), (Words{"w3m", kPage}));
}

TEST(BrowserCommand, IsTheDesktopsWhereNothingIsSaid) {
  EXPECT_EQ(browser_command(nullptr, kPage), (Words{"xdg-open", kPage}));
  EXPECT_EQ(browser_command(" ", kPage), (Words{"xdg-open", kPage}));
}

int status_at(const std::string& url) {
  transport::HttpMessage message;
  message.method = "GET";
  const auto answer = transport::fetch(url, std::move(message), seconds(5));
  const auto* fetched = std::get_if<transport::Fetched>(&answer);
  return fetched == nullptr ? 0 : fetched->status;
}

TEST(LoginCallback, TakesTheResponseOfItsState) {
  LoginCallback callback;
  ASSERT_EQ(callback.start(), std::nullopt);
  EXPECT_EQ(status_at(callback.url() + "?code=early&state="), 400);
  callback.expect("mine");
  EXPECT_EQ(status_at(callback.url() + "?code=theirs&state=another"), 400);
  EXPECT_EQ(status_at(callback.url().substr(0, callback.url().rfind('/')) + "/else"), 404);
  EXPECT_EQ(status_at(callback.url() + "?code=right&state=mine"), 200);
  EXPECT_EQ(status_at(callback.url() + "?code=again&state=mine"), 200);
  const auto response = callback.wait(seconds(5), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(wire::form_value(*response, "code"), "right");
}

TEST(LoginCallback, WaitsNoLongerThanItIsTold) {
  LoginCallback callback;
  ASSERT_EQ(callback.start(), std::nullopt);
  callback.expect("mine");
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(callback.wait(seconds(600), source.get_token()));
  EXPECT_FALSE(callback.wait(std::chrono::milliseconds(1), {}));
}

// What is wrong with the options; empty where nothing is.
std::string trouble_with(const ServerOptions& options) {
  try {
    check_login(options);
    start_auth_server(options, {});
  } catch (const UsageError& error) {
    return error.text();
  }
  return "";
}

ServerOptions with_url() {
  ServerOptions options;
  options.url = "http://127.0.0.1:3001/mcp";
  return options;
}

TEST(LoginOptions, GoWithNoOtherTokens) {
  ServerOptions options = with_url();
  options.login.is_flagged = true;
  EXPECT_EQ(trouble_with(options), "");
  options.auth_tokens = {"alice=0123456789"};
  EXPECT_NE(trouble_with(options), "");
}

TEST(LoginOptions, NeedWhatTheGrantNeeds) {
  ServerOptions options = with_url();
  options.login.grant = kClientGrant;
  EXPECT_NE(trouble_with(options).find(kClientSecretVariable), std::string::npos);
  options.login.grant = kRefreshGrant;
  EXPECT_NE(trouble_with(options).find(kRefreshTokenVariable), std::string::npos);
  options.login = {};
  options.login.client_id = "mine";
  EXPECT_NE(trouble_with(options).find("--login"), std::string::npos);
}

TEST(AuthServerOptions, NeedSomebodyWhoIsTold) {
  ServerOptions options = with_url();
  options.has_auth_server = true;
  EXPECT_NE(trouble_with(options).find("--start"), std::string::npos);
  options.is_started = true;
  EXPECT_EQ(trouble_with(options), "");
  options.headers = {"Authorization: Bearer 0123456789"};
  EXPECT_NE(trouble_with(options).find("Authorization"), std::string::npos);
  options.headers.clear();
  options.url.clear();
  EXPECT_NE(trouble_with(options).find("--url"), std::string::npos);
}

// What is wrong with the options of --upstream; empty where nothing is.
std::string trouble_with_upstream(const ServerOptions& options) {
  try {
    start_upstream(options, {});
  } catch (const UsageError& error) {
    return error.text();
  }
  return "";
}

TEST(UpstreamOptions, NeedATokenAndSomebodyWhoIsTold) {
  ServerOptions options = with_url();
  EXPECT_EQ(trouble_with_upstream(options), "");
  options.has_upstream = true;
  EXPECT_NE(trouble_with_upstream(options).find("--start"), std::string::npos);
  options.is_started = true;
  EXPECT_NE(trouble_with_upstream(options).find("--auth-server"), std::string::npos);
  options.has_auth_server = true;
  EXPECT_EQ(trouble_with_upstream(options), "");
  options.url.clear();
  EXPECT_NE(trouble_with_upstream(options).find("--url"), std::string::npos);
  options.has_upstream = false;
  options.upstream_port = 4000;
  EXPECT_NE(trouble_with_upstream(options).find("--upstream-port"), std::string::npos);
}

TEST(UpstreamOptions, TellTheCommand) {
  ServerOptions options = with_url();
  options.has_upstream = options.has_auth_server = options.is_started = true;
  options.command = {"node", "server.js", "--api={upstream}/v1", "{auth}"};
  const auto upstream = start_upstream(options, {});
  ASSERT_NE(upstream, nullptr);
  const ServerOptions told = told_of(*upstream, options);
  EXPECT_EQ(told.command[2], "--api=" + upstream->url() + "/v1");
  EXPECT_EQ(told.command[3], "{auth}");
  ASSERT_EQ(told.environment.size(), 1u);
  EXPECT_EQ(told.environment[0], std::string(kUpstreamVariable) + "=" + upstream->url());
}

TEST(AuthServerOptions, TellTheCommand) {
  ServerOptions options = with_url();
  options.has_auth_server = options.is_started = true;
  options.command = {"node", "server.js", "{auth}", "--jwks={auth}/jwks", "{author}"};
  const auto issuer = start_auth_server(options, {});
  ASSERT_TRUE(issuer);
  const ServerOptions told = told_of(*issuer, options);
  EXPECT_EQ(told.command, (Words{"node", "server.js", issuer->url(),
                                 "--jwks=" + issuer->url() + "/jwks", "{author}"}));
  EXPECT_EQ(told.environment, (Words{"MCP_CONFORMANCE_AUTH_SERVER_URL=" + issuer->url()}));
}

}  // namespace
}  // namespace assay::cli
