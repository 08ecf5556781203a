// Text as the value of a header field that repeats a part of a message (since 2026-07-28).
//
// Specification: basic/transports/streamable-http, "Value Encoding".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::transport {

// As it is, or in base64 where it could not be read back otherwise: with bytes that no field may
// have, blanks at an end, or the looks of something encoded.
std::string encode_header_value(std::string_view text);
// "=?base64?...?=", whether it is needed or not.
std::string encode_header_value_in_base64(std::string_view text);
// What a field says: its value, or what is encoded in it. Nothing where that is no base64, or where
// a byte is not allowed in a value.
std::optional<std::string> decode_header_value(std::string_view value);
// Whether it has the looks of something encoded, be it base64 or not.
bool looks_encoded(std::string_view value);

}  // namespace assay::transport
