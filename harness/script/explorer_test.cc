#include "harness/script/explorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
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
  if (name == "get_item") {
    if (arguments["item_id"] != "i-1") result["isError"] = true;
  } else if (name == "list_items") {
    result = text(R"({"items": [{"id": "i-1"}]})");
  } else if (name == "choose") {
    if (arguments["kind"] == "bad") result["isError"] = true;
  } else if (name == "log") {
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
  } else if (name == "switched") {
    if (arguments["wait"] == true) return;
    for (const char* name : {"fail", "force_fail", "deleteAll"}) {
      if (arguments.value(name, false)) result["isError"] = true;
    }
    if (!arguments.value("dryRun", true)) result["isError"] = true;
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
  EXPECT_THAT(profile.tried, ElementsAre("progress", "log", "plain"));
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

Json as_task(const char* name, const char* support) {
  Json tool = read_only(name);
  tool["execution"] = {{"taskSupport", support}};
  return tool;
}

// A server whose tools run as tasks, and whose tasks are at work the first time they are looked at.
Profile explored_tasks(const Json& tools) {
  std::map<std::string, int> looks;
  const auto access = scripted_target(
      [&](const wire::Message& message, const Say& say) {
        if (!message.id()) return;
        const Json& params = message.params();
        Json result = text("done");
        if (message.method() == "tools/list") {
          result = {{"tools", tools}};
        } else if (message.method() == "tools/call" && params.contains("task")) {
          const bool is_loud = member(params["arguments"], "loud") == true;
          result = {{"task",
                     {{"taskId", is_loud ? Json("loud") : params["name"]}, {"status", "working"}}}};
        } else if (message.method() == "tools/call" && params["name"] == "only-task") {
          return say(wire::encode(
              wire::make_error(message.id(), wire::kMethodNotFound, "as a task only")));
        } else if (message.method() == "tasks/get") {
          const std::string id = params["taskId"];
          const bool is_at_work = id == "only-task" && looks[id]++ == 0;
          result = {{"taskId", id}, {"status", is_at_work ? "working" : "completed"}};
        } else if (message.method() == "tasks/result") {
          result["isError"] = params["taskId"] == "fails" || params["taskId"] == "loud";
        }
        say(wire::encode(wire::make_result(*message.id(), result)));
      },
      {{"tools", Json::object()},
       {"tasks", {{"requests", {{"tools", {{"call", Json::object()}}}}}}}});
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kExplorerPatience);
  EXPECT_FALSE(connection.open());
  connection.begin();
  const Survey survey = Survey::take(connection);
  return explore(connection, survey, {}, {});
}

TEST(Explorer, CallsToolsAsTasksThatSayTheyCanBe) {
  const Profile profile =
      explored_tasks({as_task("only-task", "required"), as_task("either", "optional"),
                      as_task("fails", "optional")});
  EXPECT_THAT(tool_of(profile, "only-task").uses.at(0).does, ElementsAre(Ability::kTaskTakesTime));
  const auto& either = tool_of(profile, "either").uses;
  ASSERT_EQ(either.size(), 2u);
  EXPECT_THAT(either[0].does, IsEmpty());
  EXPECT_THAT(either[1].does, ElementsAre(Ability::kRunsAsTask));
  EXPECT_THAT(tool_of(profile, "fails").uses.at(1).does, ElementsAre(Ability::kTaskFails));
}

TEST(Explorer, TurnsSwitchesOfToolsThatRunAsTasksOnly) {
  Json tool = as_task("only-task", "required");
  tool["inputSchema"]["properties"]["loud"] = {{"type", "boolean"}};
  const KnownTool found = tool_of(explored_tasks(Json::array({tool})), "only-task");
  ASSERT_EQ(found.uses.size(), 2u);
  EXPECT_EQ(found.uses[1].arguments, (Json{{"loud", true}}));
  EXPECT_THAT(found.uses[1].does, ElementsAre(Ability::kTaskFails));
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

TEST(Explorer, TriesAgainWithWhatOtherToolsHaveSaidSince) {
  // That it takes time is promised, so it is tried last of those without arguments.
  Json list = read_only("list_items");
  list["description"] = "Takes a long time";
  list["inputSchema"]["required"] = Json::array({"all"});
  list["inputSchema"]["properties"]["all"] = {{"type", "boolean"}};
  const Profile profile =
      explored({read_only("get_item", {{"item_id", {{"type", "string"}}}}), list});
  const auto& uses = tool_of(profile, "get_item").uses;
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].arguments, (Json{{"item_id", "i-1"}}));
  EXPECT_THAT(uses[0].does, IsEmpty());
  EXPECT_THAT(uses[1].does, ElementsAre(Ability::kFails));
}

