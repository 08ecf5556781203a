// The tokens that `mcp-assay server` is given: whose they are, and that no message repeats one.
#include "harness/project/auth_tokens.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/frame/command.h"
#include "harness/parties/login.h"
#include "harness/parties/parties.h"
#include "harness/project/server_jobs.h"
#include "harness/project/server_list.h"

namespace assay::cli {
namespace {

using harness::UserToken;
using Standing = harness::UserToken::Standing;

UserToken parsed(const std::string& text) {
  return parse_auth_token(text, "--auth-token");
}

std::string complaint_about(const std::vector<std::string>& texts, const std::string& file = "") {
  try {
    read_auth_tokens(texts, file);
  } catch (const UsageError& error) {
    return error.text();
  }
  return "";
}

class TokenFile : public testing::Test {
 protected:
  TokenFile()
      : path_(std::filesystem::temp_directory_path() /
              ("assay-tokens-" + std::to_string(::getpid()))) {}
  ~TokenFile() override { std::filesystem::remove(path_); }
  std::string save(const std::string& text, ::mode_t mode = 0600) {
    std::ofstream(path_) << text;
    ::chmod(path_.c_str(), mode);
    return path_.string();
  }
  const std::filesystem::path path_;
};

TEST(AuthTokens, AreOfTheUserBeforeTheEqualsSign) {
  EXPECT_EQ(parsed("alice=abcdefgh").user, "alice");
  EXPECT_EQ(parsed("alice=abcdefgh").text, "abcdefgh");
  EXPECT_EQ(parsed("alice=abcdefg=").text, "abcdefg=");
  EXPECT_EQ(parsed("alice=abcdefg=").field(), "Bearer abcdefg=");
}

TEST(AuthTokens, MayEndWithPadding) {
  EXPECT_EQ(parsed("abcdefgh").user, "default");
  EXPECT_EQ(parsed("abcdefg=").text, "abcdefg=");
  EXPECT_EQ(parsed("abcdef==").user, "default");
}

TEST(AuthTokens, OfTwoNamesAreToBeRefused) {
  EXPECT_EQ(parsed("foreign=abcdefgh").standing, Standing::kForeign);
  EXPECT_EQ(parsed("expired=abcdefgh").standing, Standing::kExpired);
  EXPECT_TRUE(parsed("alice=abcdefgh").is_good());
  EXPECT_NE(complaint_about({"foreign=abcdefgh"}), "");
}

TEST(AuthTokens, AreNotRepeatedWhereTheyAreWrong) {
  for (const char* text : {"alice=secret token", "=secrettoken", "alice=secret\n", "secret"}) {
    const std::string said = complaint_about({text});
    EXPECT_NE(said, "") << text;
    EXPECT_EQ(said.find("secret"), std::string::npos) << said;
  }
  const std::string said = complaint_about({"alice=secret-token", "bob=secret-token"});
  EXPECT_NE(said.find("'alice' and 'bob' have the same token"), std::string::npos) << said;
  EXPECT_EQ(said.find("secret"), std::string::npos) << said;
}

TEST_F(TokenFile, HoldsOneOnEachLineBehindThoseOfTheCommandLine) {
  const std::string path = save("# for tests\n\nbob=ijklmnop\r\nalice=qrstuvwx\n");
  testing::internal::CaptureStderr();
  const std::vector<UserToken> tokens = read_auth_tokens({"alice=abcdefgh"}, path);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].text, "abcdefgh");
  EXPECT_EQ(tokens[1].user, "bob");
  EXPECT_EQ(tokens[1].text, "ijklmnop");
  EXPECT_EQ(tokens[2].user, "alice");
}

TEST_F(TokenFile, SaysWhichLineIsWrongAndNotWhatItHolds) {
  const std::string said = complaint_about({}, save("alice=abcdefgh\nbob=a secret\n"));
  EXPECT_NE(said.find("line 2 holds no token"), std::string::npos) << said;
  EXPECT_EQ(said.find("secret"), std::string::npos) << said;
  EXPECT_NE(complaint_about({}, save("# none\n")), "");
  EXPECT_NE(complaint_about({}, "/no/such/file"), "");
}

TEST_F(TokenFile, IsWarnedOfWhereOthersCanReadIt) {
  const std::string path = save("alice=abcdefgh\n", 0644);
  testing::internal::CaptureStderr();
  read_auth_tokens({}, path);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("other users can read the tokens in"), std::string::npos) << said;
}

