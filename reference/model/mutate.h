// Breaks a valid value in one place at a time, each time saying which deviation must be reported:
// for the fuzzer's structured mode, and to prove that validation sees what it should.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/protocol.h"
#include "reference/model/validate.h"
#include "reference/wire/json.h"

namespace assay::model {

struct Mutation {
  std::string name;    // what was done: "drop", "wrong-type", "null", "nest", "fraction",
                       // "out-of-range", "too-many", "bad-constant", "bad-enumeration",
                       // "wrong-selector", "no-selector", "bad-format", "bad-key", "drop-all"
  Json value;          // the whole value, changed in that one place
  Deviation promised;  // what validate() reports for it, among its consequences (`closest` aside)
};

// A value of many parts is changed in its first ones.
inline constexpr std::size_t kMostMutations = 500;

// Every change makes `value` invalid; there are none of a value that is no valid `type` already. An
// unknown type throws std::out_of_range.
std::vector<Mutation> mutations(Protocol protocol, std::string_view type, const Json& value);

// The same for a whole message (see validate_message); empty if its method is unknown, too.
std::vector<Mutation> message_mutations(Protocol protocol, Direction direction,
                                        const Json& message);

}  // namespace assay::model
