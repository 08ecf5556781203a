// Judges what a server says of its skills, and how a client asks for them.
//
// Specification: the extension's page, "Capability Negotiation", "Resource Mapping", "Skill
// Entries", "Listing Skills", "Getting a Skill", "Reading Directories".
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "harness/script/skill_entry.h"
#include "reference/model/validate.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using model::Deviation;

constexpr std::size_t kMostFiles = 512;
constexpr std::int64_t kMostBytes = 16 * 1024 * 1024;

// What is said of the result of a method of the extension.
struct ResultRules {
  std::string_view method;
  std::string_view type;
  RequirementId complete;
  std::optional<RequirementId> cacheable;  // nothing: it need not be
};

const ResultRules* rules_of(std::string_view method) {
  static const std::vector<ResultRules> kAll = {
      {"skills/list", "ListSkillsResult", "ext-skills.list-result-type",
       RequirementId("ext-skills.list-cacheable")},
      {"skills/get", "GetSkillResult", "ext-skills.get-result-type",
       RequirementId("ext-skills.get-cacheable")},
      {"resources/directory/read", "ReadResourceDirectoryResult",
       "ext-skills.directory-result-type", std::nullopt}};
  const auto found = std::find_if(kAll.begin(), kAll.end(),
                                  [&](const ResultRules& each) { return each.method == method; });
  return found == kAll.end() ? nullptr : &*found;
}

model::Protocol with_skills(model::Revision revision) {
  return {revision, model::set_of(skills_extension())};
}

// What has a rule of its own is not told as a matter of the form.
bool has_rule_of_its_own(const std::string& pointer) {
  return pointer == "/resultType" || pointer == "/ttlMs" || pointer == "/cacheScope" ||
         pointer.ends_with("/resources") || pointer.ends_with("/digest") ||
         pointer.ends_with("/size") || pointer.starts_with("/_meta");
}

