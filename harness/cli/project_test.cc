// mcp-assay.yaml: what it adds to a command line, and what is said of what is wrong in it.
#include "harness/cli/project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/file_schemas.h"
#include "harness/cli/server_list.h"
#include "harness/cli/shell_words.h"
#include "reference/model/schema_check.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
  std::vector<std::string> words(const std::string& text,
                                 const std::vector<std::string>& given = {},
                                 bool has_command = false) const {
    return project_words(save(text), given, has_command, folder_);
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
  EXPECT_EQ(find_project(folder_ / "below" / "further"), path);
}

TEST_F(ProjectTest, SaysWhatOptionsSay) {
  EXPECT_THAT(
      words("revision: [2025-06-18, 2025-11-25]\nstrict: true\nquiet: false\njobs: 2\n"),
      ElementsAre("--revision=2025-06-18", "--revision=2025-11-25", "--strict", "--jobs=2"));
}

TEST_F(ProjectTest, YieldsToTheCommandLine) {
  const std::string text = "servers: {a: {command: x}}\nrevision: 2025-06-18\nstrict: true\n";
  EXPECT_THAT(words(text, {"server", "--revision", "all"}),
              ElementsAre("--config=" + (folder_ / kProjectFile).string(), "--strict"));
  EXPECT_THAT(words(text, {"server", "--revision=all"}, true), ElementsAre("--strict"));
  EXPECT_THAT(words(text, {"server", "--url", "http://localhost/mcp", "--strict"}),
              ElementsAre("--revision=2025-06-18"));
  EXPECT_THAT(words("config: mcp.json\n", {"server"}, true), IsEmpty());
}

TEST_F(ProjectTest, MeansPathsFromItsOwnFolder) {
  const auto path = save("report: html=out/a.html\nexpected-failures: e.yaml\nprofile: none\n");
  const std::string folder = folder_.string();
  EXPECT_THAT(project_words(path, {}, true, folder_ / "below"),
              ElementsAre("--report=html=" + folder + "/out/a.html",
                          "--expected-failures=" + folder + "/e.yaml", "--profile=none"));
}

TEST_F(ProjectTest, StartsItsServersInItsOwnFolder) {
  const auto path = save("servers:\n  a: {command: node, args: [server.js, 3000], cwd: below}\n");
  const auto servers = read_server_list(path.string(), {});
  ASSERT_EQ(servers.size(), 1U);
  EXPECT_EQ(servers[0].directory, (folder_ / "below").string());
  EXPECT_EQ(servers[0].words[2].value, "3000");
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
}

TEST_F(ProjectTest, HoldsNoMoreThanFits) {
  std::string bomb = "a: &a [x]\n";
  for (char c = 'b'; c < 'p'; ++c) {
    const char before = static_cast<char>(c - 1);
    bomb +=
        std::string(1, c) + ": &" + c + " [*" + before + ", *" + before + ", *" + before + "]\n";
  }
  EXPECT_THAT(complaint(bomb), HasSubstr("too large"));
}

TEST_F(ProjectTest, HasASchemaThatSaysTheSame) {
  const auto fits = [](const char* text) {
    return model::check_against_schema(file_schema("project"), Json::parse(text)).outcome ==
           model::SchemaOutcome::kValid;
  };
  EXPECT_TRUE(fits(R"({"servers": {"a": {"command": "x", "args": ["y"]}}, "revision": "all"})"));
  EXPECT_TRUE(
      fits(R"({"config": ".mcp.json", "report": ["html=a"], "strict": true, "timeout": 2})"));
  EXPECT_FALSE(fits(R"({"papyrus": 1})"));
  EXPECT_FALSE(fits(R"({"strict": "perhaps"})"));
  EXPECT_FALSE(fits(R"({"servers": {"a": {"command": "x"}}, "config": "b"})"));
  EXPECT_FALSE(fits(R"({"servers": {"a": {}}})"));
}

TEST(ShellWords, AreTakenApartLikeAShellDoes) {
  EXPECT_THAT(*split_shell_words(R"(node  "my server.js" --a='b c' d\ e "")"),
              ElementsAre("node", "my server.js", "--a=b c", "d e", ""));
  EXPECT_EQ(split_shell_words("node 'x"), std::nullopt);
}

}  // namespace
}  // namespace assay::cli
