// One pass over a JSON text: is it valid, what stands at its top, and what is unusual about it.
//
// Private to the wire layer. simdjson finds the tokens and checks UTF-8; the grammar is checked
// here, token by token, because JSON-RPC must be judged by the text itself: simdjson's own tree
// forgets how a number was written, merges duplicate members, and refuses numbers and escapes that
// JSON allows.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "reference/wire/message.h"

namespace assay::wire {

// A value as it stands in the text; its first character tells its type.
struct Slot {
  std::string_view text;  // empty: there is no such member

  bool is_present() const { return !text.empty(); }
  bool is_string() const { return is_present() && text.front() == '"'; }
  bool is_object() const { return is_present() && text.front() == '{'; }
  bool is_array() const { return is_present() && text.front() == '['; }
  bool is_null() const { return is_present() && text.front() == 'n'; }
  bool is_number() const {
    return is_present() && (text.front() == '-' || (text.front() >= '0' && text.front() <= '9'));
  }
};

// What a JSON-RPC message is recognised by. All texts point into the bytes that were read.
struct Outline {
  // Written out so that GCC sets the members one by one: it would clear an aggregate of this size
  // with `rep stos`, which takes as long as reading a short message.
  Outline() {}

  Slot root;
  // Members of the root object. Of duplicates the last one counts.
  Slot jsonrpc, id, method, params, result, error;
  // Members of the last `error`, if that is an object.
  Slot code, message;
  std::vector<std::string_view> elements;  // of a root array
  std::vector<Notice> notices;             // at most kMaxNotices
  std::size_t tokens = 0;                  // of the text; see tokens.h
  bool has_escapes = false;                // somewhere in the text is a backslash
  bool needs_repair = false;               // see repair(): no plain parser takes this text
};

inline constexpr std::size_t kMaxNotices = 16;

// Fills `outline` from `bytes`, or says why they are no JSON text.
std::optional<DecodeError> read_outline(std::string_view bytes, const Limits& limits,
                                        Outline& outline);

}  // namespace assay::wire
