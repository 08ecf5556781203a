// simdjson's first stage is not part of its public interface: what it is taken for is tried here,
// in the version that is linked.
#include "reference/wire/tokens.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace assay::wire {
namespace {

std::vector<std::uint32_t> found(FirstStage& stage, const std::string& text) {
  const auto starts = stage.find(text);
  return {starts.begin(), starts.end()};
}

// As find() tells it: with the text's size after the last one.
std::vector<std::uint32_t> scanned(const std::string& text) {
  std::vector<std::uint32_t> starts = scan_tokens(text).starts;
  if (!starts.empty()) starts.push_back(static_cast<std::uint32_t>(text.size()));
  return starts;
}

void expect_alike(FirstStage& stage, const std::string& text) {
  EXPECT_EQ(found(stage, text), scanned(text)) << text;
  EXPECT_EQ(stage.error(), scan_tokens(text).error) << text;
}

TEST(FirstStage, FindsWhatAScanFinds) {
  FirstStage stage;
  for (const char* text : {"{}", "[]", " \t\r\n[1 , -2.5e3,true]\n", R"({"a":"b\\","c":[null,{}]})",
                           R"("\"")", R"("\\\"x")", "12 34", "1\"a\"", "\"a\"b", "\"a\"\"b\"",
                           "true\"", "{\"\xc3\xa9\":1}", "x[y", R"(\"a)"}) {
    expect_alike(stage, text);
  }
}

TEST(FirstStage, RefusesWhatAScanRefuses) {
  FirstStage stage;
  for (const std::string& text :
       {std::string(), std::string("  \n"), std::string("\"open"), std::string("{\"a\":\"b\\\"}"),
        std::string("\"a\nb\""), std::string("\"\xff\""), std::string("[1]\xc3")}) {
    expect_alike(stage, text);
  }
}

// Blocks of 64 bytes are where it could lose count: of quotes, of backslashes, of runs.
TEST(FirstStage, FindsTheSameInTextsOfManyBlocks) {
  FirstStage stage;
  std::mt19937 random(1);
  const std::string pieces = "\"\"\\\\{}[]:,,  \n019aeftz.-+";
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    const std::size_t size = random() % 300;
    while (text.size() < size) text += pieces[random() % pieces.size()];
    const ScannedTokens expected = scan_tokens(text);
    const std::vector<std::uint32_t> starts = found(stage, text);
    ASSERT_EQ(starts, scanned(text)) << text;
    ASSERT_EQ(stage.error() == TokenError::kNone, expected.error == TokenError::kNone) << text;
  }
}

}  // namespace
}  // namespace assay::wire
