// Requests of several rounds: basic/patterns/mrtr.
#include <gtest/gtest.h>

#include "reference/server/request_state.h"
#include "reference/server/stateless_testing.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

Json elicitation() {
  return {{"elicitation", {{"form", Json::object()}, {"url", Json::object()}}}};
}

Json everything() {
  Json all = elicitation();
  all["sampling"] = Json::object();
  all["roots"] = Json::object();
  return all;
}

Json accepted(Json content) {
  return {{"action", "accept"}, {"content", std::move(content)}};
}

// A retry with these answers, and the state of the round before if it had one.
Json answering(const std::string& tool, Json capabilities, Json responses,
               const Json& former = Json::object()) {
  Json more = {{"inputResponses", std::move(responses)}};
  if (former.contains("requestState")) more["requestState"] = former["requestState"];
  return calling(tool, std::move(capabilities), std::move(more));
}

std::string text_in(const Json& response) {
  return response.at("result").at("content").at(0).at("text");
}

TEST(Inputs, AToolAsksAndCompletesWhenAnswered) {
  TestClient client;
  const char* const tool = "test_input_required_result_elicitation";
  const Json asked = client.request("tools/call", calling(tool, elicitation()))["result"];
  EXPECT_EQ(asked.at("resultType"), "input_required");
  EXPECT_EQ(asked.at("inputRequests").at("user_name").at("method"), "elicitation/create");
  EXPECT_FALSE(asked.contains("ttlMs"));
  const Json done = client.request(
      "tools/call",
      answering(tool, elicitation(),
                {{"user_name", accepted({{"name", "Ada"}})}, {"unasked", {{"x", 1}}}}));
  EXPECT_EQ(done["result"].at("resultType"), "complete");
  EXPECT_EQ(text_in(done), "Hello, Ada!");
}

TEST(Inputs, WhatIsMissingIsAskedForAgain) {
  TestClient client;
  const char* const tool = "test_input_required_result_multiple_inputs";
  const Json asked = client.request("tools/call", calling(tool, everything()))["result"];
  EXPECT_EQ(asked.at("inputRequests").size(), 3u);
  const Json again = client.request(
      "tools/call",
      answering(tool, everything(), {{"client_roots", {{"roots", Json::array()}}}}, asked));
  EXPECT_EQ(again["result"].at("resultType"), "input_required");
  EXPECT_EQ(again["result"].at("inputRequests").size(), 2u);
}

TEST(Inputs, AMalformedAnswerIsAnError) {
  TestClient client;
  const char* const tool = "test_input_required_result_elicitation";
  for (const Json& answer : {Json("Ada"), Json{{"action", "maybe"}}, accepted({{"name", 5}}),
                             accepted(Json::object())}) {
    EXPECT_EQ(error_code(client.request("tools/call",
                                        answering(tool, elicitation(), {{"user_name", answer}}))),
              -32602)
        << answer;
  }
  EXPECT_EQ(error_code(client.request("tools/call", answering(tool, elicitation(), "nonsense"))),
            -32602);
}

TEST(Inputs, DecliningIsAnAnswer) {
  TestClient client;
  const char* const tool = "test_input_required_result_elicitation";
  for (const char* action : {"decline", "cancel"}) {
    const Json done = client.request(
        "tools/call", answering(tool, elicitation(), {{"user_name", {{"action", action}}}}));
    EXPECT_EQ(done["result"].at("resultType"), "complete");
  }
}

TEST(Inputs, WithoutTheCapabilityTheRequestIsRefused) {
  TestClient client;
  const Json refused = client.request("tools/call", calling("test_missing_capability"));
  EXPECT_EQ(error_code(refused), -32021);
  EXPECT_EQ(refused["error"]["data"]["requiredCapabilities"], Json({{"sampling", Json::object()}}));
  const Json form_only = {{"elicitation", Json::object()}};
  const Json url =
      client.request("tools/call", calling("test_input_required_result_url", form_only));
  EXPECT_EQ(url["error"]["data"]["requiredCapabilities"]["elicitation"],
            Json({{"url", Json::object()}}));
  // What one request declared holds for that request alone.
  EXPECT_TRUE(client.request("tools/call", calling("test_missing_capability", everything()))
                  .contains("result"));
  EXPECT_EQ(error_code(client.request("tools/call", calling("test_missing_capability"))), -32021);
}

TEST(Inputs, AsksForWhatIsDeclaredOnly) {
  TestClient client;
  const Json asked = client.request("tools/call", calling("test_input_required_result_capabilities",
                                                          {{"sampling", Json::object()}}));
  EXPECT_EQ(asked["result"]["inputRequests"].size(), 1u);
  EXPECT_TRUE(asked["result"]["inputRequests"].contains("greeting"));
}

TEST(Inputs, SeveralRoundsFollowOneAnother) {
  TestClient client;
  const char* const tool = "test_input_required_result_multi_round";
  const Json first = client.request("tools/call", calling(tool, elicitation()))["result"];
  EXPECT_TRUE(first.at("inputRequests").contains("step1"));
  const Json second = client.request(
      "tools/call",
      answering(tool, elicitation(), {{"step1", accepted({{"name", "Ada"}})}}, first))["result"];
  EXPECT_TRUE(second.at("inputRequests").contains("step2"));
  EXPECT_NE(first.at("requestState"), second.at("requestState"));
  const Json done = client.request(
      "tools/call",
      answering(tool, elicitation(), {{"step2", accepted({{"color", "blue"}})}}, second));
  EXPECT_EQ(text_in(done), "Ada likes blue.");
}

