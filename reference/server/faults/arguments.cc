// Faults of how the arguments of tools are held to their schemas. Specification: server/tools
// ("Security Considerations"), basic ("JSON Schema Usage").
#include "reference/server/faults/fault.h"

namespace assay::server {
namespace {

bool has_json_schema_2020_12(model::Revision revision) {
  return revision.has_json_schema_2020_12();
}

// The tool whose schema uses what draft-07 says in other words says it in those.
void say_in_draft_07(Departure& d) {
  if (!d.is_result_of("tools/list")) return;
  for (Json& tool : d.result()["tools"]) {
    Json& schema = tool["inputSchema"];
    if (!schema.contains("dependentRequired")) continue;
    schema["$schema"] = "http://json-schema.org/draft-07/schema#";
    schema["dependencies"] = schema["dependentRequired"];
    schema.erase("dependentRequired");
  }
}

}  // namespace

std::vector<Fault> argument_faults() {
  return {
      {.id = "argument-types-half-checked",
       .description = "Checks the type of no argument but texts",
       .breaks = {"tools.inputs-validated"},
       .inside = Switch::kChecksTextsOnly},
      {.id = "argument-choices-unchecked",
       .description = "Takes arguments that are none of the choices of their enum",
       .breaks = {"tools.inputs-validated"},
       .inside = Switch::kIgnoresChoices},
      {.id = "schema-read-as-draft-07",
       .description = "Does not know the keywords that JSON Schema has had since draft-07",
       .breaks = {"json-schema.2020-12-supported", "json-schema.validated-by-dialect"},
       .concerns = has_json_schema_2020_12,
       .inside = Switch::kIgnoresNewerKeywords},
      {.id = "schema-dialect-ignored",
       .description = "Declares draft-07 for a schema and ignores its dependencies",
       .breaks = {"json-schema.validated-by-dialect"},
       .may_break = {"json-schema.2020-12-used"},
       .concerns = has_json_schema_2020_12,
       .departure = say_in_draft_07,
       .inside = Switch::kIgnoresNewerKeywords},
  };
}

}  // namespace assay::server
