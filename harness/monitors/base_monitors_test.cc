// The monitors of the base protocol on hand-made transcripts: each with what it lets pass, and what
// it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "harness/monitors/traffic_testing.h"

namespace assay::harness {
namespace {

using model::Revision;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

constexpr const char* kJsonRpc = "json_rpc_monitor";
constexpr const char* kStdio = "stdio_monitor";

TEST(StdioMonitor, OfALineThatItsProcessDidNotEndItKnowsNothing) {
  Traffic traffic;
  traffic.handshake();
  transport::Observation line;
  line.kind = transport::Observation::Kind::kLine;
  line.speaker = transport::Party::kServer;
  line.bytes = R"({"jsonrpc":"2.0","id":1,"res)";
  line.is_unterminated = true;
  traffic.saw(line);
  EXPECT_THAT(traffic.broken(kStdio), IsEmpty());
  traffic.came(R"({"jsonrpc":"2.0","id":1,"res)");
  EXPECT_EQ(traffic.broken(kStdio), Rules{"stdio.stdout-only-messages"});
}

TEST(JsonRpcMonitor, LetsSoundMessagesPass) {
  Traffic traffic;
  traffic.handshake().exchange("ping", nullptr, Json::object());
  traffic.sent(R"({"jsonrpc":"2.0","id":"x","method":"a/b"})");
  traffic.came(R"({"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"No such method"}})");
  traffic.notified("notifications/message", {{"level", "info"}, {"data", 1}});
  EXPECT_THAT(traffic.broken(kJsonRpc), IsEmpty());
  EXPECT_THAT(traffic.held(kJsonRpc),
              IsSupersetOf(Rules{"jsonrpc.request-answered-once", "jsonrpc.result-response-id",
                                 "jsonrpc.error-message-concise", "jsonrpc.notification-no-id"}));
}

