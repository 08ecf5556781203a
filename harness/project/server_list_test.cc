// Server lists of clients: what is understood, and what is said of what is not.
#include "harness/project/server_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/frame/command.h"
#include "harness/project/jsonc.h"
#include "harness/project/server_jobs.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ServerList : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(ASSAY_BINARY_DIR) / "server_list_test";
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string save(const std::string& text, const std::string& name = "mcp.json") const {
    const std::string path = folder_ / name;
    EXPECT_EQ(reports::write_file(path, text), std::nullopt);
    return path;
  }

  static std::optional<std::string> variable(const std::string& name) {
    if (name == "TOKEN") return "s3cret-token";
    if (name == "EMPTY") return "";
    return std::nullopt;
  }

  std::vector<ListedServer> read(const std::string& text,
                                 const std::vector<std::string>& names = {}) const {
    return read_server_list({.path = save(text)}, names, variable);
  }

  std::string error_of(const std::string& text, const std::vector<std::string>& names = {}) const {
    try {
      read(text, names);
    } catch (const UsageError& error) {
      return error.text();
    }
    return "";
  }

  std::filesystem::path folder_;
};

TEST_F(ServerList, ReadsCommandsAndUrls) {
  const auto servers = read(R"({
    // as VS Code writes it, with comments and trailing commas
    "mcpServers": {
      "files": {"command": "npx", "args": ["-y", "x"], "env": {"A": "b", "N": 3}, "cwd": "/"},
      "remote": {"url": "https://example.org/mcp", "headers": {"X": "y"}},
      "surf": {"serverUrl": "https://example.org/mcp"},
      "old": {"type": "sse", "url": "https://example.org/sse"}, /* the last */
    },
  })");
  ASSERT_EQ(servers.size(), 4u);
  EXPECT_EQ(servers[0].name, "files");
  EXPECT_EQ(servers[0].kind, ListedServer::Kind::kStdio);
  EXPECT_EQ(servers[0].words.at(1).value, "-y");
  EXPECT_THAT(servers[0].environment,
              ElementsAre(::testing::Pair("A", "b"), ::testing::Pair("N", "3")));
  EXPECT_EQ(servers[0].directory, "/");
  EXPECT_EQ(servers[1].kind, ListedServer::Kind::kHttp);
  EXPECT_THAT(servers[1].headers, ElementsAre(::testing::Pair("X", "y")));
  EXPECT_EQ(servers[2].url.value, "https://example.org/mcp");
  EXPECT_EQ(servers[3].kind, ListedServer::Kind::kHttpSse);
}

TEST_F(ServerList, ReadsTheServersOfVsCode) {
  const auto servers =
      read(R"({"inputs": [], "servers": {"a": {"type": "stdio", "command": "x"}}})");
  ASSERT_EQ(servers.size(), 1u);
  EXPECT_EQ(servers[0].words.at(0).value, "x");
}

TEST_F(ServerList, ReplacesVariables) {
  const auto servers = read(R"({"mcpServers": {"a": {"command": "x", "args":
    ["${TOKEN}", "a-${env:TOKEN}-b", "${NONE:-some default}", "${EMPTY:-e}", "$TOKEN", "${TOKEN",
     "${workspaceFolder}/x"]}}})");
  std::vector<std::string> values;
  for (const ListedText& word : servers.at(0).words) values.push_back(word.value);
  EXPECT_THAT(values, ElementsAre("x", "s3cret-token", "a-s3cret-token-b", "some default", "e",
                                  "$TOKEN", "${TOKEN", folder_.string() + "/x"));
  EXPECT_EQ(servers[0].words.at(1).written, "${TOKEN}");
}

TEST_F(ServerList, TheWorkspaceIsTheFolderAboveThatOfVsCode) {
  const std::string path =
      save(R"({"servers": {"a": {"command": "${workspaceFolder}/x"}}})", ".vscode/mcp.json");
  EXPECT_EQ(read_server_list({path}, {}, variable).at(0).words.at(0).value,
            folder_.string() + "/x");
}

