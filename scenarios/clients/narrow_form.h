// A form whose fields are all required, have no default, and take few values.
#pragma once

#include <string>

#include "reference/wire/json.h"

namespace assay::scenarios {

Json narrow_schema();
// Where the content does not fit, as a pointer into it; empty if all does.
std::string misfit_in(const Json& content);

}  // namespace assay::scenarios
