// No token that a run was given stands bare in what the run leaves behind: not in what it prints,
// not in a report, not in a transcript.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/frame/command.h"
#include "harness/runner/runner.h"
#include "harness/transcript/transcript_file.h"
#include "reference/authorization/knobs.h"
#include "reference/wire/form.h"
#include "reports/writer.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class Secrets : public testing::Test {
 protected:
  Secrets() : folder_(fs::temp_directory_path() / ("assay-secrets-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~Secrets() override { fs::remove_all(folder_); }

  // Everything that certifying the server leaves behind, printed or written, joined. `words` go to
  // the command line.
  std::string traces_of_a_run(const ReferenceOverHttp& reference,
                              std::vector<std::string> words = {}) {
    const fs::path tokens = folder_ / "tokens";
    {
      std::ofstream file(tokens);
      for (const harness::UserToken& token : reference_tokens()) {
        file << token.user << '=' << token.text << '\n';
      }
    }
    ::chmod(tokens.c_str(), 0600);
    words.insert(words.end(), {"--auth-token-file", tokens.string()});
    return traces_without_tokens(reference, std::move(words));
  }

  // The same where `words` say how there are tokens.
  std::string traces_without_tokens(const ReferenceOverHttp& reference,
                                    std::vector<std::string> words) {
    const fs::path out = folder_ / "out";
    fs::create_directories(out);
    words.insert(words.begin(), {"server", "--project", "none", "--verbose"});
    for (const auto& [option, value] :
         {std::pair("--url", reference.url()),
          std::pair("--overview", (out / "overview.html").string()),
          std::pair("--transcript", (out / "transcript").string()),
          std::pair("--write-expected", (out / "expected.yaml").string())}) {
      words.emplace_back(option);
      words.push_back(value);
    }
    for (const reports::Format& format : reports::formats()) {
      words.push_back("--report");
      const std::string name(format.name);
      words.push_back(name + "=" + (out / ("report." + name)).string());
    }
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    status_ = cli::run_command_line(words);
    std::string all = testing::internal::GetCapturedStdout();
    all += testing::internal::GetCapturedStderr();
    for (const auto& entry : fs::recursive_directory_iterator(out)) {
      if (entry.is_regular_file()) all += bytes_of(entry.path());
    }
    return all;
  }

  const fs::path folder_;
  int status_ = -1;  // of the last run
};

void expect_no_token(const std::string& traces) {
  for (const harness::UserToken& token : reference_tokens()) {
    const std::size_t at = traces.find(token.text);
    EXPECT_EQ(at, std::string::npos)
        << token.text << " in: " << traces.substr(at < 200 ? 0 : at - 200, 400);
  }
}

const std::vector<std::string> kSomeScenarios = {"--scenario", "authorization_*", "--scenario",
                                                 "tools_*"};

TEST_F(Secrets, OfASoundServerStayInside) {
  const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {}, "127.0.0.1", true);
  const std::string traces = traces_of_a_run(reference);
  expect_no_token(traces);
  EXPECT_THAT(traces, testing::HasSubstr("Bearer token#1"));
  EXPECT_THAT(traces, testing::HasSubstr("Bearer token#2"));
}

TEST_F(Secrets, OfAFaultyServerStayInside) {
  const server::Faults faults = {server::find_fault("any-token"),
                                 server::find_fault("narrow-token-401")};
  const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, faults);
  const std::string traces = traces_of_a_run(reference, kSomeScenarios);
  expect_no_token(traces);
  EXPECT_THAT(traces, testing::HasSubstr("authorization.audience-validated"));
}

// Repeats what it is shown, where one looks for it and where one does not.
class Parrot : public transport::HttpConduct {
 public:
  void reply(const transport::HttpHead& request, std::string_view,
             transport::HttpReply& reply) const override {
    const auto shown = transport::find_header(request.headers, "Authorization");
    if (!shown) return;
    const std::string token(shown->substr(shown->find(' ') + 1));
    reply.headers.emplace_back("X-You-Showed", token);
    if (reply.status >= 400) reply.body += "you showed " + token;
    if (reply.status != 200 || reply.body.find("\"jsonrpc\"") == std::string::npos) return;
    Json message = Json::parse(reply.body, nullptr, false);
    if (!message.is_object() || !message.contains("result")) return;
    message["result"]["_meta"]["you-showed"] = token;
    reply.body = message.dump();
  }
};

