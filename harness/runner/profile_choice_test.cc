#include "harness/runner/profile_choice.h"

#include <gtest/gtest.h>

#include "harness/script/scripted_peer_testing.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

constexpr Patience kChoicePatience{std::chrono::milliseconds(2000), std::chrono::milliseconds(50),
                                   std::chrono::milliseconds(100)};

Survey survey_of(const std::vector<std::string>& names) {
  Json tools = Json::array();
  for (const std::string& name : names) tools.push_back({{"name", name}});
  const auto access = scripted_target(
      [&](const wire::Message& message, const auto& say) {
        if (message.method() != "tools/list") return;
        say(wire::encode(wire::make_result(*message.id(), {{"tools", tools}})));
      },
      {{"tools", Json::object()}});
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kChoicePatience);
  EXPECT_FALSE(connection.open());
  connection.begin();
  return Survey::take(connection);
}

const Json kEverything = {{"serverInfo", {{"name", "mcp-servers/everything"}}}};
using Names = std::vector<std::string>;

TEST(ProfileChoice, DetectsBuiltInProfiles) {
  const Survey fixtures = survey_of({"test_simple_text", "test_sampling", "test_error_handling"});
  EXPECT_EQ(choose_profiles({}, fixtures, nullptr).used, Names{"official-fixtures"});
  EXPECT_EQ(choose_profiles({}, survey_of({}), kEverything).used, Names{"server-everything"});
  EXPECT_EQ(choose_profiles({}, survey_of({"test_echo", "x"}), nullptr).used, Names{});
  EXPECT_EQ(choose_profiles({{}, false}, fixtures, kEverything).used, Names{});
}

TEST(ProfileChoice, AGivenProfileOutweighsADetectedOne) {
  KnownProfiles profiles;
  profiles.given = {std::get<Profile>(parse_profile("tools: {echo: never, mine: }", "mine.yaml"))};
  const ProfileChoice choice = choose_profiles(profiles, survey_of({"echo"}), kEverything);
  EXPECT_EQ(choice.used, (Names{"mine.yaml", "server-everything"}));
  EXPECT_FALSE(choice.known.tool("echo")->may_be_called);
  EXPECT_NE(choice.known.tool("get-sum"), nullptr);
  EXPECT_EQ(choice.lacking, Names{"mine.yaml: line 1: the server lists no tool 'mine'"});
}

// A server that has a tool of that name with another schema.
Survey survey_of_echo(const Json& schema) {
  const auto access = scripted_target(
      [&](const wire::Message& message, const auto& say) {
        if (message.method() != "tools/list") return;
        say(wire::encode(wire::make_result(
            *message.id(), {{"tools", {{{"name", "echo"}, {"inputSchema", schema}}}}})));
      },
      {{"tools", Json::object()}});
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kChoicePatience);
  EXPECT_FALSE(connection.open());
  connection.begin();
  return Survey::take(connection);
}

TEST(ProfileChoice, ArgumentsThatTheSchemaForbidsAreMadeUpAnew) {
  const Survey survey = survey_of_echo({{"type", "object"},
                                        {"properties", {{"count", {{"type", "integer"}}}}},
                                        {"required", {"count"}}});
  const ProfileChoice choice = choose_profiles({}, survey, kEverything);
  ASSERT_NE(choice.known.tool("echo"), nullptr);
  EXPECT_EQ(choice.known.tool("echo")->uses.at(0).arguments, (Json{{"count", 1}}));
}

TEST(ProfileChoice, ArgumentsOfTheUsersThatTheSchemaForbidsAreTold) {
  const Survey survey =
      survey_of_echo({{"type", "object"}, {"properties", {{"a", {{"type", "integer"}}}}}});
  KnownProfiles profiles{
      {std::get<Profile>(parse_profile("tools: {echo: {arguments: {a: x}}}", "p"))}, false};
  const ProfileChoice choice = choose_profiles(profiles, survey, nullptr);
  EXPECT_EQ(choice.lacking, Names{"p: line 1: the inputSchema of 'echo' forbids its arguments"});
  EXPECT_EQ(choice.known.tool("echo")->uses.at(0).arguments, (Json{{"a", "x"}}));
}

TEST(ProfileChoice, WhatOneRunListsIsNotLacking) {
  KnownProfiles profiles{{std::get<Profile>(parse_profile("tools: {a: , b: }", "p"))}, false};
  const ProfileChoice none;
  const ProfileChoice first = choose_profiles(profiles, survey_of({"a"}), nullptr);
  const ProfileChoice second = choose_profiles(profiles, survey_of({}), nullptr);
  EXPECT_EQ(sum_up({&none, &first, &second}).lacking,
            Names{"p: line 1: the server lists no tool 'b'"});
  EXPECT_FALSE(sum_up({&none}).was_made);
}

}  // namespace
}  // namespace assay::harness
