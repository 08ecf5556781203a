// A test per fixture, and what surrounds them.
#include <set>

#include "reference/server/content.h"
#include "reference/server/session_testing.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

std::string text_of(const Json& result) {
  return result.at("content").at(0).value("text", "");
}

std::set<std::string> names(const std::vector<Json>& items) {
  std::set<std::string> all;
  for (const Json& item : items) all.insert(item.at("name").get<std::string>());
  return all;
}

class Fixtures : public testing::Test {
 protected:
  void SetUp() override { client_.begin(); }
  TestClient client_;
};

TEST_F(Fixtures, SimpleText) {
  EXPECT_EQ(text_of(client_.call("test_simple_text")),
            "This is a simple text response for testing.");
}

TEST_F(Fixtures, ImageContent) {
  const Json result = client_.call("test_image_content");
  ASSERT_EQ(result["content"].size(), 1u);
  EXPECT_EQ(result["content"][0], image_content());
  EXPECT_EQ(result["content"][0]["mimeType"], "image/png");
}

TEST_F(Fixtures, AudioContent) {
  const Json result = client_.call("test_audio_content");
  EXPECT_EQ(result["content"][0]["type"], "audio");
  EXPECT_EQ(result["content"][0]["mimeType"], "audio/wav");
}

TEST_F(Fixtures, EmbeddedResource) {
  const Json resource = client_.call("test_embedded_resource")["content"][0]["resource"];
  EXPECT_EQ(resource, (Json{{"uri", "test://embedded-resource"},
                            {"mimeType", "text/plain"},
                            {"text", "This is an embedded resource content."}}));
}

TEST_F(Fixtures, MultipleContentTypes) {
  const Json content = client_.call("test_multiple_content_types")["content"];
  ASSERT_EQ(content.size(), 3u);
  EXPECT_EQ(content[0]["type"], "text");
  EXPECT_EQ(content[1]["type"], "image");
  EXPECT_EQ(content[2]["resource"]["uri"], "test://mixed-content-resource");
  EXPECT_EQ(content[2]["resource"]["mimeType"], "application/json");
  EXPECT_EQ(content[2]["resource"]["text"], R"({"test":"data","value":123})");
}

TEST_F(Fixtures, ErrorHandling) {
  const Json result = client_.call("test_error_handling");
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(text_of(result), "This tool intentionally returns an error for testing");
}

TEST_F(Fixtures, StructuredOutputIsRepeatedAsText) {
  const Json result = client_.call("test_structured_output", {{"city", "Bern"}});
  EXPECT_EQ(result["structuredContent"]["city"], "Bern");
  EXPECT_EQ(Json::parse(text_of(result)), result["structuredContent"]);
}

TEST_F(Fixtures, SchemaKeepsItsKeywords) {
  for (const Json& tool : client_.walk("tools/list", "tools")) {
    if (tool["name"] != "json_schema_2020_12_tool") continue;
    for (const char* keyword : {"$schema", "$defs", "additionalProperties", "allOf", "if"}) {
      EXPECT_TRUE(tool["inputSchema"].contains(keyword)) << keyword;
    }
    return;
  }
  FAIL() << "not listed";
}

TEST_F(Fixtures, HoldsArgumentsToTheDefinitionsOfTheirSchema) {
  const Json sound = {{"email", "a@example.com"}, {"address", {{"city", "Bern"}}}};
  EXPECT_FALSE(client_.call("json_schema_2020_12_tool", sound).contains("isError"));
  EXPECT_EQ(client_.call("json_schema_2020_12_tool", {{"email", "a@b"}, {"address", 7}})["isError"],
            true);
}

TEST_F(Fixtures, ReadsTextAndBinaryResources) {
  const Json text = client_.request("resources/read", {{"uri", "test://static-text"}});
  EXPECT_EQ(text["result"]["contents"][0]["mimeType"], "text/plain");
  EXPECT_TRUE(text["result"]["contents"][0].contains("text"));
  const Json binary = client_.request("resources/read", {{"uri", "test://static-binary"}});
  EXPECT_EQ(binary["result"]["contents"][0]["blob"], kPngBase64);
  EXPECT_FALSE(binary["result"]["contents"][0].contains("text"));
}