TEST_F(Secrets, OfAServerThatRepeatsThemStayInside) {
  const Parrot parrot;
  const ReferenceOverHttp reference(parrot);
  const std::string traces = traces_of_a_run(reference, kSomeScenarios);
  expect_no_token(traces);
  EXPECT_THAT(traces, testing::HasSubstr("you-showed"));
}

// --- Tokens that a run has got for itself ---

constexpr const char* kClient = "client-of-the-pipeline";
constexpr const char* kSecret = "secret-of-the-client-of-the-pipeline";

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

// Every token of the authorization server is a JWT, and begins so.
void expect_no_signed_token(const std::string& traces) {
  const std::size_t at = traces.find("eyJ");
  EXPECT_EQ(at, std::string::npos) << traces.substr(at < 200 ? 0 : at - 200, 400);
  EXPECT_EQ(traces.find(kSecret), std::string::npos);
}

ReferenceOverHttp::Trusting who_knows_the_client() {
  return {{{kClient, kSecret, authorization::kSecretInHeader, {}}}};
}

// What was got in exchange for a secret, and the secret.
TEST_F(Secrets, OfAPipelineStayInside) {
  const ReferenceOverHttp reference(who_knows_the_client());
  const Variable client("MCP_ASSAY_CLIENT_ID", kClient);
  const Variable secret("MCP_ASSAY_CLIENT_SECRET", kSecret);
  std::vector<std::string> words = kSomeScenarios;
  words.insert(words.end(), {"--grant", "client-credentials"});
  const std::string traces = traces_without_tokens(reference, words);
  EXPECT_EQ(status_, cli::kConformant) << traces.substr(0, 4000);
  expect_no_signed_token(traces);
  EXPECT_THAT(traces, testing::HasSubstr("Bearer token#"));
}

TEST_F(Secrets, OfARefusedPipelineStayInside) {
  const ReferenceOverHttp reference(who_knows_the_client());
  const Variable client("MCP_ASSAY_CLIENT_ID", kClient);
  const Variable secret("MCP_ASSAY_CLIENT_SECRET", std::string(kSecret) + "-of-old");
  std::vector<std::string> words = kSomeScenarios;
  words.insert(words.end(), {"--grant", "client-credentials"});
  const std::string traces = traces_without_tokens(reference, words);
  EXPECT_EQ(status_, cli::kNotTested) << traces.substr(0, 4000);
  expect_no_signed_token(traces);
  EXPECT_THAT(traces,
              testing::HasSubstr("the login failed: the token was refused: invalid_client"));
}

// A person logs in, once for all revisions: the stand-in for a browser follows the redirects.
TEST_F(Secrets, OfALoginStayInside) {
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{});
  const Variable browser("BROWSER", std::string(ASSAY_PROGRAM) + " browser");
  std::vector<std::string> words = kSomeScenarios;
  words.emplace_back("--login");
  const std::string traces = traces_without_tokens(reference, words);
  EXPECT_EQ(status_, cli::kConformant) << traces.substr(0, 4000);
  expect_no_signed_token(traces);
  EXPECT_THAT(traces, testing::HasSubstr("/authorize?"));
}

TEST_F(Secrets, AreNotAskedForByAnOpenServer) {
  const ReferenceOverHttp reference;
  std::vector<std::string> words = {"--scenario", "ping_*", "--login"};
  const std::string traces = traces_without_tokens(reference, words);
  EXPECT_EQ(status_, cli::kConformant) << traces.substr(0, 4000);
  EXPECT_THAT(traces, testing::HasSubstr("asks for no token"));
}

TEST_F(Secrets, OfARefreshTokenStayInside) {
  const ReferenceOverHttp reference(who_knows_the_client());
  const std::string token = reference.refresh_token_for(kClient);
  const Variable client("MCP_ASSAY_CLIENT_ID", kClient);
  const Variable secret("MCP_ASSAY_CLIENT_SECRET", kSecret);
  const Variable refresh("MCP_ASSAY_REFRESH_TOKEN", token);
  std::vector<std::string> words = kSomeScenarios;
  words.insert(words.end(), {"--grant", "refresh-token"});
  const std::string traces = traces_without_tokens(reference, words);
  EXPECT_EQ(status_, cli::kConformant) << traces.substr(0, 4000);
  expect_no_signed_token(traces);
  EXPECT_EQ(traces.find(token), std::string::npos);
  EXPECT_THAT(traces, testing::HasSubstr("has given another refresh token"));
}

