// Where the tokens of a JSON text start.
//
// Private to the wire layer. Tokens are brackets, colons, commas, strings, and runs of other
// characters; whether they make a JSON text is for outline.h to say. simdjson's first stage finds
// them at any length, and checks UTF-8 (first_stage.h); but it takes as long for the shortest of
// messages as for 64 bytes. Those that are short and plain are scanned here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "reference/wire/first_stage.h"
#include "reference/wire/message_fwd.h"

namespace assay::wire {

class TokenFinder {
 public:
  // The starts of the tokens, and behind them the text's size as if another one started there.
  // Empty where there are no tokens, or `text` is refused. Valid until the next call of find() or
  // release().
  std::span<const std::uint32_t> find(std::string_view text);
  // Whether the text last read is known to hold no escapes.
  bool is_plain() const { return is_plain_; }
  // Why find() came back empty.
  DecodeError why_none() const;
  // Gives back the memory that a large text took.
  void release() { first_stage_.release(); }

 private:
  // A ping, an empty answer, most notifications. From about here on simdjson is the faster one.
  static constexpr std::size_t kPlainBytes = 56;

  std::span<const std::uint32_t> find_plain(std::string_view text);

  bool is_plain_ = false;
  std::array<std::uint32_t, kPlainBytes + 1> plain_starts_;
  FirstStage first_stage_;
};

}  // namespace assay::wire
