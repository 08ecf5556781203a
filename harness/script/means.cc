#include "harness/script/means.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/script/json_member.h"
#include "harness/script/sample_value.h"

namespace assay::harness {
namespace {

template <typename Visit>
void each_use(const Survey& survey, const ToolPolicy& policy, Ability ability, const Visit& visit) {
  for (const KnownTool& tool : policy.known.tools) {
    const Json* listed = survey.tool(tool.name);
    if (listed == nullptr) continue;
    for (const ToolUse& use : tool.uses) {
      if (use.can(ability)) visit(use, policy.allows(*listed));
    }
  }
}

// What is called with arguments that are guessed goes to `guessed`.
void add_plain_uses(const Json& tool, const KnownTool* known, std::vector<ToolUse>& uses,
                    std::vector<ToolUse>& guessed) {
  if (known == nullptr || known->uses.empty()) {
    // The user may have named a tool of which the profile only says that it is not to be called.
    const auto arguments = sample_arguments(member(tool, "inputSchema"));
    if (!arguments) return;
    (arguments->empty() ? uses : guessed)
        .push_back({.name = std::string(text_member(tool, "name")), .arguments = *arguments});
    return;
  }
  for (const ToolUse& use : known->uses) {
    if (use.does.empty()) uses.push_back(use);
  }
}

// "a, b, c and 4 more".
std::string shortened(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 6;
  constexpr std::size_t kLongestName = 60;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    text += (i > 0 ? ", " : "") + names[i].substr(0, kLongestName);
  }
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  return text;
}

}  // namespace

std::vector<ToolUse> find_tools(const Survey& survey, const ToolPolicy& policy, Ability ability) {
  std::vector<ToolUse> found;
  each_use(survey, policy, ability, [&](const ToolUse& use, bool is_allowed) {
    if (is_allowed) found.push_back(use);
  });
  return found;
}

std::optional<ToolUse> find_tool(const Survey& survey, const ToolPolicy& policy, Ability ability) {
  const std::vector<ToolUse> found = find_tools(survey, policy, ability);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

std::string hint(Ability ability) {
  return fmt::format("name a tool that {} in a --profile file (does: {})", words(ability),
                     name(ability));
}

Lack lack_of(const Survey& survey, const ToolPolicy& policy, Ability ability) {
  if (!survey.tools().is_declared) {
    return {"the server has no tools", fmt::format("a server with a tool that {}", words(ability))};
  }
  std::string forbidden;
  each_use(survey, policy, ability, [&](const ToolUse& use, bool is_allowed) {
    if (!is_allowed && forbidden.empty()) forbidden = use.name;
  });
  if (!forbidden.empty()) {
    return {fmt::format("{} is known as a tool that {}, but --tools does not allow it", forbidden,
                        words(ability)),
            fmt::format("allow it: --tools {}, or leave --tools out", forbidden)};
  }
  if (!policy.known.tried.empty()) {
    return {fmt::format("none of the tools that were tried {} ({})", words(ability),
                        shortened(policy.known.tried)),
            hint(ability)};
  }
  return {fmt::format("no tool of the server is known as one that {}", words(ability)),
          hint(ability)};
}

std::vector<std::string> required_arguments(const Json& tool_or_prompt) {
  std::vector<std::string> names;
  for (const Json& name : array_member(member(tool_or_prompt, "inputSchema"), "required")) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  for (const Json& argument : array_member(tool_or_prompt, "arguments")) {
    if (member(argument, "required") == true) names.emplace_back(text_member(argument, "name"));
  }
  return names;
}

std::vector<ToolUse> plain_tools(const Survey& survey, const ToolPolicy& policy,
                                 std::size_t limit) {
  std::vector<ToolUse> tools;
  std::vector<ToolUse> guessed;
  for (const bool has_output_schema : {true, false}) {
    for (const Json& tool : survey.tools().items) {
      const std::string_view name = text_member(tool, "name");
      const bool is_task = member(member(tool, "execution"), "taskSupport") == "required";
      if (name.empty() || is_task || !policy.allows(tool)) continue;
      if (member(tool, "outputSchema").is_null() == has_output_schema) continue;
      if (tools.size() < limit) add_plain_uses(tool, policy.known.tool(name), tools, guessed);
    }
  }
  tools.insert(tools.end(), guessed.begin(), guessed.end());
  if (tools.size() > limit)
    tools.erase(tools.begin() + static_cast<std::ptrdiff_t>(limit), tools.end());
  return tools;
}

Json prompt_arguments(const Profile& known, const Json& prompt) {
  Json arguments = Json::object();
  const KnownPrompt* described = known.prompt(text_member(prompt, "name"));
  if (described != nullptr) arguments = described->arguments;
  for (const std::string& name : required_arguments(prompt)) {
    if (arguments.contains(name)) continue;
    // Where it should be a URI, it is one, and ids are often numbers.
    const bool is_uri = name.ends_with("Uri") || name.ends_with("uri");
    const bool is_id = name == "id" || name.ends_with("Id") || name.ends_with("_id");
    arguments[name] = is_uri  ? Json("test://example-resource")
                      : is_id ? Json("1")
                              : sample_value({{"type", "string"}}, name);
  }
  return arguments;
}

}  // namespace assay::harness
