#include "harness/project/interop_schema.h"

#include <nlohmann/json.hpp>

#include "harness/project/report_schema.h"
#include "reports/interop/interop_json.h"

namespace assay::cli {

nlohmann::json interop_schema() {
  return nlohmann::json::parse(R"({
      "title": "A matrix of MCP clients and servers for 'mcp-assay interop'",
      "type": "object", "additionalProperties": false, "required": ["servers", "clients"],
      "properties": {
        "servers": {"description": "By name", "type": "object", "minProperties": 1,
                    "additionalProperties": {"$ref": "#/$defs/server"}},
        "clients": {"description": "By name", "type": "object", "minProperties": 1,
                    "additionalProperties": {"$ref": "#/$defs/client"}},
        "gateways": {"description": "By name: proxies that stand between", "type": "object",
                     "minProperties": 1, "additionalProperties": {"$ref": "#/$defs/gateway"}},
        "transports": {"description": "Default: both", "$ref": "#/$defs/transports"},
        "eras": {"description": "Of the clients; default: both", "$ref": "#/$defs/eras"},
        "timeout": {"description": "Seconds for one start of a client; default: 30",
                    "type": ["number", "string"]}},
      "$defs": {
        "word": {"type": ["string", "number", "boolean"]},
        "words": {"type": "array", "items": {"$ref": "#/$defs/word"}},
        "texts": {"anyOf": [{"type": "string", "minLength": 1},
                            {"type": "array", "minItems": 1,
                             "items": {"type": "string", "minLength": 1}}]},
        "package": {"description": "npm packages, installed into a cache: name@version",
                    "$ref": "#/$defs/texts"},
        "versions": {"description": "One entry for each of these versions of the first package",
                     "$ref": "#/$defs/texts"},
        "files": {"description": "Files that import the packages; {packages} is their folder",
                  "$ref": "#/$defs/texts"},
        "environment": {"description": "Added to the environment; values may be ${VARIABLES}",
                        "type": "object", "propertyNames": {"pattern": "^[^=]+$"},
                        "additionalProperties": {"$ref": "#/$defs/word"}},
        "profile": {"description": "A built-in profile, or a file",
                    "anyOf": [{"type": "string"},
                              {"type": "array", "items": {"type": "string"}}]},
        "transports": {"anyOf": [
          {"enum": ["stdio", "http"]},
          {"type": "array", "items": {"enum": ["stdio", "http"]}, "minItems": 1}]},
        "eras": {"anyOf": [
          {"enum": ["newest", "oldest"]},
          {"type": "array", "items": {"enum": ["newest", "oldest"]}, "minItems": 1}]},
        "server": {
          "type": "object", "additionalProperties": false,
          "anyOf": [{"required": ["command"]}, {"required": ["url"]}],
          "dependentRequired": {"start": ["url"], "headers": ["url"], "versions": ["package"],
                                "files": ["package"]},
          "properties": {
            "package": {"$ref": "#/$defs/package"}, "versions": {"$ref": "#/$defs/versions"},
            "files": {"$ref": "#/$defs/files"},
            "command": {"description": "What starts it, over stdio", "$ref": "#/$defs/word"},
            "args": {"$ref": "#/$defs/words"},
            "env": {"$ref": "#/$defs/environment"},
            "envFile": {"type": "string"}, "cwd": {"type": "string"},
            "url": {"description": "Its MCP endpoint over HTTP; {port} is a free port",
                    "type": "string"},
            "start": {"description": "The command that listens at the URL; {port} as there",
                      "minItems": 1, "$ref": "#/$defs/words"},
            "headers": {"description": "Sent with each request to the URL", "type": "object",
                        "additionalProperties": {"$ref": "#/$defs/word"}},
            "profile": {"$ref": "#/$defs/profile"},
            "tools": {"description": "Tools that may be called: all, none, readonly, or names",
                      "type": "string"},
            "shared": {"description": "One start over HTTP serves several clients; default: true",
                       "type": "boolean"}}},
        "gateway": {
          "type": "object", "additionalProperties": false,
          "anyOf": [{"required": ["command", "args"],
                     "not": {"anyOf": [{"required": ["headers"]}, {"required": ["server"]}]}},
                    {"required": ["url"],
                     "properties": {"url": true, "headers": true, "server": true},
                     "additionalProperties": false}],
          "dependentRequired": {"versions": ["package"], "files": ["package"]},
          "properties": {
            "package": {"$ref": "#/$defs/package"}, "versions": {"$ref": "#/$defs/versions"},
            "files": {"$ref": "#/$defs/files"},
            "command": {"$ref": "#/$defs/word"},
            "args": {"description": "{url} is the server over HTTP, {server} a command that starts it over stdio",
                     "$ref": "#/$defs/words"},
            "env": {"$ref": "#/$defs/environment"},
            "envFile": {"type": "string"}, "cwd": {"type": "string"},
            "url": {"description": "Where it listens for clients, at {port}; default: over stdio. Without a command: where it runs already",
                    "type": "string"},
            "headers": {"description": "Without a command: sent with each request to the URL",
                        "type": "object", "additionalProperties": {"$ref": "#/$defs/word"}},
            "server": {"description": "Without a command: the server that it reaches",
                       "type": "string"}}},
        "client": {
          "type": "object", "additionalProperties": false, "required": ["command"],
          "not": {"required": ["args"],
                  "anyOf": [{"required": ["stdio"]}, {"required": ["http"]}]},
          "dependentRequired": {"versions": ["package"], "files": ["package"]},
          "properties": {
            "package": {"$ref": "#/$defs/package"}, "versions": {"$ref": "#/$defs/versions"},
            "files": {"$ref": "#/$defs/files"},
            "command": {"$ref": "#/$defs/word"},
            "args": {"description": "{url} is the server over HTTP, {server} a command that starts it over stdio, {config} a file with mcpServers",
                     "$ref": "#/$defs/words"},
            "stdio": {"description": "In place of args, over stdio", "$ref": "#/$defs/words"},
            "http": {"description": "In place of args, over HTTP", "$ref": "#/$defs/words"},
            "env": {"$ref": "#/$defs/environment"},
            "envFile": {"type": "string"}, "cwd": {"type": "string"},
            "profile": {"$ref": "#/$defs/profile"},
            "oldest": {
              "description": "What makes it speak the oldest revision that it knows",
              "type": "object", "additionalProperties": false,
              "properties": {"args": {"description": "After the other words",
                                      "$ref": "#/$defs/words"},
                             "env": {"$ref": "#/$defs/environment"}}}}}}})");
}

