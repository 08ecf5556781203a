// mcp-assay.yaml: what it adds to a command line, and what is said of what is wrong in it.
#include "harness/project/project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/frame/command.h"
#include "harness/frame/shell_words.h"
#include "harness/project/file_schemas.h"
#include "harness/project/server_jobs.h"
#include "harness/project/server_list.h"
#include "reference/model/schema_check.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ProjectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(ASSAY_BINARY_DIR) / "project_test";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "below" / "further");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path save(const std::string& text) const {
    EXPECT_EQ(reports::write_file((folder_ / kProjectFile).string(), text), std::nullopt);
    return folder_ / kProjectFile;
  }
  Project project(const std::string& text, const std::vector<std::string>& given = {},
                  bool has_command = false) const {
    return read_project(save(text), given, has_command, folder_);
  }
  std::vector<std::string> words(const std::string& text,
                                 const std::vector<std::string>& given = {},
                                 bool has_command = false) const {
    return project(text, given, has_command).words;
  }
  // Whether the whole of it is, its servers included.
  bool is_read(const std::string& text) const {
    try {
      const Project found = project(text);
      if (!found.servers.path.empty()) read_server_list(found.servers, {});
      return true;
    } catch (const UsageError&) {
      return false;
    }
  }
  static bool fits(const Json& schema, const std::string& text) {
    const auto outcome = model::check_against_schema(schema, Json::parse(text)).outcome;
    EXPECT_NE(outcome, model::SchemaOutcome::kInconclusive) << text;
    return outcome == model::SchemaOutcome::kValid;
  }
  std::string complaint(const std::string& text) const {
    try {
      words(text);
    } catch (const UsageError& error) {
      return error.text();
    }
    return "";
  }

  std::filesystem::path folder_;
};

TEST_F(ProjectTest, IsFoundUpwards) {
  const auto path = save("strict: true\n");
  EXPECT_EQ(find_project(folder_ / "below" / "further", ""), path);
}

// A file above can be anybody's, and name commands to run.
TEST_F(ProjectTest, IsNotSearchedForAboveTheRepositoryOrTheHomeFolder) {
  save("strict: true\n");
  const auto below = folder_ / "below";
  EXPECT_EQ(find_project(below / "further", below), "");
  EXPECT_EQ(find_project(below / "further", below / ""), "") << "a slash behind it";
  EXPECT_EQ(find_project(folder_, folder_), folder_ / kProjectFile);
  std::filesystem::create_directory(below / ".git");
  EXPECT_EQ(find_project(below / "further", ""), "");
  ASSERT_EQ(reports::write_file((below / kProjectFile).string(), ""), std::nullopt);
  EXPECT_EQ(find_project(below / "further", ""), below / kProjectFile);
}

TEST_F(ProjectTest, IsTrustedOnlyAsTheUsersOwn) {
  const auto path = save("strict: true\n");
  EXPECT_EQ(why_not_trusted(path, ::geteuid()), "");
  EXPECT_THAT(why_not_trusted(folder_ / "nowhere", ::geteuid()), HasSubstr("belongs to another"));
  if (::geteuid() != 0) {
    EXPECT_THAT(why_not_trusted(path, ::geteuid() + 1), HasSubstr("belongs to another"));
    return;
  }
  constexpr ::uid_t kSomebody = 4711;
  EXPECT_EQ(why_not_trusted(path, kSomebody), "") << "root's files are";
  ASSERT_EQ(::chown(path.c_str(), kSomebody, kSomebody), 0);
  EXPECT_EQ(why_not_trusted(path, kSomebody), "");
  EXPECT_THAT(why_not_trusted(path, 0), HasSubstr("belongs to another"));
  // A link by somebody, to a file of the user's.
  const auto link = folder_ / "below" / kProjectFile;
  ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  std::filesystem::create_symlink(path, link);
  EXPECT_EQ(why_not_trusted(link, 0), "");
  ASSERT_EQ(::lchown(link.c_str(), kSomebody, kSomebody), 0);
  EXPECT_THAT(why_not_trusted(link, 0), HasSubstr("belongs to another"));
  // A folder in which somebody can put another file in its place.
  ASSERT_EQ(::chown(folder_.c_str(), kSomebody, kSomebody), 0);
  EXPECT_THAT(why_not_trusted(path, 0), HasSubstr("belongs to another"));
}

