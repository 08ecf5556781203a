// What each era of the protocol asks of a message: a conversation that begins with a handshake, or
// requests that stand alone, with `_meta` in each and headers that repeat parts of it.
//
// Specification of 2026-07-28: basic, "_meta"; server/discover; basic/transports/streamable-http,
// "Request Metadata".
#pragma once

#include <string>
#include <string_view>

#include "fuzz/live/target/vocabulary.h"
#include "reference/transport/observer.h"
#include "reference/wire/id.h"
#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::fuzz {

// The method of the request that every server of the revision answers at once, whatever it offers:
// what shows that it lives.
std::string_view fence_method(const Vocabulary& words);
// The request with the `_meta` that the era has every request carry. What `_meta` there is stays,
// and is not replaced; params that are no object stay as they are.
Json with_request_meta(const Vocabulary& words, Json request);
// The text of such a fence, and of the request with which a conversation begins.
std::string fence_text(const Vocabulary& words, const wire::Id& id);
std::string opening_text(const Vocabulary& words, const wire::Id& id);
// The header fields that a POST of this body carries because they repeat parts of it; none in a
// revision that has none, or for what is no message.
transport::Headers repeated_fields(const Vocabulary& words, std::string_view body);

// The version that a request names in its `_meta`; empty where it names none.
std::string version_of(const wire::Message& request);

// Where `_meta` names the version, and where what a client can do.
inline constexpr const char* kVersionInMeta = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kCapabilitiesInMeta = "io.modelcontextprotocol/clientCapabilities";

}  // namespace assay::fuzz