TEST(JsonRpcMonitor, SeesASecondAnswer) {
  Traffic traffic;
  traffic.sent(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  traffic.came(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  traffic.came(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(traffic.broken(kJsonRpc), Rules{"jsonrpc.request-answered-once"});
}

TEST(JsonRpcMonitor, SeesANullResultBesideAnError) {
  for (const auto& [revision, rule] :
       {std::pair(Revision::v2025_06_18, "jsonrpc.response-not-both"),
        std::pair(Revision::v2025_11_25, "jsonrpc.version-2-messages")}) {
    Traffic traffic(revision);
    traffic.sent(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
    traffic.came(R"({"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-1,"message":"no"}})");
    EXPECT_EQ(traffic.broken(kJsonRpc), Rules{rule});
  }
}

TEST(JsonRpcMonitor, SeesAMessageOfAnErrorThatIsNoText) {
  Traffic traffic;
  traffic.sent(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  traffic.came(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":5}})");
  EXPECT_EQ(traffic.broken(kJsonRpc), Rules{"jsonrpc.error-code-and-message"});
}

TEST(JsonRpcMonitor, SeesAnArrayWhereBatchesWereTakenOut) {
  Traffic traffic(Revision::v2025_06_18);
  traffic.sent(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  traffic.came(R"([{"jsonrpc":"2.0","id":1,"result":{}}])");
  EXPECT_EQ(traffic.broken(kJsonRpc), Rules{"schema.no-batches"});
  Traffic earlier(Revision::v2025_03_26);
  earlier.came("[]");
  EXPECT_THAT(earlier.broken(kJsonRpc), IsEmpty());
}

TEST(StdioMonitor, TellsJsonThatIsNoMessage) {
  Traffic traffic;
  traffic.handshake().came(R"({"level":30,"msg":"started"})");
  EXPECT_EQ(traffic.broken("stdio_monitor"), Rules{"stdio.stdout-only-messages"});
  EXPECT_THAT(traffic.broken(kJsonRpc), IsEmpty());
}

class WantedMonitorTest : public ::testing::Test {
 protected:
  WantedMonitorTest() {
    traffic_.handshake({{"logging", Json::object()}, {"resources", {{"subscribe", true}}}});
  }
  void set_level(const char* level) {
    traffic_.exchange("logging/setLevel", {{"level", level}}, Json::object());
  }
  void logs(const char* level) {
    traffic_.notified("notifications/message", {{"level", level}, {"data", 1}});
  }
  void ping() { traffic_.exchange("ping", nullptr, Json::object()); }
  void updates(const char* uri) {
    traffic_.notified("notifications/resources/updated", {{"uri", uri}});
  }
  Rules broken() const { return traffic_.broken("wanted_monitor"); }

  Traffic traffic_;
};

TEST_F(WantedMonitorTest, LetsAnyLevelPassBeforeOneIsSetAndKnown) {
  logs("debug");
  set_level("error");
  logs("debug");  // it may have been on its way
  ping();
  logs("alert");
  EXPECT_THAT(broken(), IsEmpty());
  EXPECT_THAT(traffic_.held("wanted_monitor"), Contains("logging.session-level-respected"));
}

TEST_F(WantedMonitorTest, SeesWhatIsBelowTheLevel) {
  set_level("error");
  ping();
  logs("info");
  EXPECT_EQ(broken(), Rules{"logging.session-level-respected"});
}

TEST_F(WantedMonitorTest, HoldsTheLowerLevelAgainstAMessageWhileItChanges) {
  set_level("info");
  ping();
  set_level("error");
  logs("info");
  EXPECT_THAT(broken(), IsEmpty());
  ping();
  logs("info");
  EXPECT_EQ(broken(), Rules{"logging.session-level-respected"});
}

TEST_F(WantedMonitorTest, SeesUpdatesOfWhatNobodyWants) {
  updates("test://a");
  EXPECT_EQ(broken(), Rules{"resources.updates-only-subscribed"});
}

TEST_F(WantedMonitorTest, LetsUpdatesOfSubscribedResourcesAndTheirPartsPass) {
  traffic_.exchange("resources/subscribe", {{"uri", "test://a"}}, Json::object());
  updates("test://a");
  updates("test://a/part");
  updates("test://elsewhere");
  EXPECT_THAT(broken(), IsEmpty());
  traffic_.exchange("resources/unsubscribe", {{"uri", "test://a"}}, Json::object());
  updates("test://a");  // it may have been on its way
  EXPECT_THAT(broken(), IsEmpty());
  ping();
  updates("test://a");
  EXPECT_EQ(broken(), Rules{"resources.updates-only-subscribed"});
}

TEST(LogMonitor, KnowsTheAddressAgainThatItGave) {
  const char* const log = R"({"jsonrpc":"2.0","method":"notifications/message","params":)"
                          R"({"level":"info","data":"mail to ada@example.com"}})";
  Traffic traffic;
  traffic.came(log);
  EXPECT_THAT(traffic.broken("log_monitor"), IsEmpty());
  traffic.sent(R"({"jsonrpc":"2.0","id":"q","result":{"action":"accept",)"
               R"("content":{"email":"ada@example.com"}}})");
  traffic.came(log);
  EXPECT_EQ(traffic.broken("log_monitor"), Rules{"logging.no-personal-data"});
}

TEST(JsonRpcMonitor, SeesANotificationWithAnId) {
  Traffic traffic;
  traffic.came(R"({"jsonrpc":"2.0","id":5,"method":"notifications/message","params":{}})");
  EXPECT_EQ(traffic.broken(kJsonRpc), Rules{"jsonrpc.notification-no-id"});
}

TEST(JsonRpcMonitor, SeesANotificationWithANullId) {
  Traffic traffic;
  traffic.came(R"({"jsonrpc":"2.0","id":null,"method":"notifications/message","params":{}})");
  EXPECT_EQ(traffic.broken(kJsonRpc), Rules{"jsonrpc.notification-no-id"});
}

TEST(JsonRpcMonitor, SeesAnErrorThatRunsOverLines) {
  Traffic traffic;
  traffic.sent(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  traffic.came(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"a\n  at b"}})");
  EXPECT_EQ(traffic.broken(kJsonRpc), Rules{"jsonrpc.error-message-concise"});
}

TEST(JsonRpcMonitor, ForgivesANewlineAtTheEnd) {
  Traffic traffic;
  traffic.sent(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  traffic.came(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"It failed.\n"}})");
  EXPECT_THAT(traffic.broken(kJsonRpc), IsEmpty());
}

TEST(JsonRpcMonitor, SeesWrongIdsVersionsAndErrors) {
  Traffic traffic;
  traffic.sent(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  traffic.came(R"({"jsonrpc":"1.0","id":"1","result":{}})");
  traffic.came(R"({"jsonrpc":"2.0","id":null,"method":"ping"})");
  traffic.came(R"({"jsonrpc":"2.0","id":1,"error":{"code":"x"}})");
  EXPECT_THAT(traffic.broken(kJsonRpc),
              IsSupersetOf(Rules{"jsonrpc.version-2-messages", "jsonrpc.result-response-id",
                                 "jsonrpc.request-id-not-null", "jsonrpc.error-code-integer",
                                 "jsonrpc.error-code-and-message"}));
}

TEST(LifecycleMonitor, LetsAHandshakePass) {
  Traffic traffic;
  traffic.handshake({{"tools", Json::object()}});
  traffic.notified("notifications/tools/list_changed");
  EXPECT_THAT(traffic.broken("lifecycle_monitor"), IsEmpty());
  EXPECT_THAT(
      traffic.held("lifecycle_monitor"),
      IsSupersetOf(Rules{"lifecycle.initialize-first", "lifecycle.respects-negotiated-version"}));
}

TEST(LifecycleMonitor, TakesAnAnswerForAUseOfTheVersion) {
  Traffic traffic;
  traffic.handshake();
  EXPECT_THAT(traffic.held("lifecycle_monitor"),
              Not(Contains("lifecycle.respects-negotiated-version")));
  traffic.sent(R"({"jsonrpc":"2.0","id":9,"method":"ping"})");
  traffic.came(R"({"jsonrpc":"2.0","id":9,"result":{}})");
  EXPECT_THAT(traffic.held("lifecycle_monitor"), Contains("lifecycle.respects-negotiated-version"));
}

TEST(LifecycleMonitor, SeesAServerThatSpeaksFirst) {
  Traffic traffic;
  traffic.notified("notifications/message", {{"level", "info"}, {"data", 1}}).handshake();
  EXPECT_EQ(traffic.broken("lifecycle_monitor"), Rules{"lifecycle.initialize-first"});
}

TEST(LifecycleMonitor, BlamesNoServerForAClientThatBeginsOtherwise) {
  Traffic traffic;
  traffic.sent(R"({"jsonrpc":"2.0","id":9,"method":"ping"})");
  traffic.came(R"({"jsonrpc":"2.0","id":9,"result":{}})");
  EXPECT_THAT(traffic.broken("lifecycle_monitor"), IsEmpty());
  EXPECT_THAT(traffic.held("lifecycle_monitor"), IsEmpty());
}

TEST(LifecycleMonitor, SeesMethodsOfAnotherRevision) {
  Traffic traffic(Revision::v2024_11_05);
  traffic.handshake().asked("elicitation/create", Json::object());
  EXPECT_THAT(traffic.broken("lifecycle_monitor"),
              Contains("lifecycle.respects-negotiated-version"));
  Traffic own(Revision::v2024_11_05);
  own.handshake().notified("notifications/of-its-own");
  EXPECT_THAT(own.broken("lifecycle_monitor"), IsEmpty());
}

TEST(LifecycleMonitor, SeesRequestsThatUseWhatALaterRevisionHas) {
  const Json with_tools = {{"messages", Json::array()}, {"maxTokens", 1}, {"tools", Json::array()}};
  Traffic traffic(Revision::v2025_06_18);
  traffic.handshake().asked("sampling/createMessage", with_tools);
  EXPECT_THAT(traffic.broken("lifecycle_monitor"),
              Contains("lifecycle.respects-negotiated-version"));
  Traffic later(Revision::v2025_11_25);
  later.handshake().asked("sampling/createMessage", with_tools);
  EXPECT_THAT(later.broken("lifecycle_monitor"), IsEmpty());
}

TEST(LifecycleMonitor, SeesRequestsBeforeTheClientIsReady) {
  Traffic traffic;
  traffic.sent(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})");
  traffic.asked("roots/list");
  EXPECT_EQ(traffic.broken("lifecycle_monitor"), Rules{"lifecycle.server-waits-for-initialized"});
}

constexpr const char* kSlowCall = R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
                                  R"("params":{"name":"a","_meta":{"progressToken":"t"}}})";

TEST(ProgressMonitor, LetsRisingProgressPass) {
  Traffic traffic;
  traffic.sent(kSlowCall);
  traffic.notified("notifications/progress", {{"progressToken", "t"}, {"progress", 1}});
  traffic.notified("notifications/progress", {{"progressToken", "t"}, {"progress", 1.5}});
  traffic.came(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  EXPECT_THAT(traffic.broken("progress_monitor"), IsEmpty());
  EXPECT_THAT(traffic.held("progress_monitor"), Contains("progress.value-increases"));
}

TEST(ProgressMonitor, SeesProgressThatStandsStillOrComesLateOrFromNowhere) {
  Traffic traffic;
  traffic.sent(kSlowCall);
  traffic.notified("notifications/progress", {{"progressToken", "t"}, {"progress", 1}});
  traffic.notified("notifications/progress", {{"progressToken", "t"}, {"progress", 1}});
  traffic.notified("notifications/progress", {{"progressToken", "u"}, {"progress", 1}});
  traffic.came(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  traffic.notified("notifications/progress", {{"progressToken", "t"}, {"progress", 2}});
  EXPECT_THAT(traffic.broken("progress_monitor"),
              IsSupersetOf(Rules{"progress.value-increases", "progress.token-of-active-request",
                                 "progress.stops-on-completion"}));
}

TEST(MetaKeyMonitor, TellsSoundKeysFromOthers) {
  Traffic sound;
  sound.exchange("tools/list", nullptr,
                 {{"tools", Json::array()},
                  // Parts of the domains dev.acme.cloud and ai.acme.example.
                  {"_meta",
                   {{"com.example/a-b.c", 1},
                    {"plain", 2},
                    {"cloud.acme.dev/a", 3},
                    {"example.acme.ai/a", 4}}}});
  EXPECT_THAT(sound.broken("meta_key_monitor"), IsEmpty());
  EXPECT_THAT(sound.held("meta_key_monitor"), Contains("meta.prefix-form"));
  Traffic unsound;
  unsound.exchange(
      "tools/list", nullptr,
      {{"tools", Json::array()},
       {"_meta", {{"/a", 1}, {"com.1x/a", 2}, {"-a", 3}, {"example.com/a", 4}, {"acme.ai/a", 5}}}});
  EXPECT_EQ(
      unsound.broken("meta_key_monitor"),
      (Rules{"meta.prefix-form", "meta.label-form", "meta.name-form", "meta.prefix-reverse-dns"}));
}

TEST(LogMonitor, TellsSecretsByTheirForm) {
  Traffic harmless;
  harmless.notified("notifications/message",
                    {{"level", "info"},
                     {"data", {{"text", "AKIA is a prefix, and ghp_ too"}, {"password", "***"}}}});
  EXPECT_THAT(harmless.broken("log_monitor"), IsEmpty());
  EXPECT_THAT(harmless.held("log_monitor"), Contains("logging.no-credentials"));
  for (const char* secret :
       {"-----BEGIN PRIVATE KEY-----\nMIIB", "token ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "Authorization: Bearer abcdefghijklmnopqrstuvwxyz", "AKIAABCDEFGHIJKLMNOP"}) {
    Traffic traffic;
    traffic.notified("notifications/message",
                     {{"level", "info"}, {"data", Json::array({{{"deep", secret}}})}});
    EXPECT_EQ(traffic.broken("log_monitor"),
              (Rules{"logging.no-credentials", "logging.sensitive-removed"}))
        << secret;
  }
}

TEST(LogMonitor, KnowsATokenInAHeaderFieldOfItsOwn) {
  const auto broken_by = [](const char* value) {
    Traffic traffic;
    traffic.notified("notifications/message",
                     {{"level", "info"}, {"data", {{"headers", {{"Authorization", value}}}}}});
    return traffic.broken("log_monitor");
  };
  EXPECT_EQ(broken_by("Bearer abcdefghijklmnopqrstuvwxyz"),
            (Rules{"logging.no-credentials", "logging.sensitive-removed"}));
  EXPECT_THAT(broken_by("Bearer ***"), IsEmpty());
}

TEST(StdioMonitor, TellsMessagesFromOtherLines) {
  Traffic clean;
  clean.exchange("ping", nullptr, Json::object());
  EXPECT_THAT(clean.broken("stdio_monitor"), IsEmpty());
  EXPECT_THAT(clean.held("stdio_monitor"), Contains("stdio.stdout-only-messages"));
  Traffic chatty;
  chatty.came("Server started on port 3000");
  EXPECT_EQ(chatty.broken("stdio_monitor"), Rules{"stdio.stdout-only-messages"});
  Traffic pretty;
  pretty.came("{").came(R"("jsonrpc":"2.0","method":"a")").came("}");
  EXPECT_EQ(pretty.broken("stdio_monitor"), Rules{"stdio.no-embedded-newlines"});
  Traffic nested;
  nested.came(R"({"jsonrpc":"2.0","method":"}{\"","params":{)").came("}").came("}");
  EXPECT_EQ(nested.broken("stdio_monitor"), Rules{"stdio.no-embedded-newlines"});
}

// Each closing bracket might be the end of a message: none may make the beginning be read again.
TEST(StdioMonitor, LooksOnceAtLinesThatMightBecomeAMessage) {
  Traffic traffic;
  traffic.came("[" + std::string(1u << 19, '['));
  for (int i = 0; i < 20'000; ++i) traffic.came("]");
  EXPECT_EQ(traffic.broken("stdio_monitor"), Rules{"stdio.stdout-only-messages"});
}

TEST(Monitors, SayNothingOfWhatWasNotReadAnyMore) {
  Traffic traffic;
  traffic.handshake().sent(R"({"jsonrpc":"2.0","id":7,"method":"ping"})");
  transport::Observation cut;
  cut.kind = transport::Observation::Kind::kCutOff;
  cut.bytes = "too much";
  traffic.saw(cut);
  transport::Observation exit;
  exit.kind = transport::Observation::Kind::kExit;
  exit.exit = transport::ProcessExit{3, std::nullopt, false};
  traffic.saw(exit);
  EXPECT_THAT(traffic.broken("json_rpc_monitor"), IsEmpty());
  EXPECT_THAT(traffic.broken("stdio_monitor"), IsEmpty());
}

}  // namespace
}  // namespace assay::harness
