// What tells the two eras apart, and the words of the stateless one (since 2026-07-28).
//
// Specification: basic/versioning and basic, "`_meta`".
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "reference/model/revision.h"
#include "reference/server/answer.h"
#include "reference/server/logging.h"
#include "reference/server/options.h"

namespace assay::server {

inline constexpr const char* kProtocolVersionKey = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kClientCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kClientInfoKey = "io.modelcontextprotocol/clientInfo";
inline constexpr const char* kLogLevelKey = "io.modelcontextprotocol/logLevel";
inline constexpr const char* kServerInfoKey = "io.modelcontextprotocol/serverInfo";
inline constexpr const char* kSubscriptionIdKey = "io.modelcontextprotocol/subscriptionId";

inline constexpr std::int64_t kMissingClientCapability = -32021;
inline constexpr std::int64_t kUnsupportedProtocolVersion = -32022;

// What a request of the stateless era says of itself.
struct RequestMeta {
  model::Revision revision;
  std::optional<LogLevel> log_level;
};

// Reads `_meta` of the request's params. Refused: what lacks a field, and a revision that is not
// spoken.
std::variant<RequestMeta, Refusal> read_meta(const Options& options, const Json& params);

// The revision that the request names there. Where it names none of this era, the newest one: for
// what is done before a request is refused, and for faults that serve it all the same.
model::Revision revision_asked(const Json& params);

// Every revision that the server speaks, newest first.
Json supported_versions(const Options& options);

// A refusal that HTTP gives a status of its own.
inline Refusal rejection(std::int64_t code, std::string message, Json data = nullptr) {
  return {code, std::move(message), std::move(data), transport::Outgoing::Kind::kRefusal};
}

}  // namespace assay::server
