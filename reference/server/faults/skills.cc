// Faults of the methods of the extension `io.modelcontextprotocol/skills`, of what they refuse, and
// of directories. Specification: the page of the extension, "Capability Negotiation", "Listing
// Skills", "Getting a Skill", "Reading Directories", "Error Handling".
#include <string>
#include <string_view>

#include "reference/server/faults/rows.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

std::vector<Fault> skill_method_faults() {
  return {
      {.id = "skills-unlisted",
       .description = "Declares the extension, and knows no skills/list",
       .breaks = {"ext-skills.methods-implemented"},
       .may_break = {"http.unknown-method-404"},
       .departure =
           [](Departure& d) {
             if (!d.answers("skills/list")) return;
             become_error(d, wire::kMethodNotFound, "Method not found");
           }},
      {.id = "skills-not-got",
       .description = "Declares the extension, and knows no skills/get",
       .breaks = {"ext-skills.methods-implemented", "ext-skills.get-answers-all",
                  "ext-skills.get-unknown-error", "ext-skills.standard-errors"},
       .may_break = {"http.unknown-method-404"},
       .departure =
           [](Departure& d) {
             if (!d.answers("skills/get")) return;
             become_error(d, wire::kMethodNotFound, "Method not found");
           }},
      {.id = "nested-skill-not-got",
       .description = "Lists a skill within another one, and does not give it alone",
       .breaks = {"ext-skills.get-answers-all", "ext-skills.methods-implemented"},
       .departure =
           [](Departure& d) {
             const bool is_it = d.is_result_of("skills/get") &&
                                asked_uri(d) == "skill://pdf-processing/forms/SKILL.md";
             if (is_it) become_error(d, wire::kInvalidParams, "There is no skill at this URI");
           }},
      {.id = "skill-directories-unread",
       .description = "Declares directoryRead, and knows no resources/directory/read",
       .breaks = {"ext-skills.directory-read-implemented", "ext-skills.directory-every",
                  "ext-skills.directory-unknown-error", "ext-skills.standard-errors"},
       .may_break = {"http.unknown-method-404"},
       .departure =
           [](Departure& d) {
             if (!d.answers("resources/directory/read")) return;
             become_error(d, wire::kMethodNotFound, "Method not found");
           }},
      {.id = "skills-without-resources",
       .description = "Declares skills, and no resources",
       .breaks = {"ext-skills.resources-declared"},
       .may_break = {"resources.capability-declared", "tools.embedding-declares-resources"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("server/discover")) d.result()["capabilities"].erase("resources");
           }},
      {.id = "skills-result-untyped",
       .description = "Gives the result of skills/list another resultType",
       .breaks = {"ext-skills.list-result-type"},
       .may_break = {"versioning.extension-unsupported"},
       .departure = sets<result_of<"skills/list">, "/result/resultType", "skills">},
      {.id = "skill-result-untyped",
       .description = "Gives the result of skills/get another resultType",
       .breaks = {"ext-skills.get-result-type"},
       .may_break = {"versioning.extension-unsupported"},
       .departure = sets<result_of<"skills/get">, "/result/resultType", "skill">},
      {.id = "directory-result-untyped",
       .description = "Gives the result of resources/directory/read another resultType",
       .breaks = {"ext-skills.directory-result-type"},
       .may_break = {"versioning.extension-unsupported"},
       .departure = sets<result_of<"resources/directory/read">, "/result/resultType", "directory">},
      {.id = "skills-without-lifetime",
       .description = "Does not say how long the list of skills may be kept",
       .breaks = {"ext-skills.list-cacheable"},
       .departure = erases<result_of<"skills/list">, "/result/ttlMs">},
      {.id = "skill-for-somebody",
       .description = "Gives a skill a cacheScope that does not exist",
       .breaks = {"ext-skills.get-cacheable"},
       .departure = sets<result_of<"skills/get">, "/result/cacheScope", "shared">},
  };
}

// Answers skills/get for what is refused with the entry of a skill.
void get_refunds(Departure& d) {
  become_result(d, {{"skill",
                     {{"uri", "skill://acme/billing/refunds/SKILL.md"},
                      {"frontmatter",
                       {{"name", "refunds"},
                        {"description", "Process the refund that a customer asks for"},
                        {"license", "Apache-2.0"}}},
                      {"resources", "dynamic"}}},
                    {"ttlMs", 0},
                    {"cacheScope", "public"}});
}

