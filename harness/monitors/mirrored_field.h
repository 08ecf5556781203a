// What a header field that repeats a part of a message says, and how.
//
// Specification of 2026-07-28: basic/transports/streamable-http, "Value Encoding".
#pragma once

#include <string>
#include <string_view>

#include "reference/wire/json.h"

namespace assay::harness {

struct MirroredField {
  bool is_right = false;           // it says what is meant, in one way or another
  bool is_encoded = false;         // between the marks of Base64, in whatever case they are
  bool has_exact_markers = false;  // and they stand as the text has them
};

// `meant`: the text of the body's value.
MirroredField read_mirrored_field(std::string_view field, std::string_view meant);

// Whether the text has to stand in Base64, beyond any doubt. A tab within it may be read both ways.
bool needs_base64(std::string_view text);

// The text that a header repeats an integer, a text or a boolean by.
std::string header_text(const Json& value);

// Whether the field, read as it may be encoded, is that integer: "42.0" is 42.
bool is_same_integer(std::string_view field, const Json& value);

}  // namespace assay::harness
