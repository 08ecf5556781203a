// How a client breaks down. For the tables of bugs.
#pragma once

#include <string_view>

#include "reference/wire/json.h"

namespace assay::client {

[[noreturn]] void crash();
// It neither goes on nor ends.
[[noreturn]] void hang();
// The same, and the processor is kept busy.
[[noreturn]] void spin();
// How deep the brackets of a JSON text nest.
int depth_of(std::string_view text);
// A number under this name, anywhere in the message, is more than that.
bool has_number_beyond(const Json& message, std::string_view name, double most);
// What is none gives a discarded value.
Json parsed(std::string_view text);

}  // namespace assay::client