std::vector<Fault> skill_refusal_faults() {
  return {
      {.id = "unknown-skill-other-error",
       .description = "Refuses a skill that it does not have with another code",
       .breaks = {"ext-skills.get-unknown-error", "ext-skills.standard-errors"},
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("skills/get", wire::kInvalidParams)) return;
             d.set_error_code(wire::kInternalError);
           }},
      {.id = "unknown-skill-as-nothing",
       .description = "Answers for a skill that it does not have with none",
       .breaks = {"ext-skills.get-unknown-error", "ext-skills.schema"},
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("skills/get", wire::kInvalidParams)) return;
             become_result(d, {{"skill", nullptr}, {"ttlMs", 0}, {"cacheScope", "public"}});
           }},
      {.id = "skill-got-by-file",
       .description = "Gives a skill by the URI of one of its files",
       .breaks = {"ext-skills.get-unknown-error"},
       .departure =
           [](Departure& d) {
             const bool is_it = d.is_error_of("skills/get", wire::kInvalidParams) &&
                                asked_uri(d).ends_with("/references/FORMS.md");
             if (is_it) get_refunds(d);
           }},
      {.id = "skill-got-by-prefix",
       .description = "Gives a skill for what begins like its URI",
       .breaks = {"ext-skills.get-unknown-error"},
       .departure =
           [](Departure& d) {
             const bool is_it = d.is_error_of("skills/get", wire::kInvalidParams) &&
                                asked_uri(d).ends_with("SKILL.mdx");
             if (is_it) get_refunds(d);
           }},
      {.id = "unknown-skill-without-words",
       .description = "Refuses a skill that it does not have without a word",
       .breaks = {"ext-skills.errors-informative"},
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("skills/get", wire::kInvalidParams)) return;
             d.json()["error"]["message"] = "";
           }},
  };
}

std::vector<Fault> skill_directory_faults() {
  return {
      {.id = "directory-without-directories",
       .description = "Lists the files of a directory alone",
       .breaks = {"ext-skills.directory-children"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("resources/directory/read")) return;
             Json kept = Json::array();
             for (const Json& child : d.result()["resources"]) {
               if (child["mimeType"] != "inode/directory") kept.push_back(child);
             }
             d.result()["resources"] = kept;
           }},
      {.id = "directory-of-plain-files",
       .description = "Does not say what is a directory",
       .breaks = {"ext-skills.directory-children"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("resources/directory/read")) return;
             for (Json& child : d.result()["resources"]) {
               if (child["mimeType"] == "inode/directory") child.erase("mimeType");
             }
           }},
      {.id = "directory-with-all-below",
       .description = "Lists in a directory what stands further down",
       .breaks = {"ext-skills.directory-children"},
       .departure =
           [](Departure& d) {
             const bool is_it = d.is_result_of("resources/directory/read") &&
                                asked_uri(d) == "skill://acme/billing/refunds";
             if (!is_it) return;
             d.result()["resources"].push_back(
                 {{"uri", "skill://acme/billing/refunds/examples/email.md"},
                  {"name", "email.md"},
                  {"mimeType", "text/markdown"}});
           }},
      {.id = "directory-of-first-page",
       .description = "Lists the first child of a directory, and no other",
       .breaks = {"ext-skills.directory-children"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("resources/directory/read")) return;
             Json& children = d.result()["resources"];
             while (children.size() > 1) children.erase(children.size() - 1);
           }},
      {.id = "inner-directories-unread",
       .description = "Reads the root directory of a skill alone",
       .breaks = {"ext-skills.directory-every", "ext-skills.directory-read-implemented"},
       .departure =
           [](Departure& d) {
             const bool is_it = d.is_result_of("resources/directory/read") &&
                                asked_uri(d).ends_with("/templates/regional");
             if (is_it) become_error(d, wire::kInvalidParams, "There is no directory at this URI");
           }},
      {.id = "unknown-directory-empty",
       .description = "Answers for a directory that does not exist with an empty one",
       .breaks = {"ext-skills.directory-unknown-error"},
       .departure =
           [](Departure& d) {
             const bool is_it = d.is_error_of("resources/directory/read", wire::kInvalidParams) &&
                                !asked_uri(d).ends_with(".md");
             if (is_it) become_result(d, {{"resources", Json::array()}});
           }},
      {.id = "file-as-directory",
       .description = "Reads a file as a directory of itself",
       .breaks = {"ext-skills.directory-unknown-error"},
       .departure =
           [](Departure& d) {
             const bool is_it = d.is_error_of("resources/directory/read", wire::kInvalidParams) &&
                                asked_uri(d).ends_with(".md");
             if (!is_it) return;
             become_result(
                 d, {{"resources", Json::array({{{"uri", asked_uri(d)}, {"name", "SKILL.md"}}})}});
           }},
      {.id = "skill-resource-renamed",
       .description = "Lists SKILL.md by the name of the file",
       .breaks = {"ext-skills.resource-name"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("resources/directory/read")) return;
             for (Json& child : d.result()["resources"]) {
               if (child["uri"].get<std::string>().ends_with("/SKILL.md")) {
                 child["name"] = "SKILL.md";
               }
             }
           }},
      {.id = "skill-resource-undescribed",
       .description = "Describes the resource SKILL.md in other words than its skill",
       .breaks = {"ext-skills.resource-description"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("resources/directory/read")) return;
             for (Json& child : d.result()["resources"]) {
               if (child["uri"].get<std::string>().ends_with("/SKILL.md")) {
                 child["description"] = "A skill";
               }
             }
           }},
  };
}

}  // namespace

std::vector<Fault> skill_faults() {
  return of_stateless_era({skill_method_faults, skill_refusal_faults, skill_directory_faults});
}

}  // namespace assay::server
