#include "fuzz/live/target/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "reports/escape.h"

namespace assay::fuzz {

std::uint64_t hash(std::string_view text, std::uint64_t seed) {
  for (const char c : text) {
    seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return seed;
}

std::string short_hash(std::string_view text) {
  const std::uint64_t wide = hash(text);
  return fmt::format("{:08x}", static_cast<std::uint32_t>(wide ^ (wide >> 32)));
}

std::string shown(std::string_view text, std::size_t most) {
  return reports::printable_line(reports::cut(text, most));
}

std::string last_words(const std::string& stderr_tail) {
  std::string last;
  for_each_line(stderr_tail, [&](std::string_view line) {
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) last = std::string(line);
  });
  return last.empty() ? "" : fmt::format("; its last words: {}", shown(last));
}

std::string cause_of_death(const std::string& stderr_tail) {
  static constexpr std::string_view kMarks[] = {"Error",  "error:",    "panic",     "Assert",
                                                "assert", "terminate", "Exception", "FATAL"};
  std::string cause;
  for_each_line(stderr_tail, [&](std::string_view line) {
    const bool tells = std::any_of(std::begin(kMarks), std::end(kMarks), [&](std::string_view m) {
      return line.find(m) != std::string_view::npos;
    });
    if (tells && cause.empty()) cause = std::string(line.substr(0, 300));
  });
  std::string plain;
  for (const char c : cause) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (is_digit && !plain.empty() && plain.back() == '#') continue;
    plain += is_digit ? '#' : c;
  }
  return shown(plain, 120);
}

std::string text_member(const Json& object, const char* key) {
  const Json value = object.is_object() ? object.value(key, Json()) : Json();
  return value.is_string() ? value.get<std::string>() : std::string();
}

void replace_each(std::string& text, std::string_view what, std::string_view by) {
  if (what.empty()) return;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

std::string without_indexes(std::string_view pointer) {
  std::string out;
  std::size_t at = 0;
  while (at < pointer.size()) {
    const std::size_t end = std::min(pointer.find('/', at + 1), pointer.size());
    const std::string_view part = pointer.substr(at, end - at);
    const bool is_index =
        part.size() > 1 && std::all_of(part.begin() + 1, part.end(),
                                       [](unsigned char c) { return std::isdigit(c) != 0; });
    out += is_index ? std::string_view("/*") : part;
    at = end;
  }
  return out;
}

std::size_t nesting(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string) {
      if (c == '\\') ++i;
      if (c == '"') is_in_string = false;
      continue;
    }
    if (c == '"') is_in_string = true;
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return deepest;
}

}  // namespace assay::fuzz
