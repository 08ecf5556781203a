// What the fuzz targets that read JSON values share.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "reference/wire/message.h"

namespace assay::fuzz {

// The value of a JSON text; nothing if it is none.
inline std::optional<Json> parse_json(std::string_view text) {
  const wire::Decoded decoded = wire::decode(text);
  const auto* message = std::get_if<wire::Message>(&decoded);
  if (message == nullptr) return std::nullopt;
  return message->json();
}

// One line of printable ASCII, fit for a terminal and a report.
inline bool is_ascii_line(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// One line that a terminal prints: UTF-8 without control characters.
inline bool is_printable_line(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; });
}

}  // namespace assay::fuzz
