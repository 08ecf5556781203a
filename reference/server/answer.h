// What a handler answers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "reference/transport/server_transport.h"
#include "reference/wire/compose.h"
#include "reference/wire/json.h"

namespace assay::server {

// A JSON-RPC error.
struct Refusal {
  std::int64_t code = wire::kInternalError;
  std::string message;
  Json data = nullptr;
  // Over HTTP some refusals have a status of their own.
  transport::Outgoing::Kind kind = transport::Outgoing::Kind::kResponse;
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
  return {.code = wire::kInvalidParams, .message = std::move(message), .data = std::move(data)};
}

}  // namespace assay::server
