#include "fuzz/live/operators/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/live/values/cursors.h"
#include "reference/wire/base64.h"

namespace assay::fuzz {
namespace {

Vocabulary words_with_a_tool() {
  Vocabulary words;
  words.capabilities = {{"tools", Json::object()}};
  words.tools.push_back(
      {{"name", "read"},
       {"inputSchema",
        {{"type", "object"},
         {"properties",
          {{"path", {{"type", "string"}}},
           {"limits", {{"type", "object"}, {"properties", {{"most", {{"type", "integer"}}}}}}}}},
         {"required", {"path"}}}}});
  return words;
}

// Every line, with how often it came.
std::map<std::string, int> lines_of(const Vocabulary& words) {
  Sweep sweep(words);
  std::map<std::string, int> lines;
  while (auto made = sweep.next(7)) ++lines[made->steps.at(0).bytes];
  return lines;
}

TEST(Sweep, PutsEveryValueInEveryPlaceOfATool) {
  const Vocabulary words = words_with_a_tool();
  const auto lines = lines_of(words);
  const auto has = [&](std::string_view part) {
    return std::any_of(lines.begin(), lines.end(), [&](const auto& line) {
      return line.first.find("\"tools/call\"") != std::string::npos &&
             line.first.find(part) != std::string::npos;
    });
  };
  EXPECT_TRUE(has(R"("arguments":null)"));
  EXPECT_TRUE(has(R"("limits":null)"));
  EXPECT_TRUE(has(R"({"most":9223372036854775808})"));
  // What cannot be held as a value, and what is left out.
  bool has_surrogate = false;
  bool has_no_path = false;
  bool has_long_text = false;
  for (const auto& [line, times] : lines) {
    has_surrogate = has_surrogate || line.find(R"("path":"\ud800")") != std::string::npos;
    has_no_path = has_no_path || (line.find("tools/call") != std::string::npos &&
                                  line.find("path") == std::string::npos);
    has_long_text = has_long_text || line.size() > (1u << 20);
  }
  EXPECT_TRUE(has_surrogate);
  EXPECT_TRUE(has_no_path);
  EXPECT_TRUE(has_long_text);
}

TEST(Sweep, TriesWhatEveryRequestHasFirst) {
  const Vocabulary words = words_with_a_tool();
  Sweep sweep(words);
  std::string first;
  for (int i = 0; i < 10; ++i) first += sweep.next(7)->steps.at(0).bytes;
  EXPECT_NE(first.find(R"("method":"ping","params":null)"), std::string::npos) << first;
}

// A second place may lie in an array, which has no members to leave out.
TEST(Sweep, LeavesPlacesOfArraysOutInPairs) {
  Vocabulary words;
  words.capabilities = {{"tools", Json::object()}};
  words.tools.push_back(
      {{"name", "read"},
       {"inputSchema",
        {{"type", "object"},
         {"properties",
          {{"paths", {{"type", "array"}, {"items", {{"type", "string"}}}, {"default", {"a"}}}},
           {"names", {{"type", "array"}, {"items", {{"type", "string"}}}, {"default", {"b"}}}}}},
         {"required", {"paths", "names"}}}}});
  EXPECT_FALSE(lines_of(words).empty());
}

// A server of 2026-07-28 that offers nothing is asked for nothing but server/discover.
TEST(Sweep, EndsWhereThereIsNothingToPutValuesInto) {
  Vocabulary words;
  words.revision = model::Revision::v2026_07_28;
  EXPECT_FALSE(lines_of(words).empty());
}

TEST(Sweep, ComesToAnEndAndIsTheSameEachTime) {
  const Vocabulary words = words_with_a_tool();
  const auto lines = lines_of(words);
  EXPECT_GT(lines.size(), 700u);
  EXPECT_LT(lines.size(), 5000u);
  EXPECT_EQ(lines, lines_of(words));
}

TEST(Cursors, AreChangedInsideAndPackedAgain) {
  const std::string cursor = wire::encode_base64(R"({"offset":2,"list":"tools"})");
  bool has_overflow = false;
  for (const std::string& changed : changed_cursors(cursor)) {
    const auto inside = wire::decode_base64(changed);
    ASSERT_TRUE(inside) << changed;
    has_overflow = has_overflow || *inside == R"({"list":"tools","offset":9223372036854775808})";
  }
  EXPECT_TRUE(has_overflow);
}

TEST(Cursors, OfNumbersAreOtherNumbers) {
  const auto has = [](const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  EXPECT_TRUE(has(changed_cursors("page-20"), "page-9223372036854775808"));
  EXPECT_TRUE(has(changed_cursors(wire::encode_base64("20")), wire::encode_base64("-1")));
  EXPECT_TRUE(changed_cursors("opaque").empty());
}

}  // namespace
}  // namespace assay::fuzz
