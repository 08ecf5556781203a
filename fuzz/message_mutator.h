// Changes an input of JSON lines the way the model knows to be worth trying: new messages, messages
// with one thing wrong, answers to what the other side may have asked, lines in another order.
//
// For LLVMFuzzerCustomMutator of the targets whose input is made of messages. A third of all
// changes are libFuzzer's own, on bytes: with its dictionary it finds what no model would write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reference/model/random.h"
#include "reference/model/validate.h"
#include "reference/wire/json.h"

namespace assay::fuzz {

struct Shape {
  std::size_t header_bytes = 0;  // in front of the lines, choosing how they are used
  model::Direction direction = model::Direction::kClientToServer;
};

// Changes data[0..size) in place and gives the new size, at most `max_size`.
std::size_t mutate_messages(std::uint8_t* data, std::size_t size, std::size_t max_size,
                            unsigned seed, const Shape& shape);

// The same for lines that are JSON values of any kind.
std::size_t mutate_json_lines(std::uint8_t* data, std::size_t size, std::size_t max_size,
                              unsigned seed);

// One new message, or an answer, as the model generates it for some revision.
Json make_message(model::Direction direction, model::Random& random);
// Puts another value in some place of `value`, or takes a member away.
Json scramble(Json value, model::Random& random);

}  // namespace assay::fuzz
