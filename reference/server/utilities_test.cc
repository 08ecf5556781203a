// Logging, progress, cancellation, and what the server asks of its client.
#include "reference/server/logging.h"
#include "reference/server/session_testing.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

// The params of the notifications of that method that the client has got.
std::vector<Json> notifications(TestClient& client, const std::string& method) {
  std::vector<Json> found;
  for (const Json& message : client.sink().messages()) {
    if (message.is_object() && message.value("method", "") == method) {
      found.push_back(message.at("params"));
    }
  }
  return found;
}

TEST(Logging, SendsThreeMessagesDuringTheCall) {
  TestClient client;
  client.begin();
  client.call("test_tool_with_logging");
  const auto logs = notifications(client, "notifications/message");
  ASSERT_EQ(logs.size(), 3u);
  for (const Json& log : logs) EXPECT_EQ(log["level"], "info");
}

TEST(Logging, KeepsToTheLevelThatWasSet) {
  for (const LogLevel level : log_levels()) {
    TestClient client;
    client.begin();
    client.request("logging/setLevel", {{"level", name(level)}});
    client.call("test_logging_levels");
    const auto logs = notifications(client, "notifications/message");
    EXPECT_EQ(logs.size(), log_levels().size() - static_cast<std::size_t>(level));
  }
}

TEST(Logging, RefusesUnknownLevels) {
  TestClient client;
  client.begin();
  EXPECT_EQ(error_code(client.request("logging/setLevel", {{"level", "loud"}})),
            wire::kInvalidParams);
  EXPECT_EQ(error_code(client.request("logging/setLevel")), wire::kInvalidParams);
}

TEST(Progress, CarriesTheClientsTokenAndRises) {
  for (const Json& token : {Json("abc"), Json(7)}) {
    TestClient client;
    client.begin();
    client.request("tools/call",
                   {{"name", "test_tool_with_progress"}, {"_meta", {{"progressToken", token}}}});
    const auto all = notifications(client, "notifications/progress");
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0]["progress"], 0);
    EXPECT_EQ(all[1]["progress"], 50);
    EXPECT_EQ(all[2]["progress"], 100);
    for (const Json& progress : all) EXPECT_EQ(progress["progressToken"], token);
  }
}

TEST(Progress, IsSilentUnlessAskedFor) {
  TestClient client;
  client.begin();
  client.call("test_tool_with_progress");
  EXPECT_TRUE(notifications(client, "notifications/progress").empty());
}

