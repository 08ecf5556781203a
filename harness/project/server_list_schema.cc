#include "harness/project/server_list.h"

namespace assay::cli {

nlohmann::json listed_server_schema() {
  nlohmann::json schema = nlohmann::json::parse(R"({
      "type": "object",
      "properties": {
        "command": {"type": ["string", "number"], "minLength": 1},
        "args": {"type": "array", "items": {"type": ["string", "number", "boolean"]}},
        "env": {"type": "object", "propertyNames": {"pattern": "^[^=]+$"},
                "additionalProperties": {"type": ["string", "number", "boolean"]}},
        "envFile": {"type": "string"}, "cwd": {"type": "string"},
        "url": {"type": "string"}, "serverUrl": {"type": "string"},
        "headers": {"type": "object",
                    "additionalProperties": {"type": ["string", "number", "boolean"]}},
        "authTokens": {"description": "Access tokens by their users; each is named by a variable",
                       "type": "object", "minProperties": 1,
                       "additionalProperties": {
                         "type": "string",
                         "pattern": "^\\$\\{(env:)?[A-Za-z_][A-Za-z0-9_]*\\}$"}},
        "authTokenFile": {"description": "A file of lines NAME=TOKEN", "type": "string"},
        "login": {"description": "Get a token first: in the browser (true), or by this grant",
                  "enum": [true, false, "authorization-code", "client-credentials",
                           "refresh-token"]},
        "clientId": {"description": "The client that was registered for that", "type": "string"},
        "clientSecret": {"description": "A variable that holds it", "type": "string",
                         "pattern": "^\\$\\{(env:)?[A-Za-z_][A-Za-z0-9_]*\\}$"},
        "refreshToken": {"description": "A variable that holds it", "type": "string",
                         "pattern": "^\\$\\{(env:)?[A-Za-z_][A-Za-z0-9_]*\\}$"},
        "callbackPort": {"type": ["integer", "string"]},
        "authServerPort": {"description": "The server trusts an authorization server of ours there",
                           "type": ["integer", "string"]},
        "upstreamPort": {"description": "The server asks an API of ours there",
                         "type": ["integer", "string"]},
        "disabled": {"type": "boolean"}},
      "oneOf": [
        {"required": ["command"], "properties": {"type": {"const": "stdio"}}},
        {"required": ["url"]}, {"required": ["serverUrl"]}]})");
  nlohmann::json types = nlohmann::json::array();
  for (const std::string_view word : kUrlTypes) types.push_back(word);
  nlohmann::json& by_command = schema["oneOf"][0]["properties"];
  for (const char* const member : kMembersOfAUrl) by_command[member] = false;
  // It may say that there is none.
  by_command["login"] = nlohmann::json::object({{"const", false}});
  for (const std::size_t by_url : {std::size_t{1}, std::size_t{2}}) {
    schema["oneOf"][by_url]["properties"]["type"]["enum"] = types;
  }
  return schema;
}

}  // namespace assay::cli
