// What monitors say of clients.
#include <gtest/gtest.h>

#include <string>

#include "harness/monitors/traffic_testing.h"
#include "reference/wire/compose.h"

namespace assay::harness {
namespace {

const std::string kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"c","version":"1"}}})";
const std::string kInitializeResult =
    R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
    R"("serverInfo":{"name":"s","version":"1"}}})";
const std::string kList = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
const std::string kListed = R"({"jsonrpc":"2.0","id":1,"result":{"tools":[]}})";

class ClientMonitors : public testing::Test {
 protected:
  static constexpr std::string_view kLifecycle = "client_lifecycle_monitor";
  static constexpr std::string_view kRpc = "json_rpc_monitor";
};

TEST_F(ClientMonitors, AWellBehavedClientBreaksNothing) {
  Traffic traffic;
  traffic.of_client().handshake({{"tools", Json::object()}});
  traffic.sent(kList).came(kListed);
  traffic.sent(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  EXPECT_EQ(traffic.broken(), Rules{});
  EXPECT_EQ(traffic.held(kLifecycle),
            (Rules{"lifecycle.client-initializes", "lifecycle.client-waits-for-initialize-result",
                   "lifecycle.initialize-first", "lifecycle.initialized-notification"}));
  EXPECT_EQ(traffic.held(kRpc),
            (Rules{"jsonrpc.notification-no-id", "jsonrpc.request-id-not-null",
                   "jsonrpc.request-id-type", "jsonrpc.request-id-unique", "jsonrpc.utf8",
                   "jsonrpc.version-2-messages", "schema.no-batches"}));
}

TEST_F(ClientMonitors, WhatIsNoMessageOnStandardInput) {
  Traffic traffic;
  traffic.of_client().handshake().sent("hello").sent(kList);
  EXPECT_EQ(traffic.broken("stdio_monitor"), Rules{"stdio.stdin-only-messages"});
  Traffic spread;
  spread.of_client()
      .handshake()
      .sent("{\"jsonrpc\":\"2.0\",")
      .sent("\"id\":1,\"method\":\"ping\"}");
  EXPECT_EQ(spread.broken("stdio_monitor"), Rules{"stdio.no-embedded-newlines"});
}

TEST_F(ClientMonitors, WhatComesBeforeInitialize) {
  Traffic early;
  early.of_client().sent(kList);
  EXPECT_EQ(early.broken(kLifecycle), Rules{"lifecycle.initialize-first"});
  Traffic probing;
  probing.of_client().sent(R"({"jsonrpc":"2.0","id":7,"method":"ping"})").handshake();
  EXPECT_EQ(probing.broken(), Rules{});
}

// A client of both eras asks in the newer one first.
TEST_F(ClientMonitors, WhatStandsAloneMayComeBeforeInitialize) {
  Traffic traffic;
  traffic.of_client().sent(
      wire::encode(wire::make_request(wire::Id::of(7), "tools/list", Traffic::stateless())));
  traffic.came(R"({"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"What?"}})").handshake();
  EXPECT_EQ(traffic.broken(kLifecycle), Rules{});
  EXPECT_TRUE(traffic.held(kLifecycle).contains("lifecycle.initialize-first"));
}

TEST_F(ClientMonitors, WhatInitializeLacks) {
  Traffic traffic;
  traffic.of_client().sent(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}})");
  EXPECT_EQ(traffic.broken(kLifecycle), Rules{"lifecycle.client-initializes"});
}

TEST_F(ClientMonitors, WhoDoesNotWaitForTheAnswer) {
  Traffic traffic;
  traffic.of_client().sent(kInitialize).sent(kList).came(kInitializeResult);
  EXPECT_EQ(traffic.broken(kLifecycle), Rules{"lifecycle.client-waits-for-initialize-result"});
}

TEST_F(ClientMonitors, WhoDoesNotSayThatItIsInitialized) {
  Traffic traffic;
  traffic.of_client().sent(kInitialize).came(kInitializeResult).sent(kList);
  EXPECT_EQ(traffic.broken(kLifecycle), Rules{"lifecycle.initialized-notification"});
}

TEST_F(ClientMonitors, AnErrorIsAnAnswerToInitialize) {
  Traffic traffic;
  traffic.of_client().sent(kInitialize);
  traffic.came(R"({"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"Not that one"}})");
  traffic.sent(kList);
  EXPECT_EQ(traffic.broken(kLifecycle), Rules{});
  EXPECT_TRUE(traffic.held(kLifecycle).contains("lifecycle.client-waits-for-initialize-result"));
}

TEST_F(ClientMonitors, WhoCancelsInitialize) {
  Traffic traffic;
  traffic.of_client()
      .sent(kInitialize)
      .sent(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}})");
  EXPECT_EQ(traffic.broken(kLifecycle), Rules{"cancellation.initialize-not-cancelled"});
}

TEST_F(ClientMonitors, IdsThatComeAgainAndMessagesThatAreNone) {
  Traffic traffic;
  traffic.of_client().handshake();
  traffic.sent(kList).came(kListed).sent(kList).sent(R"({"id":9,"method":"ping"})");
  EXPECT_EQ(traffic.broken(kRpc),
            (Rules{"jsonrpc.request-id-unique", "jsonrpc.version-2-messages"}));
}

TEST_F(ClientMonitors, ASessionHasItsOwnIds) {
  Traffic probing;
  const char* const ping = R"({"jsonrpc":"2.0","id":0,"method":"ping"})";
  const char* const pong = R"({"jsonrpc":"2.0","id":0,"result":{}})";
  probing.of_client().sent(ping).came(pong).sent(ping).came(pong).handshake();
  EXPECT_EQ(probing.broken(), Rules{});
  // Tries again with another version.
  probing.handshake().sent(kList).came(kListed);
  EXPECT_EQ(probing.broken(kRpc), Rules{});
  probing.sent(kList);
  EXPECT_EQ(probing.broken(kRpc), Rules{"jsonrpc.request-id-unique"});
}

