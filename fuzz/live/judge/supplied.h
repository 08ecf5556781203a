// Values of ours that come back: nobody is accused of them.
#pragma once

#include <string>
#include <string_view>

#include "fuzz/live/target/vocabulary.h"
#include "reference/model/validate.h"
#include "reference/wire/json.h"

namespace assay::fuzz {

// The value at a deviation's pointer; null if there is none.
const Json* value_at(const Json& message, std::string_view pointer);

// Whether what is wrong with `value` came with these params of a request: they hold the value, or a
// text that is part of it, or the name of the member that is wrong.
bool is_supplied(const model::Deviation& deviation, const Json& value, const Json& params);

// The same for what was sent at any time. Only values are looked for that do not stand there by
// chance.
bool is_supplied_in(const model::Deviation& deviation, const Json& value, std::string_view sent);

// The tool that `params` call, if nothing about the call says that it may take its time: neither
// the tool's own name, description and schema nor the call. Otherwise nothing.
std::string prompt_tool(const Vocabulary& words, const Json& params);

}  // namespace assay::fuzz