TEST(Slow, KeepsNothingElseWaiting) {
  TestClient client;
  client.begin();
  const int slow = client.start("tools/call",
                                {{"name", "test_slow"}, {"arguments", {{"duration_ms", 300'000}}}});
  EXPECT_EQ(client.request("ping")["result"], Json::object());
  client.send({{"jsonrpc", "2.0"},
               {"method", "notifications/cancelled"},
               {"params", {{"requestId", slow}}}});
}

TEST(Cancellation, StopsTheWorkAndItsAnswer) {
  TestClient client;
  client.begin();
  const int finished = client.sink().finished();
  const int id = client.start("tools/call",
                              {{"name", "test_slow"}, {"arguments", {{"duration_ms", 300'000}}}});
  client.send({{"jsonrpc", "2.0"},
               {"method", "notifications/cancelled"},
               {"params", {{"requestId", id}, {"reason", "enough"}}}});
  // The request and the notification.
  ASSERT_TRUE(client.sink().wait_until_finished(finished + 2));
  for (const Json& message : client.sink().messages()) EXPECT_NE(message.value("id", Json()), id);
}

TEST(Cancellation, OfWhatIsUnknownOrMalformedIsIgnored) {
  TestClient client;
  client.begin();
  const std::size_t before = client.sink().messages().size();
  for (const Json& params : {Json{{"requestId", 999}}, Json{{"requestId", {1}}}, Json::object()}) {
    client.send({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", params}});
  }
  client.send({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}});
  EXPECT_EQ(client.sink().messages().size(), before);
}

TEST(Client, IsAskedForSampling) {
  TestClient client;
  client.begin("2025-11-25", {{"sampling", Json::object()}});
  const int id =
      client.start("tools/call", {{"name", "test_sampling"}, {"arguments", {{"prompt", "Hi"}}}});
  const Json request = client.wait_for_method("sampling/createMessage");
  EXPECT_EQ(request["params"]["maxTokens"], 100);
  EXPECT_EQ(request["params"]["messages"][0]["content"]["text"], "Hi");
  client.answer(
      request,
      {{"role", "assistant"}, {"content", {{"type", "text"}, {"text", "Hello"}}}, {"model", "m"}});
  EXPECT_EQ(client.response(id)["result"]["content"][0]["text"], "LLM response: Hello");
}

TEST(Client, IsAskedForElicitation) {
  TestClient client;
  client.begin("2025-06-18", {{"elicitation", Json::object()}});
  const int id = client.start("tools/call",
                              {{"name", "test_elicitation"}, {"arguments", {{"message", "Who?"}}}});
  const Json request = client.wait_for_method("elicitation/create");
  EXPECT_EQ(request["params"]["message"], "Who?");
  EXPECT_FALSE(request["params"].contains("mode"));  // there was but one then
  client.answer(request, {{"action", "accept"},
                          {"content", {{"username", "me"}, {"email", "me@example.com"}}}});
  const std::string text = client.response(id)["result"]["content"][0]["text"];
  EXPECT_EQ(text,
            R"(User response: action=accept, content={"email":"me@example.com","username":"me"})");
}

TEST(Client, IsNotTrustedToAnswerWhatWasAsked) {
  TestClient client;
  client.begin("2025-11-25", {{"elicitation", Json::object()}, {"sampling", Json::object()}});
  const int form = client.start(
      "tools/call", {{"name", "test_elicitation"}, {"arguments", {{"message", "Who?"}}}});
  client.answer(client.wait_for_method("elicitation/create"),
                {{"action", "accept"}, {"content", {{"username", 7}, {"email", "me"}}}});
  EXPECT_EQ(client.response(form)["result"]["isError"], true);
  const int sampling =
      client.start("tools/call", {{"name", "test_sampling"}, {"arguments", {{"prompt", "Hi"}}}});
  client.answer(
      client.wait_for_method("sampling/createMessage"),
      {{"role", "assistant"}, {"content", {{"type", "text"}, {"text", 7}}}, {"model", "m"}});
  EXPECT_EQ(client.response(sampling)["result"]["isError"], true);
}

TEST(Client, IsAskedToVisitAPage) {
  TestClient client;
  client.begin("2025-11-25", {{"elicitation", {{"url", Json::object()}}}});
  const int id = client.start("tools/call", {{"name", "test_elicitation_url"}});
  const Json request = client.wait_for_method("elicitation/create");
  EXPECT_EQ(request["params"]["mode"], "url");
  client.answer(request, {{"action", "accept"}});
  EXPECT_FALSE(client.response(id)["result"].contains("isError"));
  EXPECT_EQ(client.wait_for_method("notifications/elicitation/complete")["params"]["elicitationId"],
            request["params"]["elicitationId"]);
}

TEST(Client, IsNotAskedForWhatItDidNotDeclare) {
  TestClient client;
  client.begin("2025-11-25", {{"elicitation", {{"url", Json::object()}}}});
  EXPECT_EQ(client.call("test_sampling", {{"prompt", "Hi"}})["isError"], true);
  EXPECT_EQ(client.call("test_elicitation", {{"message", "Who?"}})["isError"], true);
  EXPECT_EQ(client.call("test_roots")["isError"], true);
  for (const Json& message : client.sink().messages()) EXPECT_FALSE(message.contains("method"));
}

TEST(Client, ListsItsRoots) {
  TestClient client;
  client.begin("2024-11-05", {{"roots", Json::object()}});
  const int id = client.start("tools/call", {{"name", "test_roots"}});
  client.answer(client.wait_for_method("roots/list"),
                {{"roots", Json::array({{{"uri", "file:///tmp"}}})}});
  const std::string text = client.response(id)["result"]["content"][0]["text"];
  EXPECT_NE(text.find("file:///tmp"), std::string::npos);
}

TEST(Client, IsToldWhenItsAnswerIsTooLate) {
  TestClient client({.client_timeout = std::chrono::milliseconds(1)});
  client.begin("2025-11-25", {{"roots", Json::object()}});
  EXPECT_EQ(client.call("test_roots")["isError"], true);
  EXPECT_FALSE(client.wait_for_method("notifications/cancelled").is_null());
}

}  // namespace
}  // namespace assay::server