// --- What a server gives that is its own authorization server ---

// What was given by the server that is certified: codes and tokens.
class Given {
 public:
  void take(const transport::HttpReply& reply) {
    const std::lock_guard lock(mutex_);
    const auto location = transport::find_header(reply.headers, "Location");
    const wire::Form response = wire::read_form(wire::query_in(location.value_or("")));
    if (const auto code = wire::form_value(response, "code")) codes_.push_back(*code);
    const Json json = Json::parse(reply.body, nullptr, false);
    for (const char* name : {"access_token", "refresh_token"}) {
      if (json.is_object() && json.contains(name)) tokens_.push_back(json[name].get<std::string>());
    }
  }
  std::vector<std::string> codes() const {
    const std::lock_guard lock(mutex_);
    return codes_;
  }
  std::vector<std::string> tokens() const {
    const std::lock_guard lock(mutex_);
    return tokens_;
  }

 private:
  mutable std::mutex mutex_;  // guards both
  std::vector<std::string> codes_;
  std::vector<std::string> tokens_;
};

// Repeats in the body where it sends to, as many servers do; or it does not redirect, and its page
// goes on in each way that pages have.
class TalkativeOffice {
 public:
  explicit TalkativeOffice(bool has_pages = false)
      : behaviour_{.id = "talkative",
                   .description = "",
                   .breaks = {},
                   .reply = has_pages ? go_on_by_page : talk} {
    given() = std::make_unique<Given>();
  }
  ~TalkativeOffice() { given() = nullptr; }

  const Given& what_it_gave() const { return *given(); }
  const server::Fault* behaviour() const { return &behaviour_; }

 private:
  // A behaviour is a plain function, so what it notes has to be where that finds it.
  static std::unique_ptr<Given>& given() {
    static std::unique_ptr<Given> noted;
    return noted;
  }
  static void talk(const transport::HttpHead&, std::string_view, transport::HttpReply& reply) {
    given()->take(reply);
    if (const auto to = transport::find_header(reply.headers, "Location")) {
      reply.body = "Found. Redirecting to " + std::string(*to);
    }
  }

  static void go_on_by_page(const transport::HttpHead&, std::string_view,
                            transport::HttpReply& reply) {
    given()->take(reply);
    const auto place = transport::find_header(reply.headers, "Location");
    if (!place) return;
    const std::string to(*place);
    const std::string code =
        wire::form_value(wire::read_form(wire::query_in(to)), "code").value_or("");
    reply = {200,
             {{"Content-Type", "text/html"}, {"Refresh", "0;url=" + to}},
             "<meta http-equiv=\"refresh\" content=\"0;url=" + to + "\"><script>go('" + code +
                 "')</script><form method=\"post\"><input name=\"code\" value=\"" + code +
                 "\"></form>",
             nullptr};
  }

  const server::Fault behaviour_;
};

TEST_F(Secrets, OfAServerThatIsItsOwnAuthorizationServerStayInside) {
  const TalkativeOffice office;
  const ReferenceOverHttp reference(
      ReferenceOverHttp::OwnOffice{},
      {server::find_fault("own-refresh-token-kept"),
       server::find_fault("own-code-without-challenge"), office.behaviour()});
  const std::string traces = traces_without_tokens(
      reference, {"--revision", "2025-03-26", "--scenario", "authorization_own_*"});
  EXPECT_GE(office.what_it_gave().codes().size(), 2U);
  EXPECT_GE(office.what_it_gave().tokens().size(), 3U);
  for (const auto& all : {office.what_it_gave().codes(), office.what_it_gave().tokens()}) {
    for (const std::string& secret : all) {
      const std::size_t at = traces.find(secret);
      EXPECT_EQ(at, std::string::npos) << traces.substr(at < 200 ? 0 : at - 200, 400);
    }
  }
  // The verdict on PKCE shows the redirect.
  EXPECT_THAT(traces, testing::HasSubstr("callback?code=token#"));
  // That on rotation shows what was asked for and given.
  EXPECT_THAT(traces, testing::HasSubstr("grant_type=refresh_token&refresh_token=token#"));
  EXPECT_THAT(traces, testing::ContainsRegex("refresh_token.{1,9}token#"));
}