TEST(Explorer, TriesTheChoicesOfAnEnumerationAndKeepsWhatIsNew) {
  const Profile profile =
      explored(Json::array({read_only("choose", {{"kind", {{"enum", {"good", "fine", "bad"}}}}})}));
  const auto& uses = tool_of(profile, "choose").uses;
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].arguments, (Json{{"kind", "good"}}));
  EXPECT_EQ(uses[1].arguments, (Json{{"kind", "bad"}}));
  EXPECT_THAT(uses[1].does, ElementsAre(Ability::kFails));
}

// The switches that a tool has, none of which it requires.
Json with_switches(const Json& properties) {
  Json tool = read_only("switched");
  tool["inputSchema"]["properties"] = properties;
  return tool;
}

TEST(Explorer, TurnsSwitchesOn) {
  const Json tool = with_switches({{"fail", {{"type", "boolean"}}}});
  const auto uses = tool_of(explored(Json::array({tool})), "switched").uses;
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].arguments, Json::object());
  EXPECT_EQ(uses[1].arguments, (Json{{"fail", true}}));
  EXPECT_THAT(uses[1].does, ElementsAre(Ability::kFails));
}

// The tool of these tests fails with each of them.
TEST(Explorer, LeavesSwitchesAloneThatMayDoHarm) {
  const Json tool = with_switches({{"dryRun", {{"type", "boolean"}, {"default", true}}},
                                   {"force_fail", {{"type", "boolean"}}},
                                   {"deleteAll", {{"type", "boolean"}}}});
  EXPECT_EQ(tool_of(explored(Json::array({tool})), "switched").uses.size(), 1u);
}

TEST(Explorer, LeavesThemAloneWhereTheFirstCallFailed) {
  Json tool = with_switches({{"fail", {{"type", "boolean"}, {"const", true}}},
                             {"force_fail", {{"type", "boolean"}}},
                             {"note", {{"type", "string"}}}});
  tool["inputSchema"]["required"] = {"fail"};
  const auto uses = tool_of(explored(Json::array({tool})), "switched").uses;
  EXPECT_FALSE(uses.empty());
  for (const ToolUse& use : uses) EXPECT_FALSE(use.arguments.contains("force_fail"));
}

TEST(Explorer, KeepsAToolThatIsSilentWithOneSwitchOnly) {
  ExplorerLimits limits;
  limits.call = milliseconds(20);
  const Json tool = with_switches({{"wait", {{"type", "boolean"}, {"default", false}}}});
  const KnownTool found = tool_of(explored(Json::array({tool}), limits), "switched");
  EXPECT_TRUE(found.may_be_called);
  ASSERT_EQ(found.uses.size(), 1u);
  EXPECT_FALSE(found.uses[0].arguments.contains("wait"));
}

TEST(Explorer, NamesTheToolsForWhichThereIsNoTime) {
  ExplorerLimits limits;
  limits.tools = 1;
  const Profile profile = explored(Json::array({read_only("plain"), read_only("log")}), limits);
  EXPECT_THAT(profile.tried, ElementsAre("plain"));
  EXPECT_THAT(profile.left_out, ElementsAre("log"));
}

TEST(Explorer, CallsToolsForTheirWordsOnlyWhereThatIsAllowed) {
  const Json tools = Json::array({Json{{"name", "get_time"}}, Json{{"name", "set_time"}}});
  EXPECT_THAT(explored(tools).tried, IsEmpty());
  EXPECT_THAT(explored(tools, {}, ToolPolicy::parse("safe")).tried, ElementsAre("get_time"));
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
