// The JSON report, and the lines of events, as JSON Schemas. They leave room for members to come: a
// report may get more of them under the same number.
#include "harness/project/report_schema.h"

#include "reports/json.h"

namespace assay::cli {

using nlohmann::json;

namespace {

json run_definitions() {
  return json::parse(R"({
      "level": {"enum": ["MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"]},
      "outcome": {"enum": ["satisfied", "violated", "not_exercised", "not_applicable",
                           "inconclusive"]},
      "target": {
        "type": "object", "required": ["subject", "name", "version", "command", "url"],
        "properties": {
          "subject": {"enum": ["server", "client", "authorization server"]},
          "label": {"type": "string", "description": "As the user's list of servers calls it"},
          "name": {"type": "string"}, "version": {"type": "string"},
          "command": {"type": ["array", "null"], "items": {"type": "string"}},
          "url": {"type": ["string", "null"]},
          "source": {"type": "string", "description": "The user's file that holds or names it"}}},
      "cost": {
        "type": "object", "required": ["sessions", "requests", "bytes_sent", "bytes_received"],
        "properties": {
          "sessions": {"type": "integer"}, "requests": {"type": "integer"},
          "bytes_sent": {"type": "integer"}, "bytes_received": {"type": "integer"},
          "waited_ms": {"type": "integer", "description": "The sum of waits"},
          "waits": {
            "type": "object",
            "description": "Milliseconds that each scenario waited for what did not come",
            "additionalProperties": {"type": "integer"}}}},
      "run": {
        "description": "One revision over one transport",
        "type": "object",
        "required": ["revision", "transport", "status", "duration_ms", "counts", "verdicts"],
        "properties": {
          "revision": {"type": "string"}, "transport": {"type": "string"},
          "status": {"enum": ["conformant", "violations", "unsupported", "failed", "incomplete"]},
          "reason": {"type": "string", "description": "Why it could not be tested, or a remark"},
          "duration_ms": {"type": "integer"},
          "cost": {"$ref": "#/$defs/cost"},
          "extensions": {"description": "The extensions of the protocol that were judged",
                         "type": "array", "items": {
            "type": "object", "required": ["id", "version", "declared"],
            "properties": {
              "id": {"type": "string"}, "version": {"type": "string"},
              "declared": {"type": "boolean",
                           "description": "By the target; otherwise --extension asked for it"}}}},
          "counts": {"description": "By level, by outcome", "type": "object",
                     "additionalProperties": {"type": "object",
                                              "additionalProperties": {"type": "integer"}}},
          "verdicts": {"type": "array", "items": {"$ref": "#/$defs/verdict"}},
          "shard": {"type": "object", "required": ["index", "total"],
                    "properties": {"index": {"type": "integer"}, "total": {"type": "integer"}}},
          "candidates": {"description": "Of a shard: what 'merge' needs", "type": "array",
                         "items": {"type": "object"}}}}})");
}

json verdict_definitions() {
  return json::parse(R"({
      "verdict": {
        "type": "object", "required": ["requirement", "level", "outcome"],
        "properties": {
          "requirement": {"type": "string"},
          "level": {"$ref": "#/$defs/level"},
          "outcome": {"$ref": "#/$defs/outcome"},
          "summary": {"type": "string", "description": "The rule in one sentence"},
          "scenario": {"type": "string", "description": "The scenario or monitor that judged"},
          "duration_ms": {"type": "integer"},
          "detail": {"type": "string", "description": "What happened, or why it is not judged"},
          "hint": {"type": "string", "description": "What would let it be exercised"},
          "caused_by": {"type": "string", "description": "The rule whose violation came first"},
          "fix": {"type": "string", "description": "How to put it right"},
          "spec": {"type": "string", "description": "A link to the specification"},
          "evidence": {"type": "array", "items": {"$ref": "#/$defs/evidence"}},
          "history": {"type": "array", "items": {"$ref": "#/$defs/step"}},
          "reproduce": {"type": "string", "description": "A shell command that shows it again"},
          "expected": {"description": "It is in the list of expected failures",
                       "type": "object", "required": ["reason"],
                       "properties": {"reason": {"type": "string"}}}}},
      "step": {
        "description": "One step on the way to a verdict",
        "type": "object", "required": ["what", "by", "detail"],
        "properties": {"what": {"type": "string"}, "by": {"type": "string"},
                       "detail": {"type": "string"}}},
      "evidence": {
        "description": "One event of the transcript",
        "type": "object", "required": ["n", "at_ms", "party", "lane", "text"],
        "properties": {
          "n": {"type": "integer"}, "at_ms": {"type": "number"}, "party": {"type": "string"},
          "lane": {"type": "string"}, "text": {"type": "string"},
          "pointer": {"type": "string",
                      "description": "JSON pointer to the part that breaks the rule"},
          "cut": {"const": true}, "context": {"const": true},
          "deliberate": {"const": true,
                         "description": "mcp-assay sent it, and made it wrong on purpose"}}},
      "stale-expectation": {
        "description": "An expected failure that does not fail",
        "type": "object", "required": ["requirement"],
        "properties": {
          "requirement": {"type": "string"}, "revision": {"type": "string"},
          "transport": {"type": "string"}, "reason": {"type": "string"}}}})");
}

