// Skills of the extension io.modelcontextprotocol/skills.
#include "reference/server/skills.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "reference/server/stateless_testing.h"
#include "reference/wire/base64.h"

namespace assay::server {
namespace {

class SkillsOfServer : public ::testing::Test {
 protected:
  Json ask(const std::string& method, Json params = Json::object()) {
    return client_.request(method, with_meta(std::move(params)));
  }
  Json result_of(const std::string& method, Json params = Json::object()) {
    return ask(method, std::move(params)).value("result", Json::object());
  }

  TestClient client_{stateless_only()};
};

std::set<std::string> uris_in(const Json& items) {
  std::set<std::string> uris;
  for (const Json& item : items) uris.insert(item["uri"].get<std::string>());
  return uris;
}

TEST_F(SkillsOfServer, AreDeclaredWithTheirDirectories) {
  const Json found = result_of("server/discover");
  EXPECT_EQ(found["capabilities"]["extensions"][skills_extension().identifier],
            Json({{"directoryRead", true}}));
  Options without = stateless_only();
  without.has_skills_extension = false;
  TestClient plain(without);
  const Json other = plain.request("server/discover", with_meta());
  EXPECT_FALSE(
      other["result"]["capabilities"]["extensions"].contains(skills_extension().identifier));
  EXPECT_EQ(plain.request("skills/list", with_meta())["error"]["code"], wire::kMethodNotFound);
  const Json uri = {{"uri", "skill://git-workflow/SKILL.md"}};
  EXPECT_TRUE(plain.request("resources/read", with_meta(uri)).contains("error"));
}

TEST_F(SkillsOfServer, AreGotAsTheyAreListed) {
  const Json skills = result_of("skills/list")["skills"];
  ASSERT_EQ(skills.size(), 5u);
  for (const Json& skill : skills) {
    EXPECT_EQ(result_of("skills/get", {{"uri", skill["uri"]}})["skill"], skill);
  }
  for (const char* other :
       {"skill://git-workflow", "skill://acme/billing/refunds/examples/email.md",
        "skill://nothing/SKILL.md"}) {
    EXPECT_EQ(ask("skills/get", {{"uri", other}})["error"]["code"], wire::kInvalidParams) << other;
  }
}

TEST_F(SkillsOfServer, HaveFilesOfTheSizesThatTheirEntriesSay) {
  std::size_t files = 0;
  const Json listed = result_of("skills/list");
  for (const Json& skill : listed["skills"]) {
    if (!skill["resources"].is_array()) continue;
    for (const Json& file : skill["resources"]) {
      const Json contents = result_of("resources/read", {{"uri", file["uri"]}})["contents"].at(0);
      const std::string bytes =
          contents.contains("blob")
              ? wire::decode_base64(contents["blob"].get<std::string>()).value_or("")
              : contents["text"].get<std::string>();
      EXPECT_EQ(file["size"], bytes.size()) << file["uri"];
      ++files;
    }
  }
  EXPECT_EQ(files, 10u);
}

TEST_F(SkillsOfServer, HaveDirectories) {
  const Json root = result_of("resources/directory/read", {{"uri", "skill://pdf-processing"}});
  EXPECT_EQ(
      uris_in(root["resources"]),
      (std::set<std::string>{"skill://pdf-processing/SKILL.md", "skill://pdf-processing/references",
                             "skill://pdf-processing/templates", "skill://pdf-processing/assets",
                             "skill://pdf-processing/forms"}));
  const Json inner =
      result_of("resources/directory/read", {{"uri", "skill://pdf-processing/templates"}});
  EXPECT_EQ(uris_in(inner["resources"]),
            (std::set<std::string>{"skill://pdf-processing/templates/invoice.md",
                                   "skill://pdf-processing/templates/regional"}));
  for (const char* other :
       {"skill://pdf-processing/SKILL.md", "skill://nothing", "skill://pdf-processing/none"}) {
    EXPECT_EQ(ask("resources/directory/read", {{"uri", other}})["error"]["code"],
              wire::kInvalidParams)
        << other;
  }
}

}  // namespace
}  // namespace assay::server
