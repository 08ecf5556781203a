// What entries of skills say, and the files that they describe: the extension
// `io.modelcontextprotocol/skills`.
//
// Specification: the extension's page, "Resource Mapping", "Skill Entries", "Integrity and
// Verification"; the names by the specification of Agent Skills.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/script/json_member.h"
#include "reference/model/extension.h"

namespace assay::harness {

const model::Extension& skills_extension();
bool has_skills(model::Revision revision);
// Whether a server that says this of itself declares the extension; and directoryRead with it.
bool declares_skills(const Json& server);
bool declares_directory_read(const Json& server);

// The directory of the skill whose SKILL.md is at the URI: "skill://a/b" of "skill://a/b/SKILL.md".
// Empty if that is no URI of a SKILL.md in a directory.
std::string_view skill_root(std::string_view uri);
// The last segment of such a directory.
std::string_view skill_name(std::string_view root);
// 1 to 64 small letters, digits and hyphens, of which none stands at an end or beside another one.
bool is_skill_name(std::string_view name);
bool lies_within(std::string_view uri, std::string_view root);
// The first segment of the path of a skill can be a registered name, and each further one a segment
// of a path (RFC 3986).
bool has_registered_name(std::string_view root);
bool has_path_segments(std::string_view root);

// The files of an entry that lists them; none if it is "dynamic" or malformed.
const Json& files_of(const Json& entry);
// The file of that URI in the entry; null if it lists none.
const Json& file_in(const Json& entry, std::string_view uri);
// "sha256:" and the digest of these bytes.
std::string digest_of(std::string_view bytes);

// What a resource holds as bytes, of an item of `contents`; nothing if it holds neither text nor
// base64.
std::optional<std::string> bytes_in(const Json& contents);
// The YAML between the first line "---" and the next one; nothing if the text does not begin so.
std::optional<std::string_view> frontmatter_in(std::string_view text);

// How a frontmatter as YAML and as JSON compare.
struct FrontmatterDifference {
  std::string pointer;  // where they differ first; "" is the whole
  std::string words;    // "the file says ..., the entry ..."; empty where they are the same
  // False: it is not YAML, or YAML that we do not read to the end ("<<").
  bool is_readable = true;
};
FrontmatterDifference compare_frontmatter(std::string_view yaml, const Json& frontmatter);

}  // namespace assay::harness
