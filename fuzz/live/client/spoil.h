// One thing that the suite, as a server, does wrong before a client: where, what, and how it rolls
// the dice for it. A list of them is all that a launch of the client is about, and all that it
// takes to have it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fuzz/live/client/wording.h"

namespace assay::fuzz {

struct Spoil {
  std::string method;          // of the request whose answer it spoils; "GET" for a stream
  std::size_t occurrence = 1;  // counts the requests of that method in a launch; 0: all of them
  std::string what;            // the name of an operator: operators.h
  std::uint64_t seed = 0;      // of what the operator chooses
  // Said in place of what the operator makes.
  std::optional<Wording> wording = std::nullopt;

  friend bool operator==(const Spoil&, const Spoil&) = default;
};
using Spoils = std::vector<Spoil>;

// "null-result in the answer to tools/list".
std::string text(const Spoil& spoil);

// One per line.
std::string to_jsonl(const Spoils& spoils);
// Otherwise: what is wrong, in one sentence.
std::variant<Spoils, std::string> spoils_from_jsonl(std::string_view text);

}  // namespace assay::fuzz
