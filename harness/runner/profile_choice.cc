#include "harness/runner/profile_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "harness/profile/built_in.h"
#include "harness/script/json_member.h"
#include "harness/script/sample_value.h"
#include "reference/model/schema_check.h"

namespace assay::harness {
namespace {

std::vector<std::string> names_of(const Listing& tools) {
  std::vector<std::string> names;
  for (const Json& tool : tools.items) names.emplace_back(text_member(tool, "name"));
  return names;
}

// A list that could not be read to its end lacks nothing for certain.
bool is_known_whole(const Listing& listing) {
  return !listing.is_declared || listing.is_complete;
}

// Whether the schema of the tool forbids the arguments, though nothing says that they are wrong on
// purpose.
bool is_forbidden(const Json& tool, const ToolUse& use) {
  constexpr std::array kMeant = {Ability::kFails, Ability::kTaskFails, Ability::kTaskRefused,
                                 Ability::kEndsSubscription};
  const bool is_meant =
      std::any_of(kMeant.begin(), kMeant.end(), [&](Ability ability) { return use.can(ability); });
  return !is_meant &&
         model::check_against_schema(member(tool, "inputSchema"), use.arguments).outcome ==
             model::SchemaOutcome::kInvalid;
}

void note_lacking(const Profile& profile, const Survey& survey, std::vector<std::string>& lacking) {
  const auto note = [&](int line, std::string_view kind, const std::string& name) {
    lacking.push_back(
        fmt::format("{}: line {}: the server lists no {} '{}'", profile.name, line, kind, name));
  };
  if (is_known_whole(survey.tools())) {
    for (const KnownTool& tool : profile.tools) {
      const Json* listed = survey.tool(tool.name);
      if (listed == nullptr) note(tool.line, "tool", tool.name);
      if (listed == nullptr || !tool.may_be_called) continue;
      const bool is_odd = std::any_of(tool.uses.begin(), tool.uses.end(), [&](const ToolUse& use) {
        return is_forbidden(*listed, use);
      });
      if (!is_odd) continue;
      lacking.push_back(fmt::format("{}: line {}: the inputSchema of '{}' forbids its arguments",
                                    profile.name, tool.line, tool.name));
    }
  }
  if (is_known_whole(survey.prompts())) {
    for (const KnownPrompt& prompt : profile.prompts) {
      if (survey.prompt(prompt.name) == nullptr) note(prompt.line, "prompt", prompt.name);
    }
  }
}

// What is known of one version of a server may not fit another: arguments that its schemas forbid
// are made up anew, and a tool for which that cannot be done is not known.
Profile fitted(Profile profile, const Survey& survey) {
  std::erase_if(profile.tools, [&](KnownTool& known) {
    const Json* listed = survey.tool(known.name);
    if (listed == nullptr || !known.may_be_called) return false;
    std::erase_if(known.uses, [&](ToolUse& use) {
      if (!is_forbidden(*listed, use)) return false;
      auto guess = sample_arguments(member(*listed, "inputSchema"));
      if (guess) use.arguments = *std::move(guess);
      return !guess;
    });
    return known.uses.empty();
  });
  return profile;
}

bool contains(const std::vector<std::string>& items, const std::string& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

}  // namespace

ProfileChoice choose_profiles(const KnownProfiles& profiles, const Survey& survey,
                              const Json& server) {
  ProfileChoice choice;
  choice.was_made = true;
  const auto listed = names_of(survey.tools());
  for (const Profile& profile : profiles.given) {
    if (!profile.fits(server, listed)) continue;
    choice.known.add(profile);
    choice.used.push_back(profile.name);
    note_lacking(profile, survey, choice.lacking);
  }
  if (!profiles.detects) return choice;
  for (const Profile& profile : built_in_profiles()) {
    if (contains(choice.used, profile.name) || !profile.fits(server, listed)) continue;
    choice.known.add(fitted(profile, survey));
    choice.used.push_back(profile.name);
  }
  return choice;
}

ProfileNotes sum_up(const std::vector<const ProfileChoice*>& choices) {
  ProfileNotes notes;
  bool is_first = true;
  for (const ProfileChoice* choice : choices) {
    if (!choice->was_made) continue;
    for (const std::string& name : choice->used) {
      if (!contains(notes.used, name)) notes.used.push_back(name);
    }
    if (is_first) notes.lacking = choice->lacking;
    std::erase_if(notes.lacking,
                  [&](const std::string& each) { return !contains(choice->lacking, each); });
    is_first = false;
    notes.was_made = true;
  }
  return notes;
}

}  // namespace assay::harness
