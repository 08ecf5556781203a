// Scenarios about the files of skills of the extension `io.modelcontextprotocol/skills`: they are
// what their entry says.
//
// Specification: the extension's page, "Skill Format", "Resource Metadata", "Skill Entries",
// "Integrity and Verification"; the fields of the frontmatter by the specification of Agent Skills.
#include <fmt/format.h>

#include <optional>
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

constexpr RequirementId kPresentOfFiles("ext-skills.skill-file-present");
constexpr RequirementId kFormatOfFiles("ext-skills.agent-skills-format");
constexpr RequirementId kFrontmatterOfFiles("ext-skills.frontmatter-present");
constexpr RequirementId kVerbatimOfFiles("ext-skills.frontmatter-verbatim");
constexpr RequirementId kSizeOfFiles("ext-skills.manifest-size");
constexpr RequirementId kDigestOfFiles("ext-skills.manifest-digest");
constexpr RequirementId kMediaTypeOfFiles("ext-skills.skill-file-media-type");

constexpr std::size_t kMostSkillsOfFiles = 12;
constexpr std::size_t kMostFilesOfFiles = 24;                // of one skill
constexpr std::size_t kMostBytesOfFiles = 4U * 1024 * 1024;  // of all that are read
constexpr std::size_t kLongestDescriptionOfFiles = 1024;

// A file that was read, and the entry that was fetched before it.
struct ReadSkillFile {
  std::string uri;
  Json entry;
  std::string bytes;
  std::string media_type;
  std::vector<EventPtr> events;  // of both
};

