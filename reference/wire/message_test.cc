#include "reference/wire/message.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

#include "reference/wire/compose.h"
#include "reference/wire/message_testing.h"

namespace assay::wire {
namespace {

std::string_view kind_of(std::string_view bytes) {
  return name(must_decode(bytes).kind());
}
std::string_view defect_of(std::string_view bytes) {
  const Message message = must_decode(bytes);
  EXPECT_EQ(message.kind() == MessageKind::kMalformed, !message.defect().empty());
  return message.defect();
}

TEST(Message, IsClassifiedByItsMembers) {
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"), "request");
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","id":"","method":"ping","params":{}})"), "request");
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","method":"x"})"), "notification");
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","id":1,"result":{}})"), "result");
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","id":1,"result":null})"), "result");
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}})"), "error");
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}})"), "error");
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","error":{"code":1,"message":"x"}})"), "error");
  EXPECT_EQ(kind_of(R"([])"), "batch");
}

TEST(Message, NamesTheDefectOfACall) {
  EXPECT_EQ(defect_of(R"({"id":1,"method":"x"})"), "jsonrpc is missing");
  EXPECT_EQ(defect_of(R"({"jsonrpc":2.0,"id":1,"method":"x"})"), "jsonrpc is not \"2.0\"");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"1.0","id":1,"method":"x"})"), "jsonrpc is not \"2.0\"");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1,"method":1})"), "method is not a string");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":null,"method":"x"})"), "id is null");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":{},"method":"x"})"),
            "id is neither a string nor a number");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1,"method":"x","params":null})"),
            "params is neither an object nor an array");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1,"method":"x","result":{}})"),
            "has both method and result");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1,"method":"x","error":{}})"),
            "has both method and error");
}

TEST(Message, NamesTheDefectOfAResponse) {
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","result":{}})"), "has a result but no id");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":null,"result":{}})"), "id is null");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})"),
            "has both result and error");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1,"error":"no"})"), "error is not an object");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1,"error":{"message":""}})"), "error has no code");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}})"),
            "error.code is not an integer");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}})"),
            "error.code is not an integer");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1,"error":{"code":1}})"), "error has no message");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":2}})"),
            "error.message is not a string");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1})"), "has none of method, result and error");
}

TEST(Message, IsMalformedWhereItIsNoObject) {
  for (const char* text : {"1", "\"x\"", "null", "true", "1e400"}) {
    EXPECT_EQ(defect_of(text), "is not an object") << text;
  }
}

TEST(Message, LeavesToTheModelWhatJsonRpcAllows) {
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","id":1,"method":"x","params":[1]})"), "request");
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","id":1.5,"method":"x"})"), "request");
  EXPECT_FALSE(must_decode(R"({"jsonrpc":"2.0","id":1.5,"method":"x"})").id()->is_valid());
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600.0,"message":""}})"), "error");
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","id":1,"error":{"code":1e400,"message":""}})"), "error");
  EXPECT_EQ(kind_of(R"({"jsonrpc":"2.0","id":1,"result":{},"extra":1})"), "result");
}

TEST(Message, KeepsTheIdAsSentAlsoWhenMalformed) {
  EXPECT_EQ(must_decode(R"({"jsonrpc":"2.0", "id" : 1.0 , "method":"x"})").id()->json_text(),
            "1.0");
  EXPECT_EQ(must_decode(R"({"id":"\u0061"})").id()->json_text(), R"("\u0061")");
  EXPECT_EQ(must_decode(R"({"id":[1, 2]})").id()->json_text(), "[1, 2]");
  EXPECT_EQ(must_decode(R"({"id":null})").id()->kind(), Id::Kind::kNull);
  EXPECT_EQ(must_decode(R"({"method":"x"})").id(), std::nullopt);
}

TEST(Message, ReadsNamesAndMethodThroughEscapes) {
  const Message message =
      must_decode(R"({"\u006asonrpc":"\u0032.0","i\u0064":1,"method":"tools\/\u0063all"})");
  EXPECT_EQ(message.kind(), MessageKind::kRequest);
  EXPECT_EQ(message.method(), "tools/call");
  EXPECT_EQ(must_decode(R"({"jsonrpc":"2.0","method":"\ud800"})").method(), "\xEF\xBF\xBD");
}

TEST(Message, LooksAtTheTopOnly) {
  const Message message = must_decode(R"({"x":{"jsonrpc":"2.0","id":1,"method":"y"}})");
  EXPECT_EQ(message.defect(), "jsonrpc is missing");
  EXPECT_EQ(message.id(), std::nullopt);
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1,"error":{"data":{"code":1,"message":""}}})"),
            "error has no code");
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1,"error":[{"code":1,"message":""}]})"),
            "error is not an object");
}

TEST(Message, CountsTheLastOfDuplicates) {
  const Message message = must_decode(R"({"jsonrpc":"2.0","id":1,"method":"x","id":2})");
  EXPECT_EQ(message.id()->json_text(), "2");
  EXPECT_EQ(message.json().at("id"), 2);
  EXPECT_EQ(defect_of(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""},"error":{}})"),
            "error has no code");
}

