// Finds the tokens of any JSON text, and checks its UTF-8. Private to the wire layer: see tokens.h.
//
// simdjson's first stage does it several times as fast as its public interface can, but it is not
// part of that interface. So the build takes first_stage.cc for the versions of simdjson that are
// known (CMakeLists.txt), and first_stage_by_scan.cc, which needs only validate_utf8(), for others.
// tokens_test.cc compares the two.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace assay::wire {

enum class TokenError : std::uint8_t {
  kNone,
  kTooLarge,  // no memory for it
  kEmpty,     // nothing but white space
  kNotUtf8,
  kControlCharacter,  // in a string, and not escaped
  kOpenString,        // one that does not end
};

class FirstStage {
 public:
  FirstStage();
  ~FirstStage();

  // The starts of the tokens, and after them the text's size as if another one started there; empty
  // if there is an error(). Valid until the next call.
  std::span<const std::uint32_t> find(std::string_view text);
  TokenError error() const { return error_; }
  // Gives back the memory that a large text took.
  void release();

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
  TokenError error_ = TokenError::kNone;
};

// The same, byte by byte.
struct ScannedTokens {
  std::vector<std::uint32_t> starts;
  TokenError error = TokenError::kNone;
};
ScannedTokens scan_tokens(std::string_view text);

}  // namespace assay::wire