TEST(AuthTokens, AreNotRepeatedWhereTheLineIsWrong) {
  const std::string url = "http://127.0.0.1:1/mcp";
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--auth-tokn", "alice=secret-token"},
        std::vector<std::string>{"--auth-tokn=alice=secret-token"},
        std::vector<std::string>{"--auth-token", "alice=abcdefgh", "bob=secret-token"},
        std::vector<std::string>{"--auth-token", "alice=abcdefgh", "secret-token"}}) {
    std::vector<std::string> words = {"server", "--project", "none", "--url", url};
    words.insert(words.end(), wrong.begin(), wrong.end());
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_command_line(words), kUsage);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.find("secret-token"), std::string::npos) << said;
    // What is wrong is the option alone, or the token stands in the sentence as a label.
    const bool names_option = said.find("unknown option '--auth-tokn'") != std::string::npos;
    EXPECT_TRUE(names_option || said.find("token#") != std::string::npos) << said;
  }
}

ServerOptions at_url() {
  ServerOptions options;
  options.url = "http://127.0.0.1:1/mcp";
  options.auth_tokens = {"alice=abcdefgh", "bob=ijklmnop"};
  return options;
}

TEST(AuthTokens, GoWithAUrlAndWithNoOtherCredentials) {
  ServerOptions options = at_url();
  const ServerJob job = make_job(options);
  ASSERT_EQ(job.accesses.size(), 1u);
  EXPECT_EQ(job.accesses[0].tokens.size(), 2u);
  std::string echoed = "abcdefgh ijklmnop";
  job.vault->redact(echoed);
  EXPECT_EQ(echoed, "token#1 token#2");
  options.headers = {"authorization: Bearer xyz"};
  EXPECT_THROW(make_job(options), UsageError);
  options.headers.clear();
  options.url.clear();
  options.command = {"true"};
  EXPECT_THROW(make_job(options), UsageError);
}

std::vector<ListedServer> listed(const std::string& tokens) {
  const std::string text =
      R"({"servers": {"a": {"url": "http://127.0.0.1:1/mcp", "authTokens": )" + tokens + "}}}";
  const auto variables = [](const std::string& name) -> std::optional<std::string> {
    return "value-of-" + name;
  };
  return parse_server_list(text, {.path = "list.json"}, {}, variables);
}

TEST(AuthTokens, OfAListAreNamedByVariables) {
  const auto servers = listed(R"({"bob": "${B}", "alice": "${env:A}"})");
  ASSERT_EQ(servers.at(0).tokens.size(), 2u);
  EXPECT_EQ(servers[0].tokens[0].user, "bob");
  EXPECT_EQ(servers[0].tokens[0].text, "value-of-B");
  EXPECT_EQ(servers[0].tokens[1].text, "value-of-A");
  for (const char* token : {R"("secret-token")", R"("${A:-secret-token}")", R"("x${A}")", "7"}) {
    try {
      listed(std::string(R"({"bob": )") + token + "}");
      ADD_FAILURE() << token;
    } catch (const UsageError& error) {
      EXPECT_NE(error.text().find("authTokens.bob"), std::string::npos) << error.text();
      EXPECT_EQ(error.text().find("secret-token"), std::string::npos) << error.text();
    }
  }
}

ListedServer listed_with(const std::string& members, const char* type = "http") {
  const std::string text = fmt::format(
      R"({{"servers": {{"a": {{"type": "{}", "url": "http://127.0.0.1:1/mcp", {}}}}}}})", type,
      members);
  const auto variables = [](const std::string& name) -> std::optional<std::string> {
    return "value-of-" + name;
  };
  return parse_server_list(text, {.path = "list.json"}, {}, variables).at(0);
}

TEST(LoginsOfAList, AreSaidOfEachServer) {
  const ListedServer by_person = listed_with(R"("login": true, "callbackPort": 33418)");
  EXPECT_TRUE(by_person.login.is_flagged);
  EXPECT_EQ(by_person.login.callback_port, 33418);
  const ListedServer by_client =
      listed_with(R"("login": "client-credentials", "clientId": "ci", "clientSecret": "${S}")");
  EXPECT_EQ(by_client.login.grant, "client-credentials");
  EXPECT_EQ(by_client.login.client_id, "ci");
  EXPECT_EQ(by_client.login.client_secret, "value-of-S");
  EXPECT_FALSE(listed_with(R"("login": false)").login.is_wanted());
  const ListedServer trusting = listed_with(R"("authServerPort": 4000, "upstreamPort": "4001")");
  EXPECT_EQ(trusting.auth_server_port, 4000);
  EXPECT_EQ(trusting.upstream_port, 4001);
}

TEST(LoginsOfAList, SayWhatIsWrongWithThem) {
  EXPECT_THROW(listed_with(R"("login": "by-phone")"), UsageError);
  EXPECT_THROW(listed_with(R"("login": true)", "sse"), UsageError);
  EXPECT_THROW(listed_with(R"("clientSecret": "secret-itself")"), UsageError);
  EXPECT_THROW(listed_with(R"("authServerPort": 0)"), UsageError);
  EXPECT_THROW(listed_with(R"("upstreamPort": "much")"), UsageError);
}

