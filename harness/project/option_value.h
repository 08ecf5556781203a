// What a file may say for an option, by what the subcommand declares: the reader's rules and the
// schema's are made from the same table.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/frame/command_info.h"

namespace assay::cli {

// Empty if `value`, read from YAML with numbers as texts, is one for the option; otherwise a
// sentence that begins with the option's name.
std::string why_not_value(const OptionInfo& option, const nlohmann::ordered_json& value);

// The same as a JSON Schema, in which a number without quotes is a number.
nlohmann::json value_schema(const OptionInfo& option);

}  // namespace assay::cli
