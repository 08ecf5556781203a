// What a string must look like where the specification names a format.
//
// Every format is also a regular expression (ECMA 262), so that the exported JSON Schema says the
// same in any validator; the checks here are written by hand to be fast and bounded, and a test
// holds the two together.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reference/model/type.h"

namespace assay::model {

// Whether `text` is of the format.
bool has_format(Format format, std::string_view text);

// What is wrong with `text`, as a short phrase for a person ("'*' at offset 3"); empty if nothing
// is. Quotes at most a few bytes of the text, escaped.
std::string format_defect(Format format, std::string_view text);

// As a deviation says it: "base64 string (RFC 4648)".
std::string_view format_words(Format format);

// An anchored ECMA 262 pattern that matches what has_format() accepts.
std::string_view format_pattern(Format format);

// A string's beginning as a JSON string literal of printable ASCII, cut to a few dozen bytes.
std::string excerpt(std::string_view text);

}  // namespace assay::model