// The complaint about a list with that one server; empty where there is none.
std::string complaint_about(const std::string& server) {
  const auto variables = [](const std::string& name) { return std::optional("value-of-" + name); };
  try {
    parse_server_list(R"({"servers": {"a": )" + server + "}}", {.path = "list.json"}, {},
                      variables);
  } catch (const UsageError& error) {
    return error.text();
  }
  return "";
}

TEST(LoginsOfAList, AreForServersAtAUrl) {
  const std::string is_for_a_url = " is for servers at a url";
  for (const auto& [member, value] :
       {std::pair("login", "true"), std::pair("clientId", R"("x")"),
        std::pair("authServerPort", "4000"), std::pair("upstreamPort", "4001"),
        std::pair("authTokens", R"({"alice": "${A}"})")}) {
    const std::string said =
        complaint_about(fmt::format(R"({{"command": "x", "{}": {}}})", member, value));
    EXPECT_EQ(said, "'list.json': server 'a': " + std::string(member) + is_for_a_url);
  }
  EXPECT_EQ(complaint_about(R"({"command": "x", "login": false})"), "");
}

TEST(LoginsOfAList, NeedALoginForWhatItTakes) {
  const auto said_of = [](const std::string& members) {
    return complaint_about(R"({"url": "http://127.0.0.1:1/mcp", )" + members + "}");
  };
  const std::string place = "'list.json': server 'a': ";
  const std::string needs_login = " needs login: true, or the grant by which to log in";
  EXPECT_EQ(said_of(R"("clientId": "x")"), place + "clientId" + needs_login);
  EXPECT_EQ(said_of(R"("clientSecret": "${S}")"), place + "clientSecret" + needs_login);
  EXPECT_EQ(said_of(R"("refreshToken": "${R}")"), place + "refreshToken" + needs_login);
  EXPECT_EQ(said_of(R"("login": true, "refreshToken": "${R}")"),
            place + "refreshToken needs login: refresh-token");
  EXPECT_EQ(said_of(R"("login": "refresh-token", "clientId": "x", "refreshToken": "${R}")"), "");
}

// What the job of a listed server asks for, as the options of a command line would.
ServerJob job_with(const std::string& members) {
  return std::move(make_jobs({listed_with(members)}).at(0));
}

std::string complaint_about_job(const std::string& members) {
  try {
    const Parties parties(job_with(members));
  } catch (const UsageError& error) {
    return error.text();
  }
  return "";
}

// A secret in the environment may be meant for another server of the list.
TEST(LoginsOfAList, TakeNothingFromTheEnvironment) {
  ::setenv(kClientIdVariable, "of-another", 1);
  ::setenv(kRefreshTokenVariable, "secret-of-another", 1);
  const std::string said = complaint_about_job(R"("login": "refresh-token")");
  ::unsetenv(kClientIdVariable);
  ::unsetenv(kRefreshTokenVariable);
  EXPECT_EQ(said, "server 'a': a login by refresh-token needs clientId and refreshToken");
}

TEST(LoginsOfAList, GoWithNoOtherTokens) {
  const std::string tokens = R"("authTokens": {"alice": "${A}"}, )";
  EXPECT_NE(complaint_about_job(tokens + R"("login": true)"), "");
  EXPECT_NE(complaint_about_job(tokens + R"("authServerPort": 4000)"), "");
  EXPECT_NE(complaint_about_job(R"("upstreamPort": 4000)"), "");
}

// Who has written a file is told of its members, not of options.
TEST(LoginsOfAList, AreComplainedOfInTheWordsOfTheFile) {
  EXPECT_EQ(complaint_about_job(R"("upstreamPort": 4000)"),
            "server 'a': upstreamPort shows whether a token is passed on, so it needs one: "
            "authServerPort, authTokens, authTokenFile or login");
  const std::string tokens = R"("authTokens": {"alice": "${A}"}, )";
  EXPECT_EQ(complaint_about_job(tokens + R"("authServerPort": 4000)"),
            "server 'a': authServerPort makes the tokens: it goes with none of authTokens, "
            "authTokenFile and an Authorization header");
}

TEST(LoginsOfAList, KeepHowTheServerIsWritten) {
  ServerJob job = job_with(R"("headers": {"X-Tenant": "seven"}, "login": true)");
  job.accesses.front().shell_form = "\"${URL}\"";
  show_tokens(job, {{"login", "token-of-a-login"}});
  EXPECT_EQ(job.accesses.front().shell_form, "\"${URL}\"");
  EXPECT_EQ(job.accesses.front().tokens.size(), 1u);
  EXPECT_EQ(job.accesses.front().secret_headers, std::vector<std::string>{"X-Tenant"});
}

}  // namespace
}  // namespace assay::cli
