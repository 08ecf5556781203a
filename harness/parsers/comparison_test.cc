#include "harness/parsers/comparison.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace assay::harness {
namespace {

using Kind = Disagreement::Kind;
using namespace std::string_view_literals;

const ParserAnswer kRefused = {};
const ParserAnswer kAccepted = {.accepts = true};

std::string accepted_wrongly(std::string_view bytes) {
  const auto found = compare(bytes, kAccepted);
  EXPECT_TRUE(!found || found->kind == Kind::kAccepts);
  EXPECT_FALSE(compare(bytes, kRefused)) << bytes;
  return found ? found->what : "";
}

std::string changed(std::string_view bytes, const std::string& canonical) {
  const auto found = compare(bytes, {.accepts = true, .canonical = canonical});
  EXPECT_TRUE(!found || found->kind == Kind::kChanges);
  return found ? found->what : "";
}

TEST(Comparison, AgreesWithAStrictParser) {
  EXPECT_FALSE(compare(R"({"a":[1,"x",null]})", kAccepted));
  EXPECT_FALSE(compare("[1", kRefused));
}

TEST(Comparison, SaysWhatMustBeRefused) {
  EXPECT_EQ(accepted_wrongly(""), "nothing but white space");
  EXPECT_EQ(accepted_wrongly("\xEF\xBB\xBF[]"), "a byte order mark");
  EXPECT_EQ(accepted_wrongly("[1,]"), "a comma before the end of an array");
  EXPECT_EQ(accepted_wrongly(R"({"a":1,})"), "a comma before the end of an object");
  EXPECT_EQ(accepted_wrongly("[1] // c"), "a comment");
  EXPECT_EQ(accepted_wrongly("[NaN]"), "a word that JSON does not have");
  EXPECT_EQ(accepted_wrongly("[01]"), "a number with a leading zero");
  EXPECT_EQ(accepted_wrongly("[0x1]"), "a number that is not decimal");
  EXPECT_EQ(accepted_wrongly("[1\0]"sv), "a number with a NUL in it");
  EXPECT_EQ(accepted_wrongly("[1.]"), "a number that is not finished, or goes on");
  EXPECT_EQ(accepted_wrongly("[\v1]"), "white space that is none of JSON's");
  EXPECT_EQ(accepted_wrongly("[+1]"), "a number with a plus sign");
  EXPECT_EQ(accepted_wrongly("[.5]"), "a number without an integer part");
  EXPECT_EQ(accepted_wrongly("[\"a\tb\"]"), "a control character in a string");
  EXPECT_EQ(accepted_wrongly("['a']"), "a string in single quotes");
  EXPECT_EQ(accepted_wrongly("{a:1}"), "a member name without quotes");
  EXPECT_EQ(accepted_wrongly("[]\0"sv), "a NUL between tokens");
  EXPECT_EQ(accepted_wrongly("[] []"), "something after the value");
}

TEST(Comparison, TellsTheWaysToMisspellUtf8Apart) {
  EXPECT_EQ(accepted_wrongly("[\"\xFF\"]"), "bytes that are not UTF-8");
  EXPECT_EQ(accepted_wrongly("[\"\xC0\x80\"]"), "an overlong form of UTF-8");
  EXPECT_EQ(accepted_wrongly("[\"\xED\xA0\x80\"]"), "a surrogate written as UTF-8");
  EXPECT_EQ(accepted_wrongly("[\"\xF4\x90\x80\x80\"]"), "a character beyond U+10FFFF");
}

TEST(Comparison, LeavesToTheParserWhatTheGrammarLeavesToIt) {
  for (const char* text : {R"({"a":1,"a":2})", "[1e400]", R"(["\ud800"])", "1", "\"lone\""}) {
    EXPECT_FALSE(compare(text, kAccepted)) << text;
    EXPECT_FALSE(compare(text, kRefused)) << text;
  }
  EXPECT_EQ(changed(R"({"a":1,"a":2})", R"({"a":1})"), "");
}

TEST(Comparison, SaysWhatMustBeAccepted) {
  EXPECT_EQ(compare("[\"\\u0000\"]", kRefused)->what, "an escaped NUL");
  EXPECT_EQ(compare(std::string(100, '[') + std::string(100, ']'), kRefused)->what, "deep nesting");
  EXPECT_EQ(compare("[1]", kRefused)->kind, Kind::kRefuses);
}

TEST(Comparison, SeesValuesThatChanged) {
  EXPECT_EQ(changed("[9007199254740993]", "[9007199254740992]"), "a number beyond 53 bits");
  EXPECT_EQ(changed("[7]", "[8]"), "an integer");
  EXPECT_EQ(changed("[7]", "[7.0]"), "");
  EXPECT_EQ(changed("[0.1]", "[0.10000000000000001]"), "");
  EXPECT_EQ(changed("[0.1]", "[0.1001]"), "a number with a fraction");
  EXPECT_EQ(changed("[\"a\\u0000b\"]", "[\"a\"]"), "a string with a NUL in it");
  EXPECT_EQ(changed("{\"a\":1}", "{}"), "the members of an object");
  EXPECT_EQ(changed("[1]", "[1"), "the text into something that is not JSON");
}

TEST(Comparison, HoldsAParserOfMessagesToJsonRpc) {
  constexpr std::string_view kWrong = R"({"jsonrpc":"1.0","method":"ping"})";
  EXPECT_FALSE(compare(kWrong, kAccepted));
  EXPECT_EQ(compare(kWrong, kAccepted, ParserLevel::kMessage)->what,
            "no message: jsonrpc is not \"2.0\"");
  EXPECT_FALSE(compare(kWrong, kRefused, ParserLevel::kMessage));
}

}  // namespace
}  // namespace assay::harness