TEST_F(Fixtures, ReadsATemplatedResource) {
  const Json read = client_.request("resources/read", {{"uri", "test://template/123/data"}});
  const Json contents = read["result"]["contents"][0];
  EXPECT_EQ(contents["uri"], "test://template/123/data");
  EXPECT_EQ(Json::parse(contents["text"].get<std::string>())["id"], "123");
}

TEST_F(Fixtures, RefusesWhatItDoesNotHave) {
  EXPECT_EQ(
      error_code(client_.request("resources/read",
                                 {{"uri", "test://nonexistent-resource-for-conformance-testing"}})),
      wire::kResourceNotFound);
  // No URI, so that it could not be given back as one.
  EXPECT_EQ(error_code(client_.request("resources/read", {{"uri", "test://items/7 \xef\xbb\xbf"}})),
            wire::kResourceNotFound);
  EXPECT_EQ(error_code(client_.request("tools/call", {{"name", "no_such_tool"}})),
            wire::kInvalidParams);
  EXPECT_EQ(error_code(client_.request("prompts/get", {{"name", "no_such_prompt"}})),
            wire::kInvalidParams);
  EXPECT_EQ(error_code(client_.request("prompts/get", {{"name", "test_prompt_with_arguments"}})),
            wire::kInvalidParams);
}

TEST_F(Fixtures, ShowsThePromptsArguments) {
  const Json prompt = client_.request(
      "prompts/get",
      {{"name", "test_prompt_with_arguments"}, {"arguments", {{"arg1", "one"}, {"arg2", "two"}}}});
  const std::string text = prompt["result"]["messages"][0]["content"]["text"];
  EXPECT_NE(text.find("one"), std::string::npos);
  EXPECT_NE(text.find("two"), std::string::npos);
}

TEST_F(Fixtures, PromptEmbedsTheResourceItIsGiven) {
  const Json prompt =
      client_.request("prompts/get", {{"name", "test_prompt_with_embedded_resource"},
                                      {"arguments", {{"resourceUri", "test://example-resource"}}}});
  EXPECT_EQ(prompt["result"]["messages"][0]["content"]["resource"]["uri"],
            "test://example-resource");
}

TEST_F(Fixtures, PromptShowsAnImage) {
  const Json prompt = client_.request("prompts/get", {{"name", "test_prompt_with_image"}});
  EXPECT_EQ(prompt["result"]["messages"][0]["content"], image_content());
}

TEST_F(Fixtures, PromptPlaysASound) {
  const Json prompt = client_.request("prompts/get", {{"name", "test_prompt_with_audio"}});
  EXPECT_EQ(prompt["result"]["messages"][0]["content"], audio_content());
}

TEST_F(Fixtures, CompletesAtMostAHundredValues) {
  const Json complete =
      client_.request("completion/complete",
                      {{"ref", {{"type", "ref/prompt"}, {"name", "test_prompt_with_arguments"}}},
                       {"argument", {{"name", "arg1"}, {"value", ""}}}});
  const Json completion = complete["result"]["completion"];
  EXPECT_EQ(completion["values"].size(), 100u);
  EXPECT_EQ(completion["total"], 150);
  EXPECT_EQ(completion["hasMore"], true);
}

TEST_F(Fixtures, CompletesByPrefixAndContext) {
  const Json complete =
      client_.request("completion/complete",
                      {{"ref", {{"type", "ref/prompt"}, {"name", "test_prompt_with_arguments"}}},
                       {"argument", {{"name", "arg2"}, {"value", "x-arg2-14"}}},
                       {"context", {{"arguments", {{"arg1", "x"}}}}}});
  EXPECT_EQ(complete["result"]["completion"]["total"], 10);
  EXPECT_EQ(complete["result"]["completion"]["hasMore"], false);
}

TEST_F(Fixtures, RefusesCompletionOfWhatItDoesNotHave) {
  EXPECT_EQ(error_code(client_.request("completion/complete",
                                       {{"ref", {{"type", "ref/prompt"}, {"name", "nope"}}},
                                        {"argument", {{"name", "a"}, {"value", ""}}}})),
            wire::kInvalidParams);
}

