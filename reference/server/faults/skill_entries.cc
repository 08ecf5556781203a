// Faults of what a server says of its skills, and of their files: the extension
// `io.modelcontextprotocol/skills`. Specification: the page of the extension, "Resource Mapping" to
// "Integrity and Verification".
#include <string>
#include <string_view>
#include <utility>

#include "reference/server/faults/rows.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

// Each entry that leaves, of a list or alone.
template <typename Change>
void change_entries(Departure& d, Change change) {
  if (d.is_result_of("skills/list")) {
    for (Json& entry : d.result()["skills"]) change(entry);
  } else if (d.is_result_of("skills/get")) {
    change(d.result()["skill"]);
  }
}

bool is_refunds(const Json& entry) {
  return entry["uri"] == "skill://acme/billing/refunds/SKILL.md";
}
bool is_pdf(const Json& entry) {
  return entry["uri"] == "skill://pdf-processing/SKILL.md";
}

// The same for one of them.
template <auto kWhich, auto kChange>
void change_entry(Departure& d) {
  change_entries(d, [](Json& entry) {
    if (kWhich(entry)) kChange(entry);
  });
}

// The text of a file of a skill that leaves; null where the message is another one.
Json* text_of_file(Departure& d, std::string_view uri) {
  if (!d.is_result_of("resources/read") || asked_uri(d) != uri) return nullptr;
  return &d.result()["contents"][0]["text"];
}

constexpr std::string_view kRefunds = "skill://acme/billing/refunds/SKILL.md";

// Serves skills, and all files, by other URIs.
void replace_everywhere(Departure& d, const std::string& before, const std::string& after) {
  std::string text = d.json().dump();
  for (std::size_t at = text.find(before); at != std::string::npos;
       at = text.find(before, at + after.size())) {
    text.replace(at, before.size(), after);
  }
  d.json() = Json::parse(text);
}

void drop_nested(Json& entry) {
  Json kept = Json::array();
  for (const Json& file : entry["resources"]) {
    if (file["uri"] != "skill://pdf-processing/forms/SKILL.md") kept.push_back(file);
  }
  entry["resources"] = kept;
}
void drop_template(Json& entry) {
  Json kept = Json::array();
  for (const Json& file : entry["resources"]) {
    if (file["uri"] != "skill://pdf-processing/templates/invoice.md") kept.push_back(file);
  }
  entry["resources"] = kept;
}