std::vector<EventPtr> joined_events(std::vector<EventPtr> first,
                                    const std::vector<EventPtr>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const Json& contents_at(const Reply& reply, std::string_view uri) {
  static const Json kNone;
  const Json& contents = array_member(reply.result(), "contents");
  for (const Json& item : contents) {
    if (text_member(item, "uri") == uri) return item;
  }
  return contents.size() == 1 ? contents.front() : kNone;
}

// `reply`: to a read of that file.
std::optional<ReadSkillFile> file_of(const Reply& reply, const Reply& entry, std::string_view uri) {
  const Json& contents = contents_at(reply, uri);
  auto bytes = bytes_in(contents);
  if (!bytes) return std::nullopt;
  return ReadSkillFile{std::string(uri), member(entry.result(), "skill"), *std::move(bytes),
                       std::string(text_member(contents, "mimeType")),
                       joined_events(entry.events(), reply.events())};
}

// The skill may have changed between its entry and the file: then a new entry says something else
// of that file.
bool has_changed_since(Script& script, const ReadSkillFile& file) {
  const Reply again = get_skill(script, text_member(file.entry, "uri"));
  const Json& now = member(again.result(), "skill");
  return file_in(now, file.uri) != file_in(file.entry, file.uri) ||
         member(now, "frontmatter") != member(file.entry, "frontmatter");
}

void judge_match_of(Script& script, RequirementId rule, bool does_match, const ReadSkillFile& file,
                    std::string detail) {
  if (does_match || !has_changed_since(script, file)) {
    return script.check(rule, does_match, file.events, std::move(detail));
  }
  script.unclear(rule, "the skill changed while it was read", file.events);
}

void judge_bytes_of(Script& script, const ReadSkillFile& file) {
  const Json& listed = file_in(file.entry, file.uri);
  const Json& size = member(listed, "size");
  const std::string_view digest = text_member(listed, "digest");
  if (size.is_number_integer()) {
    judge_match_of(script, kSizeOfFiles, size == file.bytes.size(), file,
                   fmt::format("{} has {} bytes, and its entry says {}", file.uri,
                               file.bytes.size(), size.dump()));
  }
  if (digest.empty()) return;
  judge_match_of(script, kDigestOfFiles, digest == digest_of(file.bytes), file,
                 fmt::format("the SHA-256 of {} is another one than its entry says", file.uri));
}

void judge_fields_of(Script& script, const ReadSkillFile& file) {
  const Json& frontmatter = member(file.entry, "frontmatter");
  const std::string_view name = text_member(frontmatter, "name");
  const std::string_view description = text_member(frontmatter, "description");
  const bool is_described =
      !description.empty() && description.size() <= 4 * kLongestDescriptionOfFiles;
  script.check(kFormatOfFiles, is_skill_name(name) && is_described, file.events,
               is_described ? "the name of the skill is none by the specification of Agent Skills"
                            : "the description of the skill is empty, or longer than 1024 letters");
}

void judge_skill_file(Script& script, const ReadSkillFile& file) {
  const bool is_markdown =
      file.media_type == "text/markdown" || file.media_type.starts_with("text/markdown;");
  script.check(kMediaTypeOfFiles, is_markdown, file.events,
               file.media_type.empty() ? "SKILL.md has no mimeType"
                                       : "the mimeType of SKILL.md is not text/markdown");
  const auto yaml = frontmatter_in(file.bytes);
  script.check(kFrontmatterOfFiles, yaml.has_value(), file.events,
               "SKILL.md does not begin with a frontmatter between two lines \"---\"");
  if (!yaml) return;
  const FrontmatterDifference found = compare_frontmatter(*yaml, member(file.entry, "frontmatter"));
  if (!found.is_readable) return script.unclear(kVerbatimOfFiles, found.words, file.events);
  judge_match_of(
      script, kVerbatimOfFiles, found.words.empty(), file,
      fmt::format("the frontmatter of {} is not that of its entry: {}", file.uri, found.words));
  judge_fields_of(script, file);
}

// What asks its client first has not refused, and a skill that was listed may be gone.
void judge_presence(Script& script, const ListedSkill& skill, const Reply& reply, bool is_there) {
  if (text_member(reply.result(), "resultType") == "input_required") return;
  if (!is_there && reply.is_error() && !is_still_listed(script, skill)) return;
  script.check(kPresentOfFiles, is_there, reply,
               fmt::format("resources/read of {} was answered with {}, and no content of it",
                           skill.uri(), reply.describe()));
}

// A file is what the entry says that was fetched right before it.
SCENARIO(ext_skills_files_are_as_listed, of_extension("skills"), lengthy(),
         judges({"ext-skills.skill-file-present", "ext-skills.agent-skills-format",
                 "ext-skills.frontmatter-present", "ext-skills.frontmatter-verbatim",
                 "ext-skills.manifest-size", "ext-skills.manifest-digest",
                 "ext-skills.skill-file-media-type"})) {
  const auto skills =
      listed_skills(script, {kPresentOfFiles, kFormatOfFiles, kFrontmatterOfFiles, kVerbatimOfFiles,
                             kSizeOfFiles, kDigestOfFiles, kMediaTypeOfFiles});
  std::size_t tried = 0;
  std::size_t bytes = 0;
  std::size_t files = 0;
  for (const ListedSkill& skill : skills) {
    if (++tried > kMostSkillsOfFiles) break;
    const Reply entry = get_skill(script, skill.uri());
    if (!entry.is_result()) continue;
    const Reply reply = read_file(script, skill.uri());
    const auto main = file_of(reply, entry, skill.uri());
    judge_presence(script, skill, reply, main.has_value());
    if (!main) continue;
    ++files;
    judge_skill_file(script, *main);
    judge_bytes_of(script, *main);
    std::size_t of_skill = 0;
    for (const Json& listed : files_of(member(entry.result(), "skill"))) {
      const std::string uri(text_member(listed, "uri"));
      if (uri.empty() || uri == skill.uri() || ++of_skill > kMostFilesOfFiles ||
          bytes > kMostBytesOfFiles) {
        continue;
      }
      const auto file = file_of(read_file(script, uri), entry, uri);
      if (!file) continue;
      bytes += file->bytes.size();
      ++files;
      judge_bytes_of(script, *file);
    }
  }
  script.tried({kSizeOfFiles, kDigestOfFiles}, files, "files");
}

// --- What is said of them as resources ---

void judge_metadata_of(Script& script, const Json& resource, const Json& frontmatter,
                       const std::vector<EventPtr>& events) {
  for (const auto& [rule, key] :
       {std::pair(RequirementId("ext-skills.resource-name"), "name"),
        std::pair(RequirementId("ext-skills.resource-description"), "description")}) {
    const std::string_view meant = text_member(frontmatter, key);
    if (meant.empty()) continue;
    script.check(rule, text_member(resource, key) == meant, events,
                 fmt::format("the {} of the resource {} is not that in its frontmatter", key,
                             text_member(resource, "uri")));
  }
}

// Where a SKILL.md is listed as a resource, it has the name and the description of its skill.
SCENARIO(ext_skills_resources_are_named_as_skills, of_extension("skills"),
         judges({"ext-skills.resource-name", "ext-skills.resource-description"})) {
  bool was_listed = false;
  const bool has_directories = declares_directory_read(script.session().server());
  const auto skills =
      listed_skills(script, {"ext-skills.resource-name", "ext-skills.resource-description"});
  std::size_t tried = 0;
  for (const ListedSkill& skill : skills) {
    if (++tried > kMostSkillsOfFiles) break;
    const Json& frontmatter = member(skill.entry, "frontmatter");
    if (const Json* listed = script.survey().resource(skill.uri())) {
      was_listed = true;
      judge_metadata_of(script, *listed, frontmatter,
                        script.survey().resources().last_reply->events());
    }
    if (!has_directories) continue;
    const Reply directory = read_directory(script, skill.root());
    for (const Json& child : array_member(directory.result(), "resources")) {
      if (text_member(child, "uri") != skill.uri()) continue;
      was_listed = true;
      judge_metadata_of(script, child, frontmatter, directory.events());
    }
  }
  if (was_listed || skills.empty()) return;
  for (const RequirementId rule : {RequirementId("ext-skills.resource-name"),
                                   RequirementId("ext-skills.resource-description")}) {
    script.not_exercised(rule, "SKILL.md is listed neither in resources/list nor in a directory");
  }
}

}  // namespace
}  // namespace assay::scenarios
