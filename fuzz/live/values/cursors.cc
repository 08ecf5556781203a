#include "fuzz/live/values/cursors.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "fuzz/live/values/odd_values.h"
#include "fuzz/live/values/sweep_values.h"
#include "reference/wire/base64.h"
#include "reference/wire/json.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kMostCursorPlaces = 16;
constexpr std::size_t kLongestCursorValue = 4096;
constexpr std::string_view kCursorNumbers[] = {"-1",
                                               "0",
                                               "1",
                                               "2147483647",
                                               "2147483648",
                                               "4294967296",
                                               "-2147483648",
                                               "9007199254740993",
                                               "9223372036854775807",
                                               "9223372036854775808",
                                               "-9223372036854775808",
                                               "18446744073709551615",
                                               "18446744073709551616",
                                               "99999999999999999999999999999999999999999",
                                               "1e309",
                                               "NaN",
                                               "-0",
                                               "1.5",
                                               "",
                                               "x",
                                               "0x10"};

// How the cursor is packed.
struct Packing {
  bool is_base64 = false;
  bool is_url = false;  // "-" and "_" in place of "+" and "/"
  bool lacks_padding = false;
  std::string inside;
};

std::optional<Packing> unpack(std::string_view cursor) {
  Packing packing;
  std::string text(cursor);
  packing.is_url = text.find_first_of("-_") != std::string::npos;
  packing.lacks_padding = text.size() % 4 != 0;
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  while (text.size() % 4 != 0) text += '=';
  const auto decoded = wire::decode_base64(text);
  const auto is_printable = [](const std::string& bytes) {
    return !bytes.empty() && std::all_of(bytes.begin(), bytes.end(),
                                         [](unsigned char c) { return c >= 0x20 && c < 0x7f; });
  };
  // A number reads as base64, too, and then stands for nothing that can be printed.
  packing.is_base64 = decoded && is_printable(*decoded);
  packing.inside = packing.is_base64 ? *decoded : std::string(cursor);
  return packing;
}

std::string pack(const Packing& packing, std::string inside) {
  if (!packing.is_base64) return inside;
  std::string text = wire::encode_base64(inside);
  if (packing.lacks_padding) {
    while (text.ends_with('=')) text.pop_back();
  }
  if (packing.is_url) {
    std::replace(text.begin(), text.end(), '+', '-');
    std::replace(text.begin(), text.end(), '/', '_');
  }
  return text;
}

void add_cursor_places(const Json& value, const Json::json_pointer& at,
                       std::vector<Json::json_pointer>& places) {
  if (places.size() >= kMostCursorPlaces) return;
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) add_cursor_places(member, at / key, places);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) add_cursor_places(value[i], at / i, places);
  }
  places.push_back(at);
}

// The run of digits in `text`, changed.
void change_digits(const Packing& packing, std::vector<std::string>& out) {
  const std::string& text = packing.inside;
  const std::size_t begin = text.find_first_of("0123456789");
  if (begin == std::string::npos) return;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  for (const std::string_view number : kCursorNumbers) {
    out.push_back(pack(packing, text.substr(0, begin) + std::string(number) + text.substr(end)));
  }
}

}  // namespace

std::vector<std::string> changed_cursors(std::string_view cursor) {
  std::vector<std::string> out;
  const auto packing = unpack(cursor);
  if (!packing) return out;
  const Json json = Json::parse(packing->inside, nullptr, false);
  if (json.is_discarded() || !json.is_structured()) {
    change_digits(*packing, out);
    return out;
  }
  std::vector<Json::json_pointer> places;
  add_cursor_places(json, Json::json_pointer(), places);
  for (const auto& at : places) {
    for (std::size_t i = 0; i < count_swept_values(); ++i) {
      const SweptValue value = swept_value(i);
      if (value.text.empty() || value.text.size() > kLongestCursorValue) continue;
      out.push_back(pack(*packing, with_value(json, at, value.text)));
    }
  }
  return out;
}

}  // namespace assay::fuzz