TEST(Inputs, AModelThatUsesItsToolIsGivenTheResult) {
  TestClient client;
  const char* const tool = "test_input_required_result_sampling_tools";
  const Json capabilities = {{"sampling", {{"tools", Json::object()}}}};
  EXPECT_EQ(error_code(client.request("tools/call", calling(tool, {{"sampling", Json::object()}}))),
            -32021);
  const Json first = client.request("tools/call", calling(tool, capabilities))["result"];
  const Json use = {{"type", "tool_use"},
                    {"id", "use-1"},
                    {"name", "look_up"},
                    {"input", {{"word", "elephant"}}}};
  const Json said = {{"role", "assistant"},
                     {"model", "m"},
                     {"stopReason", "toolUse"},
                     {"content", Json::array({use})}};
  const Json second =
      client.request("tools/call", answering(tool, capabilities, {{"sample_1", said}}, first))
          .at("result");
  const Json messages = second.at("inputRequests").at("sample_2").at("params").at("messages");
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[2]["content"][0]["toolUseId"], "use-1");
  Json text = said;
  text["content"] = {{"type", "text"}, {"text", "Eight letters."}};
  const Json done =
      client.request("tools/call", answering(tool, capabilities, {{"sample_2", text}}, second));
  EXPECT_NE(text_in(done).find("Eight letters."), std::string::npos);
}

TEST(Inputs, StateThatWasAlteredOrMovedIsRefused) {
  TestClient client;
  const char* const tool = "test_input_required_result_tampered_state";
  const Json asked = client.request("tools/call", calling(tool, elicitation()))["result"];
  const Json responses = {{"confirm", accepted({{"ok", true}})}};
  Json altered = asked;
  std::string state = asked.at("requestState");
  state[3] = state[3] == '7' ? '8' : '7';
  altered["requestState"] = state;
  const auto retry = [&](const char* name, const Json& former) {
    return client.request("tools/call", answering(name, elicitation(), responses, former));
  };
  EXPECT_EQ(error_code(retry(tool, altered)), -32602);
  altered["requestState"] = asked.at("requestState").get<std::string>() + "-TAMPERED";
  EXPECT_EQ(error_code(retry(tool, altered)), -32602);
  altered["requestState"] = "";
  EXPECT_EQ(error_code(retry(tool, altered)), -32602);
  EXPECT_EQ(error_code(retry("test_input_required_result_request_state", asked)), -32602);
  EXPECT_NE(text_in(retry(tool, asked)).find("state-ok"), std::string::npos);
}

TEST(Inputs, StateOfAnotherProcessOrThatHasExpiredIsRefused) {
  const wire::Message request = std::get<wire::Message>(
      wire::decode(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}})"));
  const StateSeal ours;
  const StateSeal other;
  const std::string state = ours.seal(request, "", {{"step", 1}}, std::chrono::minutes(1));
  EXPECT_EQ(ours.open(request, "", state), Json({{"step", 1}}));
  EXPECT_EQ(other.open(request, "", state), std::nullopt);
  const std::string expired = ours.seal(request, "", nullptr, std::chrono::milliseconds(-1));
  EXPECT_EQ(ours.open(request, "", expired), std::nullopt);
}

TEST(Inputs, StateOfAnotherUserIsRefused) {
  const wire::Message request = std::get<wire::Message>(
      wire::decode(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}})"));
  const StateSeal seal;
  const std::string state = seal.seal(request, "alice", {{"step", 1}}, std::chrono::minutes(1));
  EXPECT_EQ(seal.open(request, "alice", state), Json({{"step", 1}}));
  EXPECT_EQ(seal.open(request, "bob", state), std::nullopt);
  EXPECT_EQ(seal.open(request, "", state), std::nullopt);
}

TEST(Inputs, AnAnswerWithoutItsStateDoesNotCount) {
  TestClient client;
  const char* const tool = "test_input_required_result_request_state";
  const Json again = client.request(
      "tools/call", answering(tool, elicitation(), {{"confirm", accepted({{"ok", true}})}}));
  EXPECT_EQ(again["result"].at("resultType"), "input_required");
}

TEST(Inputs, StateAloneAsksToComeBack) {
  TestClient client;
  const char* const tool = "test_input_required_result_state_only";
  const Json asked = client.request("tools/call", calling(tool))["result"];
  EXPECT_FALSE(asked.contains("inputRequests"));
  const Json done =
      client.request("tools/call", answering(tool, Json::object(), Json::object(), asked));
  EXPECT_EQ(done["result"].at("resultType"), "complete");
}

TEST(Inputs, PromptsAndResourcesAskToo) {
  TestClient client;
  Json params = with_meta({{"name", "test_input_required_result_prompt"}}, elicitation());
  EXPECT_TRUE(
      client.request("prompts/get", params)["result"]["inputRequests"].contains("user_context"));
  params["inputResponses"] = {{"user_context", accepted({{"context", "tests"}})}};
  const Json prompt = client.request("prompts/get", params)["result"];
  EXPECT_NE(prompt.dump().find("Use the following context: tests"), std::string::npos);
  params = with_meta({{"uri", "test://input-required-result"}}, elicitation());
  const Json asked = client.request("resources/read", params)["result"];
  EXPECT_EQ(asked.at("resultType"), "input_required");
  EXPECT_FALSE(asked.contains("ttlMs"));
  params["inputResponses"] = {{"confirm", accepted({{"ok", true}})}};
  EXPECT_TRUE(client.request("resources/read", params)["result"].contains("contents"));
}

}  // namespace
}  // namespace assay::server
