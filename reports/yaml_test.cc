// YAML as JSON, and what is said of what is not.
#include "reports/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string as_json(std::string_view text, YamlNumbers numbers = YamlNumbers::kAreNumbers) {
  const auto read = parse_yaml(text, numbers);
  if (const auto* error = std::get_if<std::string>(&read)) return *error;
  return std::get<nlohmann::ordered_json>(read).dump();
}

TEST(Yaml, IsReadAsTheSameJson) {
  EXPECT_EQ(as_json("b: [1, 1.5, true, no, ~, '2', \"true\", !!str 3]\na: {c: }\n"),
            R"({"b":[1,1.5,true,"no",null,"2","true","3"],"a":{"c":null}})");
  EXPECT_EQ(as_json(""), "null");
}

TEST(Yaml, KeepsNumbersAsTheyAreWrittenWhereTheyAreTexts) {
  EXPECT_EQ(as_json("[1.50, 2025-11-25, 007, true]", YamlNumbers::kAreTexts),
            R"(["1.50","2025-11-25","007",true])");
}

TEST(Yaml, IsOneDocument) {
  EXPECT_EQ(as_json("---\na: 1\n"), R"({"a":1})");
  EXPECT_THAT(as_json("a: 1\n---\nb: 2\n"), StartsWith("line 2: a second document"));
  EXPECT_EQ(as_json(",a: b"), "line 1: not YAML: no value can begin here");
  EXPECT_EQ(as_json("!,nar"), "line 1: not YAML: no value can begin here");
  EXPECT_THAT(as_json("a: 1\n, b"), StartsWith("line 2: "));
}

TEST(Yaml, IsUtf8) {
  EXPECT_EQ(as_json("\xEF\xBB\xBF"
                    "a: \xC3\xA4\n"),
            "{\"a\":\"\xC3\xA4\"}");
  EXPECT_EQ(as_json("a: 1\nb: \x89\n"), "line 2: not UTF-8 text");
  EXPECT_EQ(as_json(std::string_view("\0,erver: \x89", 10)), "line 1: not UTF-8 text");
  EXPECT_EQ(as_json(std::string_view("a: 1\n\0b: 2\n", 11)), "line 2: not UTF-8 text");
  EXPECT_EQ(as_json(std::string_view("\xFF\xFE"
                                     "a\0:\0 \0"
                                     "1\0",
                                     10)),
            "line 1: not UTF-8 text");
}

TEST(Yaml, NamesTheLineOfWhatIsWrong) {
  EXPECT_THAT(as_json("a: 1\nb: [\n"), StartsWith("line 3: not YAML: "));
  EXPECT_EQ(as_json("a: 1\na: 2\n"), "line 2: 'a' comes twice");
  EXPECT_EQ(as_json("a: 1\n[b]: 2\n"), "line 2: a key must be a text");
}

TEST(Yaml, HoldsNoMoreThanFits) {
  std::string deep;
  for (int i = 0; i < 70; ++i) deep += "[";
  for (int i = 0; i < 70; ++i) deep += "]";
  EXPECT_THAT(as_json(deep), HasSubstr("nested too deeply"));
  std::string bomb = "a: &a [x]\n";
  for (char c = 'b'; c < 'p'; ++c) {
    const std::string before = std::string("*") + static_cast<char>(c - 1);
    bomb += std::string(1, c) + ": &" + c + " [" + before + ", " + before + ", " + before + "]\n";
  }
  EXPECT_THAT(as_json(bomb), HasSubstr("more than 10000 values"));
}

}  // namespace
}  // namespace assay::reports
