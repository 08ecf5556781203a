// The JSON document type that the rest of the code reads.
//
// The wire layer decodes with simdjson; this DOM is built only where someone asks for it.
#pragma once

#include <nlohmann/json.hpp>

namespace assay {

using Json = nlohmann::json;

}  // namespace assay
