#include "harness/script/failure_words.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::harness {
namespace {

Json text_result(const std::string& words) {
  return {{"content", Json::array({{{"type", "text"}, {"text", words}}})}};
}

TEST(FailureWords, OfAServerThatRefusesInWordsAlone) {
  EXPECT_TRUE(speaks_of_failure(
      text_result("{\n  \"success\": false,\n  \"error\": \"Unknown tool: LIST_TESTS\"\n}")));
  EXPECT_TRUE(speaks_of_failure(text_result("Invalid arguments for tool 'list_tests'")));
  EXPECT_TRUE(speaks_of_failure({{"structuredContent", {{"error", {{"code", 7}}}}}}));
}

TEST(FailureWords, ASuccessMayHaveAPlaceForErrors) {
  EXPECT_FALSE(speaks_of_failure(text_result(R"({"error": null, "count": 3})")));
  EXPECT_FALSE(speaks_of_failure(text_result(R"({"success": true, "note": "no error"})")));
  EXPECT_FALSE(speaks_of_failure(text_result("The sum of 2 and 3 is 5.")));
  EXPECT_FALSE(speaks_of_failure(text_result(std::string(400, '-') + "error")));
}

TEST(FailureWords, OfNoResultAtAllNothingIsSaid) {
  EXPECT_FALSE(speaks_of_failure(nullptr));
  EXPECT_FALSE(speaks_of_failure({{"content", "error"}}));
}

}  // namespace
}  // namespace assay::harness