class ExtSkillMonitor : public Monitor {
 public:
  std::string_view name() const override { return "ext_skill_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"ext-skills.resources-declared",
            "ext-skills.skill-scheme",
            "ext-skills.path-ends-in-name",
            "ext-skills.name-rules",
            "ext-skills.authority-is-reg-name",
            "ext-skills.prefix-of-segments",
            "ext-skills.schema",
            "ext-skills.manifest-present",
            "ext-skills.manifest-complete",
            "ext-skills.manifest-within-skill",
            "ext-skills.manifest-size",
            "ext-skills.manifest-digest",
            "ext-skills.limits-kept",
            "ext-skills.list-result-type",
            "ext-skills.list-cacheable",
            "ext-skills.get-result-type",
            "ext-skills.get-cacheable",
            "ext-skills.directory-result-type"};
  }
  std::vector<RequirementId> client_requirements() const override {
    return {"ext-skills.no-undeclared-directory-read", "ext-skills.get-uri-of-skill-file",
            "ext-skills.schema"};
  }
  bool holds_in(model::Revision revision) const override { return has_skills(revision); }
  bool rests_on_history(RequirementId id) const override {
    return id.text() == "ext-skills.no-undeclared-directory-read";
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged) return;
    if (sighting.is_request()) return judge_request(sighting, session, judge);
    if (!sighting.is_result() || sighting.exchange == nullptr) return;
    const std::string_view method = sighting.exchange->request.method();
    if (method == "server/discover") return judge_declaration(sighting, judge);
    const ResultRules* const rules = rules_of(method);
    if (rules != nullptr && sighting.message.result().is_object()) {
      judge_result(*rules, sighting, session, judge);
    }
  }

 private:
  static void judge_request(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const std::string_view method = sighting.message.method();
    if (rules_of(method) == nullptr) return;
    const Json& uri = member(sighting.message.params(), "uri");
    const bool is_formed = method == "skills/list" || uri.is_string();
    judge.check("ext-skills.schema", is_formed, fmt::format("{} names no uri", method),
                sighting.event, "/params");
    if (method == "skills/get" && uri.is_string()) {
      judge.check("ext-skills.get-uri-of-skill-file",
                  !skill_root(uri.get_ref<const std::string&>()).empty(),
                  "skills/get asks for something that is not a SKILL.md", sighting.event,
                  "/params/uri");
    }
    // A client that never asked what the server can do may know it from elsewhere.
    if (method != "resources/directory/read" || session.server().is_null()) return;
    judge.check("ext-skills.no-undeclared-directory-read",
                declares_directory_read(session.server()),
                "the client reads a directory, and the server does not declare directoryRead",
                sighting.event, "/method");
  }

  static void judge_declaration(const Sighting& sighting, Judge& judge) {
    const Json& result = sighting.message.result();
    if (!declares_skills(result)) return;
    judge.check("ext-skills.resources-declared",
                member(member(result, "capabilities"), "resources").is_object(),
                "the server declares the extension, and no resources", sighting.event,
                "/result/capabilities");
  }

  static void judge_result(const ResultRules& rules, const Sighting& sighting,
                           const SessionView& session, Judge& judge) {
    const Json& result = sighting.message.result();
    judge.check(rules.complete, text_member(result, "resultType") == "complete",
                fmt::format("the resultType of a result of {} is not \"complete\"", rules.method),
                sighting.event, "/result/resultType");
    if (rules.cacheable) {
      const bool is_cacheable = member(result, "ttlMs").is_number_integer() &&
                                member(result, "ttlMs") >= 0 &&
                                (text_member(result, "cacheScope") == "public" ||
                                 text_member(result, "cacheScope") == "private");
      judge.check(*rules.cacheable, is_cacheable,
                  "the result lacks its ttlMs or its cacheScope, or they are malformed",
                  sighting.event, "/result");
    }
    judge_form(rules, sighting, session, judge);
    if (rules.method == "skills/get")
      judge_entry(member(result, "skill"), "/result/skill", sighting.event, judge);
    if (rules.method != "skills/list") return;
    const Json& skills = array_member(result, "skills");
    for (std::size_t i = 0; i < skills.size(); ++i) {
      judge_entry(skills[i], fmt::format("/result/skills/{}", i), sighting.event, judge);
    }
  }

  static void judge_form(const ResultRules& rules, const Sighting& sighting,
                         const SessionView& session, Judge& judge) {
    const auto all =
        model::validate(with_skills(session.revision()), rules.type, sighting.message.result());
    const auto found = std::find_if(all.begin(), all.end(), [](const Deviation& each) {
      return each.strength == model::Strength::kMust && !has_rule_of_its_own(each.pointer);
    });
    if (found == all.end()) return judge.held("ext-skills.schema", sighting.event);
    judge.broke("ext-skills.schema", model::to_text(*found), {sighting.event},
                "/result" + found->pointer);
  }

  static void judge_entry(const Json& entry, const std::string& at, const EventPtr& event,
                          Judge& judge) {
    if (!entry.is_object()) return;
    const std::string_view uri = text_member(entry, "uri");
    const std::string_view root = skill_root(uri);
    const bool has_file = !root.empty() || uri.empty();
    judge.check("ext-skills.schema", has_file, "the URI of the skill does not end in /SKILL.md",
                event, at + "/uri");
    const Json& resources = member(entry, "resources");
    judge.check("ext-skills.manifest-present", resources.is_array() || resources == "dynamic",
                "the resources of the entry are neither a list nor \"dynamic\"", event,
                at + "/resources");
    if (root.empty()) return;
    judge_path(entry, root, at, event, judge);
    if (resources.is_array()) judge_manifest(entry, root, at, event, judge);
  }

  static void judge_path(const Json& entry, std::string_view root, const std::string& at,
                         const EventPtr& event, Judge& judge) {
    const std::string place = at + "/uri";
    const std::string_view name = text_member(member(entry, "frontmatter"), "name");
    if (!name.empty()) {
      judge.check("ext-skills.path-ends-in-name", skill_name(root) == name,
                  "the last segment of the path of the skill is not its name", event, place);
    }
    judge.check("ext-skills.name-rules", is_skill_name(skill_name(root)),
                "the name of the skill has other letters than small ones, digits and single "
                "hyphens, or is longer than 64 of them",
                event, place);
    judge.check("ext-skills.skill-scheme", root.starts_with("skill://"),
                "the scheme of the URI of the skill is another one than skill", event, place);
    judge.check(
        "ext-skills.authority-is-reg-name", has_registered_name(root),
        "a letter in the first segment of the path of the skill is not allowed in a name of a URI",
        event, place);
    judge.check("ext-skills.prefix-of-segments", has_path_segments(root),
                "a letter in a segment of the path of the skill is not allowed in a path of a URI",
                event, place);
  }

  static void judge_manifest(const Json& entry, std::string_view root, const std::string& at,
                             const EventPtr& event, Judge& judge) {
    std::set<std::string_view> uris;
    std::int64_t bytes = 0;
    const Json& files = files_of(entry);
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::string place = fmt::format("{}/resources/{}", at, i);
      const std::string_view uri = text_member(files[i], "uri");
      judge.check("ext-skills.manifest-within-skill", uri.empty() || lies_within(uri, root),
                  "a file of the entry lies outside of the directory of the skill", event,
                  place + "/uri");
      if (!uri.empty() && !uris.insert(uri).second) {
        judge.broke("ext-skills.manifest-complete", "a file is listed twice", {event},
                    place + "/uri");
      }
      const Json& size = member(files[i], "size");
      judge.check("ext-skills.manifest-size", is_size(size), "a file of the entry has no size",
                  event, place + "/size");
      judge.check("ext-skills.manifest-digest", is_digest(text_member(files[i], "digest")),
                  "the digest of a file is not sha256: and 64 small hexadecimal digits", event,
                  place + "/digest");
      // Each too large by itself counts as that, so that the sum stays small.
      if (is_size(size)) bytes += size > kMostBytes ? kMostBytes + 1 : size.get<std::int64_t>();
    }
    const bool has_itself = uris.contains(text_member(entry, "uri"));
    judge.check("ext-skills.manifest-complete", has_itself,
                "the entry does not list the SKILL.md of the skill", event, at + "/resources");
    judge.check("ext-skills.limits-kept", files.size() <= kMostFiles && bytes <= kMostBytes,
                "the skill has more than 512 files, or more than 16 MiB", event, at + "/resources");
  }

  static bool is_size(const Json& size) { return size.is_number_integer() && size >= 0; }
  static bool is_digest(std::string_view text) {
    constexpr std::string_view kKind = "sha256:";
    constexpr std::size_t kDigits = 64;
    if (!text.starts_with(kKind) || text.size() != kKind.size() + kDigits) return false;
    return text.find_first_not_of("0123456789abcdef", kKind.size()) == std::string_view::npos;
  }
};

const MonitorRegistration<ExtSkillMonitor> kExtSkillMonitorRegistration;

}  // namespace
}  // namespace assay::harness
