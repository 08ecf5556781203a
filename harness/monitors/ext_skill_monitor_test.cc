// The monitor of the extension io.modelcontextprotocol/skills on hand-made transcripts: with what
// it lets pass, and what it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/monitors/traffic_testing.h"
#include "harness/script/skill_entry.h"

namespace assay::harness {
namespace {

using model::Revision;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

constexpr std::string_view kSkills = "ext_skill_monitor";

Json file_at(const std::string& uri, std::int64_t size = 3) {
  return {{"uri", uri}, {"digest", digest_of("abc")}, {"size", size}};
}
Json skill_at(const std::string& root, const std::string& name) {
  return {{"uri", root + "/SKILL.md"},
          {"frontmatter", {{"name", name}, {"description", "Does it"}}},
          {"resources", Json::array({file_at(root + "/SKILL.md")})}};
}
Json sound_skill() {
  return skill_at("skill://acme/refunds", "refunds");
}

Json found(const Json& extensions, bool has_resources = true) {
  Json capabilities = {{"extensions", {{skills_extension().identifier, extensions}}}};
  if (has_resources) capabilities["resources"] = Json::object();
  return discovered(capabilities);
}

Rules broken_by_list(const Json& result) {
  Traffic traffic(Revision::v2026_07_28);
  return traffic.exchange("skills/list", Json::object(), result).broken(kSkills);
}
Rules broken_by_entry(const Json& entry) {
  return broken_by_list(cacheable({{"skills", Json::array({entry})}}));
}
// By a change of the entry that is sound.
Rules broken_with(const char* pointer, const Json& value) {
  Json entry = sound_skill();
  entry[Json::json_pointer(pointer)] = value;
  return broken_by_entry(entry);
}

TEST(ExtSkills, LetASoundServerPass) {
  Traffic traffic(Revision::v2026_07_28);
  Json dynamic = skill_at("github://owner/repo/daily", "daily");
  dynamic["resources"] = "dynamic";
  traffic.exchange("server/discover", Json::object(), found({{"directoryRead", true}}))
      .exchange("skills/list", Json::object(),
                cacheable({{"skills", Json::array({sound_skill()})}}))
      .exchange("skills/get", {{"uri", "skill://acme/refunds/SKILL.md"}},
                cacheable({{"skill", sound_skill()}}))
      .exchange("resources/directory/read", {{"uri", "skill://acme/refunds"}},
                complete({{"resources", Json::array({{{"uri", "skill://acme/refunds/SKILL.md"},
                                                      {"name", "refunds"}}})}}));
  EXPECT_THAT(traffic.broken(kSkills), IsEmpty());
  EXPECT_THAT(traffic.held(kSkills),
              IsSupersetOf(Rules{"ext-skills.resources-declared", "ext-skills.path-ends-in-name",
                                 "ext-skills.name-rules", "ext-skills.schema",
                                 "ext-skills.manifest-complete", "ext-skills.manifest-digest",
                                 "ext-skills.list-cacheable", "ext-skills.directory-result-type"}));
  EXPECT_EQ(broken_by_entry(dynamic), Rules{"ext-skills.skill-scheme"});
}

TEST(ExtSkills, ReadPathsAndNames) {
  EXPECT_EQ(broken_with("/frontmatter/name", "refund"), Rules{"ext-skills.path-ends-in-name"});
  EXPECT_EQ(broken_by_entry(skill_at("skill://acme/Refunds", "Refunds")),
            Rules{"ext-skills.name-rules"});
  EXPECT_EQ(broken_by_entry(skill_at("skill://acme{/refunds", "refunds")),
            (Rules{"ext-skills.authority-is-reg-name", "ext-skills.schema"}));
  EXPECT_EQ(broken_with("/uri", "skill://acme/refunds/skill.md"), Rules{"ext-skills.schema"});
  EXPECT_EQ(broken_with("/frontmatter", Json::object()), Rules{"ext-skills.schema"});
}

TEST(ExtSkills, ReadManifests) {
  EXPECT_EQ(broken_with("/resources", nullptr), Rules{"ext-skills.manifest-present"});
  EXPECT_EQ(broken_with("/resources", "none"), Rules{"ext-skills.manifest-present"});
  EXPECT_EQ(broken_with("/resources", Json::array()), Rules{"ext-skills.manifest-complete"});
  EXPECT_EQ(broken_with("/resources/1", file_at("skill://acme/refunds/SKILL.md")),
            Rules{"ext-skills.manifest-complete"});
  EXPECT_EQ(broken_with("/resources/1", file_at("skill://acme/refunds-2/a.md")),
            Rules{"ext-skills.manifest-within-skill"});
  EXPECT_EQ(broken_with("/resources/0/size", "3"), Rules{"ext-skills.manifest-size"});
  EXPECT_EQ(broken_with("/resources/0/size", 3.5), Rules{"ext-skills.manifest-size"});
  EXPECT_EQ(broken_with("/resources/0/digest", std::string(64, 'a')),
            Rules{"ext-skills.manifest-digest"});
  EXPECT_EQ(broken_with("/resources/0/digest", "sha256:" + std::string(64, 'A')),
            Rules{"ext-skills.manifest-digest"});
  EXPECT_EQ(broken_with("/resources/0/size", 16 * 1024 * 1024 + 1),
            Rules{"ext-skills.limits-kept"});
  EXPECT_EQ(broken_with("/resources/0/size", std::int64_t{1} << 62),
            Rules{"ext-skills.limits-kept"});
}

TEST(ExtSkills, ReadResults) {
  const Json skills = {{"skills", Json::array()}};
  EXPECT_EQ(broken_by_list(complete(skills)), Rules{"ext-skills.list-cacheable"});
  Json untyped = cacheable(skills);
  untyped["resultType"] = "list";
  EXPECT_EQ(broken_by_list(untyped), Rules{"ext-skills.list-result-type"});
  EXPECT_EQ(broken_by_list(cacheable({{"items", Json::array()}})), Rules{"ext-skills.schema"});
  Traffic undeclared(Revision::v2026_07_28);
  undeclared.exchange("server/discover", Json::object(), found(Json::object(), false));
  EXPECT_EQ(undeclared.broken(kSkills), Rules{"ext-skills.resources-declared"});
}

TEST(ExtSkills, JudgeHowClientsAsk) {
  Traffic traffic(Revision::v2026_07_28);
  traffic.of_client()
      .exchange("server/discover", Json::object(), found({{"directoryRead", true}}))
      .exchange("skills/get", {{"uri", "skill://a/SKILL.md"}}, cacheable({{"skill", Json()}}))
      .exchange("resources/directory/read", {{"uri", "skill://a"}}, complete());
  EXPECT_THAT(traffic.broken(kSkills), IsEmpty());
  EXPECT_THAT(traffic.held(kSkills), Contains("ext-skills.no-undeclared-directory-read"));

  Traffic undeclared(Revision::v2026_07_28);
  undeclared.of_client()
      .exchange("server/discover", Json::object(), found(Json::object()))
      .exchange("resources/directory/read", {{"uri", "skill://a"}}, complete())
      .exchange("skills/get", {{"uri", "skill://a"}}, complete());
  EXPECT_EQ(undeclared.broken(kSkills),
            (Rules{"ext-skills.get-uri-of-skill-file", "ext-skills.no-undeclared-directory-read"}));
}

}  // namespace
}  // namespace assay::harness
