// Prints the tables as JSON Schema 2020-12, for validators in other languages.
#pragma once

#include "reference/model/protocol.h"
#include "reference/wire/json.h"

namespace assay::model {

// A schema of one message, with every type of the revision in `$defs`. It gives the verdicts of
// validate() on every type; rules of Strength::kShould are left out.
Json json_schema(Protocol protocol);

}  // namespace assay::model
