// Scenarios about the directories of skills of the extension `io.modelcontextprotocol/skills`.
//
// Specification: the extension's page, "Reading Directories", "Error Handling".
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "scenarios/skill_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr RequirementId kImplementedOfDirectories("ext-skills.directory-read-implemented");
constexpr RequirementId kEveryOfDirectories("ext-skills.directory-every");
constexpr RequirementId kChildrenOfDirectories("ext-skills.directory-children");
constexpr RequirementId kUnknownOfDirectories("ext-skills.directory-unknown-error");
constexpr RequirementId kCompleteOfDirectories("ext-skills.manifest-complete");

constexpr std::size_t kMostDirectoriesOfDirectories = 24;
constexpr std::size_t kMostSkillsOfDirectories = 8;
constexpr int kMostPagesOfDirectories = 8;

// What stands in a directory, as far as the entry of the skill tells: by URI, whether it is a
// directory.
using SkillChildren = std::map<std::string, bool, std::less<>>;

std::map<std::string, SkillChildren> directories_of(const Json& entry, std::string_view root) {
  std::map<std::string, SkillChildren> all;
  for (const Json& file : files_of(entry)) {
    std::string child(text_member(file, "uri"));
    if (!lies_within(child, root)) continue;
    for (bool is_directory = false; child != root; is_directory = true) {
      const std::string parent = child.substr(0, child.rfind('/'));
      all[parent].emplace(child, is_directory);
      child = parent;
    }
  }
  return all;
}

// A directory, page by page.
struct SkillDirectory {
  std::vector<Json> children;
  std::vector<EventPtr> events;  // of all pages
  Reply last;
  bool is_whole = false;
};

SkillDirectory read_all_of(Script& script, const std::string& uri) {
  SkillDirectory directory{{}, {}, read_directory(script, uri)};
  for (int page = 1;; ++page) {
    const Reply& reply = directory.last;
    directory.events.insert(directory.events.end(), reply.events().begin(), reply.events().end());
    for (const Json& child : array_member(reply.result(), "resources")) {
      directory.children.push_back(child);
    }
    const Json& next = member(reply.result(), "nextCursor");
    directory.is_whole = reply.is_result() && !next.is_string();
    if (!next.is_string() || page >= kMostPagesOfDirectories) return directory;
    directory.last = script.request(kReadDirectory, {{"uri", uri}, {"cursor", next}});
  }
}

bool is_skill_directory(const Json& child) {
  return text_member(child, "mimeType") == "inode/directory";
}

// The entry still says the same, so that the server has not changed meanwhile.
bool is_still_so(Script& script, const ListedSkill& skill) {
  const Reply again = get_skill(script, skill.uri());
  return again.is_result() && files_of(member(again.result(), "skill")) == files_of(skill.entry);
}

// What one of the two lists has to be in the other one.
void judge_children(Script& script, const ListedSkill& skill, const std::string& uri,
                    const SkillChildren& expected, const SkillDirectory& directory) {
  std::set<std::string_view> seen;
  std::string wrong;
  std::string unlisted;
  for (const Json& child : directory.children) {
    const std::string_view at = text_member(child, "uri");
    const auto known = expected.find(at);
    seen.insert(at);
    if (known == expected.end()) {
      const bool is_further = at.starts_with(uri + "/") && at.find('/', uri.size() + 1) != at.npos;
      if (is_further) wrong = fmt::format("{} stands further down", at);
      if (!is_further && !is_skill_directory(child)) unlisted = at;
    } else if (known->second != is_skill_directory(child)) {
      wrong = fmt::format("{} has the mimeType \"{}\"", at, text_member(child, "mimeType"));
    }
  }
  for (const auto& [at, is_below] : expected) {
    if (wrong.empty() && !seen.contains(at)) wrong = at + " is missing";
  }
  const bool is_clear = (wrong.empty() && unlisted.empty()) || is_still_so(script, skill);
  if (!is_clear) {
    return script.unclear(kChildrenOfDirectories,
                          "the skill changed while its directories were read", directory.events);
  }
  script.check(
      kChildrenOfDirectories, wrong.empty(), directory.events,
      fmt::format("the directory {} does not list what the skill has there: {}", uri, wrong));
  if (unlisted.empty()) return;
  std::vector<EventPtr> events = skill.events;
  events.insert(events.end(), directory.events.begin(), directory.events.end());
  script.check(kCompleteOfDirectories, false, std::move(events),
               fmt::format("the entry of {} does not list {}, which its directory lists",
                           skill.uri(), unlisted));
}

void judge_directories(Script& script, const ListedSkill& skill, std::size_t& read) {
  for (const auto& [uri, expected] : directories_of(skill.entry, skill.root())) {
    if (++read > kMostDirectoriesOfDirectories) return;
    const SkillDirectory directory = read_all_of(script, uri);
    const Reply& reply = directory.last;
    script.check(kImplementedOfDirectories, reply.is_result(), reply,
                 fmt::format("the server declares directoryRead, and answered {} with {}",
                             kReadDirectory, reply.describe()));
    script.check(kEveryOfDirectories, reply.is_result(), reply,
                 fmt::format("the directory {} cannot be read: {}", uri, reply.describe()));
    if (directory.is_whole) judge_children(script, skill, uri, expected, directory);
  }
}

// Every directory of a skill lists what stands in it, and nothing else is a directory.
SCENARIO(ext_skills_directories_can_be_read, of_extension("skills"),
         judges({"ext-skills.directory-read-implemented", "ext-skills.directory-every",
                 "ext-skills.directory-children", "ext-skills.directory-unknown-error",
                 "ext-skills.manifest-complete", "ext-skills.standard-errors",
                 "ext-skills.errors-informative"})) {
  if (!declares_directory_read(script.session().server())) {
    for (const RequirementId rule : {kImplementedOfDirectories, kEveryOfDirectories,
                                     kChildrenOfDirectories, kUnknownOfDirectories}) {
      script.not_applicable(rule, "the server does not declare directoryRead");
    }
    return;
  }
  const auto skills = listed_skills(
      script, {kImplementedOfDirectories, kEveryOfDirectories, kChildrenOfDirectories});
  std::size_t read = 0;
  std::size_t tried = 0;
  for (const ListedSkill& skill : skills) {
    if (files_of(skill.entry).empty()) continue;
    if (++tried > kMostSkillsOfDirectories) break;
    judge_directories(script, skill, read);
  }
  script.tried({kEveryOfDirectories, kChildrenOfDirectories},
               std::min(read, kMostDirectoriesOfDirectories), "directories");
  judge_skill_refusal(script, kUnknownOfDirectories,
                      read_directory(script, "skill://assay-4711/nowhere"),
                      "reading a directory that does not exist");
  if (skills.empty()) return;
  judge_skill_refusal(script, kUnknownOfDirectories, read_directory(script, skills.front().uri()),
                      "reading a file as a directory");
}

}  // namespace
}  // namespace assay::scenarios
