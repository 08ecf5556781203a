// What decode() takes, refuses and remarks on; message_test.cc has what it makes of it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/wire/message.h"
#include "reference/wire/message_testing.h"

namespace assay::wire {
namespace {

using namespace std::string_literals;

std::string repeat(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string nested(std::size_t depth) {
  return repeat("[", depth) + repeat("]", depth);
}

// The notices as "kind pointer".
std::vector<std::string> notices(std::string_view bytes) {
  std::vector<std::string> words;
  const Message message = must_decode(bytes);
  for (const Notice& notice : message.notices()) {
    words.push_back(std::string(name(notice.kind)) + " " + notice.pointer);
  }
  return words;
}

// Texts around the edges of RFC 8259, valid or not.
std::vector<std::string> tricky_texts() {
  return {
      "0",
      "-0",
      "-",
      "00",
      "01",
      "-01",
      "1.",
      ".1",
      "1.0",
      "1e",
      "1e+",
      "1e5",
      "1E-5",
      "+1",
      "0x1",
      "1_0",
      "NaN",
      "Infinity",
      "-Infinity",
      "1 ",
      " 1",
      "1,",
      "1 2",
      "--1",
      "1-",
      "1.2.3",
      "1e1.5",
      "123456789012345678901234567890",
      "-9223372036854775808",
      "18446744073709551616",
      "1e308",
      "1e-400",
      "true",
      "tru",
      "truee",
      "True",
      "null",
      "nul",
      "nullx",
      "false",
      "fals",
      "falsey",
      "true false",
      "true\"a\"",
      "1\"a\"",
      "\"a\"b",
      "\"a\"\"b\"",
      "\"a\" \"b\"",
      "\"\"",
      "\"",
      "\"a",
      "a\"",
      "'a'",
      "\"\\\"",
      "\"\\\\\"",
      "\"\\\\\\\"",
      "\"\\a\"",
      "\"\\u\"",
      "\"\\u12\"",
      "\"\\u123g\"",
      "\"\\u1234\"",
      "\"\\U1234\"",
      "\"\\ud83d\\ude00\"",
      "\"\\u0000\"",
      "\"\\/\"",
      "\"\\x41\"",
      "\"\t\"",
      "\"\n\"",
      "\"\x7F\"",
      "\"\x1F\"",
      "\"a\0b\""s,
      "[\0]"s,
      "\0"s,
      "[]",
      "[ ]",
      "[",
      "]",
      "[]]",
      "[[]",
      "[,]",
      "[1,]",
      "[,1]",
      "[1,,2]",
      "[1 2]",
      "[1:2]",
      "[1}",
      "[\"a\",\n4",
      "[1,2,3]",
      "[[[[]]]]",
      "{}",
      "{ }",
      "{",
      "}",
      "{}}",
      "{\"a\"}",
      "{\"a\":}",
      "{\"a\":1,}",
      "{,\"a\":1}",
      "{\"a\":1 \"b\":2}",
      "{\"a\" 1}",
      "{\"a\"::1}",
      "{a:1}",
      "{1:1}",
      "{\"a\":1]",
      "{null:1}",
      "{\"a\":{\"b\":[{}]}}",
      "{\"\":0}",
      "{\"a\":1}{",
      "{\"a\":1}\n\n",
      "{\"a\":1}//x",
      "/**/1",
      "[1]#",
      "{\"a\":\"b\",\"a\":\"c\"}",
      "[1\f]",
      "\f1",
      "\v1",
      "1\xA0",
      "\xC2\xA0"
      "1",
      "[\"\\",
      "[\"\\\"]",
      "[\"\"],",
      "[\x1A"
      "1]",
      "[1\x0C"
      "2]",
      "[1\x1A"
      "2]",
      "[\"a\"1]",
      "[1\"a\"]",
      "[true1]",
      "[1true]",
      "[-]",
      "[1-2]",
      "{\"a\":-}",
      "[{}{}]",
      "[[][]]",
      "[[],[]]",
      "\r\n\t 1 \t\r\n",
      "\"\xC3\xA9\"",
      "\"\xF0\x9F\x98\x80\"",
      "\"\xF4\x8F\xBF\xBF\"",
      "\"\xEF\xBF\xBF\"",
      "\"\xE2\x80\xA8\"",
  };
}

TEST(Decode, AgreesWithTheDomOnWhatIsJson) {
  for (const std::string& text : tricky_texts()) {
    EXPECT_EQ(refusal(text) == "decoded", Json::accept(text)) << text;
  }
}

TEST(Decode, AgreesWithTheDomInsideAMessage) {
  for (const std::string& text : tricky_texts()) {
    const std::string whole = "{\"x\":[" + text + "],\"y\":\"" + std::string(80, '\\') + "\"}";
    EXPECT_EQ(refusal(whole) == "decoded", Json::accept(whole)) << text;
  }
}

// White space behind a short text makes it one that simdjson finds the tokens of.
std::string lengthened(const std::string& text) {
  return text + std::string(100, ' ');
}

TEST(Decode, ReadsAShortTextAsItReadsALongOne) {
  const std::string base = R"({"id" :"a","method":"b","params":[-1e5 ,null]})";
  std::vector<std::string> texts = tricky_texts();
  for (std::size_t at = 0; at < base.size(); ++at) {
    texts.push_back(base.substr(0, at));
    texts.push_back(base.substr(0, at) + base.substr(at + 1));
    for (int byte = 0; byte < 256; ++byte) {
      texts.push_back(base);
      texts.back()[at] = static_cast<char>(byte);
    }
  }
  for (const std::string& text : texts) {
    const std::string long_text = lengthened(text);
    ASSERT_EQ(refusal(text), text.empty() ? "empty" : refusal(long_text)) << text;
    if (refusal(text) != "decoded") continue;
    const Message message = must_decode(text);
    const Message long_message = must_decode(long_text);
    ASSERT_EQ(message.kind(), long_message.kind()) << text;
    ASSERT_EQ(message.id(), long_message.id()) << text;
    ASSERT_EQ(message.defect(), long_message.defect()) << text;
    ASSERT_EQ(message.members().size(), long_message.members().size()) << text;
  }
}

TEST(Decode, AgreesWithTheDomOnEveryByteInEveryPlace) {
  const std::string base = R"({"a":[1.5e3,"b\n",true],"c":null})";
  for (std::size_t at = 0; at < base.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = base;
      text[at] = static_cast<char>(byte);
      ASSERT_EQ(refusal(text) == "decoded", Json::accept(text)) << text;
    }
  }
}

TEST(Decode, AgreesWithTheDomOnEveryPrefix) {
  const std::string base = R"( {"a":[1.5e3,"b\n",{"\u00e9":[]},true],"c":null,"dd":-12} )";
  for (std::size_t length = 1; length <= base.size(); ++length) {
    const std::string text = base.substr(0, length);
    EXPECT_EQ(refusal(text) == "decoded", Json::accept(text)) << text;
  }
}

TEST(Decode, TellsEmptyFromInvalid) {
  EXPECT_EQ(refusal(""), "empty");
  EXPECT_EQ(refusal(" \t\r\n"), "empty");
  EXPECT_EQ(refusal("\0"s), "invalid-json");
  EXPECT_EQ(refusal("1\0"s), "invalid-json") << "where the DOM takes NUL for the end";
  EXPECT_EQ(refusal("{}x"), "invalid-json");
}

TEST(Decode, RefusesAByteOrderMark) {
  EXPECT_EQ(refusal("\xEF\xBB\xBF{}"), "byte-order-mark");
  EXPECT_EQ(refusal("\xEF\xBB\xBF"), "byte-order-mark");
  EXPECT_EQ(refusal("{}\xEF\xBB\xBF"), "invalid-json");
}

TEST(Decode, RefusesWhatIsNotUtf8) {
  for (const char* bytes : {"\xFF", "\x80", "\xC3", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\xAF",
                            "\xED\xA0\x80", "\xED\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
                            "\xF0\x80\x80\xAF", "\xE2\x82", "\xF0\x9F\x98"}) {
    EXPECT_EQ(refusal("\""s + bytes + "\""), "invalid-utf8");
    EXPECT_EQ(refusal("{}"s + bytes), "invalid-utf8");
    EXPECT_EQ(refusal("{\"" + std::string(100, 'x') + bytes + "\":1}"), "invalid-utf8");
    EXPECT_EQ(refusal("\""s + bytes), "invalid-utf8") << "also where the text is invalid besides";
  }
}

TEST(Decode, RefusesWhatIsLongerThanTheLimit) {
  EXPECT_EQ(refusal("[1,2]", {.max_bytes = 5}), "decoded");
  EXPECT_EQ(refusal("[1,2]", {.max_bytes = 4}), "too-large");
  EXPECT_EQ(refusal(std::string((64u << 20) + 1, ' ')), "too-large");
}

TEST(Decode, RefusesWhatIsNestedBeyondTheLimit) {
  EXPECT_EQ(refusal(nested(512)), "decoded");
  EXPECT_EQ(refusal(nested(513)), "too-deep");
  EXPECT_EQ(refusal(repeat("{\"a\":", 512) + "1" + repeat("}", 512)), "decoded");
  EXPECT_EQ(refusal(repeat("{\"a\":", 513) + "1" + repeat("}", 513)), "too-deep");
  EXPECT_EQ(refusal("[]", {.max_depth = 0}), "too-deep");
  EXPECT_EQ(refusal("1", {.max_depth = 0}), "decoded");
  EXPECT_EQ(refusal(repeat("[", 1'000'000)), "too-deep");
}

TEST(Decode, RefusesMoreValuesOrMembersThanTheLimits) {
  EXPECT_EQ(refusal("[1,2]", {.max_values = 3}), "decoded");
  EXPECT_EQ(refusal("[1,2]", {.max_values = 2}), "too-large");
  EXPECT_EQ(refusal("[1,2]", {.max_members = 2}), "decoded");
  EXPECT_EQ(refusal("[1,2]", {.max_members = 1}), "too-large");
  EXPECT_EQ(refusal("{\"a\":[1,2]}", {.max_members = 1}), "decoded");
}

TEST(Decode, TakesAnEightMebibyteString) {
  const std::string text(8u << 20, 'x');
  const Message message =
      must_decode(R"({"jsonrpc":"2.0","id":1,"result":{"text":")" + text + "\"}}");
  EXPECT_EQ(message.kind(), MessageKind::kResult);
  EXPECT_EQ(message.result().at("text").get_ref<const std::string&>(), text);
}

TEST(Decode, TakesAMillionMembersInReasonableTime) {
  std::string text = "{";
  for (int i = 0; i < 1'000'000; ++i) text += "\"k" + std::to_string(i % 999'999) + "\":0,";
  text += "\"k\":1}";
  EXPECT_EQ(notices(text), std::vector<std::string>{"duplicate-member "});
}

TEST(Decode, RemarksOnDuplicateMembers) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(notices(R"({"a":1,"b":2})"), Words{});
  EXPECT_EQ(notices(R"({"a":1,"a":2})"), Words{"duplicate-member "});
  EXPECT_EQ(notices(R"({"a":1,"\u0061":2})"), Words{"duplicate-member "});
  EXPECT_EQ(notices(R"({"":1,"":2})"), Words{"duplicate-member "});
  EXPECT_EQ(notices(R"({"x":[0,{"~/":{"a":1,"b":1,"a":1}}]})"),
            Words{"duplicate-member /x/1/~0~1"});
  EXPECT_EQ(notices(R"({"a":{"a":1},"b":{"a":2}})"), Words{}) << "of different objects";
  EXPECT_EQ(notices(R"({"a":1,"b":{"c":1,"c":2},"a":3})"),
            (Words{"duplicate-member /b", "duplicate-member "}));
  EXPECT_EQ(notices(R"({"\ud800":1,"\ud801":2})").size(), 2u)
      << "two lone surrogates, no duplicate";
}

TEST(Decode, FindsADuplicateAmongManyMembers) {
  for (const int members : {2, 15, 16, 17, 18, 40}) {
    for (int twin = 0; twin < members; ++twin) {
      std::string text = "{";
      for (int i = 0; i < members; ++i) text += "\"k" + std::to_string(i) + "\":0,";
      const std::string unique = text + "\"k\":0}";
      text += "\"k" + std::to_string(twin) + "\":1}";
      EXPECT_EQ(notices(text).size(), 1u) << text;
      EXPECT_EQ(notices(unique).size(), 0u) << unique;
    }
  }
}

TEST(Decode, RemarksOnNumbersBeyondADouble) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(notices(R"({"a":[0,1e400],"b":-1e400})"),
            (Words{"number-out-of-range /a/1", "number-out-of-range /b"}));
  EXPECT_EQ(notices("1" + std::string(400, '0')), Words{"number-out-of-range "});
  EXPECT_EQ(notices("[1e308,1e-400,123456789012345678901234567890,0e999,0." +
                    std::string(400, '0') + "1]"),
            Words{});
}

