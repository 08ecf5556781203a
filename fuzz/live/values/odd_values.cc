#include "fuzz/live/values/odd_values.h"

#include <fmt/format.h>

#include <cstddef>

namespace assay::fuzz {
namespace {

struct Entry {
  std::string_view label;
  std::string_view text;
};

constexpr Entry kStrings[] = {
    {"empty-string", R"("")"},
    {"space", R"(" ")"},
    {"nul-escape", R"("a\u0000b")"},
    {"lone-surrogate", R"("\ud800")"},
    {"lone-low-surrogate", R"("x\udc00y")"},
    {"two-high-surrogates", R"("\ud800\ud801")"},
    {"emoji", "\"\xF0\x9F\x92\xA5\""},
    {"escaped-emoji", R"("\ud83d\ude00")"},
    {"newline-escape", R"("a\nb\r\nc")"},
    {"controls", R"("\u0001\u001b[31m\u007f\u0085\u2028")"},
    {"format", R"("%s%n%x{}${x}{0}")"},
    {"proto", R"("__proto__")"},
    {"constructor", R"("constructor")"},
    {"dots", R"("../../..")"},
    {"slash", R"("\/")"},
    {"null-word", R"("null")"},
    {"number-word", R"("-1")"},
    {"uri", R"("assay-no-such://host:99999/%zz?#")"},
};

constexpr Entry kScalars[] = {
    {"null", "null"},
    {"true", "true"},
    {"false", "false"},
    {"zero", "0"},
    {"minus-one", "-1"},
    {"minus-zero", "-0"},
    {"fraction", "1.5"},
    {"point-zero", "1.0"},
    {"exponent", "1e3"},
    {"beyond-double", "1e400"},
    {"tiny", "1e-400"},
    {"2^31", "2147483648"},
    {"2^53+1", "9007199254740993"},
    {"2^63-1", "9223372036854775807"},
    {"2^63", "9223372036854775808"},
    {"2^64", "18446744073709551616"},
    {"-2^63-1", "-9223372036854775809"},
    {"long-number", "123456789012345678901234567890123456789012345678901234567890"},
};

constexpr Entry kStructures[] = {
    {"empty-object", "{}"},
    {"empty-array", "[]"},
    {"array-of-null", "[null]"},
    {"object", R"({"a":{"b":[1,2,3]}})"},
    {"proto-object", R"({"__proto__":{"assay":null,"toString":null},"constructor":{"prototype":{}}})"},
    {"duplicate-member", R"({"a":1,"a":2})"},
    {"empty-name", R"({"":1})"},
};

// Repeats `text`.
std::string times(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

OddValue long_string(model::Random& random) {
  static constexpr std::size_t kSizes[] = {300, 300, 5000, 70'000};
  const std::size_t size = random.chance(3) ? 300'000 : random.pick(kSizes);
  return {"long-string", "\"" + times("A", size) + "\""};
}

// Another one each time: what takes it for a number finds that nothing has that number for its id.
OddValue digits(model::Random& random) {
  return {"digits", fmt::format("\"{}\"", 1'000'000'000 + random.below(1'000'000'000))};
}

OddValue deep_value(model::Random& random) {
  static constexpr std::size_t kDepths[] = {40, 40, 130, 600, 3000};
  const std::size_t depth = random.chance(3) ? 20'000 : random.pick(kDepths);
  if (random.chance(50)) return {"deep-array", times("[", depth) + times("]", depth)};
  return {"deep-object", times(R"({"a":)", depth) + "1" + times("}", depth)};
}

OddValue wide_value(model::Random& random) {
  const std::size_t count = random.chance(5) ? 20'000 : 200;
  if (random.chance(50)) return {"wide-array", "[0" + times(",0", count) + "]"};
  std::string text = "{\"k\":0";
  for (std::size_t i = 0; i < count; ++i) text += fmt::format(",\"k{}\":0", i);
  return {"wide-object", text + "}"};
}

OddValue pick(model::Random& random, const Entry* entries, std::size_t count) {
  const Entry& entry = entries[random.below(count)];
  return {entry.label, std::string(entry.text)};
}

}  // namespace

OddValue odd_string(model::Random& random) {
  if (random.chance(5)) return long_string(random);
  return pick(random, kStrings, std::size(kStrings));
}

OddValue odd_value(model::Random& random) {
  const std::size_t roll = random.below(100);
  if (roll < 40) return pick(random, kScalars, std::size(kScalars));
  if (roll < 75) return pick(random, kStrings, std::size(kStrings));
  if (roll < 92) return pick(random, kStructures, std::size(kStructures));
  if (roll < 95) return long_string(random);
  if (roll < 98) return deep_value(random);
  return wide_value(random);
}

OddValue odd_id(model::Random& random) {
  const std::size_t roll = random.below(100);
  if (roll < 50) return pick(random, kScalars, std::size(kScalars));
  if (roll < 88) return pick(random, kStrings, std::size(kStrings));
  if (roll < 92) return digits(random);
  if (roll < 97) return pick(random, kStructures, std::size(kStructures));
  return long_string(random);
}

std::string with_value(Json message, const Json::json_pointer& pointer, std::string_view text) {
  if (pointer.empty()) return std::string(text);
  static constexpr std::string_view kPlace = "assay-place-of-an-odd-value";
  message[pointer] = kPlace;
  std::string out = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string quoted = "\"" + std::string(kPlace) + "\"";
  if (const std::size_t at = out.find(quoted); at != std::string::npos) {
    out.replace(at, quoted.size(), text);
  }
  return out;
}

}  // namespace assay::fuzz
