// Makes text of an untrusted target harmless before a writer shows it.
//
// A target may put terminal escapes, control characters, bidirectional overrides, invalid UTF-8 or
// megabytes into a name, an error or stderr. What cannot be shown as itself is spelled out:
// a code point as <U+202E>, a byte that is no UTF-8 as <0xFF>. The result is valid UTF-8 and legal
// in XML 1.0; each writer still quotes it for its own syntax.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay::reports {

// One step through text that claims to be UTF-8.
struct CodePoint {
  std::uint32_t value = 0;  // the byte itself if it is invalid
  std::size_t size = 1;     // in bytes
  bool is_valid = true;     // shortest form, no surrogate, at most U+10FFFF
};
// The code point at the start of `text`, which is not empty.
CodePoint first_code_point(std::string_view text);

// Invisible, or able to change how its surroundings are shown: controls, bidirectional marks,
// zero-width characters, line separators, noncharacters, tags.
bool is_unsafe(std::uint32_t code_point);

// For one line: newline and tab are spelled out as well.
std::string printable_line(std::string_view text);
// For several lines: newline and tab stay; CR LF becomes newline.
std::string printable_text(std::string_view text);
// Only makes it UTF-8: each invalid byte becomes U+FFFD. For formats with escapes of their own.
std::string valid_utf8(std::string_view text);

// A JSON text that says the same, with what is_unsafe() written as \uXXXX: nothing takes effect on
// a terminal that shows it. Invalid bytes become U+FFFD.
std::string safe_json(std::string_view json);

// At most `max_bytes` of `text`, ending between code points; what was left out is said behind it:
// "abc [cut: 4096 more bytes]". Text within the bound is returned as it is.
std::string cut(std::string_view text, std::size_t max_bytes);

// Number of code points: the columns that it takes on a terminal, wide characters apart.
std::size_t columns(std::string_view text);
// One argument of a POSIX shell command, quoted if it must be, on one line and printable: what is
// not stands as "$(printf 'a\\012b')". (A shell cannot hold a NUL, and drops newlines at the end of
// such a word.)
std::string shell_word(std::string_view word);

}  // namespace assay::reports
