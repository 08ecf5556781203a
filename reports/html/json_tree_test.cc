#include "reports/html/json_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay::reports::html {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Evidence received_text(std::string text, std::string pointer = "") {
  return {1, 0, "server", "stdio", std::move(text), std::move(pointer), false, false};
}

Evidence cut_off(std::string text, std::string pointer = "") {
  Evidence out = received_text(std::move(text), std::move(pointer));
  out.is_cut = true;
  return out;
}

std::string padded(int number) {
  return "\"" + std::string(100, static_cast<char>('a' + number)) + "\"";
}

TEST(JsonTree, KeepsEveryTokenAsItWasSent) {
  const std::string tree = json_tree(R"({"a":1.0,"a":"\u0041","b":[ ]})", std::nullopt);
  EXPECT_THAT(tree, HasSubstr(R"({"a":1.0,"a":"\u0041","b":[ ]})"));
}

TEST(JsonTree, GivesEachMemberALineOnceTheyAreLong) {
  const std::string tree =
      json_tree("{\"one\":" + padded(0) + ",\"two\":{\"three\":3}}", std::nullopt);
  EXPECT_THAT(tree, HasSubstr("<div>\"two\": {\"three\":3}</div>"));
  EXPECT_THAT(tree, Not(HasSubstr("<details")));
}

TEST(JsonTree, FoldsWhatIsLongUnlessItLeadsToTheMark) {
  std::string tools;
  for (int i = 0; i < 8; ++i) {
    tools += (i > 0 ? "," : "") + std::string("{\"name\":\"t") + std::to_string(i) +
             "\",\"description\":" + padded(i) + "}";
  }
  const EvidenceTree tree = evidence_tree(received_text(
      R"({"jsonrpc":"2.0","result":{"tools":[)" + tools + R"(],"other":[)" + tools + "]}}",
      "/result/tools/5/name"));
  ASSERT_TRUE(tree.is_marked);
  EXPECT_THAT(tree.tree, HasSubstr("<mark>\"name\": \"t5\"</mark>"));
  const std::size_t mark = tree.tree.find("<mark>");
  // Those before it are folded, and closed again.
  std::size_t open = 0;
  for (std::size_t at = tree.tree.find("<details"); at < mark;
       at = tree.tree.find("<details", at + 1))
    ++open;
  for (std::size_t at = tree.tree.find("</details"); at < mark;
       at = tree.tree.find("</details", at + 1))
    --open;
  EXPECT_EQ(open, 0U);
  EXPECT_THAT(tree.tree,
              HasSubstr("<summary>\"other\": [ <span class=\"small\">8 elements</span> ]"));
}

TEST(JsonTree, MarksAContainerAsAWhole) {
  const EvidenceTree tree = evidence_tree(
      received_text("{\"id\":1,\"result\":{\"content\":[" + padded(1) + "]}}", "/result"));
  EXPECT_THAT(tree.tree, HasSubstr("<div class=\"marked\"><div><mark>\"result\": {</mark></div>"));
}

TEST(JsonTree, SaysWhatIsMissingAndMarksItsParent) {
  const EvidenceTree tree = evidence_tree(
      received_text("{\"id\":1,\"result\":{\"content\":[" + padded(1) + "]}}", "/result/tools"));
  EXPECT_EQ(tree.missing, "/result/tools");
  EXPECT_FALSE(tree.is_marked);
  EXPECT_THAT(tree.tree, HasSubstr("marked"));
  EXPECT_THAT(evidence_tree(received_text("{\"id\":1}", "/result")).tree, Not(HasSubstr("mark")));
}

TEST(JsonTree, LetsNothingTakeEffect) {
  const std::string tree = json_tree(R"({"<script>":"</div><img src=x>&amp;)"
                                     "\xE2\x80\xAE"
                                     R"("})",
                                     std::nullopt);
  EXPECT_THAT(tree, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(tree, HasSubstr("&lt;/div&gt;&lt;img src=x&gt;&amp;amp;&lt;U+202E&gt;"));
}

TEST(JsonTree, ShowsWhatStandsBeforeAndBehind) {
  const EvidenceTree http =
      evidence_tree(received_text("HTTP 200\ncontent-type: a\n\n{\"id\":1}\n"));
  EXPECT_EQ(http.before, "HTTP 200\ncontent-type: a");
  EXPECT_EQ(http.tree, "<div>{\"id\":1}</div>");
  EXPECT_EQ(http.after, "");
  const EvidenceTree stream = evidence_tree(received_text("id: 4\ndata: {\"id\":1}\nretry: 5\n"));
  EXPECT_EQ(stream.before, "id: 4\ndata: ");
  EXPECT_EQ(stream.after, "\nretry: 5\n");
}

TEST(JsonTree, LeavesToOthersWhatIsNoJsonOrOnlyABeginning) {
  EXPECT_EQ(evidence_tree(cut_off("{\"id\":1,\"result\":{}", "/result/tools")).tree, "");
  EXPECT_EQ(evidence_tree(cut_off("server list")).tree, "");
  EXPECT_EQ(evidence_tree(received_text("{\"id\":1")).tree, "");
  EXPECT_EQ(evidence_tree(received_text("server listening")).tree, "");
  EXPECT_EQ(evidence_tree(received_text("\"" + std::string(kLongestTree, 'x') + "\"")).tree, "");
}

TEST(JsonTree, ShowsWhatIsWholeOfABeginning) {
  const char* const beginnings[] = {
      R"({"id":1,"list":[{"a":"b"},{"c":12)", R"({"id":1,"list":[{"a":"b"},{)",
      R"({"id":1,"list":[{"a":"b"},{"c)",     R"({"id":1,"list":[{"a":"b"},{"c":"d)",
      R"({"id":1,"list":[{"a":"b"},{"c")",    R"({"id":1,"list":[{"a":"b"},{"c": )"};
  for (const char* each : beginnings) {
    const EvidenceTree tree = evidence_tree(cut_off(each));
    EXPECT_EQ(tree.tree, R"(<div>{"id":1,"list":[{"a":"b"},{}]}</div>)") << each;
    EXPECT_EQ(tree.after, "[cut]");
  }
  const EvidenceTree http = evidence_tree(cut_off("POST /mcp\na: {b\n\n{\"id\":1,\"x\":[1,2,"));
  EXPECT_EQ(http.tree, R"(<div>{"id":1,"x":[1,2]}</div>)");
  EXPECT_EQ(http.before, "POST /mcp\na: {b");
}

TEST(JsonTree, IsBounded) {
  std::string deep(200, '[');
  deep += std::string(200, ']');
  EXPECT_EQ(json_tree(deep, std::nullopt), "");
  std::string wide = "[1";
  for (int i = 0; i < 7000; ++i) wide += ",1";
  const std::string tree = json_tree(wide + "]", std::nullopt);
  EXPECT_LT(tree.size(), 3000U);
  EXPECT_THAT(tree, HasSubstr("more]"));
}

}  // namespace
}  // namespace assay::reports::html
