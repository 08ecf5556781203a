// What the scenarios about the extension `io.modelcontextprotocol/skills` ask, within bounds: a
// server may have any number of skills, of any size.
//
// Specification: the extension's page.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "harness/script/script.h"
#include "harness/script/skill_entry.h"

namespace assay::scenarios {

inline constexpr const char* kListSkills = "skills/list";
inline constexpr const char* kGetSkill = "skills/get";
inline constexpr const char* kReadDirectory = "resources/directory/read";

// A skill that the server lists.
struct ListedSkill {
  Json entry;
  std::vector<harness::EventPtr> events;  // the request and the answer that list it

  std::string_view uri() const { return harness::text_member(entry, "uri"); }
  std::string_view root() const { return harness::skill_root(uri()); }
};
// The first of them, up to some pages. Without one, each of the rules is noted as not exercised.
std::vector<ListedSkill> listed_skills(harness::Script& script,
                                       std::initializer_list<catalogue::RequirementId> rules);
// Skills come, go and change: whether the server lists it now as it did.
bool is_still_listed(harness::Script& script, const ListedSkill& skill);

harness::Reply get_skill(harness::Script& script, std::string_view uri);
harness::Reply read_file(harness::Script& script, std::string_view uri);
harness::Reply read_directory(harness::Script& script, std::string_view uri);

// That an error of the extension has the code that the page gives it, and says something.
void judge_skill_refusal(harness::Script& script, catalogue::RequirementId rule,
                         const harness::Reply& reply, const std::string& what);

}  // namespace assay::scenarios
