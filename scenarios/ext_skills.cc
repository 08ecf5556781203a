// Scenarios about the methods of the extension `io.modelcontextprotocol/skills`, and about what it
// refuses.
//
// Specification: the extension's page, "Capability Negotiation", "Names", "Listing Skills",
// "Getting a Skill", "Error Handling".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "scenarios/skill_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr RequirementId kImplementedOfSkills("ext-skills.methods-implemented");
constexpr RequirementId kAnswersAllOfSkills("ext-skills.get-answers-all");
constexpr RequirementId kCompleteOfSkills("ext-skills.manifest-complete");

// A file that the entry of the inner skill lists, and that of the outer one does not; null if each
// is in both.
const Json& missing_outside(const ListedSkill& outer, const ListedSkill& inner) {
  static const Json kNone;
  for (const Json& file : files_of(inner.entry)) {
    const std::string_view uri = text_member(file, "uri");
    if (!uri.empty() && file_in(outer.entry, uri).is_null()) return file;
  }
  return kNone;
}

// The files of a skill within another one are files of that one, too.
void judge_nesting(Script& script, const std::vector<ListedSkill>& skills) {
  for (const ListedSkill& outer : skills) {
    if (!member(outer.entry, "resources").is_array()) continue;
    for (const ListedSkill& inner : skills) {
      if (!lies_within(inner.root(), outer.root())) continue;
      std::vector<EventPtr> events = outer.events;
      if (inner.events != outer.events) {
        events.insert(events.end(), inner.events.begin(), inner.events.end());
      }
      const Json& missing = missing_outside(outer, inner);
      const bool is_clear =
          missing.is_null() || (is_still_listed(script, outer) && is_still_listed(script, inner));
      if (!is_clear) {
        script.unclear(kCompleteOfSkills, "the skills changed while they were listed", events);
        continue;
      }
      script.check(kCompleteOfSkills, missing.is_null(), std::move(events),
                   fmt::format("the entry of {} does not list {}, which lies within it",
                               outer.uri(), text_member(missing, "uri")));
    }
  }
}

// A skill that is listed is given; one that was listed may be gone.
void judge_get(Script& script, const ListedSkill& skill) {
  const Reply reply = get_skill(script, skill.uri());
  for (const RequirementId rule : {kImplementedOfSkills, kAnswersAllOfSkills}) {
    if (reply.is_error() && !is_still_listed(script, skill)) {
      script.unclear(rule, "the skill is listed no longer", reply.events());
      continue;
    }
    script.check(rule, reply.is_result(), reply,
                 fmt::format("skills/get for the listed skill {} was answered with {}", skill.uri(),
                             reply.describe()));
  }
}

void judge_names(Script& script, const std::vector<ListedSkill>& skills) {
  std::map<std::string_view, const ListedSkill*> names;
  for (const ListedSkill& skill : skills) {
    const std::string_view name = text_member(member(skill.entry, "frontmatter"), "name");
    const auto [other, is_first] = names.emplace(name, &skill);
    if (name.empty() || (!is_first && other->second->uri() == skill.uri())) continue;
    script.check("ext-skills.names-unique", is_first, skill.events,
                 fmt::format("two skills are named {}", name));
  }
}

// What is listed can be had by its URI alone, under a name of its own.
SCENARIO(ext_skills_are_listed_and_got, of_extension("skills"),
         judges({"ext-skills.methods-implemented", "ext-skills.get-answers-all",
                 "ext-skills.names-unique", "ext-skills.manifest-complete"})) {
  constexpr std::size_t kMostAsked = 12;
  const Reply list = script.request(kListSkills, Json::object());
  script.check(kImplementedOfSkills, list.is_result(), list);
  if (!list.is_result()) return;
  const std::vector<ListedSkill> skills =
      listed_skills(script, {kAnswersAllOfSkills, "ext-skills.names-unique", kCompleteOfSkills});
  for (std::size_t i = 0; i < std::min(skills.size(), kMostAsked); ++i) {
    judge_get(script, skills[i]);
  }
  judge_names(script, skills);
  judge_nesting(script, skills);
}

// --- What there is not ---

struct Stranger {
  std::string uri;
  std::string_view what;
};

// What is nearly the URI of a skill: one of its files, a letter more. (Its directory names it in a
// way, and is left out.)
std::vector<Stranger> strangers_of(const ListedSkill& skill) {
  const std::string uri(skill.uri());
  const std::string root(skill.root());
  std::vector<Stranger> all = {{root, "the directory of a skill"},
                               {uri + "x", "the URI of a skill with a letter more"},
                               {root + "-assay-4711/SKILL.md", "a skill that does not exist"},
                               {root + "/assay-4711.md", "a file that a skill does not have"}};
  for (const Json& file : files_of(skill.entry)) {
    const std::string_view other = text_member(file, "uri");
    if (other.empty() || other == uri || !skill_root(other).empty()) continue;
    all.push_back({std::string(other), "a file of a skill that is not a SKILL.md"});
    break;
  }
  return all;
}

// Only the SKILL.md of a skill that is served is one.
SCENARIO(ext_skills_refuse_what_is_no_skill, of_extension("skills"),
         judges({"ext-skills.get-unknown-error", "ext-skills.read-unknown-error",
                 "ext-skills.standard-errors", "ext-skills.errors-informative"})) {
  constexpr RequirementId kGet("ext-skills.get-unknown-error");
  constexpr RequirementId kRead("ext-skills.read-unknown-error");
  judge_skill_refusal(script, kGet, get_skill(script, "skill://assay-4711/SKILL.md"),
                      "skills/get for a skill that does not exist");
  const std::vector<ListedSkill> skills = listed_skills(script, {kRead});
  if (skills.empty()) return;
  const auto largest =
      std::max_element(skills.begin(), skills.end(), [](const auto& one, const auto& other) {
        return files_of(one.entry).size() < files_of(other.entry).size();
      });
  for (const Stranger& stranger : strangers_of(*largest)) {
    judge_skill_refusal(script, kGet, get_skill(script, stranger.uri),
                        fmt::format("skills/get for {}", stranger.what));
  }
  for (const ListedSkill& skill : skills) {
    if (!member(skill.entry, "resources").is_array()) continue;
    judge_skill_refusal(script, kRead,
                        read_file(script, std::string(skill.root()) + "/assay-4711.md"),
                        "resources/read of a file that a skill does not have");
    return;
  }
  script.not_exercised(kRead, "no skill lists its files");
}

}  // namespace
}  // namespace assay::scenarios
