#include "reference/wire/weight.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <string>

#include "reference/wire/json.h"

namespace assay::wire {
namespace {

TEST(Weight, CountsTokensAndNotWhatStandsInStrings) {
  EXPECT_EQ(count_tokens(""), 0u);
  EXPECT_EQ(count_tokens(R"({"a":1})"), 5u);
  EXPECT_EQ(count_tokens(R"(["[[,,::", "\"[[["])"), 5u);
  EXPECT_EQ(count_tokens("  hello, [world]  "), 5u);
  EXPECT_EQ(count_tokens(R"("no end)"), 1u);
  EXPECT_EQ(count_tokens("\"\\"), 1u);
  EXPECT_EQ(count_tokens(R"(\"[[[)"), 4u);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

std::size_t bytes_in_use() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::string array_of(const std::string& element) {
  std::string text = "[";
  for (int i = 0; i < 20'000; ++i) text += element + ",";
  text.back() = ']';
  return text;
}

std::string object_of(const std::string& value) {
  std::string text = "{";
  for (int i = 0; i < 20'000; ++i) text += "\"" + std::to_string(i) + "\":" + value + ",";
  text.back() = '}';
  return text;
}

TEST(Weight, NoTreeIsHeavierThanItIsTakenFor) {
  const std::string long_text(30, 'x');
  for (const std::string& text :
       {array_of("1"), array_of("[]"), array_of("{}"), array_of("[[]]"), array_of("\"a\""),
        array_of("{\"a\":1}"), array_of("[1]"), array_of("\"" + long_text + "\""), object_of("1"),
        object_of("{}"), object_of("[]"), object_of("\"\""), object_of("\"" + long_text + "\""),
        array_of("{\"" + long_text + "\":\"" + long_text + "\"}")}) {
    const std::size_t before = bytes_in_use();
    const Json tree = Json::parse(text);
    const std::size_t taken = bytes_in_use() - before;
    EXPECT_LE(taken, tree_bytes(count_tokens(text), text.size())) << text.substr(0, 60);
  }
}

#endif

}  // namespace
}  // namespace assay::wire
