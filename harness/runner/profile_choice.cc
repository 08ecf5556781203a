#include "harness/runner/profile_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/profile/built_in.h"
#include "harness/script/json_member.h"

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

void note_lacking(const Profile& profile, const Survey& survey, std::vector<std::string>& lacking) {
  const auto note = [&](int line, std::string_view kind, const std::string& name) {
    lacking.push_back(
        fmt::format("{}: line {}: the server lists no {} '{}'", profile.name, line, kind, name));
  };
  if (is_known_whole(survey.tools())) {
    for (const KnownTool& tool : profile.tools) {
      if (survey.tool(tool.name) == nullptr) note(tool.line, "tool", tool.name);
    }
  }
  if (is_known_whole(survey.prompts())) {
    for (const KnownPrompt& prompt : profile.prompts) {
      if (survey.prompt(prompt.name) == nullptr) note(prompt.line, "prompt", prompt.name);
    }
  }
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
    choice.known.add(profile);
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