TEST_F(Secrets, OfAnAuthorizationServerThatGoesOnByPagesStayInside) {
  const TalkativeOffice office(true);
  // The page that follows is shown as evidence.
  const ReferenceOverHttp reference(
      ReferenceOverHttp::OwnOffice{},
      {server::find_fault("own-code-without-challenge"), office.behaviour()});
  const std::string traces = traces_without_tokens(
      reference, {"--revision", "2025-03-26", "--scenario", "authorization_own_*"});
  EXPECT_GE(office.what_it_gave().codes().size(), 3U);
  for (const std::string& code : office.what_it_gave().codes()) {
    const std::size_t at = traces.find(code);
    EXPECT_EQ(at, std::string::npos) << traces.substr(at < 200 ? 0 : at - 200, 400);
  }
  EXPECT_THAT(traces, testing::HasSubstr("bytes, not kept: it may contain a code]"));
  EXPECT_THAT(traces, testing::ContainsRegex("0;url=http://127.0.0.1:33418/callback.code=token#"));
}

// --- What a server is shown that trusts our authorization server, and shows our API ---

// Everything that certifying it in all revisions leaves behind, joined.
std::string traces_of_trusting(const ReferenceOverHttp& reference,
                               const std::shared_ptr<reports::Vault>& vault) {
  harness::CertifyOptions options;
  options.revisions = {model::Revision::v2025_03_26, model::Revision::v2025_06_18,
                       model::Revision::v2025_11_25, model::Revision::v2026_07_28};
  options.accesses = {reference.http_with_issuer()};
  options.accesses.front().vault = vault;
  options.wants = [](std::string_view scenario) { return scenario.starts_with("authorization_"); };
  std::string all;
  std::mutex mutex;  // guards it
  options.on_transcript = [&](std::string_view, std::string_view, auto events) {
    const std::lock_guard lock(mutex);
    for (const harness::EventPtr& event : events) {
      all += harness::to_json_line(*event, [&](std::string& text) { vault->redact(text); }) + '\n';
    }
  };
  NoEvents nobody;
  reports::Result result = harness::certify(options, nobody);
  vault->redact(result);
  for (const reports::Format& format : reports::formats()) all += format.render(result);
  return all;
}

// Scenarios sign tokens by the dozen: none of them stands bare where the server repeats it.
TEST_F(Secrets, OfOurAuthorizationServerStayInside) {
  const server::Fault parrot = {.id = "parrot",
                                .description = "",
                                .breaks = {},
                                .reply = [](const transport::HttpHead& request, std::string_view,
                                            transport::HttpReply& reply) {
                                  const auto shown =
                                      transport::find_header(request.headers, "Authorization");
                                  if (shown && reply.status >= 400)
                                    reply.body = "you showed " + std::string(*shown);
                                }};
  const auto vault = std::make_shared<reports::Vault>();
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{.vault = vault}, {&parrot});
  const std::string traces = traces_of_trusting(reference, vault);
  expect_no_signed_token(traces);
  EXPECT_THAT(traces, testing::HasSubstr("you showed Bearer token#"));
}

TEST_F(Secrets, OfAServerThatAsksAnApiStayInside) {
  const auto vault = std::make_shared<reports::Vault>();
  const ReferenceOverHttp reference(
      ReferenceOverHttp::Trusting{.has_upstream = true, .vault = vault},
      {server::find_fault("token-passed-on-in-url")});
  const std::string traces = traces_of_trusting(reference, vault);
  expect_no_signed_token(traces);
  EXPECT_EQ(traces.find("key-of-the-reference-server"), std::string::npos);
  EXPECT_THAT(traces, testing::HasSubstr("authorization.no-token-passthrough"));
  EXPECT_THAT(traces, testing::HasSubstr("/v1/weather"));
}

}  // namespace
}  // namespace assay::scenarios
