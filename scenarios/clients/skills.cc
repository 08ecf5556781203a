// A server with skills of the extension `io.modelcontextprotocol/skills`, some of which are not
// what their entries say: what a client reads tells what it has verified.
//
// Specification: the extension's page, "Integrity and Verification", "Reading Directories".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/script/skill_entry.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr const char* kRefunds = "skill://acme/billing/refunds/SKILL.md";
constexpr const char* kPolicy = "skill://acme/billing/refunds/policy.md";
constexpr const char* kPdf = "skill://pdf-processing/SKILL.md";
constexpr const char* kCreditNote = "skill://pdf-processing/templates/credit-note.md";
constexpr const char* kTemplates = "skill://pdf-processing/templates";
constexpr const char* kForms = "skill://pdf-processing/forms/SKILL.md";
constexpr const char* kFields = "skill://pdf-processing/forms/fields.md";

// Files that no SKILL.md leads to.
constexpr std::array<std::string_view, 4> kNeverNeeded = {
    "skill://pdf-processing/references/FORMS.md", "skill://pdf-processing/templates/invoice.md",
    "skill://pdf-processing/templates/regional/eu-invoice.md",
    "skill://pdf-processing/assets/sample.png"};
constexpr std::size_t kManyOfThem = 3;

// What is served in the place of the reference server's files, or beside them.
const std::map<std::string, std::string, std::less<>>& hosted_files() {
  static const std::map<std::string, std::string, std::less<>> kAll = {
      // Its entry has the digest of another text.
      {kRefunds,
       "---\nname: refunds\ndescription: Process the refund that a customer asks for\n"
       "license: Apache-2.0\n---\n\n# Refunds\n\nFirst read [the policy](policy.md).\n"},
      {kPolicy, "# Policy\n\nEverybody gets a refund.\n"},
      // It leads to a file that its entry does not list.
      {kPdf,
       "---\nname: pdf-processing\ndescription: Extract, fill and assemble PDF documents\n"
       "metadata:\n  version: \"2.1.0\"\n---\n\n# PDF\n\nBegin as [the credit "
       "note](templates/credit-note.md) does. All of them are in templates/.\n"},
      {kCreditNote, "# Credit note\n"},
      // Its entry has a license, and the file has none.
      {kForms,
       "---\nname: forms\ndescription: Fill the fields of a form\n---\n\n# Forms\n\nRead [what "
       "the fields are](fields.md).\n"},
      {kFields, "# Fields\n"},
  };
  return kAll;
}

Json listed_file(const char* uri) {
  const std::string& text = hosted_files().at(uri);
  return {{"uri", uri}, {"digest", harness::digest_of(text)}, {"size", text.size()}};
}

void list_file(Json& entry, const char* uri) {
  for (Json& file : entry["resources"]) {
    if (file["uri"] == uri) {
      file = listed_file(uri);
      return;
    }
  }
  entry["resources"].push_back(listed_file(uri));
}

void change_entry(Json& entry) {
  const std::string_view uri = text_member(entry, "uri");
  if (uri == kRefunds) list_file(entry, kPolicy);
  if (uri == kPdf) {
    for (const char* file : {kPdf, kForms, kFields}) list_file(entry, file);
  }
  if (uri == kForms) {
    for (const char* file : {kForms, kFields}) list_file(entry, file);
    entry["frontmatter"]["license"] = "Apache-2.0";
  }
}

class SkillsPlay : public Play {
 public:
  explicit SkillsPlay(bool has_directories) : has_directories_(has_directories) {}

  void on_message(Visit& visit) override {
    if (!visit.is_request("resources/read")) return;
    const auto file = hosted_files().find(text_member(visit.message().params(), "uri"));
    if (file == hosted_files().end()) return;
    const Json contents = {
        {"uri", file->first}, {"mimeType", "text/markdown"}, {"text", file->second}};
    visit.answer({{"resultType", "complete"},
                  {"contents", Json::array({contents})},
                  {"ttlMs", 0},
                  {"cacheScope", "private"}});
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() == "server/discover") {
      Json settings = Json::object();
      if (has_directories_) settings["directoryRead"] = true;
      result["capabilities"]["extensions"][harness::skills_extension().identifier] = settings;
    } else if (request.method() == "skills/list") {
      for (Json& entry : result["skills"]) change_entry(entry);
    } else if (request.method() == "skills/get") {
      change_entry(result["skill"]);
    } else if (request.method() == "resources/directory/read" &&
               text_member(request.params(), "uri") == kTemplates) {
      result["resources"].push_back(
          {{"uri", kCreditNote}, {"name", "credit-note.md"}, {"mimeType", "text/markdown"}});
    }
  }

 private:
  const bool has_directories_;
};

// What a client did with the skills of one session.
class Reads {
 public:
  explicit Reads(const Review& review) : review_(review), all_(review.requests("resources/read")) {}

