#include "harness/script/means.h"

#include <gtest/gtest.h>

#include "harness/script/scripted_peer_testing.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

constexpr Patience kMeansPatience{std::chrono::milliseconds(2000), std::chrono::milliseconds(50),
                                  std::chrono::milliseconds(100)};

Survey survey_of(const Json& tools) {
  const auto access = scripted_target(
      [&](const wire::Message& message, const auto& say) {
        if (message.method() != "tools/list") return;
        say(wire::encode(wire::make_result(*message.id(), {{"tools", tools}})));
      },
      {{"tools", Json::object()}});
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kMeansPatience);
  EXPECT_FALSE(connection.open());
  connection.begin();
  return Survey::take(connection);
}

ToolPolicy knowing(std::string_view yaml) {
  ToolPolicy policy;
  policy.known = std::get<Profile>(parse_profile(yaml, "test"));
  return policy;
}

std::vector<std::string> names(const std::vector<ToolUse>& uses) {
  std::vector<std::string> all;
  for (const ToolUse& use : uses) all.push_back(use.name);
  return all;
}

using Names = std::vector<std::string>;

TEST(Means, FindsListedToolsOfAnAbility) {
  const Survey survey = survey_of({{{"name", "slow"}}, {{"name", "ask"}}});
  const ToolPolicy policy = knowing(
      "tools:\n"
      "  gone: {does: takes-time}\n"
      "  slow: [{arguments: {n: 1}}, {does: takes-time, arguments: {n: 9}}]\n"
      "  ask: {does: [elicits, takes-time]}\n");
  const auto use = find_tool(survey, policy, Ability::kTakesTime);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->name, "slow");
  EXPECT_EQ(use->arguments, (Json{{"n", 9}}));
  EXPECT_EQ(names(find_tools(survey, policy, Ability::kTakesTime)), (Names{"slow", "ask"}));
  EXPECT_FALSE(find_tool(survey, policy, Ability::kLogs));
}

TEST(Means, SaysWhatIsLacking) {
  const Survey survey = survey_of({{{"name", "slow"}}});
  ToolPolicy policy = knowing("tools: {slow: {does: takes-time}}");
  EXPECT_EQ(lack_of(survey, policy, Ability::kLogs).hint,
            "name a tool that logs in a --profile file (does: logs)");
  policy.kind = ToolPolicy::Kind::kNone;
  EXPECT_EQ(lack_of(survey, policy, Ability::kTakesTime).why,
            "slow is known as a tool that takes some time, but --tools does not allow it");
  EXPECT_EQ(lack_of(survey_of(nullptr), policy, Ability::kLogs).hint.substr(0, 4), "name");
}

TEST(Means, PlainToolsAreThoseThatOnlyAnswer) {
  const Json needy = {{"name", "needy"}, {"inputSchema", {{"required", {"x"}}}}};
  Json stranger = {{"name", "stranger"}, {"annotations", {{"readOnlyHint", true}}}};
  const Survey survey = survey_of({needy, {{"name", "slow"}}, {{"name", "drop"}}, stranger});
  const ToolPolicy policy =
      knowing("tools: {needy: {arguments: {x: 1}}, slow: {does: takes-time}, drop: never}");
  const auto plain = plain_tools(survey, policy, 10);
  EXPECT_EQ(names(plain), (Names{"needy", "stranger"}));
  EXPECT_EQ(plain[0].arguments, (Json{{"x", 1}}));
  EXPECT_EQ(plain_tools(survey, policy, 1).size(), 1u);
}

TEST(Means, PlainToolsThatPromiseStructureComeFirst) {
  const Json annotations = {{"readOnlyHint", true}};
  const auto plain = plain_tools(survey_of({{{"name", "text"}, {"annotations", annotations}},
                                            {{"name", "table"},
                                             {"annotations", annotations},
                                             {"outputSchema", {{"type", "object"}}}}}),
                                 ToolPolicy{}, 1);
  EXPECT_EQ(names(plain), Names{"table"});
}

TEST(Means, PlainToolsOfWhichNothingIsKnownGetGuessedArguments) {
  const Json needy = {{"name", "needy"},
                      {"annotations", {{"readOnlyHint", true}}},
                      {"inputSchema",
                       {{"type", "object"},
                        {"properties", {{"city", {{"type", "string"}}}}},
                        {"required", {"city"}}}}};
  const Json easy = {{"name", "easy"}, {"annotations", {{"readOnlyHint", true}}}};
  const auto plain = plain_tools(survey_of({needy, easy}), ToolPolicy{}, 10);
  EXPECT_EQ(names(plain), (Names{"easy", "needy"}));
  EXPECT_EQ(plain[1].arguments, (Json{{"city", "Berlin"}}));
}

TEST(Means, GuessesPromptArgumentsThatNobodyKnows) {
  const Profile known = knowing("prompts: {review: {arguments: {language: c++}}}").known;
  const Json prompt = {{"name", "review"},
                       {"arguments",
                        {{{"name", "language"}, {"required", true}},
                         {{"name", "fileUri"}, {"required", true}},
                         {{"name", "style"}}}}};
  EXPECT_EQ(prompt_arguments(known, prompt),
            (Json{{"language", "c++"}, {"fileUri", "test://example-resource"}}));
}

}  // namespace
}  // namespace assay::harness
