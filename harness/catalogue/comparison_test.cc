#include "harness/catalogue/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace assay::catalogue {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Two small folders of pages.
class ComparisonOfFolders : public ::testing::Test {
 protected:
  ComparisonOfFolders()
      : root_(std::filesystem::temp_directory_path() /
              ("assay-comparison-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(root_);
  }
  ~ComparisonOfFolders() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  Pages before() const { return read_other_pages(root_ / "before"); }
  Pages after() const { return read_other_pages(root_ / "after"); }
  std::string told(const Accounts& accounts = {}) const {
    return to_text(compare_pages(before(), after()), accounts);
  }

 private:
  const std::filesystem::path root_;
};

TEST_F(ComparisonOfFolders, FindsNothingInEqualPages) {
  write("before/pages/server/tools.mdx", "## Names\n\nA name **MUST** be unique.\n");
  write("after/server/tools.md", "# Other title\n\n## Names\n\nA name MUST be unique.\n\nWords.\n");
  EXPECT_EQ(told(), "0 added, 0 changed, 0 moved, 0 removed\n");
}

TEST_F(ComparisonOfFolders, FindsWhatWasAddedAndRemoved) {
  write("before/tools.mdx", "## Names\n\nA name MUST be unique.\n");
  write("after/tools.mdx", "## Names\n\nServers SHOULD sort what they list by relevance.\n");
  EXPECT_EQ(told(),
            "removed tools#names\n"
            "    - A name MUST be unique.\n"
            "added tools#names\n"
            "    + Servers SHOULD sort what they list by relevance.\n"
            "1 added, 0 changed, 0 moved, 1 removed\n");
}

TEST_F(ComparisonOfFolders, FindsWhatWasChangedAndWhichRequirementStandsForIt) {
  write("before/tools.mdx", "## Names\n\nThe name of a tool SHOULD be unique.\n");
  write("after/tools.mdx", "## Names\n\nThe name of a tool MUST be unique.\n");
  const std::string fingerprint = before().at("tools").sentences.at(0).fingerprint;
  EXPECT_EQ(told({{{"tools", fingerprint}, {"tools.names-unique"}}}),
            "changed tools#names\n"
            "    - The name of a tool SHOULD be unique.\n"
            "    + The name of a tool MUST be unique.\n"
            "    = tools.names-unique\n"
            "0 added, 1 changed, 0 moved, 0 removed\n");
}

TEST_F(ComparisonOfFolders, FindsWhatMovedToAnotherPage) {
  write("before/tools.mdx", "## Names\n\nA name MUST be unique.\n");
  write("after/names.mdx", "## Rules\n\nA name MUST be unique.\n");
  EXPECT_EQ(told(),
            "moved names#rules, from tools#names\n"
            "      A name MUST be unique.\n"
            "0 added, 0 changed, 1 moved, 0 removed\n");
}

// Of several new sentences the most alike is the one that an old one became.
TEST_F(ComparisonOfFolders, PairsTheSentencesThatAreMostAlike) {
  write("before/tools.mdx", "## Names\n\nThe name of a tool MUST be short and unique.\n");
  write("after/tools.mdx",
        "## Names\n\nThe title of a tool MUST be short and clear.\n\n"
        "The name of a tool MUST be short, and unique in its server.\n");
  EXPECT_THAT(told(), HasSubstr("added tools#names\n    + The title of a tool"));
  EXPECT_THAT(told(),
              HasSubstr("    + The name of a tool MUST be short, and unique in its server."));
  EXPECT_THAT(told(), HasSubstr("1 added, 1 changed, 0 moved, 0 removed"));
}

TEST_F(ComparisonOfFolders, ComparesTheSchemaOnlyWithASchema) {
  const std::string schema = R"({"$defs": {"Tool": {"description": "A name MUST be unique."}}})";
  write("before/schema.json", schema);
  write("before/tools.mdx", "## Names\n");
  write("after/tools.mdx", "## Names\n");
  EXPECT_EQ(told(), "0 added, 0 changed, 0 moved, 0 removed\n");
  write("after/schema.json", R"({"$defs": {"Tool": {"description": "A tool."}}})");
  EXPECT_THAT(told(), HasSubstr("removed schema#tool"));
}

TEST_F(ComparisonOfFolders, PrintsNoControlCharacters) {
  write("before/tools.mdx", "## Names\n");
  write("after/tools.mdx", "## Names\n\nA name MUST \x1b[31mglow.\n");
  EXPECT_THAT(told(), HasSubstr("1 added"));
  EXPECT_THAT(told(), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace assay::catalogue
