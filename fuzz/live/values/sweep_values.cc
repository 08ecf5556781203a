#include "fuzz/live/values/sweep_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace assay::fuzz {
namespace {

// What stands in `text` as it is sent.
struct Plain {
  std::string_view label;
  std::string_view text;
};

constexpr Plain kPlain[] = {
    {"absent", ""},
    // Other types.
    {"null", "null"},
    {"true", "true"},
    {"false", "false"},
    {"zero", "0"},
    {"one", "1"},
    {"minus-one", "-1"},
    {"fraction", "1.5"},
    {"empty-string", R"("")"},
    {"letter", R"("a")"},
    {"empty-array", "[]"},
    {"empty-object", "{}"},
    {"array-of-null", "[null]"},
    {"array-of-array", "[[]]"},
    {"object", R"({"a":1})"},
    {"two-strings", R"(["a","b"])"},
    // Boundaries of 32, 53 and 64 bits, and beyond a double.
    {"127", "127"},
    {"255", "255"},
    {"65536", "65536"},
    {"2^31-1", "2147483647"},
    {"2^31", "2147483648"},
    {"-2^31", "-2147483648"},
    {"-2^31-1", "-2147483649"},
    {"2^32-1", "4294967295"},
    {"2^32", "4294967296"},
    {"2^53-1", "9007199254740991"},
    {"2^53", "9007199254740992"},
    {"2^53+1", "9007199254740993"},
    {"-2^53-1", "-9007199254740993"},
    {"2^63-1", "9223372036854775807"},
    {"2^63", "9223372036854775808"},
    {"-2^63", "-9223372036854775808"},
    {"-2^63-1", "-9223372036854775809"},
    {"2^64-1", "18446744073709551615"},
    {"2^64", "18446744073709551616"},
    {"2^128", "340282366920938463463374607431768211456"},
    {"minus-zero", "-0"},
    {"minus-zero-point", "-0.0"},
    {"tiny", "5e-324"},
    {"below-tiny", "1e-400"},
    {"largest-double", "1.7976931348623157e308"},
    {"beyond-double", "1e309"},
    {"minus-beyond-double", "-1e309"},
    {"1e20", "1e20"},
    {"point-zero", "1.0"},
    // Numbers as texts.
    {"text-zero", R"("0")"},
    {"text-minus-one", R"("-1")"},
    {"text-2^31", R"("2147483648")"},
    {"text-2^53+1", R"("9007199254740993")"},
    {"text-2^63", R"("9223372036854775808")"},
    {"text-2^64", R"("18446744073709551616")"},
    {"text-forty-digits", R"("9999999999999999999999999999999999999999")"},
    {"text-fraction", R"("1.5")"},
    {"text-exponent", R"("1e309")"},
    {"text-hex", R"("0x7fffffff")"},
    {"text-nan", R"("NaN")"},
    {"text-infinity", R"("-Infinity")"},
    {"text-leading-zero", R"("007")"},
    {"text-null", R"("null")"},
    {"text-true", R"("true")"},
    // Every trouble that a text can be.
    {"space", R"(" ")"},
    {"newline", R"("\n")"},
    {"lines", R"("a\r\nb\rc\n")"},
    {"tab", R"("\t")"},
    {"nul", R"("\u0000")"},
    {"nul-inside", R"("a\u0000b")"},
    {"controls", R"("\u0001\u0008\u000b\u000c\u001b\u007f\u0085")"},
    {"lone-high", R"("\ud800")"},
    {"lone-low", R"("\udc00")"},
    {"swapped-surrogates", R"("\ude00\ud83d")"},
    {"emoji", "\"\xF0\x9F\x98\x80\""},
    {"emoji-family", "\"\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7\""},
    {"last-character", R"("\udbff\udfff")"},
    {"noncharacter", R"("\uffff\ufffe\ufdd0")"},
    {"byte-order-mark", R"("\ufeffa")"},
    {"combining", R"("e\u0301\u0301\u0301")"},
    {"right-to-left", R"("\u202eabc\u202c\u05d0")"},
    {"zero-width", R"("a\u200bb\u2060")"},
    {"line-separator", R"("a\u2028b\u2029")"},
    {"grows-in-upper-case", R"("\u00df\ufb03")"},
    {"grows-in-lower-case", R"("\u0130")"},
    {"other-digits", R"("\u0661\u0662\u0663")"},
    {"full-width", R"("\uff0e\uff0e\uff0f")"},
    // Dates and times.
    {"no-date", R"("2024-02-30")"},
    {"leap-day", R"("2023-02-29")"},
    {"zero-date", R"("0000-00-00")"},
    {"last-date", R"("9999-12-31T23:59:59.999999999Z")"},
    {"wide-year", R"("+275760-09-13T00:00:00.001Z")"},
    {"leap-second", R"("2016-12-31T23:59:60Z")"},
    {"wide-offset", R"("1970-01-01T00:00:00+25:61")"},
    {"hour-25", R"("2024-01-01T25:00:00Z")"},
    {"before-epoch", R"("1969-12-31T23:59:59Z")"},
    // Paths and addresses.
    {"dot", R"(".")"},
    {"dot-dot", R"("..")"},
    {"root", R"("/")"},
    {"up", R"("../../../../../../etc/passwd")"},
    {"up-encoded", R"("%2e%2e%2f%2e%2e%2fetc%2fpasswd")"},
    {"up-backslash", R"("..\\..\\..\\windows\\win.ini")"},
    {"absolute", R"("/etc/passwd")"},
    {"nul-path", R"("a\u0000.txt")"},
    {"file-uri", R"("file:///etc/passwd")"},
    {"home", R"("~")"},
    {"bad-percent", R"("%zz%")"},
    {"no-host", R"("http://")"},
    {"open-bracket-host", R"("http://[::1")"},
    {"wide-port", R"("http://127.0.0.1:99999/")"},
    {"no-port-here", R"("http://127.0.0.1:1/")"},
    {"no-scheme", R"("://")"},
    {"data-uri", R"("data:;base64,%")"},
    {"mail", R"("a@")"},
    {"uuid", R"("00000000-0000-0000-0000-00000000000g")"},
    // What languages inside of languages trip over.
    {"format", R"("%s%n%d%999999999d")"},
    {"braces", R"("{}{0}{a}${b}{{c}}")"},
    {"quote", R"("'")"},
    {"quotes", R"("'\"`\\")"},
    {"sql", R"("' OR '1'='1' --")"},
    {"markup", R"("<a href='&x;'>]]>")"},
    {"doctype", R"("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>")"},
    {"open-group", R"("((((")"},
    {"open-class", R"("[a-")"},
    {"wide-repeat", R"("a{1,99999}{1,99999}")"},
    {"slow-pattern", R"("(a+)+$")"},
    {"back-reference", R"("(a)\\1\\9")"},
    {"star", R"("*")"},
    {"header", R"("a\r\nX-Assay: 1")"},
    {"proto", R"("__proto__")"},
    {"constructor", R"("constructor")"},
    {"has-own", R"("hasOwnProperty")"},
    {"proto-object", R"({"__proto__":{"a":null,"toString":null}})"},
    {"json", R"("{\"a\":[1,{}]}")"},
    {"open-json", R"("{\"a\":")"},
    {"base64", R"("AAAA====")"},
    {"base64-json", R"("eyJhIjoxfQ==")"},
    {"duplicate-member", R"({"a":1,"a":2})"},
};

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

struct Large {
  std::string_view label;
  std::string (*make)();
};

constexpr Large kLarge[] = {
    {"length-127", [] { return quoted(repeated("a", 127)); }},
    {"length-256", [] { return quoted(repeated("a", 256)); }},
    {"length-300", [] { return quoted(repeated("a", 300)); }},
    {"length-4096", [] { return quoted(repeated("a", 4096)); }},
    {"slow-to-match-28", [] { return quoted(repeated("a", 28) + "!"); }},
    {"slow-to-match-spaces", [] { return quoted("a" + repeated(" ", 5000) + "b"); }},
    {"slow-to-match-3000", [] { return quoted(repeated("a", 3000) + "!"); }},
    {"slow-to-match-words", [] { return quoted(repeated("a.", 40) + "@"); }},
    {"slow-to-match-digits", [] { return quoted(repeated("1", 3000) + "x"); }},
    {"many-combining", [] { return quoted("e" + repeated("\\u0301", 500)); }},
    {"wide-500", [] { return "[0" + repeated(",0", 499) + "]"; }},
    {"deep-10", [] { return repeated("[", 10) + repeated("]", 10); }},
    {"deep-100", [] { return repeated("[", 100) + repeated("]", 100); }},
    {"deep-object-100", [] { return repeated(R"({"a":)", 100) + "1" + repeated("}", 100); }},
    {"deep-text-1000", [] { return quoted(repeated("(", 1000) + repeated(")", 1000)); }},
    {"deep-1000", [] { return repeated("[", 1000) + repeated("]", 1000); }},
    {"length-65536", [] { return quoted(repeated("a", 65536)); }},
    {"deep-text-10000", [] { return quoted(repeated("(", 10'000) + repeated(")", 10'000)); }},
    {"deep-10000", [] { return repeated("[", 10'000) + repeated("]", 10'000); }},
    {"deep-100000", [] { return repeated("[", 100'000) + repeated("]", 100'000); }},
    {"length-1048576", [] { return quoted(repeated("a", 1u << 20)); }},
};

constexpr std::string_view kPaired[] = {"absent", "null",         "minus-one",   "2^31-1",
                                        "2^63-1", "empty-string", "nul",         "lone-high",
                                        "up",     "length-300",   "empty-array", "object"};

std::vector<std::size_t> find_paired() {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < count_swept_values(); ++i) {
    const std::string_view label =
        i < std::size(kPlain) ? kPlain[i].label : kLarge[i - std::size(kPlain)].label;
    if (std::find(std::begin(kPaired), std::end(kPaired), label) != std::end(kPaired)) {
      found.push_back(i);
    }
  }
  return found;
}

}  // namespace

std::size_t count_swept_values() {
  return std::size(kPlain) + std::size(kLarge);
}

SweptValue swept_value(std::size_t index) {
  if (index < std::size(kPlain)) {
    return {std::string(kPlain[index].label), std::string(kPlain[index].text)};
  }
  const Large& large = kLarge[index - std::size(kPlain)];
  return {std::string(large.label), large.make()};
}

std::span<const std::size_t> paired_values() {
  static const std::vector<std::size_t> kIndexes = find_paired();
  return kIndexes;
}

}  // namespace assay::fuzz
