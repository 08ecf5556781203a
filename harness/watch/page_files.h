// What the live page is made of.
#pragma once

#include <string_view>

namespace assay::harness {

extern const std::string_view kWatchHead;  // up to the style
extern const std::string_view kWatchStyle;
extern const std::string_view kWatchBody;  // behind the style, up to the script
extern const std::string_view kWatchScript;

}  // namespace assay::harness
