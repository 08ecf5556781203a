// The formats that a matrix can be written in.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/interop/interop_result.h"

namespace assay::reports {

struct InteropFormat {
  std::string_view name;  // as in --report NAME=PATH
  std::string (*render)(const InteropResult& result);
};

// All formats, sorted by name.
std::span<const InteropFormat> interop_formats();
// Null if there is no format of that name.
const InteropFormat* find_interop_format(std::string_view name);

}  // namespace assay::reports
