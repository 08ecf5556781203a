#include "harness/parsers/case_maker.h"

#include <iterator>
#include <string_view>

#include "reference/model/compiled.h"
#include "reference/model/generate.h"
#include "reference/model/mutate.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using model::Direction;
using model::Revision;

using namespace std::string_view_literals;

// One question each, in as few bytes as will do.
constexpr std::string_view kQuestions[] = {
    R"({"jsonrpc":"2.0","id":1,"method":"ping"})"sv,
    ""sv,
    " \n\t\r"sv,
    "[1]garbage"sv,
    "[1] [2]"sv,
    "[1]\0"sv,
    "[1]\0garbage"sv,
    "\xEF\xBB\xBF[1]"sv,
    "[1,]"sv,
    "[,1]"sv,
    "[1,,2]"sv,
    R"({"a":1,})"sv,
    R"({,"a":1})"sv,
    R"({"a" 1})"sv,
    R"({"a":})"sv,
    R"({a:1})"sv,
    R"({'a':1})"sv,
    R"({1:1})"sv,
    "['a']"sv,
    "[1 2]"sv,
    "[1"sv,
    R"({"a":1)"sv,
    "[1}"sv,
    "[\"a]"sv,
    "[/*c*/1]"sv,
    "[1] // c"sv,
    "# c\n[1]"sv,
    "[NaN]"sv,
    "[Infinity]"sv,
    "[-Infinity]"sv,
    "[nan]"sv,
    "[True]"sv,
    "[nul]"sv,
    "[truefalse]"sv,
    "[TRUE]"sv,
    "[undefined]"sv,
    "[01]"sv,
    "[-01]"sv,
    "[+1]"sv,
    "[1.]"sv,
    "[.5]"sv,
    "[-.5]"sv,
    "[-]"sv,
    "[1e]"sv,
    "[1e+]"sv,
    "[1.e3]"sv,
    "[0x10]"sv,
    "[1_000]"sv,
    "[--1]"sv,
    "[1-1]"sv,
    "[\"a\tb\"]"sv,
    "[\"a\nb\"]"sv,
    "[\"a\0b\"]"sv,
    "[\"a\x1F\"]"sv,
    "[\"\x7F\"]"sv,
    "[\"\\x41\"]"sv,
    "[\"\\'\"]"sv,
    "[\"\\a\"]"sv,
    "[\"\\\n\"]"sv,
    "[\"\\u12\"]"sv,
    "[\"\\u12G4\"]"sv,
    "[\"\\U0041\"]"sv,
    "[\"\\ud800\"]"sv,
    "[\"\\udc00\\ud800\"]"sv,
    "[\"\\ud83d\\ude00\"]"sv,
    "[\"\\u0000\"]"sv,
    "[\"a\\u0000b\"]"sv,
    R"({"a\u0000b":1,"a":2})"sv,
    "[\"\xFF\"]"sv,
    "[\"\x80\"]"sv,
    "[\"\xC3\"]"sv,
    "[\"\xC0\x80\"]"sv,
    "[\"\xE0\x80\xAF\"]"sv,
    "[\"\xED\xA0\x80\"]"sv,
    "[\"\xF4\x90\x80\x80\"]"sv,
    "[\"\xF8\x88\x80\x80\x80\"]"sv,
    "[1]\xFF"sv,
    "[\xC2\xA0"
    "1]"sv,
    "[\f1]"sv,
    "[\v1]"sv,
    "\0[1]"sv,
    "[1\0]"sv,
    R"({"a":1,"a":2})"sv,
    R"({"":0})"sv,
    "[9007199254740993]"sv,
    "[9223372036854775807]"sv,
    "[9223372036854775808]"sv,
    "[18446744073709551615]"sv,
    "[-9223372036854775808]"sv,
    "[123456789012345678901234567890]"sv,
    "[1e400]"sv,
    "[-1e400]"sv,
    "[1e-400]"sv,
    "[0.1]"sv,
    "[1E5]"sv,
    "[-0]"sv,
    "[-0.0]"sv,
    "[1.7976931348623157e308]"sv,
    "[5e-324]"sv,
    "[0.30000000000000004]"sv,
    R"(["\"\\\/\b\f\n\r\t\u00e9"])"sv,
    "[true,false,null,[],{}]"sv,
};

