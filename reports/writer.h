// The formats that a Result can be written in.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/result.h"

namespace assay::reports {

struct Format {
  std::string_view name;         // as in --report NAME=PATH
  std::string_view description;  // one line for --help
  std::string (*render)(const Result& result);
};

// All formats, sorted by name.
std::span<const Format> formats();
// Null if there is no format of that name.
const Format* find_format(std::string_view name);

}  // namespace assay::reports
