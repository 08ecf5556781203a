#include "reference/server/skills.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "reference/server/call.h"
#include "reference/server/content.h"
#include "reference/server/context.h"
#include "reference/server/handlers.h"
#include "reference/server/pagination.h"
#include "reference/wire/base64.h"
#include "reference/wire/compose.h"
#include "reference/wire/pkce.h"

namespace assay::server {
namespace {

constexpr std::string_view kSkillFile = "/SKILL.md";
constexpr std::string_view kMarkdown = "text/markdown";
constexpr std::string_view kDirectory = "inode/directory";

struct File {
  std::string_view path;  // below the root of its skill
  std::string_view mime_type;
  std::string_view text;  // empty for a binary one, whose bytes are the sample image
};

struct Skill {
  std::string_view root;  // "skill://acme/billing/refunds"
  std::string_view name;
  std::string_view description;
  std::string_view more_frontmatter;  // lines of YAML, each with its end
  Json more;                          // the same as JSON
  std::string_view body;
  std::vector<File> files;  // beside SKILL.md
  bool is_dynamic = false;

  std::string uri() const { return std::string(root) + std::string(kSkillFile); }
  std::string text() const {
    return fmt::format("---\nname: {}\ndescription: {}\n{}---\n\n{}", name, description,
                       more_frontmatter, body);
  }
  Json frontmatter() const {
    Json all = {{"name", name}, {"description", description}};
    all.update(more);
    return all;
  }
};

const std::vector<Skill>& all_skills() {
  static const std::vector<Skill> kAll = {
      {"skill://pdf-processing",
       "pdf-processing",
       "Extract, fill and assemble PDF documents",
       "metadata:\n  version: \"2.1.0\"\n",
       {{"metadata", {{"version", "2.1.0"}}}},
       "# PDF\n\nChoose a template from templates/.\n",
       {{"references/FORMS.md", kMarkdown, "# Forms\n\nFields have names.\n"},
        {"templates/invoice.md", kMarkdown, "# Invoice\n"},
        {"templates/regional/eu-invoice.md", kMarkdown, "# Invoice with VAT\n"},
        {"assets/sample.png", "image/png", ""}}},
      {"skill://git-workflow",
       "git-workflow",
       "Follow the conventions for branches and commits",
       "",
       Json::object(),
       "# Git\n\nOne topic in each commit – with its tests.\n",
       {}},
      {"skill://acme/billing/refunds",
       "refunds",
       "Process the refund that a customer asks for",
       "license: Apache-2.0\n",
       {{"license", "Apache-2.0"}},
       "# Refunds\n\nAnswer as in [the example](examples/email.md).\n",
       {{"examples/email.md", kMarkdown, "Dear customer,\n\nyour money is on its way: 10 €.\n"}}},
      {"skill://pdf-processing/forms",
       "forms",
       "Fill the fields of a form",
       "",
       Json::object(),
       "# Forms\n\nAsk for each field.\n",
       {}},
      {"skill://reports/daily",
       "daily",
       "Write the report of the day from live figures",
       "",
       Json::object(),
       "# Report\n\nThe figures of today.\n",
       {},
       true},
  };
  return kAll;
}

// A file as it is served.
struct Served {
  std::string uri;
  std::string_view mime_type;
  std::string bytes;
  bool is_binary = false;
  const Skill* skill = nullptr;  // whose SKILL.md it is; null for any other file
};

std::vector<Served> collect_files() {
  std::vector<Served> all;
  for (const Skill& skill : all_skills()) {
    all.push_back({skill.uri(), kMarkdown, skill.text(), false, &skill});
    for (const File& file : skill.files) {
      const bool is_binary = file.text.empty();
      all.push_back(
          {fmt::format("{}/{}", skill.root, file.path), file.mime_type,
           is_binary ? wire::decode_base64(kPngBase64).value_or("") : std::string(file.text),
           is_binary, nullptr});
    }
  }
  return all;
}

const std::vector<Served>& all_files() {
  static const std::vector<Served> kAll = collect_files();
  return kAll;
}

bool is_below(std::string_view uri, std::string_view directory) {
  return uri.size() > directory.size() && uri.starts_with(directory) &&
         uri[directory.size()] == '/';
}

std::string digest_of(std::string_view bytes) {
  std::string text = "sha256:";
  const std::string digest = wire::decode_base64url(wire::s256_challenge(bytes)).value_or("");
  for (const char byte : digest) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

// With the files of the skills within it.
Json manifest_of(const Skill& skill) {
  if (skill.is_dynamic) return "dynamic";
  Json files = Json::array();
  for (const Served& file : all_files()) {
    if (!is_below(file.uri, skill.root)) continue;
    files.push_back(
        {{"uri", file.uri}, {"digest", digest_of(file.bytes)}, {"size", file.bytes.size()}});
  }
  return files;
}

Json entry_of(const Skill& skill) {
  return {{"uri", skill.uri()},
          {"frontmatter", skill.frontmatter()},
          {"resources", manifest_of(skill)}};
}

// What stands directly in the directory, in the order of the files; nothing where the URI is no
// directory of a skill.
std::optional<Json> children_of(std::string_view directory) {
  const auto& skills = all_skills();
  const bool is_within = std::any_of(skills.begin(), skills.end(), [&](const Skill& skill) {
    return directory == skill.root || is_below(directory, skill.root);
  });
  if (!is_within) return std::nullopt;
  Json children = Json::array();
  std::vector<std::string> directories;
  for (const Served& file : all_files()) {
    if (!is_below(file.uri, directory)) continue;
    const std::string name = file.uri.substr(directory.size() + 1);
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) {
      Json child = {{"uri", file.uri}, {"name", name}, {"mimeType", file.mime_type}};
      if (file.skill != nullptr) {
        child["name"] = file.skill->name;
        child["description"] = file.skill->description;
      }
      children.push_back(std::move(child));
      continue;
    }
    const std::string below = name.substr(0, slash);
    if (std::find(directories.begin(), directories.end(), below) != directories.end()) continue;
    directories.push_back(below);
    children.push_back({{"uri", fmt::format("{}/{}", directory, below)},
                        {"name", below},
                        {"mimeType", kDirectory}});
  }
  if (children.empty()) return std::nullopt;
  return children;
}

Refusal no_such(std::string_view what, const std::string& uri) {
  return {wire::kInvalidParams, fmt::format("There is no {} at this URI", what), {{"uri", uri}}};
}

}  // namespace

const model::Extension& skills_extension() {
  static const model::Extension& kSkills = *model::find_extension("skills");
  return kSkills;
}

Json skills_settings() {
  return {{"directoryRead", true}};
}

std::optional<Json> skill_file_contents(const Context& context, std::string_view uri) {
  const bool is_offered =
      context.options().has_skills_extension && skills_extension().extends(context.speaks());
  if (!is_offered) return std::nullopt;
  for (const Served& file : all_files()) {
    if (file.uri != uri) continue;
    Json contents = {{"uri", uri}, {"mimeType", file.mime_type}};
    if (file.is_binary) {
      contents["blob"] = kPngBase64;
    } else {
      contents["text"] = file.bytes;
    }
    return contents;
  }
  return std::nullopt;
}

Answer list_skills(Context& context, Call& call) {
  const auto& skills = all_skills();
  return paginate(context, call.params(), "skills", skills.size(),
                  [&](std::size_t i) { return entry_of(skills[i]); });
}

Answer get_skill(Context& /*context*/, Call& call) {
  const std::optional<std::string> uri = string_member(call.params(), "uri");
  if (!uri) return invalid_params("uri must be a string");
  for (const Skill& skill : all_skills()) {
    if (skill.uri() == *uri) return Json{{"skill", entry_of(skill)}};
  }
  return no_such("skill", *uri);
}

Answer read_directory(Context& context, Call& call) {
  const std::optional<std::string> uri = string_member(call.params(), "uri");
  if (!uri) return invalid_params("uri must be a string");
  const std::optional<Json> children = children_of(*uri);
  if (!children) return no_such("directory", *uri);
  return paginate(context, call.params(), "resources", children->size(),
                  [&](std::size_t i) { return (*children)[i]; });
}

}  // namespace assay::server