TEST_F(ProjectTest, SaysWhatOptionsSay) {
  EXPECT_THAT(
      words("revision: [2025-06-18, 2025-11-25]\nstrict: true\nquiet: false\njobs: 2\n"),
      ElementsAre("--revision=2025-06-18", "--revision=2025-11-25", "--strict", "--jobs=2"));
}

TEST_F(ProjectTest, YieldsToTheCommandLine) {
  const std::string text = "servers: {a: {command: x}}\nrevision: 2025-06-18\nstrict: true\n";
  const Project own = project(text, {"server", "--revision", "all"});
  EXPECT_THAT(own.words, ElementsAre("--strict"));
  EXPECT_EQ(own.servers.path, (folder_ / kProjectFile).string());
  EXPECT_EQ(project(text, {"server"}, true).servers.path, "");
  EXPECT_THAT(words(text, {"server", "--revision=all"}, true), ElementsAre("--strict"));
  EXPECT_THAT(words(text, {"server", "--url", "http://localhost/mcp", "--strict"}),
              ElementsAre("--revision=2025-06-18"));
  EXPECT_EQ(project("config: mcp.json\n", {"server"}, true).servers.path, "");
}

TEST_F(ProjectTest, MeansPathsFromItsOwnFolder) {
  const auto path =
      save("report: html=out/a.html\nexpected-failures: e.yaml\nprofile: none\nsource: src/a.ts\n");
  const std::string folder = folder_.string();
  EXPECT_THAT(read_project(path, {}, true, folder_ / "below").words,
              ElementsAre("--report=html=" + folder + "/out/a.html",
                          "--expected-failures=" + folder + "/e.yaml", "--profile=none",
                          "--source=src/a.ts"));
}

TEST_F(ProjectTest, StartsItsServersInItsOwnFolder) {
  const Project found =
      project("servers:\n  a: {command: node, args: [server.js, 3000, true, 1.50], cwd: below}\n");
  const auto servers = read_server_list(found.servers, {});
  ASSERT_EQ(servers.size(), 1U);
  EXPECT_EQ(servers[0].directory, (folder_ / "below").string());
  EXPECT_EQ(servers[0].words[2].value, "3000");
  EXPECT_EQ(servers[0].words[3].value, "true");
  EXPECT_EQ(servers[0].words[4].value, "1.50");
}

TEST_F(ProjectTest, StartsTheServersOfAClientsFileInItsOwnFolderToo) {
  const auto path = save("config: .mcp.json\n");
  ASSERT_EQ(reports::write_file((folder_ / ".mcp.json").string(),
                                R"({"mcpServers": {"a": {"command": "./server"}}})"),
            std::nullopt);
  const Project found = read_project(path, {}, false, folder_ / "below");
  const auto servers = read_server_list(found.servers, {});
  ASSERT_EQ(servers.size(), 1U);
  EXPECT_EQ(servers[0].directory, folder_.string());
  EXPECT_EQ(make_jobs(servers, found.servers).front().target.source, ".mcp.json");
}

TEST_F(ProjectTest, MayHaveAnyName) {
  const auto path = folder_ / "my.conf";
  ASSERT_EQ(reports::write_file(path.string(), "servers: {a: {command: node}}\n"), std::nullopt);
  const Project found = read_project(path, {}, false, folder_);
  EXPECT_EQ(read_server_list(found.servers, {}).front().name, "a");
}

