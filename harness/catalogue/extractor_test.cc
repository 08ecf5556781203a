#include "harness/catalogue/extractor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::catalogue {
namespace {

using reports::Level;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> texts(const ExtractedPage& page) {
  std::vector<std::string> out;
  for (const Sentence& sentence : page.sentences) out.push_back(sentence.text);
  return out;
}

TEST(Extractor, TakesSentencesWithAKeywordBoldOrNot) {
  const ExtractedPage page = extract_page(
      "A peer **MUST** speak. It may also sing (e.g. in tune). Everyone SHOULD\nlisten.\n");
  EXPECT_THAT(texts(page), ElementsAre("A peer MUST speak.", "Everyone SHOULD listen."));
  EXPECT_THAT(page.sentences[0].levels, ElementsAre(Level::kMust));
  EXPECT_THAT(page.sentences[1].levels, ElementsAre(Level::kShould));
}

TEST(Extractor, KnowsEveryKeywordOnceAndNegationsAsOne) {
  const ExtractedPage page = extract_page(
      "It **MUST** **NOT** stop, SHALL go, is NOT RECOMMENDED, MAY rest and MAY sleep.");
  ASSERT_EQ(page.sentences.size(), 1u);
  EXPECT_THAT(page.sentences[0].levels,
              ElementsAre(Level::kMustNot, Level::kMust, Level::kShouldNot, Level::kMay));
}

TEST(Extractor, ItemsInheritTheKeywordOfTheirLead) {
  const ExtractedPage page = extract_page(
      "Both sides **MUST**:\n\n- keep time\n  - by the clock\n- stay calm. Breathe.\n\n"
      "They rest.\n\n- nothing\n");
  EXPECT_THAT(texts(page), ElementsAre("Both sides MUST:", "Both sides MUST: > keep time",
                                       "Both sides MUST: > stay calm."));
  EXPECT_THAT(page.sentences[1].levels, ElementsAre(Level::kMust));
}

TEST(Extractor, ItemsOfANestedListInheritFromTheItemAboveThem) {
  const ExtractedPage page =
      extract_page("1. Servers **SHOULD**:\n   - sort\n   - count\n\n2. Clients wait\n   - here\n");
  EXPECT_THAT(texts(page),
              ElementsAre("Servers SHOULD:", "Servers SHOULD: > sort", "Servers SHOULD: > count"));
}

TEST(Extractor, AParagraphACodeBlockOrAHeadingEndsALead) {
  EXPECT_THAT(texts(extract_page("It **MUST**:\n\nWell.\n\n- item\n")), ElementsAre("It MUST:"));
  EXPECT_THAT(texts(extract_page("It **MUST**:\n\n```\ncode\n```\n\n- item\n")),
              ElementsAre("It MUST:"));
  EXPECT_THAT(texts(extract_page("It **MUST**:\n\n## Next\n\n- item\n")), ElementsAre("It MUST:"));
}

TEST(Extractor, LeavesOutCodeTagsFrontMatterAndTheKeywordParagraph) {
  const ExtractedPage page = extract_page(
      "---\ntitle: It MUST\n---\n\n<Note title=\"MUST\">\n\n```json\n{\"a\": \"MUST\"}\n```\n\n"
      "The key words \"MUST\" and \"MAY\" are to be read as in RFC 2119.\n\n[x]: /MUST\n");
  EXPECT_THAT(texts(page), IsEmpty());
}

TEST(Extractor, TakesTheCellsOfATableWithTheFirstOfTheirRow) {
  const ExtractedPage page =
      extract_page("| Case | Client |\n| --- | --- |\n| absent | It MUST go |\n| null | Stays |\n");
  EXPECT_THAT(texts(page), ElementsAre("absent | It MUST go"));
}

TEST(Extractor, PlacesASentenceUnderItsHeadings) {
  const ExtractedPage page = extract_page(
      "It MUST a.\n\n## Security & Endpoint\n\n### `_meta`\n\nIt MUST b.\n\n## Other\n\nIt MUST "
      "c.\n"
      "\n## Other\n");
  EXPECT_THAT(page.anchors, ElementsAre("security--endpoint", "meta", "other", "other-2"));
  ASSERT_EQ(page.sentences.size(), 3u);
  EXPECT_EQ(page.sentences[0].anchor, "");
  EXPECT_EQ(page.sentences[1].anchor, "meta");
  EXPECT_THAT(page.sentences[1].enclosing, ElementsAre("security--endpoint"));
  EXPECT_EQ(page.sentences[1].line, 7);
  EXPECT_EQ(page.sentences[2].anchor, "other");
  EXPECT_THAT(page.sentences[2].enclosing, IsEmpty());
}

TEST(Extractor, FingerprintIgnoresMarkupLinksAndLineBreaks) {
  const auto fingerprint = [](std::string_view text) {
    return extract_page(text).sentences.at(0).fingerprint;
  };
  const std::string one = fingerprint("The `id` **MUST** be [short](/2024-11-05/x#y).");
  EXPECT_EQ(one.size(), 10u);
  EXPECT_EQ(one, fingerprint("The id MUST\nbe [short][x]."));
  EXPECT_NE(one, fingerprint("The id MUST be long."));
}

TEST(Extractor, ReadsTheDescriptionsOfASchema) {
  const ExtractedPage page = extract_schema(
      R"({"$defs": {"Tool": {"description": "A tool.", "properties": {
          "name": {"description": "It MUST be short.\n\n- MAY be shorter"}}}}})");
  EXPECT_THAT(page.anchors, ElementsAre("tool"));
  EXPECT_THAT(texts(page), ElementsAre("It MUST be short.", "MAY be shorter"));
  EXPECT_EQ(page.sentences[0].anchor, "tool");
  EXPECT_TRUE(extract_schema("[]").sentences.empty());
  EXPECT_TRUE(extract_schema("{").sentences.empty());
}

}  // namespace
}  // namespace assay::catalogue
