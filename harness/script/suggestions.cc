#include "harness/script/suggestions.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "harness/script/uri_template.h"
#include "harness/script/usable.h"

namespace assay::harness {
namespace {

constexpr std::size_t kMostPrompts = 4;
constexpr std::size_t kMostTemplates = 4;

bool has_unknown_arguments(const Json& prompt, const ToolPolicy& policy) {
  return is_named(prompt) && !array_member(prompt, "arguments").empty() &&
         policy.known.prompt(text_member(prompt, "name")) == nullptr;
}

bool has_variables(const Json& resource_template) {
  return !template_variables(text_member(resource_template, "uriTemplate")).empty();
}

}  // namespace

bool has_unknown_arguments(const Survey& survey, const ToolPolicy& policy) {
  const auto& prompts = survey.prompts().items;
  const auto& templates = survey.resource_templates().items;
  return std::any_of(prompts.begin(), prompts.end(),
                     [&](const Json& each) { return has_unknown_arguments(each, policy); }) ||
         std::any_of(templates.begin(), templates.end(), has_variables);
}

Suggestions::Suggestions(Connection& connection, std::chrono::milliseconds patience,
                         std::function<bool()> is_over)
    : connection_(connection), patience_(patience), is_over_(std::move(is_over)) {}

void Suggestions::ask(const Survey& survey, const ToolPolicy& policy, Profile& profile,
                      Clues& clues) {
  std::size_t asked = 0;
  for (const Json& prompt : survey.prompts().items) {
    if (!has_unknown_arguments(prompt, policy)) continue;
    if (is_over_() || ++asked > kMostPrompts) break;
    ask_for_prompt(prompt, policy, profile, clues);
  }
  asked = 0;
  for (const Json& each : survey.resource_templates().items) {
    if (!has_variables(each)) continue;
    if (is_over_() || ++asked > kMostTemplates) break;
    ask_for_template(std::string(text_member(each, "uriTemplate")), profile, clues);
  }
}

std::string Suggestions::first_for(const Json& reference, std::string_view argument) {
  for (const char* begun : {"", "1"}) {
    const Reply reply = connection_.await(
        connection_.start(
            "completion/complete",
            {{"ref", reference}, {"argument", {{"name", argument}, {"value", begun}}}}),
        patience_);
    const Json& values = array_member(member(reply.result(), "completion"), "values");
    if (!values.empty() && values[0].is_string()) return values[0].get<std::string>();
    if (!reply.is_answered() || is_over_()) break;
  }
  return "";
}

void Suggestions::ask_for_prompt(const Json& prompt, const ToolPolicy& policy, Profile& profile,
                                 Clues& clues) {
  const Json reference = {{"type", "ref/prompt"}, {"name", member(prompt, "name")}};
  KnownPrompt known;
  known.name = text_member(prompt, "name");
  known.arguments = prompt_arguments(policy.known, prompt);
  bool is_any = false;
  for (const Json& argument : array_member(prompt, "arguments")) {
    if (!is_named(argument)) continue;
    const std::string name(text_member(argument, "name"));
    const std::string value = first_for(reference, name);
    if (value.empty()) continue;
    is_any = true;
    known.arguments[name] = value;
    clues.note_suggestion(name, value);
    profile.completions.push_back({reference, name, ""});
  }
  if (is_any) profile.prompts.push_back(std::move(known));
}

void Suggestions::ask_for_template(const std::string& uri_template, Profile& profile,
                                   Clues& clues) {
  const Json reference = {{"type", "ref/resource"}, {"uri", uri_template}};
  std::map<std::string, std::string, std::less<>> values;
  bool is_whole = true;
  for (const std::string& name : template_variables(uri_template)) {
    const std::string value = first_for(reference, name);
    is_whole = is_whole && !value.empty();
    if (value.empty()) continue;
    values[name] = value;
    clues.note_suggestion(name, value);
    profile.completions.push_back({reference, name, ""});
  }
  if (!is_whole || values.empty()) return;
  const std::string uri = expand_template(
      uri_template, [&](std::string_view name) { return values.find(name)->second; });
  if (is_readable({{"uri", uri}})) profile.resources.push_back(uri);
}

}  // namespace assay::harness
