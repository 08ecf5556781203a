#include "harness/transcript/values.h"

#include <gtest/gtest.h>

namespace assay::harness {
namespace {

std::string removed(std::string_view text) {
  return ValueRemover().without_values(text);
}

TEST(Values, LeaveTheShapeOfAMessage) {
  EXPECT_EQ(removed(R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"greet",)"
                    R"("arguments":{"who":"Ann","age":41,"is_new":true}}})"),
            R"({"id":"a","jsonrpc":"2.0","method":"tools/call","params":{"arguments":)"
            R"({"age":0,"is_new":false,"who":"[text 1, 3 bytes]"},"name":"greet"}})");
  EXPECT_EQ(
      removed(R"([{"id":1,"result":{"content":[{"type":"text","text":"Hi"}],"total":3}}])"),
      R"([{"id":1,"result":{"content":[{"text":"[text 1, 2 bytes]","type":"text"}],"total":3}}])");
  EXPECT_EQ(
      removed(R"({"id":1,"error":{"code":-32602,"message":"no Ann","data":{"who":["Ann"]}}})"),
      R"({"error":{"code":-32602,"data":{"who":["[text 1, 3 bytes]"]},)"
      R"("message":"[text 2, 6 bytes]"},"id":1})");
}

TEST(Values, KeepWhatIsPublished) {
  const std::string tools =
      R"({"id":1,"result":{"tools":[{"inputSchema":{"properties":{"a":{"const":"x"}}},"name":"t"}]}})";
  EXPECT_EQ(removed(tools), tools);
}

TEST(Values, HaveTheSameLabelWhereTheyAreEqual) {
  ValueRemover remover;
  const std::string page = R"({"id":1,"result":{"nextCursor":"abc"}})";
  const std::string next = R"({"id":2,"method":"tools/list","params":{"cursor":"abc"}})";
  EXPECT_NE(remover.without_values(page).find("[text 1, 3 bytes]"), std::string::npos);
  EXPECT_NE(remover.without_values(next).find("[text 1, 3 bytes]"), std::string::npos);
}

TEST(Values, LeaveOnlyTheLengthOfWhatIsNoMessage) {
  EXPECT_EQ(removed("password: 1234"), "[14 bytes]");
  EXPECT_EQ(removed("\"secret\""), "[8 bytes]");
  EXPECT_EQ(removed(""), "");
}

}  // namespace
}  // namespace assay::harness
