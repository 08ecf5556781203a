// Judges a value, or a message, by the tables of one revision, and says everything that is wrong
// with it in words that the author of a server or client understands.
//
// Members that the specification does not name are allowed everywhere, and so are methods that it
// does not name: both are how the protocol is extended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/protocol.h"
#include "reference/model/type.h"
#include "reference/wire/json.h"

namespace assay::model {

// What kind of rule a value breaks.
enum class Rule : std::uint8_t {
  kShape,        // a type, a required member, a constant, an enumeration, an alternative
  kRange,        // a number or the length of an array
  kBase64,       // `data` and `blob`
  kUri,          //
  kUriTemplate,  //
  kTime,         // ISO 8601
  kToolName,     // a SHOULD
  kMetaKey,      // the name of a member of `_meta`
};

std::string_view name(Rule rule);  // "shape", "meta-key"

// One thing that is wrong. Texts that quote the value are printable ASCII and short; `pointer`
// holds member names as they came (see kLongestPointerKey).
struct Deviation {
  std::string pointer;   // JSON pointer to the value, or to where a missing one should be
  std::string expected;  // `string`, `"object"`, `one of "user", "assistant"`
  std::string found;     // `number`, `"array"`, `nothing`
  Rule rule = Rule::kShape;
  Strength strength = Strength::kMust;
  // Inside a union: the alternative that the value came closest to and was judged as. Empty where
  // the value itself names its alternative beyond doubt.
  std::string closest = {};

  friend bool operator==(const Deviation&, const Deviation&) = default;
};

// `/tools/3/inputSchema/type: expected "object", found "array"`, on one line of printable ASCII.
std::string to_text(const Deviation& deviation);

// Bounds on what a hostile value can make us say.
inline constexpr std::size_t kMostDeviations = 1000;    // the first ones count
inline constexpr std::size_t kLongestPointerKey = 256;  // bytes of a member name that pointers keep

using Deviations = std::vector<Deviation>;

// The types that a revision knows, sorted.
std::vector<std::string> known_types(Protocol protocol);
bool is_known_type(Protocol protocol, std::string_view type);

// True for the types of whole JSON-RPC messages, and unions of them: "JSONRPCRequest".
bool is_message_type(Protocol protocol, std::string_view type);

// Everything wrong with `value` as a `type` ("Tool", "CallToolResult"); empty if nothing is.
// The type must be known: an unknown one is a mistake of the caller's, and throws
// std::out_of_range.
Deviations validate(Protocol protocol, std::string_view type, const Json& value);

// True if nothing of Strength::kMust is wrong. Stops at the first deviation.
bool is_valid(Protocol protocol, std::string_view type, const Json& value);

enum class Direction : std::uint8_t { kClientToServer, kServerToClient };

enum class MessageForm : std::uint8_t { kRequest, kNotification };

// Whether the specification knows this method, sent this way in this revision, and as what.
std::optional<MessageForm> known_method(Protocol protocol, Direction direction,
                                        std::string_view method);

// A whole JSON-RPC message that travelled in `direction`: requests and notifications by their
// method, errors by their code, results by `request_method`, the method of the request that they
// answer (as the base Result without it). A method or code that is unknown is judged as plain
// JSON-RPC. A batch is judged member by member where the revision has batching; its results as base
// results.
//
// An error whose id is null is accepted although the schemas say otherwise: JSON-RPC 2.0, which
// every revision builds on, demands it where the id of the request could not be read.
Deviations validate_message(Protocol protocol, Direction direction, const Json& message,
                            std::optional<std::string_view> request_method = std::nullopt);

}  // namespace assay::model
