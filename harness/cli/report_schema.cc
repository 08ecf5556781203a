// The JSON report as a JSON Schema. It leaves room for members to come: a report may get more of
// them under the same number.
#include "harness/cli/report_schema.h"

#include "reports/json.h"

namespace assay::cli {

nlohmann::json report_schema() {
  nlohmann::json schema = nlohmann::json::parse(R"({
      "title": "A report of mcp-assay",
      "type": "object",
      "required": ["schema", "tool", "catalogue", "started", "duration_ms", "target", "runs"],
      "properties": {
        "tool": {"type": "object", "required": ["name", "version"]},
        "catalogue": {"type": "object", "required": ["version", "digest"]},
        "started": {"type": "string", "description": "In UTC: 2026-01-31T12:00:00Z"},
        "duration_ms": {"type": "integer", "minimum": 0},
        "interrupted": {"const": true}, "strict": {"const": true}, "rules": {"type": "string"},
        "target": {"$ref": "#/$defs/target"},
        "runs": {"type": "array", "items": {"$ref": "#/$defs/run"}},
        "stale_expectations": {"type": "array", "items": {
          "type": "object", "required": ["requirement"]}}},
      "$defs": {
        "target": {
          "type": "object", "required": ["subject", "name", "version", "command", "url"],
          "properties": {
            "subject": {"enum": ["server", "client", "authorization server"]},
            "name": {"type": "string"}, "version": {"type": "string"},
            "command": {"type": ["array", "null"], "items": {"type": "string"}},
            "url": {"type": ["string", "null"]}}},
        "run": {
          "type": "object",
          "required": ["revision", "transport", "status", "duration_ms", "counts", "verdicts"],
          "properties": {
            "revision": {"type": "string"}, "transport": {"type": "string"},
            "status": {"type": "string"}, "reason": {"type": "string"},
            "counts": {"description": "By level, by outcome", "type": "object",
                       "additionalProperties": {"type": "object",
                                                "additionalProperties": {"type": "integer"}}},
            "verdicts": {"type": "array", "items": {"$ref": "#/$defs/verdict"}}}},
        "verdict": {
          "type": "object", "required": ["requirement", "level", "outcome"],
          "properties": {
            "requirement": {"type": "string"}, "level": {"type": "string"},
            "outcome": {"enum": ["satisfied", "violated", "not_exercised", "not_applicable",
                                 "inconclusive"]},
            "evidence": {"type": "array", "items": {"$ref": "#/$defs/event"}},
            "expected": {"type": "object", "required": ["reason"]}}},
        "event": {
          "type": "object", "required": ["n", "at_ms", "party", "lane", "text"],
          "properties": {
            "n": {"type": "integer"}, "at_ms": {"type": "number"}, "party": {"type": "string"},
            "lane": {"type": "string"}, "text": {"type": "string"}, "pointer": {"type": "string"},
            "cut": {"const": true}, "context": {"const": true},
            "deliberate": {"const": true,
                           "description": "mcp-assay sent it, and made it wrong on purpose"}}}}})");
  schema["properties"]["schema"] = {{"const", reports::kJsonSchema}};
  return schema;
}

}  // namespace assay::cli