std::vector<Fault> entry_faults() {
  return {
      {.id = "skill-name-of-another-path",
       .description = "Names a skill otherwise than its directory",
       .breaks = {"ext-skills.path-ends-in-name", "ext-skills.frontmatter-verbatim"},
       .may_break = {"ext-skills.resource-name"},
       .departure =
           change_entry<is_refunds, [](Json& entry) { entry["frontmatter"]["name"] = "refund"; }>},
      {.id = "skill-name-in-capitals",
       .description = "Lists a skill under its name in capital letters",
       .breaks = {"ext-skills.name-rules", "ext-skills.path-ends-in-name"},
       // Nothing is found under the other name.
       .may_break = {"ext-skills.get-answers-all", "ext-skills.methods-implemented",
                     "ext-skills.directory-every", "ext-skills.directory-read-implemented",
                     "ext-skills.manifest-within-skill", "ext-skills.manifest-complete",
                     "ext-skills.directory-children"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("skills/list")) return;
             replace_everywhere(d, "skill://git-workflow", "skill://Git-Workflow");
           }},
      {.id = "skill-entry-without-files",
       .description = "Lists a skill without its files",
       .breaks = {"ext-skills.manifest-present"},
       .departure = change_entry<is_refunds, [](Json& entry) { entry.erase("resources"); }>},
      {.id = "skill-files-unknown",
       .description = "Says \"unknown\" in the place of the files of a skill",
       .breaks = {"ext-skills.manifest-present"},
       .departure = change_entry<is_refunds, [](Json& entry) { entry["resources"] = "unknown"; }>},
      {.id = "skill-entry-without-itself",
       .description = "Leaves SKILL.md out of the files of a skill",
       .breaks = {"ext-skills.manifest-complete"},
       .departure = change_entry<is_refunds, [](Json& entry) { entry["resources"].erase(0); }>},
      {.id = "skill-file-twice",
       .description = "Lists a file of a skill twice",
       .breaks = {"ext-skills.manifest-complete"},
       .departure = change_entry<is_refunds,
                                 [](Json& entry) {
                                   const Json again = entry["resources"][1];
                                   entry["resources"].push_back(again);
                                 }>},
      {.id = "nested-files-unlisted",
       .description = "Does not list the files of a skill within a skill",
       .breaks = {"ext-skills.manifest-complete"},
       .may_break = {"ext-skills.directory-children"},
       .departure = change_entry<is_pdf, drop_nested>},
      {.id = "skill-file-unlisted",
       .description = "Leaves a file out of an entry, which a directory lists",
       .breaks = {"ext-skills.manifest-complete"},
       .departure = change_entry<is_pdf, drop_template>},
      {.id = "skill-file-of-another",
       .description = "Lists a file of another skill among those of a skill",
       .breaks = {"ext-skills.manifest-within-skill"},
       .departure = change_entry<is_refunds,
                                 [](Json& entry) {
                                   Json other = entry["resources"][1];
                                   other["uri"] =
                                       "skill://acme/billing/refunds-old/examples/email.md";
                                   entry["resources"].push_back(std::move(other));
                                 }>},
      {.id = "skill-size-in-letters",
       .description = "Counts letters for the size of a file, and not bytes",
       .breaks = {"ext-skills.manifest-size"},
       .departure = change_entry<is_refunds,
                                 [](Json& entry) {
                                   // Of the two files, this one has letters of several bytes.
                                   entry["resources"][1]["size"] =
                                       entry["resources"][1]["size"].get<int>() - 2;
                                 }>},
      {.id = "skill-size-missing",
       .description = "Gives no sizes of files",
       .breaks = {"ext-skills.manifest-size"},
       .departure = change_entry<is_refunds,
                                 [](Json& entry) {
                                   for (Json& file : entry["resources"]) file.erase("size");
                                 }>},
      {.id = "skill-digest-in-capitals",
       .description = "Writes digests in capital letters",
       .breaks = {"ext-skills.manifest-digest"},
       .departure = change_entry<is_refunds,
                                 [](Json& entry) {
                                   std::string digest = entry["resources"][0]["digest"];
                                   for (char& c : digest) {
                                     if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
                                   }
                                   entry["resources"][0]["digest"] = digest;
                                 }>},
      {.id = "skill-digest-of-another-file",
       .description = "Gives two files of a skill each the digest of the other",
       .breaks = {"ext-skills.manifest-digest"},
       .departure = change_entry<is_refunds,
                                 [](Json& entry) {
                                   std::swap(entry["resources"][0]["digest"],
                                             entry["resources"][1]["digest"]);
                                 }>},
      {.id = "skill-too-large",
       .description = "Lists a skill of more than 16 MiB",
       .breaks = {"ext-skills.limits-kept", "ext-skills.manifest-size"},
       .departure =
           change_entry<is_refunds,
                        [](Json& entry) { entry["resources"][1]["size"] = 17 * 1024 * 1024; }>},
      {.id = "frontmatter-in-part",
       .description = "Lists the name and the description of a frontmatter alone",
       .breaks = {"ext-skills.frontmatter-verbatim"},
       .departure =
           change_entry<is_refunds, [](Json& entry) { entry["frontmatter"].erase("license"); }>},
      {.id = "frontmatter-nested-lost",
       .description = "Makes a text of what a frontmatter holds as members",
       .breaks = {"ext-skills.frontmatter-verbatim"},
       .departure =
           change_entry<is_pdf,
                        [](Json& entry) { entry["frontmatter"]["metadata"] = "version=2.1.0"; }>},
      {.id = "skill-undescribed",
       .description = "Lists a skill without a description",
       .breaks = {"ext-skills.schema", "ext-skills.frontmatter-verbatim",
                  "ext-skills.agent-skills-format"},
       .departure = change_entry<is_refunds,
                                 [](Json& entry) { entry["frontmatter"].erase("description"); }>},
      {.id = "skill-of-its-directory",
       .description = "Lists a skill by the URI of its directory",
       .breaks = {"ext-skills.schema"},
       .departure =
           change_entry<is_refunds,
                        [](Json& entry) { entry["uri"] = "skill://acme/billing/refunds"; }>},
  };
}