  // It had the entries before.
  bool knows_entries(const Said& read) const {
    for (const char* method : {"skills/list", "skills/get"}) {
      for (const Said& asked : review_.requests(method)) {
        const auto reply = review_.reply_to(asked);
        if (reply && asked.session == read.session && reply->event->n < read.event->n) return true;
      }
    }
    return false;
  }
  // The first read of the file by a client that had the entries.
  std::optional<Said> of(std::string_view uri) const {
    for (const Said& read : all_) {
      if (text_member(read.message.params(), "uri") == uri && knows_entries(read)) return read;
    }
    return std::nullopt;
  }
  // The first read of `uri` after the answer to `before`, in the same session: what was asked for
  // earlier was not led to by it.
  std::optional<Said> after(const Said& before, std::string_view uri) const {
    const auto reply = review_.reply_to(before);
    if (!reply) return std::nullopt;
    for (const Said& read : all_) {
      const bool is_later = read.session == before.session && read.event->n > reply->event->n;
      if (is_later && text_member(read.message.params(), "uri") == uri) return read;
    }
    return std::nullopt;
  }
  std::vector<EventPtr> never_needed() const {
    std::vector<EventPtr> events;
    for (const std::string_view uri : kNeverNeeded) {
      if (const auto read = of(uri)) events.push_back(read->event);
    }
    return events;
  }
  // It reads whatever an entry lists, so that one file more does not show what led to it.
  bool is_of_everything() const { return never_needed().size() >= kManyOfThem; }

 private:
  const Review& review_;
  const std::vector<Said> all_;
};

class LoadedSkillsPlay : public SkillsPlay {
 public:
  LoadedSkillsPlay() : SkillsPlay(true) {}

  void review(Review& review) override {
    const Reads reads(review);
    review_prefetch(review, reads);
    // The rule, the SKILL.md that is not to be used, the file that only it leads to.
    review_use(review, reads, "ext-skills.content-verified", kRefunds, kPolicy,
               "the client read a SKILL.md that does not match its digest, and then the file that "
               "it leads to");
    review_use(review, reads, "ext-skills.frontmatter-compared", kForms, kFields,
               "the client read a SKILL.md whose frontmatter is not that of its entry, and then "
               "the file that it leads to");
    review_unlisted(review, reads);
    review_directory(review, reads);
  }

 private:
  static void review_prefetch(Review& review, const Reads& reads) {
    constexpr RequirementId kRule = "ext-skills.no-prefetch";
    const std::vector<EventPtr> events = reads.never_needed();
    if (reads.is_of_everything()) {
      return review.broke(
          kRule,
          fmt::format("the client read {} files of a skill that nothing led to", events.size()),
          events);
    }
    const std::vector<Said> lists = review.requests("skills/list");
    if (lists.empty()) return review.not_exercised(kRule, "the client did not list the skills");
    review.held(kRule, lists.front().event);
  }

  static void review_use(Review& review, const Reads& reads, RequirementId rule, const char* main,
                         const char* further, std::string_view detail) {
    const auto loaded = reads.of(main);
    if (!loaded) return review.not_exercised(rule, "the client did not read the skill");
    const auto used = reads.after(*loaded, further);
    if (!used) return review.held(rule, loaded->event);
    if (reads.is_of_everything()) {
      return review.unclear(rule, "the client reads each file that an entry lists",
                            {loaded->event, used->event});
    }
    review.broke(rule, std::string(detail), {loaded->event, used->event});
  }

  static void review_unlisted(Review& review, const Reads& reads) {
    constexpr RequirementId kRule = "ext-skills.only-listed-files-read";
    const auto loaded = reads.of(kPdf);
    if (!loaded) return review.not_exercised(kRule, "the client did not read the skill");
    const auto unlisted = reads.after(*loaded, kCreditNote);
    if (!unlisted) return review.held(kRule, loaded->event);
    review.broke(kRule, "the client read a file that the entry of its skill does not list",
                 {loaded->event, unlisted->event});
  }

  static void review_directory(Review& review, const Reads& reads) {
    constexpr RequirementId kRule = "ext-skills.directory-does-not-extend-manifest";
    for (const Said& read : review.requests("resources/directory/read")) {
      const bool is_it = text_member(read.message.params(), "uri") == kTemplates;
      if (!is_it || !reads.knows_entries(read)) continue;
      const auto further = reads.after(read, kCreditNote);
      if (!further) return review.held(kRule, read.event);
      return review.broke(kRule,
                          "the client read a file that a directory lists, and the entry of its "
                          "skill does not",
                          {read.event, further->event});
    }
    review.not_exercised(kRule, "the client did not read that directory");
  }
};

const ClientScenarioRegistration kLoadedSkills(
    {.name = "skills",
     .task = "lists the skills, and loads each of them: reads its SKILL.md, and what that leads to",
     .requirements = {"ext-skills.no-prefetch", "ext-skills.content-verified",
                      "ext-skills.frontmatter-compared", "ext-skills.only-listed-files-read",
                      "ext-skills.directory-does-not-extend-manifest"},
     .make = make_play<LoadedSkillsPlay>,
     .extension = "skills"});

// Directories cannot be read; that the client does not try, a monitor sees.
class SkillsWithoutDirectoriesPlay : public SkillsPlay {
 public:
  SkillsWithoutDirectoriesPlay() : SkillsPlay(false) {}
  void review(Review& review) override {
    constexpr RequirementId kRule = "ext-skills.no-undeclared-directory-read";
    const std::vector<Said> lists = review.requests("skills/list");
    const bool has_tried = !review.requests("resources/directory/read").empty();
    if (lists.empty()) return review.not_exercised(kRule, "the client did not list the skills");
    if (!has_tried) review.held(kRule, lists.front().event);
  }
};

const ClientScenarioRegistration kSkillsWithoutDirectories(
    {.name = "skills-without-directories",
     .task = "the same with a server whose directories cannot be read",
     .requirements = {"ext-skills.no-undeclared-directory-read"},
     .make = make_play<SkillsWithoutDirectoriesPlay>,
     .extension = "skills"});

}  // namespace
}  // namespace assay::scenarios
