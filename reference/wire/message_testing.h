// What tests of messages share.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <variant>

#include "reference/wire/message.h"

namespace assay::wire {

// The message in `bytes`; a failure of the test, and a malformed message, if there is none.
inline Message must_decode(std::string_view bytes, const Limits& limits = {}) {
  Decoded decoded = decode(bytes, limits);
  if (auto* message = std::get_if<Message>(&decoded)) return *message;
  ADD_FAILURE() << "not decoded: " << std::get<DecodeError>(decoded).detail;
  return std::get<Message>(decode("null"));
}

// The word for why `bytes` are no JSON, or "decoded".
inline std::string_view refusal(std::string_view bytes, const Limits& limits = {}) {
  const Decoded decoded = decode(bytes, limits);
  const auto* error = std::get_if<DecodeError>(&decoded);
  return error == nullptr ? "decoded" : name(error->kind);
}

}  // namespace assay::wire
