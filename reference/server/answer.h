// What a handler answers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "reference/wire/message.h"

namespace assay::server {

// A JSON-RPC error.
struct Refusal {
  std::int64_t code = wire::kInternalError;
  std::string message;
  Json data = nullptr;
};

// The answer is sent later, by whoever took the call on.
struct Later {};

// A result as JSON, or as the text of JSON where that is known beforehand; an error; or nothing
// yet.
struct ResultText {
  std::string_view text;  // of static storage
};
using Answer = std::variant<Json, ResultText, Refusal, Later>;

inline constexpr ResultText kEmptyResult{"{}"};

inline Refusal invalid_params(std::string message, Json data = nullptr) {
  return {wire::kInvalidParams, std::move(message), std::move(data)};
}

}  // namespace assay::server
