// The words that catalogue data may use, in the order of the enumerations of catalogue.h.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "reports/result.h"

namespace assay::catalogue {

inline constexpr std::array<std::string_view, 9> kSubjects = {
    "server", "client",   "both",         "host",     "authorization-server",
    "sdk",    "registry", "intermediary", "extension"};
inline constexpr std::array<std::string_view, 4> kTransports = {"any", "stdio", "http", "http+sse"};
inline constexpr std::array<std::string_view, 3> kObservations = {"active", "passive", "no"};

// A server's capability as it stands in `capabilities`, or a client's behind "client.".
constexpr bool is_capability(std::string_view text) {
  constexpr std::array<std::string_view, 38> kAll = {"tools",
                                                     "tools.listChanged",
                                                     "resources",
                                                     "resources.subscribe",
                                                     "resources.listChanged",
                                                     "prompts",
                                                     "prompts.listChanged",
                                                     "logging",
                                                     "completions",
                                                     "experimental",
                                                     "extensions",
                                                     "tasks",
                                                     "tasks.list",
                                                     "tasks.cancel",
                                                     "tasks.requests",
                                                     "tasks.requests.tools.call",
                                                     "client.roots",
                                                     "client.roots.listChanged",
                                                     "client.sampling",
                                                     "client.sampling.context",
                                                     "client.sampling.tools",
                                                     "client.elicitation",
                                                     "client.elicitation.form",
                                                     "client.elicitation.url",
                                                     "client.experimental",
                                                     "client.extensions",
                                                     "client.tasks",
                                                     "client.tasks.list",
                                                     "client.tasks.cancel",
                                                     "client.tasks.requests",
                                                     "client.tasks.requests.sampling.createMessage",
                                                     "client.tasks.requests.elicitation.create",
                                                     "subscriptions",
                                                     "authorization",
                                                     "client.authorization",
                                                     "sessions",
                                                     "resumability",
                                                     "http"};
  return std::find(kAll.begin(), kAll.end(), text) != kAll.end();
}

// What a rule needs of a server beyond a capability (harness/runner/offers.h).
inline constexpr std::array<std::string_view, 11> kNeeds = {
    "users",     // that it can tell apart
    "sessions",  // of Streamable HTTP
    "extensions",
    "subscriptions",  // something that clients can subscribe to
    "pages",          // a list with a second page
    "prompts",        // at least one that is listed; the same of the next
    "resources",
    "files",               // resources with file URIs
    "output-schemas",      // of tools
    "header-annotations",  // x-mcp-header in the schema of a tool
    "task-tools"};         // that can be called as tasks

// The level that a keyword of RFC 2119 stands for.
constexpr std::optional<reports::Level> parse_keyword(std::string_view text) {
  using reports::Level;
  constexpr std::array<std::pair<std::string_view, Level>, 11> kKeywords = {{
      {"MUST", Level::kMust},
      {"MUST NOT", Level::kMustNot},
      {"SHALL", Level::kMust},
      {"SHALL NOT", Level::kMustNot},
      {"REQUIRED", Level::kMust},
      {"SHOULD", Level::kShould},
      {"SHOULD NOT", Level::kShouldNot},
      {"RECOMMENDED", Level::kShould},
      {"NOT RECOMMENDED", Level::kShouldNot},
      {"MAY", Level::kMay},
      {"OPTIONAL", Level::kMay},
  }};
  for (const auto& [keyword, level] : kKeywords) {
    if (keyword == text) return level;
  }
  return std::nullopt;
}

}  // namespace assay::catalogue
