// The means that a target offers to provoke a situation: which of its tools does what, and with
// which arguments, as its profile says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/profile/profile.h"
#include "harness/script/survey.h"

namespace assay::harness {

// A listed tool of that ability which may be called; nothing if there is none.
std::optional<ToolUse> find_tool(const Survey& survey, const ToolPolicy& policy, Ability ability);
// Every one of them, in the order of the profile.
std::vector<ToolUse> find_tools(const Survey& survey, const ToolPolicy& policy, Ability ability);

// Why there is no such tool, and what would let there be one.
struct Lack {
  std::string why;   // "no tool is known that takes some time"
  std::string hint;  // "name one in a --profile file (does: takes-time)"
};
Lack lack_of(const Survey& survey, const ToolPolicy& policy, Ability ability);
// The hint of a target of which nothing is known.
std::string hint(Ability ability);

// Tools that may be called and do nothing but answer: at most `limit`. They come with the arguments
// of the profile, or without where they need none, those with an outputSchema first, which have
// more to be judged; last those whose arguments are a guess from their inputSchema, of which nobody
// can tell whether they succeed.
std::vector<ToolUse> plain_tools(const Survey& survey, const ToolPolicy& policy, std::size_t limit);

// A value for each argument of a prompt that is required: those of the profile, or else a guess.
Json prompt_arguments(const Profile& known, const Json& prompt);

// The names of an item's required arguments: of a tool by its inputSchema, of a prompt by its list.
std::vector<std::string> required_arguments(const Json& tool_or_prompt);

}  // namespace assay::harness
