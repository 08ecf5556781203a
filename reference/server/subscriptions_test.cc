// subscriptions/listen: basic/patterns/subscriptions.
#include <gtest/gtest.h>

#include "reference/server/http_testing.h"
#include "reference/server/stateless_testing.h"

namespace assay::server {
namespace {

Json listening(Json filter) {
  return with_meta({{"notifications", std::move(filter)}});
}

TEST(Subscriptions, AreAcknowledgedWithWhatIsHonoured) {
  TestClient client;
  const int id = client.start(
      "subscriptions/listen",
      listening(
          {{"toolsListChanged", true},
           {"promptsListChanged", false},
           {"unknownChanged", true},
           {"resourceSubscriptions", {"test://watched-resource", "test://no-such-resource"}}}));
  const Json ack = client.wait_for_method("notifications/subscriptions/acknowledged");
  EXPECT_EQ(ack["params"]["_meta"][kSubscriptionIdKey], id);
  EXPECT_EQ(
      ack["params"]["notifications"],
      Json({{"toolsListChanged", true}, {"resourceSubscriptions", {"test://watched-resource"}}}));
}

TEST(Subscriptions, TellWhatTheFilterWantsAndNothingElse) {
  TestClient client;
  const int tools = client.start("subscriptions/listen", listening({{"toolsListChanged", true}}));
  client.start("subscriptions/listen", listening({{"promptsListChanged", true}}));
  client.request("tools/call", calling("test_trigger_tool_change"));
  std::vector<Json> changes;
  for (const Json& message : client.sink().messages()) {
    if (message.value("method", "") == "notifications/tools/list_changed") {
      changes.push_back(message);
    }
  }
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0]["params"]["_meta"][kSubscriptionIdKey], tools);
}

TEST(Subscriptions, TellOfTheResourcesThatTheyName) {
  TestClient client;
  client.start("subscriptions/listen",
               listening({{"resourceSubscriptions", {"test://watched-resource"}}}));
  client.request("tools/call", calling("test_trigger_resource_update", Json::object(),
                                       {{"arguments", {{"uri", "test://static-text"}}}}));
  EXPECT_EQ(client.sink().messages().size(), 2u);  // the acknowledgement and the answer
  client.request("tools/call", calling("test_trigger_resource_update"));
  const Json updated = client.wait_for_method("notifications/resources/updated");
  EXPECT_EQ(updated["params"]["uri"], "test://watched-resource");
}

TEST(Subscriptions, EndWithoutAWordWhenTheyAreCancelled) {
  TestClient client;
  const int id = client.start("subscriptions/listen", listening({{"toolsListChanged", true}}));
  client.send(
      {{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", id}}}});
  client.request("tools/call", calling("test_trigger_tool_change"));
  EXPECT_EQ(client.sink().messages().size(), 2u);
}

TEST(Subscriptions, AreAnsweredWhenTheServerEndsThem) {
  TestClient client;
  const int id = client.start("subscriptions/listen", listening({{"toolsListChanged", true}}));
  client.session().close();
  const std::vector<Json> messages = client.sink().messages();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[1]["method"], "notifications/cancelled");
  EXPECT_EQ(messages[1]["params"]["requestId"], id);
  EXPECT_EQ(messages[2]["id"], id);
  EXPECT_EQ(messages[2]["result"]["resultType"], "complete");
  EXPECT_EQ(messages[2]["result"]["_meta"][kSubscriptionIdKey], id);
}

TEST(Subscriptions, CanBeEndedByATool) {
  TestClient client;
  const int id = client.start("subscriptions/listen", listening({{"toolsListChanged", true}}));
  client.request("tools/call", calling("test_trigger_subscription_end", Json::object(),
                                       {{"arguments", {{"subscription", id}}}}));
  EXPECT_TRUE(client.response(id).contains("result"));
  // The id is free again.
  client.send({{"jsonrpc", "2.0"},
               {"id", id},
               {"method", "subscriptions/listen"},
               {"params", listening(Json::object())}});
  EXPECT_EQ(client.sink().messages().back()["method"], "notifications/subscriptions/acknowledged");
}

TEST(Subscriptions, RefuseAFilterThatIsNone) {
  TestClient client;
  for (const Json& filter : {Json(nullptr), Json("all"), Json{{"toolsListChanged", "yes"}},
                             Json{{"resourceSubscriptions", "test://static-text"}},
                             Json{{"resourceSubscriptions", {1}}}}) {
    EXPECT_EQ(error_code(client.request("subscriptions/listen", listening(filter))), -32602);
  }
}

class SubscriptionsOverHttp : public HttpTest {
 protected:
  transport::Lane listen(const Json& filter, Json id) {
    const Json request = {{"jsonrpc", "2.0"},
                          {"id", std::move(id)},
                          {"method", "subscriptions/listen"},
                          {"params", listening(filter)}};
    return start_post(request.dump(), {{"MCP-Protocol-Version", "2026-07-28"},
                                       {"Mcp-Method", "subscriptions/listen"}});
  }
};

TEST_F(SubscriptionsOverHttp, EachHasAStreamOfItsOwnUntilTheServerEnds) {
  transport::HttpServerOptions options;
  options.answers = transport::HttpServerOptions::Answers::kJson;
  start(options);
  const transport::Lane tools = listen({{"toolsListChanged", true}}, "a");
  const transport::Lane prompts = listen({{"promptsListChanged", true}}, "b");
  wait_for_event("acknowledged", tools);
  wait_for_event("acknowledged", prompts);
  const Json change = {{"jsonrpc", "2.0"},
                       {"id", 1},
                       {"method", "tools/call"},
                       {"params", calling("test_trigger_tool_change")}};
  post(change.dump(), {{"MCP-Protocol-Version", "2026-07-28"},
                       {"Mcp-Method", "tools/call"},
                       {"Mcp-Name", "test_trigger_tool_change"}});
  wait_for_event("list_changed", tools);
  http_->stop();
  const std::vector<Json> heard = finish(tools).messages();
  ASSERT_EQ(heard.size(), 4u);
  EXPECT_EQ(heard[1]["method"], "notifications/tools/list_changed");
  EXPECT_EQ(heard[1]["params"]["_meta"][kSubscriptionIdKey], "a");
  EXPECT_EQ(heard[2]["method"], "notifications/cancelled");
  EXPECT_EQ(heard[3]["id"], "a");
  EXPECT_EQ(finish(prompts).messages().size(), 3u);
}

}  // namespace
}  // namespace assay::server