json report_definitions() {
  json all = run_definitions();
  all.update(verdict_definitions());
  return all;
}

json report_object() {
  json report = json::parse(R"({
      "type": "object",
      "required": ["schema", "tool", "catalogue", "started", "duration_ms", "target", "runs"],
      "properties": {
        "tool": {"type": "object", "required": ["name", "version"],
                 "properties": {"name": {"type": "string"}, "version": {"type": "string"}}},
        "catalogue": {"type": "object", "required": ["version", "digest"],
                      "properties": {"version": {"type": "string"}, "digest": {"type": "string"}}},
        "started": {"type": "string", "description": "In UTC: 2026-01-31T12:00:00Z"},
        "duration_ms": {"type": "integer", "minimum": 0},
        "interrupted": {"const": true}, "strict": {"const": true}, "rules": {"type": "string"},
        "target": {"$ref": "#/$defs/target"},
        "runs": {"type": "array", "items": {"$ref": "#/$defs/run"}},
        "stale_expectations": {"type": "array",
                               "items": {"$ref": "#/$defs/stale-expectation"}}}})");
  report["properties"]["schema"] = {{"const", reports::kJsonSchema}};
  return report;
}

}  // namespace

json report_schema() {
  json schema = report_object();
  schema["title"] = "A report of mcp-assay";
  schema["$defs"] = report_definitions();
  return schema;
}

json verdict_schemas() {
  json all = verdict_definitions();
  for (const char* used : {"level", "outcome"}) all[used] = run_definitions()[used];
  all.erase("stale-expectation");
  return all;
}

json events_schema() {
  json schema = json::parse(R"({
      "title": "A line of 'mcp-assay server --events'",
      "anyOf": [{"$ref": "#/$defs/started-event"}, {"$ref": "#/$defs/scenario-event"},
                {"$ref": "#/$defs/verdict-event"}, {"$ref": "#/$defs/finished-event"}],
      "$defs": {
        "started-event": {
          "description": "The first: how much there is to do",
          "type": "object", "required": ["event", "schema", "runs", "scenarios"],
          "properties": {
            "event": {"const": "started"}, "schema": {"const": "mcp-assay-events/1"},
            "runs": {"type": "integer", "description": "Revisions, over each transport"},
            "scenarios": {"type": "integer", "description": "Of all runs together"}}},
        "scenario-event": {
          "description": "A scenario is finished",
          "type": "object",
          "required": ["event", "revision", "transport", "scenario", "duration_ms"],
          "properties": {
            "event": {"const": "scenario"},
            "revision": {"type": "string"}, "transport": {"type": "string"},
            "scenario": {"type": "string"}, "duration_ms": {"type": "integer"}}},
        "verdict-event": {
          "description": "A rule is judged",
          "type": "object",
          "required": ["event", "revision", "transport", "requirement", "level", "outcome"],
          "properties": {
            "event": {"const": "verdict"},
            "revision": {"type": "string"}, "transport": {"type": "string"},
            "requirement": {"type": "string"},
            "level": {"$ref": "#/$defs/level"}, "outcome": {"$ref": "#/$defs/outcome"}}},
        "finished-event": {
          "description": "The last, with the result",
          "type": "object",
          "required": ["event", "conformant", "exit_status", "failures", "text", "report"],
          "properties": {
            "event": {"const": "finished"}, "conformant": {"type": "boolean"},
            "exit_status": {"enum": [0, 1, 3, 130]},
            "failures": {"type": "array", "items": {"$ref": "#/$defs/failure"},
                         "description": "The most important first"},
            "text": {"type": "string", "description": "The report for people"},
            "report": {"$ref": "#/$defs/report"}}},
        "failure": {
          "description": "A rule whose violation fails the run, in all runs",
          "type": "object",
          "required": ["requirement", "level", "summary", "detail", "fix", "spec", "runs", "text"],
          "properties": {
            "requirement": {"type": "string"}, "level": {"$ref": "#/$defs/level"},
            "summary": {"type": "string", "description": "The rule in one sentence"},
            "detail": {"type": "string", "description": "What happened"},
            "fix": {"type": "string", "description": "How to put it right; may be empty"},
            "spec": {"type": "string", "description": "A link to the specification"},
            "runs": {"type": "array", "items": {"type": "string"},
                     "description": "Where it is violated: '2025-11-25 stdio'"},
            "text": {"type": "string",
                     "description": "For people: rule, fix, and the exchange with its bytes"}}}}})");
  schema["$defs"].update(report_definitions());
  schema["$defs"]["report"] = report_object();
  schema["$defs"]["report"]["description"] = "The JSON report";
  return schema;
}

}  // namespace assay::cli
