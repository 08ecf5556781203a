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

namespace {

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
}

// "TypeError: x is null", "builtins.KeyError", "panicked at src/main.rs:3".
bool names_exception(std::string_view line) {
  const std::string_view word = line.substr(0, line.find_first_of(": ("));
  return word.ends_with("Error") || word.ends_with("Exception") ||
         line.find("panicked at") != std::string_view::npos;
}

// Node.js names a place after the exception ("at f (file:///a.js:3:5)"), Python before it
// ("File "a.py", line 3, in f").
std::string_view place_in(std::string_view frame) {
  if (frame.starts_with("File ")) return frame;
  const std::size_t open = frame.find('(');
  if (open == std::string_view::npos) return frame.substr(3);
  return frame.substr(open + 1, frame.find(')', open) - open - 1);
}

}  // namespace

std::string last_words(const std::string& stderr_tail) {
  std::string last;
  std::string exception;
  std::string place;
  std::string_view file;
  for_each_line(stderr_tail, [&](std::string_view whole) {
    const std::string_view line = trimmed(whole);
    if (line.empty()) return;
    if (names_exception(line)) {
      exception = line;
      place = file;
    } else if (line.starts_with("at ") && !exception.empty() && place.empty()) {
      place = place_in(line);
    } else if (line.starts_with("File \"")) {
      file = line;
    }
    if (!line.starts_with("Node.js v")) last = line;
  });
  if (!exception.empty()) {
    last = place.empty() ? exception : fmt::format("{} ({})", shown(exception), place);
  }
  return last.empty() ? "" : fmt::format("; its last words: {}", shown(last, 240));
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