TEST_F(ServerList, ReadsAnEnvironmentFile) {
  save("# comment\nA=1\r\nB='two words'\n\nnonsense\nA=2\n", "x.env");
  const auto servers = read(R"({"servers": {"a": {"command": "x", "env": {"B": "own"},
    "envFile": "${workspaceFolder}/x.env"}}})");
  EXPECT_THAT(servers.at(0).environment,
              ElementsAre(::testing::Pair("A", "2"), ::testing::Pair("B", "own")));
}

// A report in which no revision can be read is of no use.
TEST_F(ServerList, ARevisionOfTheProtocolIsNoSecret) {
  const auto servers = read(
      R"({"mcpServers": {"a": {"command": "x", "env": {"REVISION": "2025-11-25", "KEY": "2025-11-24"}}}})");
  ASSERT_EQ(servers.size(), 1u);
  ASSERT_EQ(servers[0].secrets.size(), 1u);
  EXPECT_EQ(servers[0].secrets[0].value, "2025-11-24");
}

TEST_F(ServerList, NamesTheVariableThatIsNotSet) {
  const std::string error =
      error_of(R"({"mcpServers": {"a": {"command": "x", "env": {"KEY": "${NONE}"}}}})");
  EXPECT_THAT(error, HasSubstr("mcp.json"));
  EXPECT_THAT(error, HasSubstr("server 'a': env.KEY needs the variable NONE, which is not set"));
  EXPECT_THAT(error_of(R"({"servers": {"a": {"command": "${input:key}"}}})"),
              HasSubstr("command asks for the input 'key'"));
  EXPECT_THAT(error_of(R"({"servers": {"a": {"command": "${a b}"}}})"), HasSubstr("no variable"));
}

TEST_F(ServerList, AServerThatIsNotAskedForNeedsNothing) {
  const std::string text = R"({"mcpServers": {"a": {"command": "${NONE}"}, "b": {"command": "x"},
                               "c": {"command": "x", "disabled": true}}})";
  EXPECT_EQ(read(text, {"b"}).at(0).name, "b");
  EXPECT_EQ(read(text, {"c"}).at(0).name, "c");
}

TEST_F(ServerList, LeavesOutWhatIsDisabled) {
  EXPECT_EQ(read(R"({"mcpServers": {"a": {"command": "x", "disabled": true},
                                    "b": {"command": "x"}}})")
                .at(0)
                .name,
            "b");
  EXPECT_THAT(error_of(R"({"mcpServers": {"a": {"command": "x", "disabled": true}}})"),
              HasSubstr("every server is disabled"));
}

TEST_F(ServerList, AnUnknownNameListsTheKnownOnes) {
  EXPECT_THAT(error_of(R"({"mcpServers": {"a": {"command": "x"}, "b": {"command": "x"}}})", {"z"}),
              HasSubstr("names no server 'z'; known: a, b"));
}

TEST_F(ServerList, SaysWhatIsWrongWithTheFile) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{\n \"mcpServers\": {x}}", "not JSON: line 2, column 17"},
      {"[]", "neither an object \"mcpServers\" nor \"servers\""},
      {R"({"mcpServers": []})", "mcpServers is not an object"},
      {R"({"servers": {}})", "servers names no server"},
      {R"({"mcpServers": {"a": 1}})", "server 'a' is not an object"},
      {R"({"mcpServers": {"a": {}}})", "server 'a' has neither a command nor a url"},
      {R"({"mcpServers": {"a": {"command": "x", "url": "y"}}})", "both a command and a url"},
      {R"({"mcpServers": {"a": {"command": ["x"]}}})", "server 'a': command is not a string"},
      {R"({"mcpServers": {"a": {"command": ""}}})", "command is empty"},
      {R"({"mcpServers": {"a": {"command": "x", "args": "y"}}})", "args is not an array"},
      {R"({"mcpServers": {"a": {"command": "x", "args": ["y", 1]}}})", "args[1] is not a string"},
      {R"({"mcpServers": {"a": {"command": "x", "env": ["A=b"]}}})", "env is not an object"},
      {R"({"mcpServers": {"a": {"command": "x", "cwd": "/no/such"}}})", "cwd is no folder"},
      {R"({"mcpServers": {"a": {"url": "y", "type": "pigeon"}}})", "type is none of stdio, http"},
      {R"({"mcpServers": {"a": {"command": "y", "type": "http"}}})", "type is not \"stdio\""},
      {R"({"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}})", "'a' occurs twice"},
      {"{\"mcpServers\": {\"\x1b[2J\": 1}}", "not JSON"},
      {R"({"mcpServers": {"\u001b[2J": 1}})", "server '<U+001B>[2J' is not an object"}};
  for (const auto& [text, expected] : cases) EXPECT_THAT(error_of(text), HasSubstr(expected));
  try {
    read_server_list({"/no/such/file"}, {}, variable);
    ADD_FAILURE() << "read a file that is not there";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.text(), HasSubstr("/no/such/file"));
  }
}

