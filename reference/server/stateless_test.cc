// The stateless era over stdio: which era a message is of, `_meta`, discovery, what is gone.
#include <gtest/gtest.h>

#include "reference/model/validate.h"
#include "reference/server/stateless_testing.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using model::Revision;

// What is wrong with a message of the server's, by the schema.
std::vector<std::string> defects(const Json& message, std::string_view method) {
  std::vector<std::string> all;
  for (const model::Deviation& deviation : model::validate_message(
           Revision::v2026_07_28, model::Direction::kServerToClient, message, method)) {
    all.push_back(model::to_text(deviation));
  }
  return all;
}

TEST(Stateless, DiscoverTellsWhatIsSpokenAndWhatThereIs) {
  TestClient client;
  const Json response = client.request("server/discover", with_meta());
  EXPECT_EQ(defects(response, "server/discover"), std::vector<std::string>());
  const Json& result = response.at("result");
  EXPECT_EQ(result.at("supportedVersions"),
            Json({"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}));
  EXPECT_EQ(result.at("resultType"), "complete");
  EXPECT_EQ(result.at("cacheScope"), "public");
  EXPECT_GT(result.at("ttlMs"), 0);
  EXPECT_EQ(result.at("_meta").at(kServerInfoKey).at("name"), "mcp-assay-reference-server");
  EXPECT_FALSE(result.at("capabilities").contains("tasks"));
  EXPECT_FALSE(result.contains("serverInfo"));
}

TEST(Stateless, EveryResultHasTheShapeOfItsSchema) {
  TestClient client;
  const std::vector<std::pair<std::string, Json>> requests = {
      {"tools/list", Json::object()},
      {"tools/call", {{"name", "test_simple_text"}}},
      {"resources/list", Json::object()},
      {"resources/templates/list", Json::object()},
      {"resources/read", {{"uri", "test://static-text"}}},
      {"prompts/list", Json::object()},
      {"prompts/get", {{"name", "test_simple_prompt"}}},
      {"completion/complete",
       {{"ref", {{"type", "ref/prompt"}, {"name", "test_prompt_with_arguments"}}},
        {"argument", {{"name", "arg1"}, {"value", "a"}}}}}};
  for (const auto& [method, params] : requests) {
    const Json response = client.request(method, with_meta(params));
    ASSERT_TRUE(response.contains("result")) << response;
    EXPECT_EQ(response["result"].at("resultType"), "complete") << method;
    EXPECT_EQ(defects(response, method), std::vector<std::string>()) << method;
    const bool is_cacheable = method.ends_with("/list") || method == "resources/read";
    EXPECT_EQ(response["result"].contains("ttlMs"), is_cacheable) << method;
  }
}

TEST(Stateless, ARequestWithoutAFieldOfMetaIsRefused) {
  TestClient client;
  EXPECT_EQ(error_code(client.request("tools/list")), -32602);
  EXPECT_EQ(error_code(client.request("tools/list", Json::object())), -32602);
  Json params = with_meta();
  params["_meta"].erase(kClientCapabilitiesKey);
  EXPECT_EQ(error_code(client.request("tools/list", params)), -32602);
  params = with_meta();
  params["_meta"].erase(kProtocolVersionKey);
  EXPECT_EQ(error_code(client.request("tools/list", params)), -32602);
  params = with_meta();
  params["_meta"][kProtocolVersionKey] = 20260728;
  EXPECT_EQ(error_code(client.request("tools/list", params)), -32602);
  params = with_meta();
  params["_meta"][kClientInfoKey] = {{"name", "half"}};
  EXPECT_EQ(error_code(client.request("tools/list", params)), -32602);
  params = with_meta();
  params["_meta"][kLogLevelKey] = "loud";
  EXPECT_EQ(error_code(client.request("tools/list", params)), -32602);
}

TEST(Stateless, AnUnknownVersionIsToldWhichThereAre) {
  TestClient client;
  Json params = with_meta();
  params["_meta"][kProtocolVersionKey] = "1900-01-01";
  const Json response = client.request("tools/list", params);
  EXPECT_EQ(error_code(response), -32022);
  EXPECT_EQ(response["error"]["data"]["requested"], "1900-01-01");
  EXPECT_EQ(response["error"]["data"]["supported"][0], "2026-07-28");
  EXPECT_EQ(defects(response, "tools/list"), std::vector<std::string>());
}

TEST(Stateless, AServerWithoutHandshakeDoesNotSpeakItsRevisions) {
  TestClient client(stateless_only());
  Json params = with_meta();
  params["_meta"][kProtocolVersionKey] = "2025-11-25";
  const Json response = client.request("server/discover", params);
  EXPECT_EQ(error_code(response), -32022);
  EXPECT_EQ(response["error"]["data"]["supported"], Json({"2026-07-28"}));
}

TEST(Stateless, WhatIsGoneIsUnknown) {
  TestClient client;
  for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe",
                             "resources/unsubscribe", "tasks/list", "tasks/result", "no/such"}) {
    EXPECT_EQ(error_code(client.request(method, with_meta())), -32601) << method;
  }
}

TEST(Stateless, AServerWithoutHandshakeTellsInitializeWhatItSpeaks) {
  TestClient client(stateless_only());
  const Json response = client.request("initialize", {{"protocolVersion", "2025-11-25"},
                                                      {"capabilities", Json::object()},
                                                      {"clientInfo", Json::object()}});
  EXPECT_EQ(error_code(response), -32602);
  EXPECT_EQ(response["error"]["data"]["supported"], Json({"2026-07-28"}));
  EXPECT_NE(response["error"]["message"].get<std::string>().find("2026-07-28"), std::string::npos);
  EXPECT_EQ(error_code(client.request("initialize", with_meta())), -32601);
}

TEST(Stateless, BothErasAreServedOnOneConnection) {
  TestClient client;
  EXPECT_TRUE(client.request("server/discover", with_meta()).contains("result"));
  EXPECT_EQ(client.begin("2025-06-18").at("protocolVersion"), "2025-06-18");
  EXPECT_FALSE(client.request("tools/list")["result"].contains("resultType"));
  EXPECT_TRUE(client.request("tools/list", with_meta())["result"].contains("resultType"));
  // What does not name a version is of the session that there is.
  EXPECT_EQ(error_code(client.request("server/discover")), -32601);
}

TEST(Stateless, AServerOfTheHandshakeKnowsNothingOfTheOtherEra) {
  Options options;
  options.stateless_revisions.clear();
  TestClient client(options);
  EXPECT_EQ(error_code(client.request("server/discover", with_meta())), -32601);
}

TEST(Stateless, ListsHaveTheToolsOfTheEra) {
  TestClient client;
  std::vector<std::string> names;
  const Json result = client.request("tools/list", with_meta())["result"];
  for (const Json& tool : result["tools"]) {
    names.push_back(tool["name"]);
    EXPECT_FALSE(tool.contains("execution"));
  }
  const auto has = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  EXPECT_TRUE(has("test_input_required_result_elicitation"));
  EXPECT_TRUE(has("test_custom_header_tool"));
  EXPECT_FALSE(has("test_sampling"));
  EXPECT_FALSE(has("test_reconnection"));
  EXPECT_FALSE(has("test_task_required"));
}

TEST(Stateless, AnUnknownResourceIsAnInvalidParameter) {
  TestClient client;
  const Json params = with_meta({{"uri", "test://no-such-resource"}});
  EXPECT_EQ(error_code(client.request("resources/read", params)), -32602);
}

TEST(Stateless, LogsWhatTheRequestAsksForAndNothingElse) {
  TestClient client;
  client.request("tools/call", calling("test_logging_levels"));
  EXPECT_EQ(client.sink().messages().size(), 1u);
  Json params = calling("test_logging_levels");
  params["_meta"][kLogLevelKey] = "critical";
  client.request("tools/call", params);
  EXPECT_EQ(client.sink().messages().size(), 1u + 4u);  // critical, alert, emergency and the answer
  client.request("tools/call", calling("test_logging_levels"));
  EXPECT_EQ(client.sink().messages().size(), 5u + 1u);
}

TEST(Stateless, ReportsProgressToTheTokenOfTheRequest) {
  TestClient client;
  Json params =
      calling("test_slow", Json::object(), {{"arguments", {{"duration_ms", 2}, {"steps", 2}}}});
  params["_meta"]["progressToken"] = "token";
  client.request("tools/call", params);
  const Json progress = client.wait_for_method("notifications/progress");
  EXPECT_EQ(progress["params"]["progressToken"], "token");
  EXPECT_FALSE(progress["params"].contains("_meta"));
}

TEST(Stateless, ACancelledRequestIsNotAnswered) {
  TestClient client;
  const int id = client.start("tools/call", calling("test_slow", Json::object(),
                                                    {{"arguments", {{"duration_ms", 60000}}}}));
  client.send(
      {{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", id}}}});
  // Its round ends, without an answer, when its work does.
  EXPECT_TRUE(client.sink().wait_until_finished(2));
  EXPECT_EQ(client.sink().messages(), std::vector<Json>());
}

TEST(Stateless, CursorsHoldOnOtherConnections) {
  Options options;
  options.page_size = 3;
  Server server(options);
  const auto ask = [&](Json params) {
    const auto sink = std::make_shared<RecordingSink>();
    const auto session = server.open(transport::WireKind::kStatelessHttp, sink);
    session->receive(wire::decode(Json{{"jsonrpc", "2.0"},
                                       {"id", 1},
                                       {"method", "tools/list"},
                                       {"params", with_meta(std::move(params))}}
                                      .dump()),
                     sink);
    return sink->messages().at(0).at("result");
  };
  const Json first = ask(Json::object());
  const Json second = ask({{"cursor", first.at("nextCursor")}});
  EXPECT_EQ(second["tools"].size(), 3u);
  EXPECT_NE(first["tools"][0], second["tools"][0]);
  EXPECT_EQ(first["cacheScope"], second["cacheScope"]);
}

TEST(Stateless, StructuredContentMayBeAnyValue) {
  TestClient client;
  const auto content_of = [&](const char* tool) {
    return client.request("tools/call", calling(tool))["result"]["structuredContent"];
  };
  EXPECT_TRUE(content_of("test_structured_array").is_array());
  EXPECT_EQ(content_of("test_structured_number"), 42);
  EXPECT_TRUE(content_of("test_structured_null").is_null());
}

TEST(Stateless, AMessageThatIsNoneIsRefusedAndTheNextOneServed) {
  TestClient client(stateless_only());
  client.send_text("{");
  client.send_text("[]");
  client.send_text(R"({"jsonrpc":"2.0","id":1.5,"method":"server/discover"})");
  client.send_text(R"({"jsonrpc":"2.0","id":9,"result":{}})");
  const std::vector<Json> answers = client.sink().messages();
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(error_code(answers[0]), -32700);
  EXPECT_EQ(error_code(answers[1]), -32600);
  EXPECT_EQ(error_code(answers[2]), -32600);
  EXPECT_TRUE(client.request("server/discover", with_meta()).contains("result"));
}

}  // namespace
}  // namespace assay::server
