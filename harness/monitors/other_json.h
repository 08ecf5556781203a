// JSON on a line of its own that is no message of MCP, and was not meant for one: a line of a log.
//
// Specification: basic/transports, "stdio": nothing but messages on the standard output.
#pragma once

#include <algorithm>
#include <array>

#include "reference/wire/message.h"

namespace assay::harness {

// True where none of the members is there that every message of JSON-RPC has one of.
inline bool is_other_json(const wire::Message& message) {
  constexpr std::array kEnvelope = {"jsonrpc", "method", "id", "result", "error"};
  if (message.kind() != wire::MessageKind::kMalformed) return false;
  const Json& json = message.json();
  return std::none_of(kEnvelope.begin(), kEnvelope.end(), [&](const char* member) {
    return json.is_object() && json.contains(member);
  });
}

}  // namespace assay::harness
