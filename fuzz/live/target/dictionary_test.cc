#include "fuzz/live/target/dictionary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "fuzz/live/target/sandbox_testing.h"

namespace assay::fuzz {
namespace {

bool is_among(const std::vector<Word>& words, std::string_view text, bool is_likely) {
  return std::any_of(words.begin(), words.end(), [&](const Word& word) {
    return word.text == text && word.is_likely == is_likely;
  });
}

TEST(Dictionary, TakesWhatAnErrorNames) {
  const auto words = words_in(
      Json("Unknown profile. Expected \"two words\", half-even or 'x1'; didn't get v2.1, 4096."),
      "t");
  for (const char* likely : {"two words", "half-even", "x1", "v2.1", "4096"}) {
    EXPECT_TRUE(is_among(words, likely, true)) << likely;
  }
  EXPECT_TRUE(is_among(words, "Expected", false));
  EXPECT_FALSE(is_among(words, "or", false));
}

TEST(Dictionary, TakesFewWordsOfWhateverItIsTold) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "word-" + std::to_string(i) + " ";
  EXPECT_LE(words_in(Json(text), "").size(), 256u);
  Json nested = "deep";
  for (int i = 0; i < 100; ++i) nested = Json::array({nested, text});
  EXPECT_LE(words_in(nested, "").size(), 256u);
  Dictionary dictionary;
  for (std::size_t i = 0; i < 5000; ++i) {
    dictionary.add({"t", "w" + std::to_string(i), i % 2 == 0});
    dictionary.add({"tool " + std::to_string(i), "w", true});
  }
  EXPECT_LE(dictionary.size(),
            Dictionary::kMostLikely + Dictionary::kMostOthers + Dictionary::kMostTools);
}

TEST(Dictionary, ForgetsNoWordOfTheUsersForThoseOfTheServer) {
  Dictionary dictionary;
  std::vector<Word> own;
  for (int i = 0; i < 1000; ++i) own.push_back({"", "own-" + std::to_string(i), true});
  dictionary.keep(own);
  for (int i = 0; i < 1000; ++i) dictionary.add({"", "heard-" + std::to_string(i), true});
  model::Random random(1);
  std::set<std::string> picked;
  for (int i = 0; i < 20'000; ++i) {
    const std::string word = dictionary.pick("a", random).get<std::string>();
    if (word.starts_with("own-")) picked.insert(word);
  }
  EXPECT_EQ(picked.size(), own.size());
}

TEST(Dictionary, PicksWhatWasSaidOfTheToolRatherThanAnythingElse) {
  Vocabulary words;
  words.tools.push_back(
      {{"name", "a"},
       {"description", "Takes 'one-thing'"},
       {"inputSchema",
        {{"type", "object"}, {"properties", {{"n", {{"type", "integer"}, {"enum", {1234}}}}}}}}});
  words.tools.push_back({{"name", "b"}, {"description", "Takes 'other-thing'"}});
  Dictionary dictionary;
  dictionary.learn(words);
  model::Random random(1);
  std::map<std::string, int> picked;
  for (int i = 0; i < 1000; ++i) ++picked[dictionary.pick("a", random).dump()];
  EXPECT_GT(picked["\"one-thing\""], picked["\"other-thing\""]);
  EXPECT_GT(picked["1234"], 100);
  EXPECT_EQ(dictionary.pick_number(random).value_or(Json()).dump(), "1234");
  EXPECT_FALSE(Dictionary().pick_number(random).has_value());
  EXPECT_GT(picked["\"other-thing\""], 0);
}

TEST(Dictionary, ReadsAFileAsItStandsOrAsOtherFuzzersWriteIt) {
  const ScratchFolder scratch;
  const std::string path = (scratch.path() / "words.dict").string();
  std::ofstream(path) << "# mine\nplain words\r\nname=\"a\\x41\\\"b\"\n\"quoted\"\n";
  const auto read = words_of_file(path);
  ASSERT_TRUE(std::holds_alternative<std::vector<Word>>(read));
  std::string all;
  for (const Word& word : std::get<std::vector<Word>>(read)) all += word.text + "|";
  EXPECT_EQ(all, "plain words|aA\"b|quoted|");
  EXPECT_TRUE(std::holds_alternative<std::string>(words_of_file(path + "/none")));
}

}  // namespace
}  // namespace assay::fuzz
