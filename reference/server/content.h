// The pieces that fixtures are made of.
#pragma once

#include <string>
#include <string_view>

#include "reference/wire/json.h"

namespace assay::server {

// A PNG of one red pixel, and a WAV of a few silent samples, in base64.
inline constexpr std::string_view kPngBase64 =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg"
    "==";
inline constexpr std::string_view kWavBase64 =
    "UklGRjQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YRAAAAAAAAAAAAAAAAAAAAAAAAAA";

Json text_content(std::string_view text);
Json image_content();
Json audio_content();
Json embedded_text(std::string_view uri, std::string_view mime_type, std::string_view text);
// {"content": [...]}, and {"content": [...], "isError": true}.
Json tool_result(Json content);
Json tool_text(std::string_view text);
Json tool_error(std::string_view text);
// The `icons` of whatever has some.
Json sample_icons();

}  // namespace assay::server
