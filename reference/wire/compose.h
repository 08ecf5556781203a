// JSON-RPC messages to bytes, and the codes of errors.
//
// Specification: basic ("Messages"), in every revision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reference/wire/id.h"
#include "reference/wire/json.h"

namespace assay::wire {

// The compact text of a message, UTF-8, without a newline in it and none at its end. A string in
// `message` that is not UTF-8 is written with U+FFFD in place of the bad bytes.
std::string encode(const Json& message);
// The same for a response, with the id exactly as it came: a Json holds neither 1e3 nor an integer
// beyond 64 bits, and the envelope needs no DOM.
std::string encode_result(const Id& id, const Json& result);
std::string encode_error(const std::optional<Id>& id, std::int64_t code, std::string_view message,
                         const Json& data = nullptr);

// An id as a value: exact for strings and for integers of 64 bits, the nearest double for others.
Json to_json(const Id& id);

// Messages as the protocol spells them. `params` and `data` that are null are left out.
Json make_request(const Id& id, std::string_view method, Json params = nullptr);
Json make_notification(std::string_view method, Json params = nullptr);
Json make_result(const Id& id, Json result);
// Without an id the error carries "id": null, as JSON-RPC 2.0 asks where the request's id is
// unknown.
Json make_error(const std::optional<Id>& id, std::int64_t code, std::string_view message,
                Json data = nullptr);

// Error codes of JSON-RPC 2.0 and of MCP.
inline constexpr std::int64_t kParseError = -32700;
inline constexpr std::int64_t kInvalidRequest = -32600;
inline constexpr std::int64_t kMethodNotFound = -32601;
inline constexpr std::int64_t kInvalidParams = -32602;
inline constexpr std::int64_t kInternalError = -32603;
inline constexpr std::int64_t kResourceNotFound = -32002;
inline constexpr std::int64_t kUrlElicitationRequired = -32042;

}  // namespace assay::wire