TEST_F(ClientMonitors, AnswersToWhatTheServerAsks) {
  Traffic traffic;
  traffic.of_client().handshake();
  traffic.came(R"({"jsonrpc":"2.0","id":"a","method":"ping"})");
  traffic.sent(R"({"jsonrpc":"2.0","id":"b","result":{}})");
  EXPECT_EQ(traffic.broken(kRpc), (Rules{"jsonrpc.response-id", "jsonrpc.result-response-id"}));
}

TEST_F(ClientMonitors, WithoutSessionsAnIdIsFreeOnceItWasAnswered) {
  const std::string request =
      wire::encode(wire::make_request(wire::Id::of(1), "tools/list", Traffic::stateless()));
  Traffic traffic(model::Revision::v2026_07_28);
  traffic.of_client().sent(request).came(
      wire::encode(wire::make_result(wire::Id::of(1), cacheable({{"tools", Json::array()}}))));
  traffic.sent(request);
  EXPECT_EQ(traffic.broken(), Rules{});
  traffic.sent(request);
  EXPECT_EQ(traffic.broken(kRpc), Rules{"jsonrpc.request-id-not-in-use"});
}

TEST_F(ClientMonitors, RequestsThatStandAloneSayWhatTheyNeed) {
  constexpr std::string_view kRequests = "client_request_monitor";
  Traffic traffic(model::Revision::v2026_07_28);
  traffic.of_client().asks("tools/list");
  EXPECT_EQ(traffic.broken(), Rules{});
  EXPECT_TRUE(traffic.held(kRequests).contains("meta.required-fields"));
  traffic.sent(kList);
  EXPECT_EQ(traffic.broken(kRequests), Rules{"meta.required-fields"});
  traffic.sent(R"({"jsonrpc":"2.0","id":"s","result":{}})");
  EXPECT_EQ(traffic.broken(kRequests), (Rules{"meta.required-fields", "stdio.client-no-responses",
                                              "transport.binding-directions"}));
}

TEST_F(ClientMonitors, WhatTheServerDoesNotHave) {
  constexpr std::string_view kCapabilities = "capability_monitor";
  Traffic traffic;
  traffic.of_client().handshake({{"tools", Json::object()}});
  traffic.sent(kList).came(kListed);
  EXPECT_EQ(traffic.held(kCapabilities), Rules{"lifecycle.uses-negotiated-capabilities"});
  EXPECT_EQ(traffic.broken(kCapabilities), Rules{});
  traffic.sent(R"({"jsonrpc":"2.0","id":2,"method":"prompts/list"})");
  EXPECT_EQ(traffic.broken(kCapabilities),
            (Rules{"lifecycle.uses-negotiated-capabilities", "prompts.negotiation-respected"}));
}

TEST_F(ClientMonitors, TheFormOfWhatAClientSends) {
  constexpr std::string_view kSchema = "client_schema_monitor";
  Traffic traffic;
  traffic.of_client().handshake({{"resources", Json::object()}}, {{"sampling", Json::object()}});
  EXPECT_EQ(traffic.held(kSchema),
            (Rules{"schema.client-notifications", "schema.client-requests"}));
  traffic.sent(R"({"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":7}})");
  EXPECT_EQ(traffic.broken(kSchema), Rules{"schema.client-requests"});
  traffic.sent(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}})");
  EXPECT_EQ(traffic.broken(kSchema),
            (Rules{"schema.client-notifications", "schema.client-requests"}));
  traffic.came(R"({"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":)"
               R"({"messages":[],"maxTokens":1}})");
  traffic.sent(R"({"jsonrpc":"2.0","id":"s","result":{"role":"assistant"}})");
  EXPECT_TRUE(traffic.broken(kSchema).contains("schema.client-results"));
}

TEST_F(ClientMonitors, MethodsOfAnotherRevision) {
  constexpr std::string_view kVersion = "lifecycle_monitor";
  Traffic traffic(model::Revision::v2025_06_18);
  traffic.of_client().handshake({{"tools", Json::object()}});
  traffic.sent(kList).came(kListed);
  // It looks for the other era.
  traffic.sent(R"({"jsonrpc":"2.0","id":2,"method":"server/discover"})");
  EXPECT_EQ(traffic.broken(kVersion), Rules{});
  EXPECT_EQ(traffic.held(kVersion), Rules{"lifecycle.respects-negotiated-version"});
  traffic.sent(R"({"jsonrpc":"2.0","id":3,"method":"tasks/list"})");
  EXPECT_EQ(traffic.broken(kVersion), Rules{"lifecycle.respects-negotiated-version"});
}

TEST_F(ClientMonitors, AToolCalledAsATaskBeforeThereWereAny) {
  Traffic traffic(model::Revision::v2025_06_18);
  traffic.of_client().handshake({{"tools", Json::object()}});
  traffic.sent(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","task":{}}})");
  EXPECT_EQ(traffic.broken("lifecycle_monitor"), Rules{"lifecycle.respects-negotiated-version"});
}

// What it may have is its own affair.
TEST_F(ClientMonitors, MethodsAndMembersOfTheClientsOwn) {
  Traffic traffic;
  traffic.of_client().handshake();
  traffic.sent(R"({"jsonrpc":"2.0","id":2,"method":"acme/do","params":{"x":1}})");
  traffic.sent(R"({"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":1}})");
  EXPECT_EQ(traffic.broken("client_schema_monitor"), Rules{});
  EXPECT_EQ(traffic.broken("capability_monitor"), Rules{});
}

}  // namespace
}  // namespace assay::harness
