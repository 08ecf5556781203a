#include "harness/transcript/values.h"

#include <gtest/gtest.h>

#include "reference/wire/message.h"

namespace assay::harness {
namespace {

std::string removed(ValueRemover& remover, std::string_view text) {
  const wire::Decoded decoded = wire::decode(text);
  const auto* message = std::get_if<wire::Message>(&decoded);
  return message ? remover.without_values(*message) : ValueRemover::length_of(text);
}
std::string removed(std::string_view text) {
  ValueRemover remover;
  return removed(remover, text);
}

TEST(Values, LeaveTheShapeOfAMessage) {
  EXPECT_EQ(removed(R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"greet",)"
                    R"("arguments":{"who":"Ann","age":41,"is_new":true}}})"),
            R"({"id":"[text 1, 1 bytes]","jsonrpc":"2.0","method":"tools/call","params":)"
            R"({"arguments":{"age":0,"is_new":false,"who":"[text 2, 3 bytes]"},"name":"greet"}})");
  EXPECT_EQ(
      removed(R"([{"id":1,"result":{"content":[{"type":"text","text":"Hi"}],"total":3}}])"),
      R"([{"id":1,"result":{"content":[{"text":"[text 1, 2 bytes]","type":"text"}],"total":3}}])");
  EXPECT_EQ(
      removed(R"({"id":1,"error":{"code":-32602,"message":"no Ann","data":{"who":["Ann"]}}})"),
      R"({"error":{"code":-32602,"data":{"who":["[text 1, 3 bytes]"]},)"
      R"("message":"[text 2, 6 bytes]"},"id":1})");
}

TEST(Values, KeepWhatIsPublished) {
  for (
      const char* text :
      {R"({"id":1,"result":{"tools":[{"inputSchema":{"properties":{"a":{"maximum":3,"type":"string"}},)"
       R"("required":["a"],"type":"object"},"name":"t"}]}})",
       R"({"id":1,"result":{"prompts":[{"arguments":[{"name":"city","required":true}],"name":"p"}]}})",
       R"({"id":1,"method":"initialize","params":{"capabilities":{"roots":{"listChanged":true}},)"
       R"("clientInfo":{"name":"c","version":"1.0"},"protocolVersion":"2025-06-18"}})"}) {
    EXPECT_EQ(removed(text), text);
  }
}

TEST(Values, HaveTheSameLabelWhereTheyAreEqual) {
  ValueRemover remover;
  const std::string page = R"({"id":"a","result":{"nextCursor":"abc"}})";
  const std::string next = R"({"id":"b","method":"tools/list","params":{"cursor":"abc"}})";
  EXPECT_EQ(removed(remover, page),
            R"({"id":"[text 1, 1 bytes]","result":{"nextCursor":"[text 2, 3 bytes]"}})");
  EXPECT_NE(removed(remover, next).find("\"[text 2, 3 bytes]\""), std::string::npos);
  EXPECT_EQ(remover.target("/abc/mcp?abc"), "/[text 2, 3 bytes]/mcp?[text 2, 3 bytes]");
  EXPECT_EQ(remover.target("https://x.test/abc"), "/[text 2, 3 bytes]");
  EXPECT_EQ(remover.field("Mcp-Session-Id", "abc"), "[text 2, 3 bytes]");
  EXPECT_EQ(remover.field("Content-Type", "text/plain"), "text/plain");
}

TEST(Values, LeaveOnlyTheLengthOfWhatIsNoMessage) {
  EXPECT_EQ(removed("password: 1234"), "[14 bytes]");
  EXPECT_EQ(removed("\"secret\""), "[8 bytes]");
  EXPECT_EQ(removed(""), "");
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_EQ(removed(deep), "[2000000 bytes]");
  std::string wide = "[[]";
  while (wide.size() < (2u << 20)) wide += ",[],[],[],[],[],[],[],[]";
  EXPECT_TRUE(removed(wide + "]").starts_with("["));
  EXPECT_TRUE(removed(wide + "]").ends_with(" bytes]"));
}

}  // namespace
}  // namespace assay::harness
