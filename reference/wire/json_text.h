// The lexical pieces of JSON text (RFC 8259): numbers and string escapes, as they stand in the
// bytes.
//
// Private to the wire layer. Nothing here allocates more than a copy of its argument.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace assay::wire {

// Equality with a literal, as one or two machine instructions.
template <std::size_t kSize>
bool is(std::string_view text, const char (&literal)[kSize]) {
  return text.size() == kSize - 1 && std::memcmp(text.data(), literal, kSize - 1) == 0;
}

enum class NumberForm {
  kNone,      // no JSON number
  kInteger,   // no fraction, no exponent
  kFraction,  // with a fraction or an exponent
};

// What the whole of `text` is.
NumberForm number_form(std::string_view text);

// True if the JSON number `text` is larger in magnitude than any double.
bool exceeds_double(std::string_view text);

// What the escapes in a JSON string amount to.
struct Escapes {
  bool is_valid = true;             // each is one that RFC 8259 knows
  bool has_lone_surrogate = false;  // one names half of a surrogate pair only
};

// Looks at `content`, a string's text between its quotes.
Escapes check_escapes(std::string_view content);

// What a lone surrogate becomes.
enum class LoneSurrogate {
  kKeep,     // three bytes as if it were a character: no UTF-8, but different ones stay different
  kReplace,  // U+FFFD
};

// The value of a JSON string whose escapes are valid; `content` is the text between its quotes.
std::string unescape(std::string_view content, LoneSurrogate lone);

// `text` as a JSON string, with quotes. Bytes that are not UTF-8 become U+FFFD.
std::string quote(std::string_view text);

// Rewrites valid JSON text so that every parser can hold it: lone surrogates become U+FFFD and
// numbers beyond a double become the largest finite double of that sign.
std::string repair(std::string_view json);

}  // namespace assay::wire
