#include "harness/script/means.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/script/json_member.h"

namespace assay::harness {
namespace {

struct KnownTool {
  Ability ability;
  std::string_view name;
  std::string_view arguments;  // JSON
};

// The fixtures first, then those of server-everything.
constexpr std::array kKnownTools = {
    KnownTool{Ability::kFails, "test_error_handling", "{}"},
    KnownTool{Ability::kReportsProgress, "test_tool_with_progress", "{}"},
    KnownTool{Ability::kTakesTime, "test_slow", R"({"duration_ms": 240, "steps": 6})"},
    KnownTool{Ability::kLogs, "test_tool_with_logging", "{}"},
    KnownTool{Ability::kLogsEveryLevel, "test_logging_levels", "{}"},
    KnownTool{Ability::kSamples, "test_sampling", R"({"prompt": "Say a word."})"},
    KnownTool{Ability::kElicits, "test_elicitation", R"({"message": "Please answer."})"},
    KnownTool{Ability::kElicitsByUrl, "test_elicitation_url", "{}"},
    KnownTool{Ability::kNeedsElicitation, "test_url_elicitation_required", "{}"},
    KnownTool{Ability::kAsksRoots, "test_roots", "{}"},
    KnownTool{Ability::kChangesTools, "test_trigger_tool_change", "{}"},
    KnownTool{Ability::kChangesPrompts, "test_trigger_prompt_change", "{}"},
    KnownTool{Ability::kChangesResources, "test_trigger_resource_change", "{}"},
    KnownTool{Ability::kUpdatesResource, "test_trigger_resource_update", "{}"},
    KnownTool{Ability::kReportsProgress, "trigger-long-running-operation",
              R"({"duration": 0.2, "steps": 3})"},
    KnownTool{Ability::kTakesTime, "trigger-long-running-operation",
              R"({"duration": 0.6, "steps": 6})"},
    KnownTool{Ability::kSamples, "trigger-sampling-request", R"({"prompt": "Say a word."})"},
    KnownTool{Ability::kElicits, "trigger-elicitation-request", "{}"},
    KnownTool{Ability::kElicitsByUrl, "trigger-url-elicitation",
              R"({"url": "https://example.com/"})"},
    KnownTool{Ability::kAsksRoots, "get-roots-list", "{}"},
};

// Known tools without an ability of the table that do more than answer.
constexpr std::array<std::string_view, 5> kNotPlain = {
    "test_reconnection", "test_failing_task", "test_task_with_elicitation",
    "test_elicitation_sep1034_defaults", "test_elicitation_sep1330_enums"};

bool is_known(std::string_view name) {
  return std::any_of(kKnownTools.begin(), kKnownTools.end(),
                     [&](const KnownTool& known) { return known.name == name; }) ||
         std::find(kNotPlain.begin(), kNotPlain.end(), name) != kNotPlain.end();
}

std::string_view words(Ability ability) {
  switch (ability) {
    case Ability::kFails:
      return "fails";
    case Ability::kReportsProgress:
      return "reports progress";
    case Ability::kTakesTime:
      return "takes some time and reports progress";
    case Ability::kLogs:
      return "logs";
    case Ability::kLogsEveryLevel:
      return "logs a message of each level";
    case Ability::kSamples:
      return "asks for sampling";
    case Ability::kElicits:
      return "asks the user with a form";
    case Ability::kElicitsByUrl:
      return "asks the user by URL";
    case Ability::kNeedsElicitation:
      return "fails until an elicitation by URL is complete";
    case Ability::kAsksRoots:
      return "lists the roots";
    case Ability::kChangesTools:
      return "changes the list of tools";
    case Ability::kChangesPrompts:
      return "changes the list of prompts";
    case Ability::kChangesResources:
      return "changes the list of resources";
    case Ability::kUpdatesResource:
      return "changes a resource";
  }
  return "";
}

}  // namespace

std::optional<ToolUse> find_tool(const Survey& survey, const ToolPolicy& policy, Ability ability) {
  for (const KnownTool& known : kKnownTools) {
    if (known.ability != ability) continue;
    const Json* listed = survey.tool(known.name);
    if (listed == nullptr || !policy.allows(*listed)) continue;
    return ToolUse{std::string(known.name), Json::parse(known.arguments)};
  }
  return std::nullopt;
}

std::string hint(Ability ability) {
  for (const KnownTool& known : kKnownTools) {
    if (known.ability != ability) continue;
    return fmt::format("a tool that {}, such as the fixture {}, and --tools to allow it",
                       words(ability), known.name);
  }
  return fmt::format("a tool that {}", words(ability));
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
  for (const Json& tool : survey.tools().items) {
    const std::string_view name = text_member(tool, "name");
    const bool is_task = member(member(tool, "execution"), "taskSupport") == "required";
    if (name.empty() || is_known(name) || is_task || !policy.allows(tool)) continue;
    if (!required_arguments(tool).empty()) continue;
    if (tools.size() == limit) break;
    tools.push_back({std::string(name), Json::object()});
  }
  return tools;
}

}  // namespace assay::harness
