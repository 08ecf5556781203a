// JSON values that parsers and handlers trip over.
#pragma once

#include <string>
#include <string_view>

#include "reference/model/random.h"
#include "reference/wire/json.h"

namespace assay::fuzz {

struct OddValue {
  std::string_view label;
  std::string text;  // one JSON value; not all of them can be held by a Json
};

// Any of them. The large ones (up to a few hundred kilobytes) come seldom.
OddValue odd_value(model::Random& random);
// One that a string may be, and one that an id may be, legal or not.
OddValue odd_string(model::Random& random);
OddValue odd_id(model::Random& random);

// The text of `message` with the value at `pointer` replaced by `text`; with `pointer` being empty,
// `text` itself.
std::string with_value(Json message, const Json::json_pointer& pointer, std::string_view text);

}  // namespace assay::fuzz
