#include "harness/script/skill_entry.h"

#include <gtest/gtest.h>

namespace assay::harness {
namespace {

TEST(SkillEntry, FindsTheDirectoryAndTheNameOfASkill) {
  EXPECT_EQ(skill_root("skill://acme/billing/refunds/SKILL.md"), "skill://acme/billing/refunds");
  EXPECT_EQ(skill_name("skill://acme/billing/refunds"), "refunds");
  EXPECT_EQ(skill_root("github://owner/repo/a/SKILL.md"), "github://owner/repo/a");
  EXPECT_EQ(skill_name("skill://git-workflow"), "git-workflow");
  for (const char* other : {"", "skill://a", "skill://a/skill.md", "skill:///SKILL.md",
                            "skill://a/SKILL.md/", "SKILL.md"}) {
    EXPECT_EQ(skill_root(other), "") << other;
  }
  EXPECT_TRUE(lies_within("skill://a/b.md", "skill://a"));
  EXPECT_FALSE(lies_within("skill://ab/b.md", "skill://a"));
  EXPECT_FALSE(lies_within("skill://a", "skill://a"));
}

TEST(SkillEntry, KnowsNamesAndSegments) {
  for (const char* name : {"a", "pdf-processing", "v2", "a-1-b"}) {
    EXPECT_TRUE(is_skill_name(name)) << name;
  }
  for (const char* name : {"", "PDF", "-a", "a-", "a--b", "a_b", "a b", "ä"}) {
    EXPECT_FALSE(is_skill_name(name)) << name;
  }
  EXPECT_FALSE(is_skill_name(std::string(65, 'a')));
  EXPECT_TRUE(has_registered_name("skill://acme%20co/refunds"));
  EXPECT_FALSE(has_registered_name("skill://acme co/refunds"));
  EXPECT_FALSE(has_registered_name("skill://acme%2/refunds"));
  EXPECT_TRUE(has_path_segments("skill://acme/a@b:c/refunds"));
  EXPECT_FALSE(has_path_segments("skill://acme/a b/refunds"));
  EXPECT_FALSE(has_path_segments("skill://acme//refunds"));
}

TEST(SkillEntry, FindsTheFrontmatter) {
  EXPECT_EQ(frontmatter_in("---\nname: a\n---\nbody"), "name: a\n");
  EXPECT_EQ(frontmatter_in("\xEF\xBB\xBF---\r\nname: a\r\n---\r\n"), "name: a\r\n");
  EXPECT_EQ(frontmatter_in("---\n---\n"), "");
  for (const char* other : {"", "# Title\n", "---\nname: a\n", "\n---\nname: a\n---\n"}) {
    EXPECT_EQ(frontmatter_in(other), std::nullopt) << other;
  }
}

std::string differs(const char* yaml, const char* json) {
  const FrontmatterDifference found = compare_frontmatter(yaml, Json::parse(json));
  EXPECT_TRUE(found.is_readable) << yaml;
  return found.words.empty() ? "" : "at " + found.pointer;
}

TEST(SkillEntry, ComparesFrontmatterAsYamlAndAsJson) {
  EXPECT_EQ(differs("name: a\ndescription: Does b\n", R"({"description": "Does b", "name": "a"})"),
            "");
  EXPECT_EQ(differs("name: a\nmetadata:\n  version: \"2.1.0\"\n  tags: [x, y]\n",
                    R"({"name": "a", "metadata": {"version": "2.1.0", "tags": ["x", "y"]}})"),
            "");
  // Libraries render these in several ways.
  for (const char* json : {R"({"v": 1.0})", R"({"v": 1})", R"({"v": "1.0"})"}) {
    EXPECT_EQ(differs("v: 1.0\n", json), "") << json;
  }
  EXPECT_EQ(differs("d: 2026-01-01\n", R"({"d": "2026-01-01T00:00:00.000Z"})"), "");
  EXPECT_EQ(differs("d: 2026-01-01 10:00:00\n", R"({"d": "2026-01-01T10:00:00Z"})"), "");
  EXPECT_EQ(differs("d: 2026-01-01\n", R"({"d": "2026-01-02"})"), "at /d");
  EXPECT_EQ(differs("d:\n", R"({"d": null})"), "");
  EXPECT_EQ(differs("d: yes\n", R"({"d": true})"), "");

  EXPECT_EQ(differs("name: a\n", R"({"name": "b"})"), "at /name");
  EXPECT_EQ(differs("name: a\nlicense: MIT\n", R"({"name": "a"})"), "at ");
  EXPECT_EQ(differs("name: a\n", R"({"name": "a", "license": "MIT"})"), "at /license");
  EXPECT_EQ(differs("v: 2\n", R"({"v": 3})"), "at /v");
  EXPECT_EQ(differs("tags: [x]\n", R"({"tags": ["x", "y"]})"), "at /tags");
  EXPECT_EQ(differs("m: {a: b}\n", R"({"m": {"a": "c"}})"), "at /m/a");
  EXPECT_FALSE(compare_frontmatter("name: [", Json::object()).is_readable);
  EXPECT_FALSE(compare_frontmatter("m:\n  <<: {a: b}\n", Json::object()).is_readable);
}

TEST(SkillEntry, TakesTheBytesOfAResource) {
  EXPECT_EQ(bytes_in({{"text", "ä"}}), "\xC3\xA4");
  EXPECT_EQ(bytes_in({{"blob", "AAE="}}), std::string("\0\1", 2));
  EXPECT_EQ(bytes_in({{"blob", "!"}}), std::nullopt);
  EXPECT_EQ(bytes_in(Json::object()), std::nullopt);
  EXPECT_EQ(digest_of("abc"),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(SkillEntry, ReadsWhatAServerDeclares) {
  const auto server = [](const char* settings) {
    return Json{{"capabilities",
                 {{"extensions", {{"io.modelcontextprotocol/skills", Json::parse(settings)}}}}}};
  };
  EXPECT_TRUE(declares_skills(server("{}")));
  EXPECT_FALSE(declares_directory_read(server("{}")));
  EXPECT_TRUE(declares_directory_read(server(R"({"directoryRead": true})")));
  EXPECT_FALSE(declares_directory_read(server(R"({"directoryRead": "yes"})")));
  EXPECT_FALSE(declares_skills(server("null")));
  EXPECT_FALSE(declares_skills(Json()));
}

}  // namespace
}  // namespace assay::harness
