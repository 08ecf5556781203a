// Whether the value of a keyword is what it must be, as far as that is told without looking into
// the schemas inside it. Internal to model/.
#pragma once

#include "reference/model/schema_keywords.h"
#include "reference/model/validate.h"
#include "reference/model/validator.h"
#include "reference/wire/json.h"

namespace assay::model {

// Adds what is wrong to `deviations`; false if anything is.
bool check_shape(const Keyword& keyword, SchemaDialect dialect, const Json& value, const Path& path,
                 Deviations& deviations);

// Adds one deviation, unless there are more than anybody reads.
void add_deviation(Deviations& deviations, const Path& path, std::string expected,
                   std::string found);

// The type's name is one that JSON Schema knows.
bool is_type_name(const Json& value);

}  // namespace assay::model