TEST(Decode, RemarksOnLoneSurrogates) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(notices(R"({"a":"\ud800"})"), Words{"lone-surrogate /a"});
  EXPECT_EQ(
      notices(R"(["\udc00","\ud800\ud800","\ud800x","\ud800\n","\ud83d\ude00"])"),
      (Words{"lone-surrogate /0", "lone-surrogate /1", "lone-surrogate /2", "lone-surrogate /3"}));
  EXPECT_EQ(notices(R"({"x":{"\udfff":{"a":1,"a":1}}})"),
            (Words{"lone-surrogate /x", "duplicate-member /x/\xEF\xBF\xBD"}));
}

TEST(Decode, HoldsInTheDomWhatNoDomCanHold) {
  const Json dom =
      must_decode(R"({"a":"x\ud800y\\ud800","b":[1e400,-1e400,1],"\udc00":"\ud83d\ude00"})").json();
  EXPECT_EQ(dom, Json::parse(R"({"a":"x\ufffdy\\ud800",
                                 "b":[1.7976931348623157e308,-1.7976931348623157e308,1],
                                 "\ufffd":"\ud83d\ude00"})"));
}

TEST(Decode, BoundsItsNotices) {
  EXPECT_EQ(notices("[" + repeat("1e400,", 1000) + "1e400]").size(), 16u);
  const std::string long_name(5000, 'n');
  EXPECT_EQ(notices("{\"a\":{\"" + long_name + "\":{\"b\":1e400}}}"),
            std::vector<std::string>{"number-out-of-range /a"});
}

TEST(Decode, StartsAfreshAfterARefusal) {
  EXPECT_EQ(refusal(R"({"a":{"b":[1,{"\u0063":)"), "invalid-json");
  EXPECT_EQ(notices(R"({"a":1})"), std::vector<std::string>{});
  EXPECT_EQ(refusal(std::string(1u << 20, '[')), "too-deep");
  EXPECT_EQ(must_decode(R"({"jsonrpc":"2.0","method":"x"})").kind(), MessageKind::kNotification);
}

}  // namespace
}  // namespace assay::wire
