// What another parser says of some bytes, beside what a strict MCP peer must say.
//
// Specification: basic ("Messages"): UTF-8 encoded JSON-RPC 2.0; RFC 8259 is the grammar. Where RFC
// 8259 leaves a choice to the parser (duplicate members, lone surrogates, numbers beyond a double),
// neither answer is a disagreement.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace assay::harness {

struct ParserAnswer {
  bool accepts = false;
  // The value as JSON text, written by the parser; nothing if it does not say.
  std::optional<std::string> canonical = {};
};

// What the parser takes for its language.
enum class ParserLevel {
  kJson,     // any JSON text
  kMessage,  // JSON-RPC messages, and batches of them
};

struct Disagreement {
  enum class Kind {
    kAccepts,  // what must be refused
    kRefuses,  // what must be accepted
    kChanges,  // the value is another one
  };
  Kind kind = Kind::kAccepts;
  std::string what;  // "a comment", "a number beyond 53 bits": in our own words

  friend auto operator<=>(const Disagreement&, const Disagreement&) = default;
};

std::string_view name(Disagreement::Kind kind);  // "accepts"

// Nothing if the answer is one that a strict peer may give.
std::optional<Disagreement> compare(std::string_view bytes, const ParserAnswer& answer,
                                    ParserLevel level = ParserLevel::kJson);

}  // namespace assay::harness
