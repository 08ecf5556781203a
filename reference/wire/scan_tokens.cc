#include <simdjson.h>

#include "reference/wire/first_stage.h"

namespace assay::wire {
namespace {

bool is_white(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_mark(char c) {
  return c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',';
}

// Where a string ends: after its closing quote. `error` says what is wrong with it.
std::size_t end_of_quotation(std::string_view text, std::size_t at, TokenError& error) {
  bool is_escaped = false;
  for (++at; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' && !is_escaped) return at + 1;
    if (static_cast<unsigned char>(c) < 0x20) error = TokenError::kControlCharacter;
    is_escaped = c == '\\' && !is_escaped;
  }
  error = TokenError::kOpenString;
  return text.size();
}

}  // namespace

ScannedTokens scan_tokens(std::string_view text) {
  ScannedTokens out;
  if (text.size() > UINT32_MAX - 1) return {{}, TokenError::kTooLarge};
  if (!simdjson::validate_utf8(text)) return {{}, TokenError::kNotUtf8};
  bool is_in_run = false;  // of characters that are none of the above; a quote in it begins nothing
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (!is_white(c) && !is_in_run) out.starts.push_back(static_cast<std::uint32_t>(at));
    if (is_mark(c) && is_in_run) out.starts.push_back(static_cast<std::uint32_t>(at));
    is_in_run = !is_white(c) && !is_mark(c) && c != '"';
    // Outside a string a backslash hides a quote, too.
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    if (c == '"') {
      at = end_of_quotation(text, at, out.error);
    } else {
      at += c == '\\' && (next == '"' || next == '\\') ? 2 : 1;
    }
  }
  if (out.error == TokenError::kNone && out.starts.empty()) out.error = TokenError::kEmpty;
  if (out.error != TokenError::kNone) out.starts.clear();
  return out;
}

}  // namespace assay::wire
