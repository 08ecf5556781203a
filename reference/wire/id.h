// A JSON-RPC id, exactly as it stood in the message.
//
// Specification: basic (requests, responses): an id is a string or an integer, never null, and the
// answer carries the same id as the request. `1`, `"1"` and `1.0` are three different ids here,
// because only the exact bytes can tell whether a peer gave back what it was sent.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay::wire {

class Id {
 public:
  enum class Kind {
    kString,   // "a", "" and "1"
    kInteger,  // 0, -7, 9007199254740993: no fraction, no exponent, any size
    kNumber,   // any other number: 1.0, 1e3, 1e400
    kNull,     // null
    kOther,    // true, false, an object or an array: never legal
  };

  // `json` is one JSON value, as sent (without surrounding white space). Text that is no JSON
  // scalar is kOther.
  explicit Id(std::string_view json);
  static Id from_json_text(std::string_view json) { return Id(json); }
  static Id of(std::int64_t number);
  // `text` is the string's value, not its JSON form; it must be UTF-8.
  static Id of_string(std::string_view text);

  // The kind of an id with that JSON text.
  static Kind kind_of(std::string_view json);
  Kind kind() const { return kind_; }
  // True for the two kinds that MCP allows.
  bool is_valid() const { return kind_ == Kind::kString || kind_ == Kind::kInteger; }
  // The JSON text of the id, as sent: `1`, `"1"`, `1.0`.
  const std::string& json_text() const { return json_text_; }
  // The value of a kString; empty for every other kind. A lone surrogate escape becomes three bytes
  // that are no UTF-8.
  std::string string_value() const;
  // Equality is by value within a kind, never across kinds: "a" equals "\u0061" and differs from
  // no other string; numbers are equal when their text is.
  friend bool operator==(const Id& left, const Id& right);
  // A total order that agrees with equality, so that an Id can be a key.
  friend std::strong_ordering operator<=>(const Id& left, const Id& right);

 private:
  Kind kind_;
  bool has_escapes_;  // a string's text is not its value
  std::string json_text_;
};

}  // namespace assay::wire
