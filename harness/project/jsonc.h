// JSON as people write it by hand: with comments and commas behind the last element.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

namespace assay::cli {

// The value, or one sentence that names line and column of what is wrong. A member that stands
// twice is wrong too.
std::variant<nlohmann::ordered_json, std::string> parse_jsonc(std::string_view text);

}  // namespace assay::cli
