// Base64 (RFC 4648, with padding), for bytes that are no text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::wire {

std::string encode_base64(std::string_view bytes);
// Nothing if the text is not base64: a blank or a line end is not.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace assay::wire
