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

// What stands before the exception: Python frames those of a group, others say that it was not caught
// it.
std::string_view without_frame(std::string_view line) {
  static constexpr std::string_view kWords[] = {"Uncaught ", "Unhandled exception. "};
  line.remove_prefix(std::min(line.find_first_not_of("|+- "), line.size()));
  for (const std::string_view word : kWords) {
    if (line.starts_with(word)) line.remove_prefix(word.size());
  }
  return line;
}

// Node.js names a place after the exception ("at f (file:///a.js:3:5)"), Python before it
// ("File "a.py", line 3, in f").
std::string_view place_in(std::string_view frame) {
  if (frame.starts_with("File ")) return frame;
  const std::size_t open = frame.find('(');
  if (open == std::string_view::npos) return frame.substr(3);
  return frame.substr(open + 1, frame.find(')', open) - open - 1);
}

// "a.js:3:5" of "file:///srv/a.js:3:5", `a.py", line 3, in f` of `File "/srv/a.py", line 3, in f`.
std::string_view without_folders(std::string_view place) {
  const std::size_t end = std::min(place.find_first_of(",?"), place.size());
  const std::size_t slash = place.substr(0, end).find_last_of("/\\\"", end == 0 ? 0 : end - 2);
  return slash == std::string_view::npos ? place : place.substr(slash + 1);
}

std::string without_numbers(std::string_view line) {
  std::string plain;
  for (const char c : line) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (is_digit && !plain.empty() && plain.back() == '#') continue;
    plain += is_digit ? '#' : c;
  }
  return plain;
}

std::string without_quotations(std::string_view line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    plain += c;
    // An apostrophe within a word opens nothing.
    const bool opens =
        c == '"' || c == '`' ||
        (c == '\'' && (i == 0 || std::isalnum(static_cast<unsigned char>(line[i - 1])) == 0));
    const std::size_t end = opens ? line.find(c, i + 1) : std::string_view::npos;
    if (end == std::string_view::npos) continue;
    plain += c;
    i = end;
  }
  return plain;
}

}  // namespace

Thrown thrown_in(std::string_view stderr_tail) {
  Thrown thrown;
  std::string_view file;
  for_each_line(stderr_tail, [&](std::string_view whole) {
    const std::string_view line = without_frame(trimmed(whole));
    if (names_exception(line)) {
      thrown.exception = line;
      thrown.place = file;
    } else if (line.starts_with("at ") && !thrown.exception.empty() && thrown.place.empty()) {
      thrown.place = place_in(line);
    } else if (line.starts_with("File \"")) {
      file = line;
    }
  });
  return thrown;
}

std::string last_words(const std::string& stderr_tail) {
  std::string last;
  for_each_line(stderr_tail, [&](std::string_view whole) {
    const std::string_view line = trimmed(whole);
    if (!line.empty() && !line.starts_with("Node.js v")) last = line;
  });
  const Thrown thrown = thrown_in(stderr_tail);
  if (!thrown.exception.empty()) {
    last = thrown.place.empty() ? thrown.exception
                                : fmt::format("{} ({})", shown(thrown.exception), thrown.place);
  }
  return last.empty() ? "" : fmt::format("; its last words: {}", shown(last, 240));
}

std::string cause_of_death(const std::string& stderr_tail) {
  static constexpr std::string_view kMarks[] = {"Error",  "error:",    "panic",     "Assert",
                                                "assert", "terminate", "Exception", "FATAL"};
  // Where it runs out of stack is a matter of chance.
  static constexpr std::string_view kAnywhere[] = {"call stack", "recursion"};
  const auto holds = [](std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
  };
  const Thrown thrown = thrown_in(stderr_tail);
  if (!thrown.exception.empty()) {
    const std::string words = shown(without_numbers(without_quotations(thrown.exception)), 120);
    const bool is_anywhere =
        std::any_of(std::begin(kAnywhere), std::end(kAnywhere),
                    [&](std::string_view word) { return holds(thrown.exception, word); });
    if (thrown.place.empty() || is_anywhere) return words;
    return fmt::format("{} ({})", words, shown(without_folders(thrown.place), 80));
  }
  std::string cause;
  for_each_line(stderr_tail, [&](std::string_view line) {
    const bool tells = std::any_of(std::begin(kMarks), std::end(kMarks),
                                   [&](std::string_view mark) { return holds(line, mark); });
    if (tells && cause.empty()) cause = std::string(line.substr(0, 300));
  });
  return shown(without_numbers(cause), 120);
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
