// Bytes to JSON-RPC messages. What is sent is in compose.h.
//
// Specification: basic ("Messages"), in every revision. `decode` takes any bytes, never throws and
// never reads or allocates beyond its limits. It is strict enough to judge by: whatever is wrong
// with the bytes is reported as what it is, and whatever is merely unusual is kept as a notice.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reference/wire/id.h"
#include "reference/wire/json.h"

namespace assay::wire {

// What a peer may make us hold for one message. A larger one is refused.
struct Limits {
  std::size_t max_bytes = 64u << 20;  // an 8 MiB line is legal and must pass; 64 MiB is abuse
  std::size_t max_depth = 512;        // nested arrays and objects
  std::size_t max_values = 2u << 20;  // in one message; "[[],[],..." costs a DOM 20 times its bytes
  std::size_t max_members = 100'000;  // of a batch; each becomes a Message of its own
};

// Why some bytes are no JSON text at all.
struct DecodeError {
  enum class Kind {
    kEmpty,          // nothing, or white space only
    kTooLarge,       // longer than Limits::max_bytes, or more values or members than its limits
    kTooDeep,        // nested beyond Limits::max_depth
    kByteOrderMark,  // starts with a BOM, which RFC 8259 forbids to send
    kInvalidUtf8,    // not UTF-8
    kInvalidJson,    // not JSON; also a JSON value followed by anything but white space
  };
  Kind kind;
  std::string detail;  // one sentence for a person, in our own words
};

// The word for a kind, as reports show it: "invalid-utf8".
std::string_view name(DecodeError::Kind kind);

// Something unusual that does not keep a message from being read.
struct Notice {
  enum class Kind {
    kDuplicateMember,   // an object names a member twice (the last one counts)
    kNumberOutOfRange,  // beyond every double, such as 1e400; the DOM holds the largest double
    kLoneSurrogate,     // a string escape such as "\ud800", no UTF-8; the DOM holds U+FFFD
  };
  Kind kind;
  // JSON pointer to the object or value; empty for the whole message. Valid UTF-8, at most 2 KiB:
  // of a longer path, that of an enclosing value.
  std::string pointer;
};

// The word for a kind, as reports show it: "duplicate-member".
std::string_view name(Notice::Kind kind);

enum class MessageKind : std::uint8_t {
  kRequest,       // method and id
  kNotification,  // method, no id
  kResult,        // id and result
  kError,         // error; with an id, or without one or null where the request's is unknown
  kBatch,         // an array; its members are messages of their own
  kMalformed,     // JSON, but no JSON-RPC message: see Message::defect()
};

std::string_view name(MessageKind kind);

// A decoded message. Immutable, cheap to copy (copies share the bytes and the DOM) and to keep: 64
// bytes beside its own, and the DOM if someone asked for it.
//
// Thread safety: any number of threads may read the same Message.
class Message {
 public:
  MessageKind kind() const;
  // The bytes as they came, without the framing (no newline).
  std::string_view bytes() const;
  // The id, if there is one, exactly as sent; also present on a malformed message that has one.
  // Made anew by each call: do not keep a reference into it.
  std::optional<Id> id() const;
  // The method of a request or notification; empty otherwise.
  std::string_view method() const;
  // True if the message has "params".
  bool has_params() const;
  // "params", "result" or "error"; a null value if there is none. The DOM is built on first use.
  const Json& params() const;
  const Json& result() const;
  const Json& error() const;
  // error.code, if this is an error whose code is an integer.
  std::optional<std::int64_t> error_code() const;
  // The whole message as a DOM. Built on first use.
  const Json& json() const;
  // The members of a batch in order; empty for any other kind.
  const std::vector<Message>& members() const;
  // For kMalformed: which rule of JSON-RPC 2.0 the value breaks, as a phrase ("has both result and
  // error", "jsonrpc is not \"2.0\""); empty otherwise.
  std::string_view defect() const;
  // What is unusual about the message; at most 16.
  const std::vector<Notice>& notices() const;
  // At most what the message takes in memory: its bytes, its members, and the DOM of each, whether
  // somebody asked for it by now or not.
  std::size_t held_bytes() const;

  struct Body;
  using BodyPtr = boost::intrusive_ptr<const Body>;
  explicit Message(BodyPtr body) : body_(std::move(body)) {}

 private:
  BodyPtr body_;
};

// For BodyPtr.
void intrusive_ptr_add_ref(const Message::Body* body);
void intrusive_ptr_release(const Message::Body* body);

using Decoded = std::variant<Message, DecodeError>;

// Reads one JSON-RPC message, or a batch, from `bytes`.
Decoded decode(std::string_view bytes, const Limits& limits = {});

}  // namespace assay::wire
