#include "reference/server/session_testing.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

TEST(Lifecycle, EchoesEveryRevisionItSpeaks) {
  for (const model::Revision revision : model::Revision::handshake()) {
    TestClient client;
    EXPECT_EQ(client.begin(std::string(revision.text()))["protocolVersion"], revision.text());
    EXPECT_EQ(client.session().revision(), revision);
  }
}

TEST(Lifecycle, OffersItsNewestRevisionForAnUnknownOne) {
  TestClient client;
  EXPECT_EQ(client.begin("1999-01-01")["protocolVersion"], "2025-11-25");
}

TEST(Lifecycle, OffersWhatItWasToldToSpeak) {
  TestClient client({.revisions = {model::Revision::v2025_03_26}});
  EXPECT_EQ(client.begin("2025-11-25")["protocolVersion"], "2025-03-26");
}

TEST(Lifecycle, RefusesRequestsBeforeInitialize) {
  Options options;
  options.stateless_revisions.clear();
  TestClient client(options);
  EXPECT_EQ(error_code(client.request("tools/list")), wire::kInvalidRequest);
  EXPECT_EQ(client.request("ping")["result"], Json::object());
  EXPECT_EQ(client.begin()["protocolVersion"], "2025-11-25");
}

TEST(Lifecycle, RefusesASecondInitialize) {
  TestClient client;
  client.begin("2025-06-18");
  const Json again =
      client.request("initialize", {{"protocolVersion", "2025-11-25"},
                                    {"capabilities", Json::object()},
                                    {"clientInfo", {{"name", "a"}, {"version", "1"}}}});
  EXPECT_EQ(error_code(again), wire::kInvalidRequest);
  EXPECT_EQ(client.session().revision(), model::Revision::v2025_06_18);
}

TEST(Lifecycle, RefusesInitializeWithoutWhatItNeeds) {
  TestClient client;
  EXPECT_EQ(error_code(client.request("initialize", Json::object())), wire::kInvalidParams);
  EXPECT_EQ(error_code(client.request("initialize", {{"protocolVersion", "2025-11-25"}})),
            wire::kInvalidParams);
}

TEST(Lifecycle, DeclaresWhatTheRevisionHas) {
  TestClient old_client;
  const Json old_result = old_client.begin("2024-11-05");
  EXPECT_FALSE(old_result["capabilities"].contains("completions"));
  EXPECT_FALSE(old_result["serverInfo"].contains("title"));
  TestClient new_client;
  const Json new_result = new_client.begin("2025-11-25");
  EXPECT_TRUE(new_result["capabilities"].contains("completions"));
  EXPECT_TRUE(new_result["capabilities"]["tasks"]["requests"]["tools"].contains("call"));
  EXPECT_TRUE(new_result["serverInfo"].contains("title"));
}

TEST(Session, RefusesAnUnknownMethod) {
  TestClient client;
  client.begin();
  EXPECT_EQ(error_code(client.request("no/such/method")), wire::kMethodNotFound);
}

TEST(Session, HasNoTaskMethodsBeforeTheRevisionThatBroughtThem) {
  TestClient client;
  client.begin("2025-06-18");
  EXPECT_EQ(error_code(client.request("tasks/list")), wire::kMethodNotFound);
}

TEST(Session, AnswersBytesThatAreNoMessage) {
  TestClient client;
  client.send_text("{");
  client.send_text(R"({"jsonrpc":"2.0","id":null,"method":"ping"})");
  client.send_text(R"({"id":4,"method":"ping"})");
  const std::vector<Json> messages = client.sink().messages();
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(error_code(messages[0]), wire::kParseError);
  EXPECT_EQ(messages[0]["id"], nullptr);
  EXPECT_EQ(error_code(messages[1]), wire::kInvalidRequest);
  EXPECT_EQ(error_code(messages[2]), wire::kInvalidRequest);
  EXPECT_EQ(messages[2]["id"], 4);
}

TEST(Session, KeepsTheIdAsItWasSent) {
  TestClient client;
  client.send_text(R"({"jsonrpc":"2.0","id":"1","method":"ping"})");
  client.send_text(R"({"jsonrpc":"2.0","id":90071992547409931234,"method":"ping"})");
  EXPECT_EQ(client.sink().texts()[0], R"({"jsonrpc":"2.0","id":"1","result":{}})");
  EXPECT_EQ(client.sink().texts()[1], R"({"jsonrpc":"2.0","id":90071992547409931234,"result":{}})");
}

TEST(Session, KeepsTheIdOfARequestThatItRefuses) {
  TestClient client;
  client.send_text(R"({"jsonrpc":"2.0","id":90071992547409931234,"method":"none"})");
  client.send_text(R"({"jsonrpc":"2.0","id":-0,"method":7})");
  EXPECT_NE(client.sink().texts()[0].find(R"("id":90071992547409931234,)"), std::string::npos);
  EXPECT_NE(client.sink().texts()[1].find(R"("id":-0,)"), std::string::npos);
}

TEST(Session, AnswersNoNotificationAndNoResponse) {
  TestClient client;
  client.begin();
  const std::size_t before = client.sink().messages().size();
  client.send({{"jsonrpc", "2.0"}, {"method", "notifications/unknown"}});
  client.send({{"jsonrpc", "2.0"}, {"method", "tools/list"}});
  client.send({{"jsonrpc", "2.0"}, {"id", 77}, {"result", Json::object()}});
  client.send({{"jsonrpc", "2.0"}, {"id", 78}, {"result", 1}, {"error", 2}});
  EXPECT_EQ(client.sink().messages().size(), before);
}

TEST(Session, AnswersABatchWithOneArray) {
  TestClient client;
  client.begin("2025-03-26");
  client.send_text(
      R"([{"jsonrpc":"2.0","id":10,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},
          {"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"test_tool_with_logging"}}])");
  const Json array = client.sink().wait_for([](const Json& message) { return message.is_array(); });
  ASSERT_EQ(array.size(), 2u);
  EXPECT_EQ(array[0]["id"], 10);
  EXPECT_EQ(array[1]["id"], 11);
}

TEST(Session, IsSilentOnABatchOfNotifications) {
  TestClient client;
  client.begin("2025-03-26");
  const std::size_t before = client.sink().messages().size();
  client.send_text(R"([{"jsonrpc":"2.0","method":"notifications/x"}])");
  EXPECT_EQ(client.sink().messages().size(), before);
}

TEST(Session, RefusesBatchesWhereTheRevisionHasNone) {
  for (const std::string revision : {"2024-11-05", "2025-06-18", "2025-11-25"}) {
    TestClient client;
    client.begin(revision);
    client.send_text(R"([{"jsonrpc":"2.0","id":10,"method":"ping"}])");
    EXPECT_EQ(error_code(client.sink().messages().back()), wire::kInvalidRequest);
  }
}

TEST(Session, RefusesAnEmptyBatch) {
  TestClient client;
  client.begin("2025-03-26");
  client.send_text("[]");
  EXPECT_EQ(error_code(client.sink().messages().back()), wire::kInvalidRequest);
}

}  // namespace
}  // namespace assay::server
