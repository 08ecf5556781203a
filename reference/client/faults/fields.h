// The header fields of an HTTP request, for faults that spoil one.
#pragma once

#include <string>
#include <string_view>

#include "reference/transport/observer.h"
#include "reference/wire/json.h"

namespace assay::client {

// The body of the request is a message of that method.
bool asks_for(const Json& body, std::string_view method);
// The value of the field of that name; null if there is none.
std::string* field_in(transport::Headers& fields, std::string_view name);
void take_field_out(transport::Headers& fields, std::string_view name);
// Does nothing where there is no such field.
void overwrite_field(transport::Headers& fields, std::string_view name, std::string_view value);

}  // namespace assay::client
