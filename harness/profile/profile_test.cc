#include "harness/profile/profile.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "harness/profile/built_in.h"

namespace assay::harness {
namespace {

Profile parsed(std::string_view yaml) {
  const auto result = parse_profile(yaml, "test");
  if (const auto* error = std::get_if<std::string>(&result)) ADD_FAILURE() << *error;
  const auto* profile = std::get_if<Profile>(&result);
  return profile == nullptr ? Profile() : *profile;
}

std::string error_of(std::string_view yaml) {
  const auto result = parse_profile(yaml, "test");
  const auto* error = std::get_if<std::string>(&result);
  return error == nullptr ? "" : *error;
}

TEST(Profile, ReadsWhichScopesIncludeOthers) {
  const Profile profile =
      parsed("scopes: {files: ['files:read', 'files:write'], mail: 'mail:read'}");
  ASSERT_EQ(profile.scopes.size(), 2u);
  EXPECT_EQ(profile.scopes[0].name, "files");
  EXPECT_EQ(profile.scopes[0].includes, (std::vector<std::string>{"files:read", "files:write"}));
  EXPECT_EQ(profile.scopes[1].includes, std::vector<std::string>{"mail:read"});
}

TEST(Profile, ReadsWhichScopesAToolNeeds) {
  const Profile profile = parsed(
      "tools:\n"
      "  write: {scopes: ['files:write', 'files:read']}\n"
      "  read: {scopes: 'files:read'}\n");
  EXPECT_EQ(profile.tool("write")->uses.at(0).scopes,
            (std::vector<std::string>{"files:write", "files:read"}));
  EXPECT_EQ(profile.tool("read")->uses.at(0).scopes, std::vector<std::string>{"files:read"});
}

TEST(Profile, ReadsWhatAToolDoesAndWithWhichArguments) {
  const Profile profile = parsed(
      "tools:\n"
      "  rebuild:\n"
      "    does: [takes-time, reports-progress]\n"
      "    arguments: {items: 100, ratio: 0.5, deep: true, label: '7', path: [a, null]}\n"
      "  search:\n"
      "  watch:\n"
      "    - {does: updates-resource, resource: 'file:///a'}\n"
      "    - {}\n"
      "  drop: never\n");
  ASSERT_EQ(profile.tools.size(), 4u);
  const ToolUse& rebuild = profile.tool("rebuild")->uses.at(0);
  EXPECT_TRUE(rebuild.can(Ability::kTakesTime));
  EXPECT_FALSE(rebuild.can(Ability::kLogs));
  EXPECT_EQ(rebuild.arguments, Json::parse(R"({"items": 100, "ratio": 0.5, "deep": true,
                                               "label": "7", "path": ["a", null]})"));
  EXPECT_EQ(profile.tool("search")->uses.size(), 1u);
  EXPECT_EQ(profile.tool("search")->line, 5);
  EXPECT_EQ(profile.tool("watch")->uses.at(0).resource, "file:///a");
  EXPECT_TRUE(profile.tool("watch")->uses.at(1).does.empty());
  EXPECT_FALSE(profile.tool("drop")->may_be_called);
  EXPECT_EQ(profile.tool("other"), nullptr);
}

TEST(Profile, ReadsPromptsResourcesAndCompletions) {
  const Profile profile = parsed(
      "name: mine\n"
      "about: a server\n"
      "prompts: {review: {arguments: {language: c++}}, plain: }\n"
      "resources: {read: [a:b], skip: c:d}\n"
      "completions:\n"
      "  - {prompt: review, argument: language, value: c}\n"
      "  - {resource: 'file:///{path}', argument: path}\n");
  EXPECT_EQ(profile.name, "mine");
  EXPECT_EQ(profile.prompt("review")->arguments, (Json{{"language", "c++"}}));
  EXPECT_EQ(profile.prompt("plain")->arguments, Json::object());
  EXPECT_EQ(profile.resources, std::vector<std::string>{"a:b"});
  EXPECT_TRUE(profile.skips("c:d"));
  ASSERT_EQ(profile.completions.size(), 2u);
  EXPECT_EQ(profile.completions[0].reference, (Json{{"type", "ref/prompt"}, {"name", "review"}}));
  EXPECT_EQ(profile.completions[1].reference,
            (Json{{"type", "ref/resource"}, {"uri", "file:///{path}"}}));
}

TEST(Profile, SaysWhichLineIsWrong) {
  EXPECT_EQ(error_of("tools:\n  a:\n    dose: fails\n"),
            "line 3: unknown key 'dose'; known: arguments, does, resource, scopes");
  EXPECT_EQ(error_of("tools:\n  a: always\n").substr(0, 7), "line 2:");
  EXPECT_NE(error_of("tools:\n  a:\n    does: sleeps\n").find("takes-time"), std::string::npos);
  EXPECT_EQ(error_of("tools: {a: , a: }\n"), "line 1: 'a' comes twice");
  EXPECT_EQ(error_of("tool:\n").substr(0, 27), "line 1: unknown key 'tool';");
  EXPECT_NE(error_of("tools: {a: {does: updates-resource}}"), "");
  EXPECT_NE(error_of("tools: {a: {resource: 'a:b'}}"), "");
  EXPECT_NE(error_of("tools: {a: {arguments: [1]}}"), "");
  EXPECT_NE(error_of("tools: {a: []}"), "");
  EXPECT_NE(error_of("prompts: {a: {arguments: {n: 1}}}"), "");
  EXPECT_NE(error_of("completions: [{prompt: a}]"), "");
  EXPECT_NE(error_of("completions: [{prompt: a, resource: b, argument: c}]"), "");
  EXPECT_NE(error_of("detect: {tools: none}"), "");
  EXPECT_NE(error_of("detect: {tools: 0}"), "");
  EXPECT_EQ(error_of("tools: [unclosed\n").substr(0, 5), "line ");
  EXPECT_NE(error_of(""), "");
  EXPECT_NE(error_of("just a text"), "");
  EXPECT_NE(error_of("name: " + std::string(kMaxProfileBytes, 'x')), "");
}

TEST(Profile, ReadsHowAClientIsStarted) {
  const Profile profile = parsed(
      "client:\n"
      "  lists-tools: [--method, tools/list]\n"
      "  lists-prompts:\n"
      "  calls-tool:\n"
      "    append: [call, '{tool}', [--argument, '{name}={value}'], --json, '{arguments}']\n"
      "    environment: {MODE: quick, LEVEL: 3}\n"
      "  reads-resource: {command: [other, '{url}', 'read={uri}']}\n");
  ASSERT_EQ(profile.client.size(), 4u);
  using Words = std::vector<std::string>;
  const Words given = {"client", "{url}"};
  EXPECT_EQ(profile.way(Act::kListsTools)->command_for({}, given),
            (Words{"client", "{url}", "--method", "tools/list"}));
  EXPECT_EQ(profile.way(Act::kListsPrompts)->command_for({}, given), given);
  const Deed call{Act::kCallsTool, "add", {{"a", 5}, {"b", "{tool}"}}};
  EXPECT_EQ(profile.way(Act::kCallsTool)->command_for(call, given),
            (Words{"client", "{url}", "call", "add", "--argument", "a=5", "--argument", "b={tool}",
                   "--json", R"({"a":5,"b":"{tool}"})"}));
  EXPECT_EQ(profile.way(Act::kCallsTool)->environment,
            (std::vector<std::pair<std::string, std::string>>{{"MODE", "quick"}, {"LEVEL", "3"}}));
  EXPECT_EQ(profile.way(Act::kReadsResource)->command_for({Act::kReadsResource, "a:b"}, given),
            (Words{"other", "{url}", "read=a:b"}));
  EXPECT_EQ(profile.way(Act::kLogsIn), nullptr);
  // What stands for nothing stays as it is.
  const Profile plain = parsed("client: {lists-tools: ['{}', '{\"a\": 1}']}");
  EXPECT_EQ(plain.way(Act::kListsTools)->command_for({}, {"c"}), (Words{"c", "{}", R"({"a": 1})"}));
}

TEST(Profile, SaysWhatIsWrongAboutAClient) {
  EXPECT_EQ(error_of("client:\n  sings: [a]\n").substr(0, 27), "line 2: unknown act 'sings'");
  EXPECT_EQ(error_of("client:\n  calls-tool: ['{toll}']\n"),
            "line 2: {toll} stands for nothing in calls-tool; known: {url}, {server}, {config}, "
            "{tool}, {arguments}");
  EXPECT_NE(error_of("client: {lists-tools: ['{tool}']}"), "");
  EXPECT_NE(error_of("client: {calls-tool: ['{value}']}"), "");
  EXPECT_EQ(error_of("client: {calls-tool: ['{\"a\": 1}', '{}']}"), "");
  EXPECT_NE(error_of("client: {lists-tools: [[a]]}"), "");
  EXPECT_NE(error_of("client: {lists-tools: a}"), "");
  EXPECT_NE(error_of("client: {lists-tools: {append: [a], command: [b]}}"), "");
  EXPECT_NE(error_of("client: {lists-tools: {command: []}}"), "");
  EXPECT_NE(error_of("client: {lists-tools: {commands: [a]}}"), "");
  EXPECT_NE(error_of("client: {lists-tools: {environment: {'A=B': c}}}"), "");
  EXPECT_NE(error_of("client: {}"), "");
  EXPECT_NE(error_of("client: [lists-tools]"), "");
}

TEST(Profile, OfAClientBelongsToNoServer) {
  EXPECT_FALSE(parsed("client: {lists-tools: [a]}").fits(nullptr, {}));
  EXPECT_TRUE(parsed("{client: {lists-tools: [a]}, tools: {b: }}").fits(nullptr, {}));
}

TEST(Act, HasAWordThatNamesIt) {
  for (const Act act : acts()) {
    EXPECT_EQ(parse_act(name(act)), act);
    EXPECT_FALSE(words(act).empty());
  }
  EXPECT_EQ(acts().size(), static_cast<std::size_t>(Act::kLogsIn) + 1);
}

TEST(Profile, BoundsWhatAliasesUnfold) {
  std::string bomb =
      "about: x\ntools:\n  a:\n    arguments:\n      l0: &l0 [1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string below = "*l" + std::to_string(i - 1);
    bomb += "      l" + std::to_string(i) + ": &l" + std::to_string(i) + " [" + below + ", " +
            below + ", " + below + ", " + below + "]\n";
  }
  EXPECT_NE(error_of(bomb).find("more than 10000 values"), std::string::npos) << error_of(bomb);
}

TEST(Ability, HasAWordThatNamesIt) {
  for (const Ability ability : abilities()) EXPECT_EQ(parse_ability(name(ability)), ability);
  EXPECT_EQ(abilities().back(), Ability::kClosesStream);
  EXPECT_EQ(abilities().size(), static_cast<std::size_t>(Ability::kClosesStream) + 1);
}

TEST(Profile, QuotesNothingOfTheFileThatIsUnsafe) {
  EXPECT_EQ(error_of("\"\\e[31m\": x\n").find('\x1b'), std::string::npos);
}

TEST(Profile, IsDetectedByTheNameOfTheServerOrByEnoughTools) {
  const Profile profile = parsed("detect: {server: [x, y], tools: 2}\ntools: {a: , b: , c: }\n");
  EXPECT_TRUE(profile.fits({{"serverInfo", {{"name", "y"}}}}, {}));
  EXPECT_FALSE(profile.fits({{"serverInfo", {{"name", "z"}}}}, {"a"}));
  EXPECT_TRUE(profile.fits(nullptr, {"a", "other", "c"}));
  EXPECT_TRUE(parsed("about: whoever\n").fits(nullptr, {}));
}

TEST(Profile, IsOutweighedByTheOneBeforeIt) {
  Profile profile = parsed("tools: {a: never}\nresources: {skip: 'r:1'}\n");
  profile.add(parsed("tools: {a: , b: }\nprompts: {p: }\nresources: {read: ['r:1', 'r:2']}\n"));
  EXPECT_FALSE(profile.tool("a")->may_be_called);
  EXPECT_TRUE(profile.tool("b")->may_be_called);
  EXPECT_NE(profile.prompt("p"), nullptr);
  EXPECT_EQ(profile.resources, std::vector<std::string>{"r:2"});
}

TEST(BuiltInProfiles, CanAllBeReadAndAreFoundByName) {
  ASSERT_EQ(built_in_profiles().size(), 4u);
  for (const char* name : {"inspector-cli", "mcporter", "official-fixtures", "server-everything"}) {
    const Profile* profile = built_in_profile(name);
    ASSERT_NE(profile, nullptr) << name;
    EXPECT_EQ(error_of(built_in_text(name)), "");
    EXPECT_FALSE(profile->about.empty());
    EXPECT_FALSE(profile->fits({{"serverInfo", {{"name", "a stranger"}}}}, {"test_echo", "echo"}));
  }
  EXPECT_EQ(built_in_profile("none"), nullptr);
}

TEST(ExampleProfile, CanBeRead) {
  std::ifstream in(std::string(ASSAY_SOURCE_DIR) + "/harness/profile/example.yaml");
  std::ostringstream text;
  text << in.rdbuf();
  const Profile profile = parsed(text.str());
  EXPECT_FALSE(profile.tools.empty());
  EXPECT_FALSE(profile.completions.empty());
}

}  // namespace
}  // namespace assay::harness
