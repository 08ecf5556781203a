#include "harness/script/explorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/script/json_member.h"
#include "harness/script/scripted_peer_testing.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Patience kExplorerPatience{milliseconds(2000), milliseconds(500), milliseconds(100)};

Json read_only(const char* name, Json properties = Json::object()) {
  Json required = Json::array();
  for (const auto& [key, value] : properties.items()) required.push_back(key);
  return {{"name", name},
          {"annotations", {{"readOnlyHint", true}}},
          {"inputSchema",
           {{"type", "object"}, {"properties", std::move(properties)}, {"required", required}}}};
}

using Say = std::function<void(std::string)>;

Json text(const std::string& words) {
  return {{"content", Json::array({{{"type", "text"}, {"text", words}}})}};
}

// What the tools of the server below do.
void call(const wire::Message& message, const Say& say) {
  const std::string name = message.params()["name"];
  const Json& arguments = message.params()["arguments"];
  Json result = text("done");
  if (name == "log") {
    say(wire::encode(wire::make_notification("notifications/message",
                                             {{"level", "info"}, {"data", "at work"}})));
  } else if (name == "progress") {
    for (const int step : {1, 2}) {
      say(wire::encode(wire::make_notification(
          "notifications/progress",
          {{"progressToken", message.params()["_meta"]["progressToken"]}, {"progress", step}})));
    }
  } else if (name == "where") {
    result = text("Allowed directories:\n/srv/files");
  } else if (name == "read") {
    result = text("of " + arguments["path"].get<std::string>());
    if (arguments["path"] != "/srv/files") result["isError"] = true;
  } else if (name == "mute") {
    return;
  } else if (name == "ask") {
    result = {{"resultType", "input_required"},
              {"inputRequests",
               {{"name", {{"method", "elicitation/create"}, {"params", {{"mode", "form"}}}}},
                {"where", {{"method", "roots/list"}}}}}};
  }
  say(wire::encode(wire::make_result(*message.id(), result)));
}

Profile explored(const Json& tools, ExplorerLimits limits = {}, ToolPolicy policy = {}) {
  const auto access = scripted_target(
      [&](const wire::Message& message, const Say& say) {
        if (message.method() == "tools/list") {
          say(wire::encode(wire::make_result(*message.id(), {{"tools", tools}})));
        } else if (message.method() == "tools/call") {
          call(message, say);
        }
      },
      {{"tools", Json::object()}});
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kExplorerPatience);
  EXPECT_FALSE(connection.open());
  connection.begin();
  const Survey survey = Survey::take(connection);
  return explore(connection, survey, policy, limits);
}

const KnownTool& tool_of(const Profile& profile, const char* name) {
  static const KnownTool kNone;
  const KnownTool* found = profile.tool(name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? kNone : *found;
}

TEST(Explorer, SeesWhatToolsDoWhileTheyAreCalled) {
  const Profile profile =
      explored(Json::array({read_only("log"), read_only("progress"), read_only("plain")}));
  EXPECT_THAT(profile.tried, ElementsAre("log", "progress", "plain"));
  ASSERT_EQ(tool_of(profile, "log").uses.size(), 1u);
  EXPECT_THAT(tool_of(profile, "log").uses[0].does, ElementsAre(Ability::kLogs));
  ASSERT_EQ(tool_of(profile, "progress").uses.size(), 1u);
  EXPECT_THAT(tool_of(profile, "progress").uses[0].does, ElementsAre(Ability::kReportsProgress));
  ASSERT_EQ(tool_of(profile, "plain").uses.size(), 1u);
  EXPECT_THAT(tool_of(profile, "plain").uses[0].does, IsEmpty());
}

TEST(Explorer, UsesThePathsThatOtherToolsNameAndKeepsTheGuessThatFails) {
  const Profile profile =
      explored({read_only("read", {{"path", {{"type", "string"}}}}), read_only("where")});
  const auto& uses = tool_of(profile, "read").uses;
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].arguments, (Json{{"path", "/srv/files"}}));
  EXPECT_THAT(uses[0].does, IsEmpty());
  EXPECT_THAT(uses[1].does, ElementsAre(Ability::kFails));
}

TEST(Explorer, TellsAToolThatTakesTimeToTakeLittle) {
  const Profile profile =
      explored(Json::array({Json{{"name", "plain"},
                                 {"annotations", {{"readOnlyHint", true}}},
                                 {"inputSchema",
                                  {{"type", "object"},
                                   {"properties",
                                    {{"duration", {{"type", "number"}, {"default", 10}}},
                                     {"delay_ms", {{"type", "integer"}}}}}}}}}));
  EXPECT_EQ(tool_of(profile, "plain").uses[0].arguments,
            (Json{{"duration", 1}, {"delay_ms", 1000}}));
}

TEST(Explorer, KnowsASlowToolByTheTimeOfTwoCalls) {
  ExplorerLimits limits;
  limits.slow = milliseconds(0);
  const Profile profile = explored(Json::array({read_only("plain")}), limits);
  EXPECT_THAT(tool_of(profile, "plain").uses[0].does, Contains(Ability::kTakesTime));
}

// Without sessions a tool asks its client in its result.
TEST(Explorer, SeesWhatToolsAskForInTheirResults) {
  const Profile profile = explored(Json::array({read_only("ask")}));
  EXPECT_THAT(tool_of(profile, "ask").uses.at(0).does,
              ::testing::UnorderedElementsAre(Ability::kElicits, Ability::kAsksRoots));
}

TEST(Explorer, CallsNothingThatIsNotAllowedOrKnownAlready) {
  ToolPolicy policy;
  policy.known = std::get<Profile>(parse_profile("tools: {known: never}", "test"));
  EXPECT_THAT(
      explored(Json::array({Json{{"name", "writes"}}, read_only("known")}), {}, policy).tried,
      IsEmpty());
}

TEST(Explorer, LetsAToolBeThatDoesNotAnswer) {
  ExplorerLimits limits;
  limits.call = milliseconds(20);
  const Profile profile = explored(Json::array({read_only("mute"), read_only("plain")}), limits);
  EXPECT_FALSE(tool_of(profile, "mute").may_be_called);
  EXPECT_TRUE(tool_of(profile, "plain").may_be_called);
}

}  // namespace
}  // namespace assay::harness
