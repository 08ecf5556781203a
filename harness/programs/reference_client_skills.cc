#include "harness/programs/reference_client_skills.h"

#include <optional>
#include <string>
#include <vector>

#include "harness/script/json_member.h"
#include "harness/script/skill_entry.h"

namespace assay::cli {
namespace {

using harness::array_member;
using harness::member;
using harness::text_member;

class SkillLoader {
 public:
  SkillLoader(bool has_directories, const AskForResult& ask)
      : has_directories_(has_directories), ask_(ask) {}

  void load(const Json& listed) const {
    const std::string uri(text_member(listed, "uri"));
    Json entry = listed;
    auto text = read(entry, uri);
    if (!text) {
      // It may have changed since it was listed.
      entry = member(ask_("skills/get", {{"uri", uri}}), "skill");
      text = read(entry, uri);
    }
    if (!text || !has_its_frontmatter(entry, *text)) return;
    const std::string root(harness::skill_root(uri));
    for (const std::string& path : links_in(*text)) {
      const std::string file = root + "/" + path;
      if (!harness::file_in(entry, file).is_null()) read(entry, file);
    }
    const bool has_templates = text->find(" templates/") != std::string::npos;
    if (has_directories_ && has_templates) {
      ask_("resources/directory/read", {{"uri", root + "/templates"}});
    }
  }

 private:
  // The bytes of a file, if they are what the entry says.
  std::optional<std::string> read(const Json& entry, const std::string& uri) const {
    const Json& resources = member(entry, "resources");
    const bool is_dynamic = resources == "dynamic";
    const Json& listed = harness::file_in(entry, uri);
    if (!is_dynamic && listed.is_null()) return std::nullopt;
    const Json result = ask_("resources/read", {{"uri", uri}});
    const Json& contents = array_member(result, "contents");
    if (contents.empty()) return std::nullopt;
    auto bytes = harness::bytes_in(contents.front());
    const bool is_right =
        bytes && (is_dynamic || (member(listed, "size") == bytes->size() &&
                                 text_member(listed, "digest") == harness::digest_of(*bytes)));
    return is_right ? bytes : std::nullopt;
  }

  static bool has_its_frontmatter(const Json& entry, const std::string& text) {
    const auto yaml = harness::frontmatter_in(text);
    return yaml && harness::compare_frontmatter(*yaml, member(entry, "frontmatter")).words.empty();
  }

  // The paths of Markdown's links: [words](path).
  static std::vector<std::string> links_in(const std::string& text) {
    std::vector<std::string> links;
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2)) {
      const std::size_t end = text.find(')', at);
      if (end != std::string::npos) links.push_back(text.substr(at + 2, end - at - 2));
    }
    return links;
  }

  const bool has_directories_;
  const AskForResult& ask_;
};

}  // namespace

void load_skills(const Json& server, const std::vector<Json>& skills, const AskForResult& ask) {
  const SkillLoader loader(harness::declares_directory_read(server), ask);
  for (const Json& entry : skills) loader.load(entry);
}

}  // namespace assay::cli
