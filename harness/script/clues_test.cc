#include "harness/script/clues.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/script/scripted_peer_testing.h"

namespace assay::harness {
namespace {

Survey survey_of_nothing() {
  const auto access = scripted_target([](const wire::Message&, const auto&) {});
  HandshakeConnection connection(access, model::Revision::v2025_11_25, {});
  EXPECT_FALSE(connection.open());
  connection.begin();
  return Survey::take(connection);
}

Json text_result(const std::string& words) {
  return {{"content", Json::array({{{"type", "text"}, {"text", words}}})}};
}

TEST(Clues, IdsOfListedItemsStandForTheArgumentsThatNameThem) {
  Clues clues(survey_of_nothing());
  clues.note(text_result(R"({"users": [{"id": "u-7", "name": "Ann"}], "projectKey": "P"})"));
  EXPECT_EQ(clues.improved({{"user_id", "assay"}, {"userName", "assay"}, {"project_key", "assay"}}),
            (Json{{"user_id", "u-7"}, {"userName", "Ann"}, {"project_key", "P"}}));
}

TEST(Clues, StructuredContentIsReadAsWell) {
  Clues clues(survey_of_nothing());
  clues.note({{"structuredContent", {{"tags", {"red", "green"}}}}});
  EXPECT_EQ(clues.improved({{"tag", "assay"}, {"tags", {"assay"}}}),
            (Json{{"tag", "red"}, {"tags", {"red"}}}));
}

// As server-filesystem lists a folder, and in JSON.
TEST(Clues, FilesOfAListedFolderStandForPaths) {
  Clues clues(survey_of_nothing());
  clues.note(text_result("Allowed directories:\n/srv/files"));
  clues.note(text_result("[DIR] sub\n[FILE] a.txt\n"), {{"path", "/srv/files"}});
  const Json guess = {{"path", "assay"}};
  EXPECT_EQ(clues.improved(guess), (Json{{"path", "/srv/files"}}));
  EXPECT_EQ(clues.improved(guess, Clues::Paths::kOfFiles), (Json{{"path", "/srv/files/a.txt"}}));
  EXPECT_EQ(clues.improved({{"file", "assay"}}), (Json{{"file", "/srv/files/a.txt"}}));
}

TEST(Clues, WhatTheSchemaGaveIsKept) {
  Clues clues(survey_of_nothing());
  clues.note(text_result(R"({"city": "Paris"})"));
  EXPECT_EQ(clues.improved({{"city", "Berlin"}, {"limit", 10}}),
            (Json{{"city", "Berlin"}, {"limit", 10}}));
}

TEST(Clues, SuggestionsOfTheServerAreTaken) {
  Clues clues(survey_of_nothing());
  clues.note_suggestion("department", "sales");
  EXPECT_EQ(clues.improved({{"department", "assay"}}), (Json{{"department", "sales"}}));
}

TEST(Clues, AHostileResultIsReadToABound) {
  Clues clues(survey_of_nothing());
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "[";
  clues.note(text_result(deep));
  Json wide = Json::object();
  for (int i = 0; i < 10'000; ++i) wide["key" + std::to_string(i)] = i;
  clues.note({{"structuredContent", wide}});
  EXPECT_EQ(clues.improved({{"a", "assay"}}), (Json{{"a", "assay"}}));
}

}  // namespace
}  // namespace assay::harness