TEST_F(ProjectTest, SaysWhatIsWrong) {
  EXPECT_THAT(complaint("papyrus: 1\n"), HasSubstr("unknown member 'papyrus'"));
  EXPECT_THAT(complaint("url: http://localhost\n"), HasSubstr("unknown member 'url'"));
  EXPECT_THAT(complaint("strict: perhaps\n"), HasSubstr("strict is neither true nor false"));
  EXPECT_THAT(complaint("revision: {a: b}\n"), HasSubstr("revision is no text"));
  EXPECT_THAT(complaint("a: [\n"), HasSubstr("not YAML"));
  EXPECT_THAT(complaint("- a\n"), HasSubstr("has no members"));
  EXPECT_THAT(complaint("servers: {a: {command: x}}\nconfig: b\n"),
              HasSubstr("both servers and config"));
  EXPECT_THAT(complaint("strict: true\n---\nstrict: false\n"), HasSubstr("a second document"));
  EXPECT_THAT(complaint("jobs: [1, 2]\n"), HasSubstr("jobs takes one value, not a list"));
  EXPECT_THAT(complaint("jobs: 0\n"), HasSubstr("jobs is not a whole number from 1 to 64"));
  EXPECT_THAT(complaint("color: blue\n"), HasSubstr("color is none of auto, always, never"));
  EXPECT_THAT(complaint("profile: ''\n"), HasSubstr("profile is empty"));
}

TEST_F(ProjectTest, HoldsNoMoreThanFits) {
  std::string bomb = "a: &a [x]\n";
  for (char c = 'b'; c < 'p'; ++c) {
    const char before = static_cast<char>(c - 1);
    bomb +=
        std::string(1, c) + ": &" + c + " [*" + before + ", *" + before + ", *" + before + "]\n";
  }
  EXPECT_THAT(complaint(bomb), HasSubstr("more than 10000 values"));
}

// JSON is YAML, so that both can read the same text.
TEST_F(ProjectTest, HasASchemaThatSaysWhatItsReaderSays) {
  const Json schema = file_schema("project");
  for (const char* text :
       {R"({"servers": {"a": {"command": "x", "args": ["y", 3, true]}}, "revision": "all"})",
        R"({"servers": {"a": {"command": "x", "args": [null]}}})",
        R"({"servers": {"a": {"command": "x", "args": "y"}}})",
        R"({"servers": {"a": {"command": "", "args": []}}})",
        R"({"servers": {"a": {"command": "x", "type": "stdio", "env": {"A": 1, "B": true}}}})",
        R"({"servers": {"a": {"command": "x", "env": {"A=B": "c"}}}})",
        R"({"servers": {"a": {"command": "x", "env": {"A": null}}}})",
        R"({"servers": {"a": {"command": "x", "type": "http"}}})",
        R"({"servers": {"a": {"command": "x", "url": "http://localhost/"}}})",
        R"({"servers": {"a": {"url": "http://localhost/", "headers": {"A": "b"}}}})",
        R"({"servers": {"a": {"url": "http://localhost/", "headers": ["A: b"]}}})",
        R"({"servers": {"a": {"url": "http://localhost/", "type": "streamableHttp"}}})",
        R"({"servers": {"a": {"serverUrl": "http://localhost/", "type": "sse"}}})",
        R"({"servers": {"a": {"url": "http://localhost/", "type": "stdio"}}})",
        R"({"servers": {"a": {"url": "http://a/", "serverUrl": "http://a/"}}})",
        R"({"servers": {"a": {}}})",
        R"({"servers": {"a": "x"}})",
        R"({"servers": {}})",
        R"({"servers": {"a": {"command": "x"}}, "config": "b"})",
        R"({"papyrus": 1})",
        R"({"url": "http://localhost/"})"}) {
    EXPECT_EQ(fits(schema, text), is_read(text)) << text;
  }
  for (const OptionInfo& option : project_options()) {
    if (member_name(option) == "config") continue;  // is read where it is used
    for (const char* value : {"true", "\"true\"", "\"x\"", "\"\"", "null", "{}", "[]", "[\"x\"]",
                              "[true]", "0", "1", "1.5", "64", "65", "2e6", "\"always\""}) {
      if (option.range && value[0] == '"') continue;  // a number in quotes is read, and no number
      const std::string text = "{\"" + member_name(option) + "\": " + value + "}";
      EXPECT_EQ(fits(schema, text), is_read(text)) << text;
    }
  }
}

TEST(ShellWords, AreTakenApartLikeAShellDoes) {
  EXPECT_THAT(*split_shell_words(R"(node  "my server.js" --a='b c' d\ e "")"),
              ElementsAre("node", "my server.js", "--a=b c", "d e", ""));
  EXPECT_EQ(split_shell_words("node 'x"), std::nullopt);
}

}  // namespace
}  // namespace assay::cli