TEST_F(ServerList, ReportsShowWhatIsWrittenAndNotWhatItStandsFor) {
  const auto jobs = make_jobs(read(R"({"mcpServers": {
    "a/b": {"command": "x", "args": ["--key", "${TOKEN}", "$5"], "env": {"K": "literal-value"}},
    "a b": {"url": "http://127.0.0.1:1/mcp?k=${TOKEN}", "headers": {"Authorization": "Bearer abcdefgh"}}
  }})"));
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].name, "a_b");
  EXPECT_EQ(jobs[1].name, "a_b-2");
  EXPECT_EQ(jobs[0].target.label, "a/b");
  EXPECT_THAT(jobs[0].target.command, ElementsAre("x", "--key", "${TOKEN}", "$5"));
  EXPECT_EQ(jobs[0].accesses.at(0).shell_form, R"(env K="$K" x --key "${TOKEN}" '$5')");
  EXPECT_EQ(jobs[1].target.url, "http://127.0.0.1:1/mcp?k=${TOKEN}");
  EXPECT_EQ(jobs[1].accesses.at(0).shell_form, R"("http://127.0.0.1:1/mcp?k=${TOKEN}")");
  std::string echoed = R"(s3cret-token literal-value abcdefgh)";
  for (const ServerJob& job : jobs) job.vault->redact(echoed);
  EXPECT_EQ(echoed, "${TOKEN} ${K} token#1");
}

TEST(ServerJobs, KnowTheFileThatACommandStarts) {
  const auto source = [](std::vector<std::string> command) {
    ServerOptions options;
    options.command = std::move(command);
    return make_job(options).target.source;
  };
  const auto before = std::filesystem::current_path();
  const auto folder = std::filesystem::temp_directory_path() / "assay_source_test";
  std::filesystem::create_directories(folder / "src");
  std::ofstream(folder / "src" / "server.js") << "//";
  std::filesystem::current_path(folder);
  EXPECT_EQ(source({"node", "src/server.js", "--port", "1"}), "src/server.js");
  EXPECT_EQ(source({"node", (folder / "src" / "server.js").string()}), "src/server.js");
  EXPECT_EQ(source({"npx", "-y", "a-package"}), "");
  EXPECT_EQ(source({"cat", "/etc/passwd"}), "");
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
}

TEST(ServerJobs, ACommandIsShownWithTheNamesOfItsVariables) {
  ServerOptions options;
  options.command = {"node", "a b.js"};
  options.environment = {"KEY=s3cret-value"};
  const ServerJob job = make_job(options);
  EXPECT_EQ(job.accesses.at(0).shell_form, R"(env KEY="$KEY" node 'a b.js')");
  std::string echoed = "s3cret-value";
  job.vault->redact(echoed);
  EXPECT_EQ(echoed, "${KEY}");
}

TEST(Jsonc, KeepsWhatLooksLikeAComment) {
  const auto parsed = parse_jsonc(R"({"a": "//x /* y */ ,]", "b": [1, 2, /* c */ ], })");
  EXPECT_EQ(std::get<nlohmann::ordered_json>(parsed).dump(), R"({"a":"//x /* y */ ,]","b":[1,2]})");
}

TEST(Jsonc, RefusesWhatIsNotClosed) {
  for (const char* text : {"", "{", "{\"a\": \"", "{ /* x }", "// x", "{\"a\": 1} x", "[1,,]"}) {
    EXPECT_THAT(std::get<std::string>(parse_jsonc(text)), HasSubstr("not JSON: line")) << text;
  }
}

}  // namespace
}  // namespace assay::cli
