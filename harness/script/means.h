// The means that a target offers to provoke a situation: which of its tools does what, and with
// which arguments.
//
// Nobody can see from a listing that a tool logs, takes its time or asks the user. For the fixtures
// of the official suite, and for well-known servers, a table knows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/script/survey.h"

namespace assay::harness {

// What a tool can be called for.
enum class Ability {
  kFails,             // answers with isError
  kReportsProgress,   // at least twice, where it is given a token
  kTakesTime,         // some tenths of a second, with progress on the way
  kLogs,              // sends log messages
  kLogsEveryLevel,    // one message of each level
  kSamples,           // asks sampling/createMessage
  kElicits,           // asks elicitation/create with a form
  kElicitsByUrl,      // asks elicitation/create with a URL
  kNeedsElicitation,  // fails with -32042
  kAsksRoots,         // asks roots/list
  kChangesTools,      // adds or removes a tool
  kChangesPrompts,
  kChangesResources,
  kUpdatesResource,  // announces a change of the resource `uri` to its subscriber
};

struct ToolUse {
  std::string name;
  Json arguments;
};

// A listed tool of that ability which may be called; nothing if there is none.
std::optional<ToolUse> find_tool(const Survey& survey, const ToolPolicy& policy, Ability ability);

// What would let a rule be exercised that needs this ability: "a tool that logs, ...".
std::string hint(Ability ability);

// Tools that may be called, need no argument, and do nothing but answer: at most `limit`.
std::vector<ToolUse> plain_tools(const Survey& survey, const ToolPolicy& policy, std::size_t limit);

// The names of an item's required arguments: of a tool by its inputSchema, of a prompt by its list.
std::vector<std::string> required_arguments(const Json& tool_or_prompt);

}  // namespace assay::harness
