#include "harness/runner/draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/script/scripted_peer_testing.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Patience kDraftPatience{std::chrono::milliseconds(1000), std::chrono::milliseconds(200),
                                  std::chrono::milliseconds(100)};

// Odd names are those of a hostile server.
const std::string kOddName = "odd: \"name\"\n# {\xF0\x9F\x98\x80}\\ud83d";

Json drafted_tool(const std::string& name, bool is_read_only) {
  return {{"name", name},
          {"annotations", {{"readOnlyHint", is_read_only}}},
          {"inputSchema",
           {{"type", "object"},
            {"properties", {{"word", {{"type", "string"}, {"default", kOddName}}}}},
            {"required", {"word"}}}}};
}

Draft draft_of_server() {
  const auto access = scripted_target(
      [](const wire::Message& message, const auto& say) {
        if (!message.id()) return;
        Json result = {{"content", Json::array()}};
        if (message.method() == "tools/list") {
          // It says that it runs as a task, and gives none.
          Json endless = drafted_tool("endless", true);
          endless["execution"] = {{"taskSupport", "required"}};
          result = {{"tools",
                     {drafted_tool("get", true), drafted_tool("fails", true), endless,
                      drafted_tool("delete", false), drafted_tool(kOddName, true)}}};
        } else if (message.params()["name"] == "fails") {
          result["isError"] = true;
        }
        say(wire::encode(wire::make_result(*message.id(), result)));
      },
      {{"tools", Json::object()},
       {"tasks", {{"requests", {{"tools", {{"call", Json::object()}}}}}}}});
  auto made = make_draft(access, kDraftPatience, {}, {}, {});
  EXPECT_TRUE(std::holds_alternative<Draft>(made));
  return std::get<Draft>(std::move(made));
}

TEST(Draft, IsAProfileThatSaysWhatWasFound) {
  const Draft draft = draft_of_server();
  const std::string text = draft_text(draft);
  const auto read = parse_profile(text, "draft");
  ASSERT_TRUE(std::holds_alternative<Profile>(read)) << std::get<std::string>(read) << text;
  const auto& profile = std::get<Profile>(read);
  ASSERT_EQ(profile.tools.size(), 3u) << text;
  for (const KnownTool& tool : draft.tools.known.tools) {
    const KnownTool* kept = profile.tool(tool.name);
    ASSERT_NE(kept, nullptr) << tool.name;
    ASSERT_EQ(kept->uses.size(), tool.uses.size());
    EXPECT_EQ(kept->uses[0].arguments, tool.uses[0].arguments);
    EXPECT_EQ(kept->uses[0].does, tool.uses[0].does);
  }
}

TEST(Draft, SaysWhatItCouldNotFind) {
  const std::string text = draft_text(draft_of_server());
  EXPECT_THAT(text, HasSubstr("# It failed each time."));
  EXPECT_THAT(text, HasSubstr("# \"delete\": {arguments: {\"word\":"));
  EXPECT_THAT(text, HasSubstr("# \"endless\": {does: task-takes-time"));
  EXPECT_THAT(text, HasSubstr("does: elicits"));
  EXPECT_THAT(text, Not(HasSubstr("does: fails ")));
}

// What a server was asked first on each connection, by the version that was named.
std::vector<std::string> asked_first(const std::string& spoken) {
  std::vector<std::string> asked;
  const auto access = piped_target([&asked, spoken](std::string_view bytes, transport::Pipe& pipe) {
    const auto decoded = wire::decode(bytes);
    const auto* message = std::get_if<wire::Message>(&decoded);
    if (message == nullptr || !message->id()) return;
    if (message->method() == "server/discover") asked.push_back("discover");
    if (message->method() != "initialize") return;
    asked.push_back(message->params()["protocolVersion"]);
    if (spoken.empty()) return;
    pipe.deliver(wire::encode(wire::make_result(
        *message->id(), {{"protocolVersion", spoken},
                         {"capabilities", Json::object()},
                         {"serverInfo", {{"name", "scripted"}, {"version", "1"}}}})));
  });
  const auto made = make_draft(access, kDraftPatience, {}, {}, {});
  EXPECT_EQ(std::holds_alternative<Draft>(made), !spoken.empty());
  if (const auto* failure = std::get_if<transport::Failure>(&made))
    asked.push_back(failure->detail);
  return asked;
}

TEST(Draft, TakesTheRevisionThatTheServerOffers) {
  EXPECT_THAT(asked_first("2024-11-05"), ElementsAre("2025-11-25", "2024-11-05"));
}

TEST(Draft, WaitsForASilentServerOnceInEachEra) {
  const auto asked = asked_first("");
  ASSERT_THAT(asked, ElementsAre("2025-11-25", "discover", HasSubstr("silence")));
}

TEST(Draft, AServerThatSpeaksNoRevisionIsAFailure) {
  const auto access =
      piped_target([](std::string_view, transport::Pipe& pipe) { pipe.close_from_peer(); });
  EXPECT_TRUE(
      std::holds_alternative<transport::Failure>(make_draft(access, kDraftPatience, {}, {}, {})));
}

}  // namespace
}  // namespace assay::harness