// What to put into a message, in the places where a token may stand.
constexpr std::string_view kPieces[] = {","sv,
                                        ":"sv,
                                        "]"sv,
                                        "}"sv,
                                        "["sv,
                                        "{"sv,
                                        "\""sv,
                                        "'"sv,
                                        "\\"sv,
                                        "//"sv,
                                        "/**/"sv,
                                        "#"sv,
                                        "-"sv,
                                        "+"sv,
                                        "."sv,
                                        "0"sv,
                                        "e"sv,
                                        "E9"sv,
                                        "1e400"sv,
                                        "NaN"sv,
                                        "Infinity"sv,
                                        "tru"sv,
                                        "null"sv,
                                        "\0"sv,
                                        "\t"sv,
                                        "\n"sv,
                                        "\r"sv,
                                        "\f"sv,
                                        "\x80"sv,
                                        "\xC0\x80"sv,
                                        "\xED\xA0\x80"sv,
                                        "\xF4\x90\x80\x80"sv,
                                        "\xEF\xBB\xBF"sv,
                                        "\xC2\xA0"sv,
                                        "\\u0000"sv,
                                        "\\ud800"sv,
                                        "\\x41"sv,
                                        "\\u12"sv,
                                        "\\/"sv,
                                        "12345678901234567890"sv,
                                        "9007199254740993"sv,
                                        "0.1"sv,
                                        "\"a\":1,"sv,
                                        "[]"sv,
                                        "{}"sv};

constexpr std::size_t kDeepest = 1000;
constexpr std::size_t kLongest = 4096;

}  // namespace

std::string CaseMaker::next() {
  const std::size_t number = made_++;
  if (number < std::size(kQuestions)) return std::string(kQuestions[number]);
  if (random_.below(200) == 0) {  // within our own limit of 512, and beyond what many hold
    const std::size_t depth = 1 + random_.below(random_.chance(50) ? 512 : kDeepest);
    return std::string(depth, '[') + std::string(depth, ']');
  }
  std::string text = random_.chance(30)
                         ? std::string(kQuestions[random_.below(std::size(kQuestions))])
                         : message();
  for (std::size_t changes = random_.below(4); changes > 0; --changes) change(text);
  if (text.size() > kLongest) text.resize(kLongest);
  return text;
}

std::string CaseMaker::message() {
  const Revision revision = random_.pick(Revision::all());
  const Direction direction =
      random_.chance(70) ? Direction::kClientToServer : Direction::kServerToClient;
  const auto& methods = model::Compiled::of(revision).methods(direction);
  if (methods.empty()) return "{}";
  const auto method =
      std::next(methods.begin(), static_cast<std::ptrdiff_t>(random_.below(methods.size())));
  const auto message =
      model::generate_message(revision, direction, method->first, random_, random_.below(4));
  if (!message) return "{}";
  if (random_.below(4) != 0) return wire::encode(*message);
  const auto broken = model::message_mutations(revision, direction, *message);
  return wire::encode(broken.empty() ? *message : random_.pick(broken).value);
}

void CaseMaker::change(std::string& text) {
  if (text.empty()) text = "[]";
  const std::size_t at = random_.below(text.size() + 1);
  const std::size_t length = 1 + random_.below(4);
  switch (random_.below(5)) {
    case 0:
    case 1:
      text.insert(at, kPieces[random_.below(std::size(kPieces))]);
      return;
    case 2:
      text.erase(at, length);
      return;
    case 3:
      text.insert(at, text.substr(random_.below(text.size()), length));
      return;
    default:
      if (at < text.size()) text[at] = static_cast<char>(random_.below(256));
  }
}

}  // namespace assay::harness
