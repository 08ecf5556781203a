// Small things about texts: making them short, harmless and comparable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reference/wire/json.h"

namespace assay::fuzz {

// FNV-1a, continued from `seed`: the same on every platform.
std::uint64_t hash(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325u);

// Eight hexadecimal digits.
std::string short_hash(std::string_view text);

// One printable line of at most `most` bytes.
std::string shown(std::string_view text, std::size_t most = 160);

// What a process said on stderr before it ended, for the end of a sentence: the exception and its
// place where it names one, else its last line. Empty if it said nothing.
std::string last_words(const std::string& stderr_tail);

// The exception that ended a process, the last that its stderr names, and where it was thrown;
// empty where none is named.
struct Thrown {
  std::string exception;  // "TypeError: x is null"
  std::string place;      // "file:///srv/a.js:3:5", or `File "/srv/a.py", line 3, in f`
};
Thrown thrown_in(std::string_view stderr_tail);

// Why a process ended, as its stderr says: the exception and its place, or else the first line that
// speaks of an error. Without what differs from one death to the next: numbers, what is quoted, and
// folders. Empty if it does not say.
std::string cause_of_death(const std::string& stderr_tail);

// The text of that member; empty if it has none.
std::string text_member(const Json& object, const char* key);

// With `by` in place of each `what`, from left to right; what is put there is not looked into.
void replace_each(std::string& text, std::string_view what, std::string_view by);

// A pointer into a message with its array indexes as "*", so that the same mistake in two elements
// is one.
std::string without_indexes(std::string_view pointer);

// How deep the brackets of a JSON text nest, be it whole or not.
std::size_t nesting(std::string_view text);

// Calls `take(line)` for every line of `bytes`, without its newline, and for what is left at the
// end.
template <typename Take>
void for_each_line(std::string_view bytes, Take take) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    take(bytes.substr(0, end));
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
  }
}

}  // namespace assay::fuzz