TEST(Message, GivesParamsResultAndError) {
  const Message request = must_decode(R"({"jsonrpc":"2.0","id":1,"method":"x","params":{"a":1}})");
  EXPECT_TRUE(request.has_params());
  EXPECT_EQ(request.params(), Json({{"a", 1}}));
  EXPECT_TRUE(request.result().is_null());
  EXPECT_EQ(request.error_code(), std::nullopt);
  EXPECT_EQ(must_decode(R"({"jsonrpc":"2.0","id":1,"result":[1]})").result(), Json::array({1}));
  const Message error =
      must_decode(R"({"jsonrpc":"2.0","id":1,"error":{"code":-5,"message":"m"}})");
  EXPECT_EQ(error.error().at("message"), "m");
  EXPECT_EQ(error.error_code(), -5);
  EXPECT_FALSE(error.has_params());
  EXPECT_TRUE(must_decode("[1]").params().is_null());
}

TEST(Message, GivesAnErrorCodeThatFits64Bits) {
  const auto code = [](const std::string& text) {
    return must_decode(R"({"jsonrpc":"2.0","id":1,"error":{"message":"","code":)" + text + "}}")
        .error_code();
  };
  EXPECT_EQ(code("-32600.0"), -32600);
  EXPECT_EQ(code("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(code("9223372036854775808"), std::nullopt);
  EXPECT_EQ(code("1e3"), 1000);
  EXPECT_EQ(code("1e30"), std::nullopt);
  EXPECT_EQ(code("1.5"), std::nullopt);
}

TEST(Message, HasTheMembersOfABatchInOrder) {
  const Message batch = must_decode(
      R"([{"jsonrpc":"2.0","id":1,"method":"a"} , 7, [1], {"jsonrpc":"2.0","method":"b"}])");
  ASSERT_EQ(batch.members().size(), 4u);
  EXPECT_EQ(batch.members()[0].bytes(), R"({"jsonrpc":"2.0","id":1,"method":"a"})");
  EXPECT_EQ(batch.members()[0].id(), Id::of(1));
  EXPECT_EQ(batch.members()[1].defect(), "is not an object");
  EXPECT_EQ(batch.members()[2].defect(), "is a batch inside a batch");
  EXPECT_TRUE(batch.members()[2].members().empty());
  EXPECT_EQ(batch.members()[3].method(), "b");
  EXPECT_TRUE(must_decode("[ ]").members().empty());
}

TEST(Message, KeepsItsBytesAsTheyCame) {
  const std::string_view bytes = " {\"id\" :1}\r ";
  const Message message = must_decode(bytes);
  EXPECT_EQ(message.bytes(), bytes);
  const Message copy = message;
  EXPECT_EQ(copy.bytes().data(), message.bytes().data());
}

TEST(Message, GivesOneDomToAllThreads) {
  const Message message = must_decode(R"({"jsonrpc":"2.0","id":1,"result":{"a":[1,2,3]}})");
  std::vector<const Json*> seen(8);
  std::vector<std::thread> threads;
  for (const Json*& slot : seen) {
    threads.emplace_back([&message, &slot] { slot = &message.result().at("a"); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Json* dom : seen) EXPECT_EQ(dom, seen.front());
}

TEST(Encode, WritesCompactTextWithoutNewline) {
  EXPECT_EQ(encode({{"a", {1, "x\n"}}}), "{\"a\":[1,\"x\\n\"]}");
}

TEST(Encode, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(encode(Json("a\xFF\xC0")), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(Encode, WritesWhatDecodesToTheSame) {
  for (
      const char* text :
      {R"({"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[1,-2,3.5,1e300,true,null,"\u00e9"]}})",
       R"({"jsonrpc":"2.0","id":"x","result":{"big":18446744073709551615,"s":"\ud83d\ude00\u0000"}})",
       R"([1,[],{},"\ud800",1e400,-1e400])"}) {
    const Message message = must_decode(text);
    const std::string encoded = encode(message.json());
    EXPECT_EQ(must_decode(encoded).json(), message.json());
    EXPECT_EQ(encode(must_decode(encoded).json()), encoded);
  }
}

TEST(Encode, WritesResponsesWithTheIdAsItCame) {
  for (const char* id : {"1", "-0", "1e3", "123456789012345678901234567890", "\"\\u0061\""}) {
    const Message result = must_decode(encode_result(Id::from_json_text(id), {{"ok", true}}));
    EXPECT_EQ(result.kind(), MessageKind::kResult);
    EXPECT_EQ(result.id()->json_text(), id);
    EXPECT_EQ(result.result(), Json({{"ok", true}}));
    const Message error = must_decode(encode_error(Id::from_json_text(id), -5, "a\"b\xFF", "d"));
    EXPECT_EQ(error.kind(), MessageKind::kError);
    EXPECT_EQ(error.id()->json_text(), id);
    EXPECT_EQ(error.error(), Json({{"code", -5}, {"message", "a\"b\xEF\xBF\xBD"}, {"data", "d"}}));
  }
  EXPECT_EQ(encode_error(std::nullopt, 1, "x"),
            R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}})");
}

TEST(Make, SpellsMessagesAsTheProtocolDoes) {
  EXPECT_EQ(make_request(Id::of(1), "ping"),
            Json::parse(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"));
  EXPECT_EQ(make_request(Id::of_string("a"), "x", {{"k", 1}}),
            Json::parse(R"({"jsonrpc":"2.0","id":"a","method":"x","params":{"k":1}})"));
  EXPECT_EQ(make_notification("n"), Json::parse(R"({"jsonrpc":"2.0","method":"n"})"));
  EXPECT_EQ(make_result(Id::of(1), Json::object()),
            Json::parse(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  EXPECT_EQ(make_error(std::nullopt, kParseError, "bad"),
            Json::parse(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}})"));
  EXPECT_EQ(make_error(Id::of(1), 5, "m", {1}),
            Json::parse(R"({"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"m","data":[1]}})"));
}

}  // namespace
}  // namespace assay::wire
