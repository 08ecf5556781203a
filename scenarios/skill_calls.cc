#include "scenarios/skill_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::scenarios {

using namespace harness;
using catalogue::RequirementId;

namespace {

constexpr int kMostPagesListed = 8;
constexpr std::size_t kMostSkillsListed = 64;

std::vector<ListedSkill> list_now(Script& script) {
  std::vector<ListedSkill> skills;
  Json params = Json::object();
  for (int page = 0; page < kMostPagesListed && skills.size() < kMostSkillsListed; ++page) {
    const Reply reply = script.request(kListSkills, params);
    for (const Json& entry : array_member(reply.result(), "skills")) {
      ListedSkill skill{entry, reply.events()};
      if (!skill.root().empty() && skills.size() < kMostSkillsListed) {
        skills.push_back(std::move(skill));
      }
    }
    const Json& next = member(reply.result(), "nextCursor");
    if (!next.is_string()) break;
    params["cursor"] = next;
  }
  return skills;
}

}  // namespace

std::vector<ListedSkill> listed_skills(Script& script, std::initializer_list<RequirementId> rules) {
  std::vector<ListedSkill> skills = list_now(script);
  if (!skills.empty()) return skills;
  for (const RequirementId rule : rules) {
    script.not_exercised(rule, "the server lists no skill", "a server that lists a skill");
  }
  return skills;
}

bool is_still_listed(Script& script, const ListedSkill& skill) {
  const std::vector<ListedSkill> now = list_now(script);
  return std::any_of(now.begin(), now.end(),
                     [&](const ListedSkill& each) { return each.entry == skill.entry; });
}

Reply get_skill(Script& script, std::string_view uri) {
  return script.request(kGetSkill, {{"uri", uri}});
}

Reply read_file(Script& script, std::string_view uri) {
  return script.request("resources/read", {{"uri", uri}});
}

Reply read_directory(Script& script, std::string_view uri) {
  return script.request(kReadDirectory, {{"uri", uri}});
}

void judge_skill_refusal(Script& script, RequirementId rule, const Reply& reply,
                         const std::string& what) {
  const std::string detail =
      fmt::format("{} was answered with {} instead of error -32602", what, reply.describe());
  script.check(rule, reply.is_error(wire::kInvalidParams), reply, detail);
  if (!reply.is_error()) return;
  script.check("ext-skills.standard-errors", reply.is_error(wire::kInvalidParams), reply, detail,
               "/error/code");
  const std::string_view message = text_member(reply.message()->error(), "message");
  script.check("ext-skills.errors-informative",
               message.find_first_not_of(" \t\r\n") != std::string_view::npos, reply,
               what + " was refused without a word of why", "/error/message");
}

}  // namespace assay::scenarios
