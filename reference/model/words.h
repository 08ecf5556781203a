// How types and values are named to people.
#pragma once

#include <string>

#include "reference/wire/json.h"

namespace assay::model {

class Compiled;
struct Node;

// `string`, `integer of at least 0`, `one of "user", "assistant"`, `object (TextContent)`.
std::string words_for(const Compiled& compiled, const Node& node);

// `"object"` for a constant.
std::string quoted(const std::string& text);

// `string`, `number`, `array`: for a value of the wrong type.
std::string found_type(const Json& value);

// `"array"`, `-3`: for a scalar of the right type and the wrong value, cut; otherwise its type.
std::string found_value(const Json& value);

}  // namespace assay::model