TEST_F(Fixtures, TellsSubscribersOfChanges) {
  const Json watched = {{"uri", "test://watched-resource"}};
  EXPECT_EQ(client_.request("resources/subscribe", watched)["result"], Json::object());
  client_.call("test_trigger_resource_update");
  EXPECT_EQ(client_.wait_for_method("notifications/resources/updated")["params"], watched);
  EXPECT_EQ(client_.request("resources/unsubscribe", watched)["result"], Json::object());
  const std::size_t before = client_.sink().messages().size();
  client_.call("test_trigger_resource_update");
  EXPECT_EQ(client_.sink().messages().size(), before + 1);  // the answer alone
}

TEST_F(Fixtures, AnnouncesChangedLists) {
  const struct {
    const char* tool;
    const char* notification;
    const char* method;
    const char* key;
  } kCases[] = {
      {"test_trigger_tool_change", "notifications/tools/list_changed", "tools/list", "tools"},
      {"test_trigger_prompt_change", "notifications/prompts/list_changed", "prompts/list",
       "prompts"},
      {"test_trigger_resource_change", "notifications/resources/list_changed", "resources/list",
       "resources"}};
  for (const auto& each : kCases) {
    const std::size_t before = client_.walk(each.method, each.key).size();
    client_.call(each.tool);
    EXPECT_FALSE(client_.wait_for_method(each.notification).is_null()) << each.tool;
    EXPECT_EQ(client_.walk(each.method, each.key).size(), before + 1);
  }
}

TEST(Lists, HaveTwoPagesWhenPagesAreSmall) {
  TestClient client({.page_size = 1});
  client.begin();
  for (const auto& [method, key] : {std::pair{"tools/list", "tools"},
                                    {"resources/list", "resources"},
                                    {"resources/templates/list", "resourceTemplates"},
                                    {"prompts/list", "prompts"}}) {
    const std::vector<Json> items = client.walk(method, key);
    EXPECT_GE(client.pages(), 2) << method;
    EXPECT_EQ(names(items).size(), items.size()) << method;
    EXPECT_EQ(items.size(), static_cast<std::size_t>(client.pages()));
  }
}

TEST(Lists, RefuseCursorsThatAreNotTheirs) {
  TestClient client({.page_size = 1});
  client.begin();
  const Json cursor = client.request("tools/list")["result"]["nextCursor"];
  EXPECT_EQ(error_code(client.request("prompts/list", {{"cursor", cursor}})), wire::kInvalidParams);
  EXPECT_EQ(error_code(client.request("tools/list", {{"cursor", "not-a-cursor"}})),
            wire::kInvalidParams);
  EXPECT_EQ(error_code(client.request("tools/list", {{"cursor", 1}})), wire::kInvalidParams);
}

TEST(Lists, HoldNothingThatTheRevisionLacks) {
  TestClient client;
  client.begin("2024-11-05");
  const std::vector<Json> tools = client.walk("tools/list", "tools");
  EXPECT_FALSE(names(tools).contains("test_audio_content"));
  EXPECT_FALSE(names(tools).contains("test_elicitation"));
  EXPECT_FALSE(names(tools).contains("test_tool_with_task"));
  for (const Json& tool : tools) {
    for (const char* key : {"title", "annotations", "outputSchema", "icons", "execution"}) {
      EXPECT_FALSE(tool.contains(key)) << tool["name"] << " has " << key;
    }
  }
  for (const Json& prompt : client.walk("prompts/list", "prompts")) {
    EXPECT_FALSE(prompt.contains("title"));
  }
  EXPECT_FALSE(client.call("test_structured_output").contains("structuredContent"));
}

TEST(Tools, TellBadArgumentsAsTheRevisionAsks) {
  TestClient old_client;
  old_client.begin("2025-06-18");
  const Json call = {{"name", "test_echo"}, {"arguments", {{"message", 1}}}};
  EXPECT_EQ(error_code(old_client.request("tools/call", call)), wire::kInvalidParams);
  TestClient new_client;
  new_client.begin("2025-11-25");
  EXPECT_EQ(new_client.request("tools/call", call)["result"]["isError"], true);
}

}  // namespace
}  // namespace assay::server
