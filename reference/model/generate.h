// Makes valid values from the tables: for the fuzzer, for property tests, for benchmarks.
//
// The same seed gives the same values. Over enough draws every optional field is there and is not,
// and every alternative of every union turns up.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "reference/model/protocol.h"
#include "reference/model/random.h"
#include "reference/model/validate.h"
#include "reference/wire/json.h"

namespace assay::model {

// A valid `type`. `size` 0 gives the smallest value (no optional fields, empty arrays); larger ones
// give longer arrays and strings and more optional fields, to any depth. Sizes around 10 give about
// a kilobyte. An unknown type throws std::out_of_range.
Json generate(Protocol protocol, std::string_view type, Random& random, std::size_t size);

// A whole request or notification of a method that is known in this direction; nothing if it is
// not.
std::optional<Json> generate_message(Protocol protocol, Direction direction,
                                     std::string_view method, Random& random, std::size_t size);

// A whole response with a result, as the answer to the request `method` that was sent in
// `request_direction`; nothing if no such request is known.
std::optional<Json> generate_response(Protocol protocol, Direction request_direction,
                                      std::string_view method, Random& random, std::size_t size);

}  // namespace assay::model