nlohmann::json interop_report_schema() {
  nlohmann::json schema = nlohmann::json::parse(R"({
      "title": "A report of 'mcp-assay interop'",
      "type": "object",
      "required": ["schema", "tool", "catalogue", "started", "duration_ms", "clients", "servers",
                   "cells"],
      "properties": {
        "tool": {"type": "object", "required": ["name", "version"]},
        "catalogue": {"type": "object", "required": ["version", "digest"]},
        "started": {"type": "string", "description": "In UTC: 2026-01-31T12:00:00Z"},
        "duration_ms": {"type": "integer", "minimum": 0},
        "interrupted": {"const": true},
        "shard": {"type": "object", "required": ["index", "total"]},
        "clients": {"type": "array", "items": {"$ref": "#/$defs/party"}},
        "servers": {"type": "array", "items": {"$ref": "#/$defs/party"}},
        "gateways": {"type": "array", "items": {"$ref": "#/$defs/party"}},
        "cells": {"type": "array", "items": {"$ref": "#/$defs/cell"}},
        "no_cells": {"type": "string", "description": "Why there is none, besides trials"},
        "changed_since": {"type": "string", "description": "The earlier run of 'changes'"},
        "changes": {"type": "array", "items": {
          "type": "object", "required": ["worse", "cell", "text"],
          "properties": {"worse": {"type": "boolean"}, "cell": {"type": "integer"},
                         "text": {"type": "string"}}}}},
      "$defs": {
        "party": {
          "type": "object", "required": ["name"],
          "properties": {
            "name": {"type": "string"},
            "package": {"type": "string", "description": "What was installed from npm"},
            "introduced_as": {"type": "string", "description": "Its own name and version"},
            "location": {"type": "string", "description": "The command, or the URL"},
            "reference": {"const": true, "description": "It is mcp-assay's own"}}},
        "cell": {
          "description": "One client with one server",
          "type": "object",
          "required": ["client", "server", "transport", "era", "duration_ms", "agreement", "acts",
                       "sessions"],
          "properties": {
            "client": {"type": "string"}, "server": {"type": "string"},
            "transport": {"enum": ["stdio", "http"]}, "era": {"enum": ["newest", "oldest"]},
            "gateway": {"type": "string"},
            "not_run": {"type": "string", "description": "Why it was not run"},
            "duration_ms": {"type": "integer"},
            "agreement": {"$ref": "#/$defs/agreement"},
            "acts": {"type": "array", "items": {"$ref": "#/$defs/act"}},
            "breaches": {"type": "array", "items": {"$ref": "#/$defs/breach"}},
            "sessions": {"type": "array", "items": {"$ref": "#/$defs/session"}},
            "end": {"type": "string", "description": "How the client ended, if not well"},
            "remark": {"type": "string"},
            "repeated": {"const": true, "description": "Its failures were tried again, alone"}}},
        "agreement": {
          "type": "object", "required": ["steps"],
          "properties": {
            "asked": {"type": "string", "description": "The revision that the client named first"},
            "revision": {"type": "string", "description": "That both speak; absent: none"},
            "steps": {"type": "array", "items": {"type": "string"}},
            "took_ms": {"type": "number"},
            "dead_end": {"type": "string"}}},
        "act": {
          "type": "object", "required": ["act", "outcome", "seen"],
          "properties": {
            "act": {"type": "string"},
            "outcome": {},
            "seen": {"enum": ["worked", "failed", "not_begun", "not_reached"]},
            "detail": {"type": "string"},
            "parting": {
              "description": "The event after which the two no longer agree",
              "type": "object", "required": ["session", "n", "why"],
              "properties": {"session": {"type": "integer"}, "n": {"type": "integer"},
                             "why": {"type": "string"}}},
            "breaches": {"description": "Places in the cell's breaches: those in its exchange",
                         "type": "array", "items": {"type": "integer"}},
            "unsteady": {"const": true, "description": "It failed once, and worked alone"},
            "undecided": {"const": true, "description": "What passed does not show whether a rule was broken"},
            "lacking": {"description": "Who does not support it",
                        "enum": ["client", "server", "client and server", "gateway"]},
            "lacking_why": {"type": "string"}}},
        "breach": {
          "type": "object", "required": ["party", "session", "verdict"],
          "properties": {
            "party": {"enum": ["client", "server", "gateway"]},
            "session": {"type": "integer", "description": "Evidence is numbered as its events are"},
            "verdict": {"$ref": "#/$defs/verdict"}}},
        "session": {
          "type": "object", "required": ["events"],
          "properties": {
            "start": {"type": "string", "description": "What the client was started for"},
            "revision": {"type": "string"},
            "after_gateway": {"const": true},
            "events": {"type": "array", "items": {"$ref": "#/$defs/evidence"}},
            "left_out": {"type": "integer", "description": "How many events are not here"}}}}})");
  schema["properties"]["schema"] = {{"const", reports::kInteropSchema}};
  nlohmann::json outcomes = nlohmann::json::array();
  for (const reports::ActOutcome outcome : reports::kActOutcomes) outcomes.push_back(name(outcome));
  schema["$defs"]["act"]["properties"]["outcome"] = {{"enum", outcomes}};
  schema["$defs"].update(verdict_schemas());
  return schema;
}

}  // namespace assay::cli
