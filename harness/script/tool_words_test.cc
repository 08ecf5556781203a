#include "harness/script/tool_words.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::harness {
namespace {

Json tool(const char* name, const char* description = "", Json annotations = nullptr) {
  Json out = {{"name", name}, {"description", description}};
  if (!annotations.is_null()) out["annotations"] = std::move(annotations);
  return out;
}

TEST(ToolWords, NamesThatRead) {
  for (const char* name : {"get_user", "listIssues", "search-repositories", "maps_search_places",
                           "DescribeTable", "read_file", "get.status"}) {
    EXPECT_TRUE(says_it_only_reads(tool(name))) << name;
  }
}

TEST(ToolWords, NamesThatChangeSomethingOrSayNothing) {
  for (const char* name : {"create_user", "get_or_create_user", "listAndDelete", "run_query",
                           "query", "budget", "target", "thinking", "", "push_files"}) {
    EXPECT_FALSE(says_it_only_reads(tool(name))) << name;
  }
}

TEST(ToolWords, DescriptionsThatSpeakOfChanging) {
  EXPECT_TRUE(says_it_only_reads(tool("get_file", "Get the contents of a file.")));
  EXPECT_TRUE(says_it_only_reads(tool("list_commits", "Lists commits and their updates.")));
  EXPECT_TRUE(says_it_only_reads(tool("query", "Run a read-only SQL query")) == false);
  EXPECT_TRUE(says_it_only_reads(tool("sql", "Answers a read-only SQL query")));
  EXPECT_FALSE(says_it_only_reads(tool("get_token", "Creates a token.")));
  EXPECT_FALSE(says_it_only_reads(tool("find", "Finds files, and deletes those that are old")));
  EXPECT_FALSE(says_it_only_reads(tool("fetch", "Get a page. Publishes it then")));
}

TEST(ToolWords, AnnotationsOutweighWords) {
  EXPECT_TRUE(says_it_only_reads(tool("create_user", "", {{"readOnlyHint", true}})));
  EXPECT_FALSE(says_it_only_reads(tool("get_user", "", {{"readOnlyHint", false}})));
  EXPECT_FALSE(says_it_only_reads(tool("get_user", "", {{"destructiveHint", true}})));
}

TEST(ToolWords, PromisesComeFromNameDescriptionArgumentsAndTaskSupport) {
  EXPECT_TRUE(promises_of(tool("plain", "Adds numbers")).empty());
  EXPECT_TRUE(promises_of(tool("trigger-long-operation")).contains(Ability::kTakesTime));
  EXPECT_TRUE(promises_of(tool("a", "Asks the user for a name")).contains(Ability::kElicits));
  Json task = tool("a");
  task["execution"] = {{"taskSupport", "required"}};
  EXPECT_TRUE(promises_of(task).contains(Ability::kRunsAsTask));
  Json slow = tool("a");
  slow["inputSchema"] = {{"properties", {{"duration", {{"type", "number"}}}}}};
  EXPECT_TRUE(promises_of(slow).contains(Ability::kTakesTime));
}

}  // namespace
}  // namespace assay::harness