std::vector<Fault> skill_file_faults() {
  return {
      {.id = "skill-file-changed",
       .description = "Serves another SKILL.md than it lists",
       .breaks = {"ext-skills.manifest-size", "ext-skills.manifest-digest"},
       .departure =
           [](Departure& d) {
             if (Json* text = text_of_file(d, kRefunds)) {
               *text = text->get<std::string>() + "\nMore.\n";
             }
           }},
      {.id = "skill-lines-changed",
       .description = "Serves files with other ends of lines than it has counted",
       .breaks = {"ext-skills.manifest-size", "ext-skills.manifest-digest"},
       .departure =
           [](Departure& d) {
             Json* const text = text_of_file(d, "skill://acme/billing/refunds/examples/email.md");
             if (text == nullptr) return;
             std::string changed;
             for (const char c : text->get<std::string>()) {
               if (c == '\n') changed += '\r';
               changed += c;
             }
             *text = changed;
           }},
      {.id = "skill-without-frontmatter",
       .description = "Serves SKILL.md without its frontmatter",
       .breaks = {"ext-skills.frontmatter-present", "ext-skills.manifest-size",
                  "ext-skills.manifest-digest"},
       .departure =
           [](Departure& d) {
             if (Json* text = text_of_file(d, kRefunds)) *text = "# Refunds\n";
           }},
      {.id = "skill-file-unreadable",
       .description = "Lists a skill whose SKILL.md cannot be read",
       .breaks = {"ext-skills.skill-file-present"},
       .departure =
           [](Departure& d) {
             if (text_of_file(d, kRefunds) == nullptr) return;
             become_error(d, wire::kInvalidParams, "Resource not found");
           }},
      {.id = "skill-file-as-text",
       .description = "Says that SKILL.md is plain text",
       .breaks = {"ext-skills.skill-file-media-type"},
       .departure =
           [](Departure& d) {
             if (text_of_file(d, kRefunds) == nullptr) return;
             d.result()["contents"][0]["mimeType"] = "text/plain";
           }},
      {.id = "skill-file-other-error",
       .description = "Refuses a file that a skill does not have with another code",
       .breaks = {"ext-skills.read-unknown-error", "ext-skills.standard-errors"},
       .departure =
           [](Departure& d) {
             const bool is_it = d.is_error_of("resources/read", wire::kInvalidParams) &&
                                asked_uri(d).starts_with("skill://");
             if (is_it) d.set_error_code(wire::kInternalError);
           }},
  };
}

std::vector<Fault> skill_path_faults() {
  return {
      {.id = "skills-of-one-name",
       .description = "Gives two skills one name",
       .breaks = {"ext-skills.names-unique", "ext-skills.frontmatter-verbatim"},
       // Its directory and its name differ.
       .may_break = {"ext-skills.path-ends-in-name", "ext-skills.resource-name"},
       .departure =
           change_entry<is_pdf, [](Json& entry) { entry["frontmatter"]["name"] = "refunds"; }>},
      {.id = "skills-of-another-scheme",
       .description = "Serves skills by another scheme",
       .breaks = {"ext-skills.skill-scheme"},
       .may_break = {"ext-skills.get-answers-all", "ext-skills.methods-implemented",
                     "ext-skills.directory-every", "ext-skills.directory-read-implemented",
                     "ext-skills.skill-file-present"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("skills/list")) return;
             replace_everywhere(d, "skill://git-workflow", "docs://git-workflow");
           }},
      {.id = "skill-path-with-blank",
       .description = "Lists a skill below a segment with letters that no URI has",
       .breaks = {"ext-skills.prefix-of-segments"},
       .may_break = {"ext-skills.get-answers-all", "ext-skills.methods-implemented",
                     "ext-skills.directory-every", "ext-skills.directory-read-implemented",
                     "ext-skills.schema"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("skills/list")) return;
             replace_everywhere(d, "skill://acme/billing/refunds",
                                "skill://acme/billing{}/refunds");
           }},
      {.id = "skill-authority-with-brace",
       .description = "Lists a skill whose first segment is no name of a URI",
       .breaks = {"ext-skills.authority-is-reg-name"},
       .may_break = {"ext-skills.get-answers-all", "ext-skills.methods-implemented",
                     "ext-skills.directory-every", "ext-skills.directory-read-implemented",
                     "ext-skills.schema"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("skills/list")) return;
             replace_everywhere(d, "skill://acme/billing", "skill://acme{}/billing");
           }},
  };
}

}  // namespace

std::vector<Fault> skill_entry_faults() {
  return of_stateless_era({entry_faults, skill_file_faults, skill_path_faults});
}

}  // namespace assay::server
