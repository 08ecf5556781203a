// Faults of a client that loads skills. Specification: the extension
// io.modelcontextprotocol/skills, "Capability Negotiation", "Getting a Skill", "Integrity and
// Verification", "Reading Directories".
#include <string>
#include <string_view>
#include <vector>

#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

bool asks_about(Departure& d, std::string_view method, std::string_view uri) {
  return d.is_request(method) && d.part("uri") == Json(std::string(uri));
}

// A request beside the one that leaves, which says the same of its client.
std::string request_beside(Departure& d, const char* method, std::string_view uri) {
  const Json request = {{"jsonrpc", "2.0"},
                        {"id", "of-skill-" + std::string(uri)},
                        {"method", method},
                        {"params", {{"uri", uri}, {"_meta", d.params()["_meta"]}}}};
  return request.dump();
}

std::string read_beside(Departure& d, std::string_view uri) {
  return request_beside(d, "resources/read", uri);
}

}  // namespace

std::vector<Fault> skill_faults() {
  return {
      {.id = "skill-unverified",
       .description = "Uses a SKILL.md that does not match its digest",
       .breaks = {"ext-skills.content-verified"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             // With this the client would look for a newer entry.
             if (!asks_about(d, "skills/get", "skill://acme/billing/refunds/SKILL.md")) return;
             d.before(read_beside(d, "skill://acme/billing/refunds/policy.md"));
           }},
      {.id = "skill-frontmatter-uncompared",
       .description = "Uses a SKILL.md whose frontmatter is not that of its entry",
       .breaks = {"ext-skills.frontmatter-compared"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             // The one that comes next.
             if (!asks_about(d, "resources/read", "skill://reports/daily/SKILL.md")) return;
             d.before(read_beside(d, "skill://pdf-processing/forms/fields.md"));
           }},
      {.id = "skill-unlisted-file",
       .description = "Reads a file that SKILL.md leads to, and the entry does not list",
       .breaks = {"ext-skills.only-listed-files-read"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (!asks_about(d, "resources/directory/read", "skill://pdf-processing/templates")) {
               return;
             }
             d.before(read_beside(d, "skill://pdf-processing/templates/credit-note.md"));
           }},
      {.id = "skill-directory-extends",
       .description = "Reads a file that a directory lists, and the entry does not",
       .breaks = {"ext-skills.directory-does-not-extend-manifest",
                  "ext-skills.only-listed-files-read"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (!asks_about(d, "resources/read", "skill://pdf-processing/forms/SKILL.md")) return;
             d.before(read_beside(d, "skill://pdf-processing/templates/credit-note.md"));
           }},
      {.id = "skills-prefetched",
       .description = "Fetches all files of the skills that it has listed",
       .breaks = {"ext-skills.no-prefetch"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (!asks_about(d, "resources/read", "skill://git-workflow/SKILL.md")) return;
             for (const char* path : {"references/FORMS.md", "templates/invoice.md",
                                      "templates/regional/eu-invoice.md", "assets/sample.png"}) {
               d.before(read_beside(d, "skill://pdf-processing/" + std::string(path)));
             }
           }},
      {.id = "skill-directory-undeclared",
       .description = "Reads directories, whatever the server declares",
       .breaks = {"ext-skills.no-undeclared-directory-read"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (!asks_about(d, "resources/read", "skill://git-workflow/SKILL.md")) return;
             d.before(request_beside(d, "resources/directory/read", "skill://git-workflow"));
           }},
      {.id = "skill-got-by-directory",
       .description = "Asks for a skill by the URI of its directory",
       .breaks = {"ext-skills.get-uri-of-skill-file"},
       .shown_in = {"skills"},
       .departure =
           [](Departure& d) {
             if (!d.is_request("skills/get")) return;
             d.params()["uri"] = "skill://acme/billing/refunds";
           }},
      {.id = "skill-got-by-nothing",
       .description = "Asks for a skill without its URI",
       .breaks = {"ext-skills.schema"},
       .shown_in = {"skills"},
       .departure =
           [](Departure& d) {
             if (d.is_request("skills/get")) d.params().erase("uri");
           }},
  };
}

}  // namespace assay::client
