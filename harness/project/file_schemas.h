// The files that users write, as JSON Schemas for their editors: `mcp-assay schema --of NAME`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/wire/json.h"

namespace assay::cli {

// "expected-failures", "interop", "profile", "project"; and "events", "interop-report" and
// "report", which the program writes.
std::vector<std::string> file_schema_names();

// A JSON Schema 2020-12 of such a file, read as JSON; null for a name that is not known. It says
// what the reader of the file says, but that YAML takes a number for a text in profiles and lists
// of expected failures, and a number in quotes for one in a project's file.
Json file_schema(std::string_view name);

}  // namespace assay::cli
