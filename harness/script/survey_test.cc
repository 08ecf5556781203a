#include "harness/script/survey.h"

#include <gtest/gtest.h>

#include "harness/script/scripted_peer_testing.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

constexpr Patience kSurveyPatience{std::chrono::milliseconds(2000), std::chrono::milliseconds(50),
                                   std::chrono::milliseconds(100)};

Survey survey_of(const PeerBehaviour& behaviour) {
  const auto access = scripted_target(behaviour, {{"tools", Json::object()}});
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kSurveyPatience);
  EXPECT_FALSE(connection.open());
  connection.begin();
  return Survey::take(connection);
}

TEST(Survey, WalksAllPagesOfWhatIsDeclared) {
  const Survey survey = survey_of([](const wire::Message& message, const auto& say) {
    if (message.method() != "tools/list") return;
    const bool is_second = message.has_params() && message.params().contains("cursor");
    Json result = {{"tools", {{{"name", is_second ? "b" : "a"}}}}};
    if (!is_second) result["nextCursor"] = "more";
    say(wire::encode(wire::make_result(*message.id(), result)));
  });
  EXPECT_TRUE(survey.tools().is_complete);
  EXPECT_EQ(survey.tools().pages, 2u);
  EXPECT_NE(survey.tool("a"), nullptr);
  EXPECT_NE(survey.tool("b"), nullptr);
  EXPECT_EQ(survey.tool("c"), nullptr);
  EXPECT_FALSE(survey.prompts().is_declared);
  EXPECT_FALSE(survey.prompts().last_reply.has_value());
}

TEST(Survey, SeesThatAListGoesInCircles) {
  const Survey survey = survey_of([](const wire::Message& message, const auto& say) {
    if (message.method() != "tools/list") return;
    say(wire::encode(wire::make_result(
        *message.id(), {{"tools", {{{"name", "again"}}}}, {"nextCursor", "more"}})));
  });
  EXPECT_TRUE(survey.tools().is_endless);
  EXPECT_FALSE(survey.tools().is_complete);
  EXPECT_EQ(survey.tools().pages, 2u);
}

// Pages of one tool each, whose number is the cursor.
PeerBehaviour counting_server(int pages, bool has_one_cursor = false) {
  return [pages, has_one_cursor, next = 0](const wire::Message& message, const auto& say) mutable {
    if (message.method() != "tools/list") return;
    const int number = ++next;
    Json result = {{"tools", {{{"name", std::to_string(number)}}}}};
    if (number < pages) result["nextCursor"] = has_one_cursor ? "more" : std::to_string(number);
    say(wire::encode(wire::make_result(*message.id(), result)));
  };
}

TEST(Survey, ALongListHasAnEnd) {
  for (const bool has_one_cursor : {false, true}) {
    const Survey survey = survey_of(counting_server(65, has_one_cursor));
    EXPECT_TRUE(survey.tools().is_complete);
    EXPECT_EQ(survey.tools().pages, 65u);
    EXPECT_FALSE(survey.tools().is_endless);
  }
}

TEST(Survey, OfAListThatItCutsOffItKnowsNoEnd) {
  const Survey survey = survey_of(counting_server(1'000'000));
  EXPECT_TRUE(survey.tools().is_cut);
  EXPECT_FALSE(survey.tools().is_endless);
  EXPECT_FALSE(survey.tools().is_complete);
  EXPECT_EQ(survey.tools().pages, Survey::kMaxPages);
}

TEST(Survey, ItemsThatComeAgainUnderNewCursorsHaveNoEnd) {
  int next = 0;
  const Survey survey = survey_of([&next](const wire::Message& message, const auto& say) {
    if (message.method() != "tools/list") return;
    say(wire::encode(wire::make_result(*message.id(), {{"tools", {{{"name", "again"}}}},
                                                       {"nextCursor", std::to_string(++next)}})));
  });
  EXPECT_TRUE(survey.tools().is_endless);
}

TEST(Survey, KeepsNoMoreOfAListThanThereIsRoomForAndSaysSo) {
  const Survey survey = survey_of([](const wire::Message& message, const auto& say) {
    if (message.method() != "tools/list") return;
    Json tools = Json::array();
    for (int i = 0; i < 8; ++i) {
      tools.push_back({{"name", std::to_string(i)}, {"description", std::string(1u << 20, 'x')}});
    }
    say(wire::encode(wire::make_result(*message.id(), {{"tools", tools}})));
  });
  EXPECT_FALSE(survey.tools().is_complete);
  EXPECT_EQ(survey.tools().items.size(), 5u);
  ASSERT_TRUE(survey.gap());
  EXPECT_EQ(*survey.gap(), "only the first 5 items of tools/list were kept: there were too many");
}

TEST(Survey, AListThatIsNoListIsNotComplete) {
  const Survey survey = survey_of([](const wire::Message& message, const auto& say) {
    if (message.method() == "tools/list") {
      say(wire::encode(wire::make_result(*message.id(), {{"tools", "many"}})));
    }
  });
  EXPECT_FALSE(survey.tools().is_complete);
  EXPECT_TRUE(survey.tools().items.empty());
}

TEST(ToolPolicy, AllowsReadOnlyToolsAndKnownOnesByDefault) {
  ToolPolicy policy = ToolPolicy::parse("readonly");
  EXPECT_FALSE(policy.allows({{"name", "test_simple_text"}}));
  policy.known.tools = {{.name = "test_simple_text", .uses = {{}}}};
  EXPECT_TRUE(policy.allows({{"name", "look"}, {"annotations", {{"readOnlyHint", true}}}}));
  EXPECT_TRUE(policy.allows({{"name", "test_simple_text"}}));
  EXPECT_FALSE(policy.allows({{"name", "delete_all"}}));
  EXPECT_FALSE(policy.allows({{"name", "x"}, {"annotations", {{"readOnlyHint", "true"}}}}));
  EXPECT_FALSE(policy.allows("test_simple_text"));
}

TEST(ToolPolicy, CallsWhatTheProfileForbidsOnlyByName) {
  const Json tool = {{"name", "drop"}, {"annotations", {{"readOnlyHint", true}}}};
  for (const auto& [text, may] : {std::pair{"readonly", false}, {"all", false}, {"drop", true}}) {
    ToolPolicy policy = ToolPolicy::parse(text);
    policy.known.tools = {{.name = "drop", .may_be_called = false, .uses = {}}};
    EXPECT_EQ(policy.allows(tool), may) << text;
  }
}

TEST(ToolPolicy, ReadsNames) {
  const ToolPolicy policy = ToolPolicy::parse("a,,b");
  EXPECT_TRUE(policy.allows({{"name", "a"}}));
  EXPECT_TRUE(policy.allows({{"name", "b"}}));
  EXPECT_FALSE(policy.allows({{"name", "test_simple_text"}}));
  EXPECT_TRUE(ToolPolicy::parse("all").allows({{"name", "z"}}));
  EXPECT_FALSE(ToolPolicy::parse("none").allows({{"name", "test_simple_text"}}));
}

}  // namespace
}  // namespace assay::harness
