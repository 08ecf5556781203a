// The monitors of results without a session on hand-made transcripts: each with what it lets pass,
// and what it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/monitors/http_traffic_testing.h"
#include "reference/wire/compose.h"

namespace assay::harness {
namespace {

using model::Revision;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

class Stateless : public ::testing::Test {
 protected:
  Traffic traffic_{Revision::v2026_07_28};
};
using ResultTypeMonitorTest = Stateless;
using CachingMonitorTest = Stateless;
using MrtrMonitorTest = Stateless;
using SchemaMonitorTest = Stateless;

const Json kAskRoots = {{"method", "roots/list"}};
const Json kAskUser = {
    {"method", "elicitation/create"},
    {"params",
     {{"message", "Who are you?"},
      {"requestedSchema", {{"type", "object"}, {"properties", Json::object()}}}}}};

TEST_F(ResultTypeMonitorTest, WantsAType) {
  traffic_.exchange("tools/call", {{"name", "a"}}, {{"content", Json::array()}});
  EXPECT_EQ(traffic_.broken(), Rules{"jsonrpc.result-type"});
}

TEST_F(ResultTypeMonitorTest, KnowsTheTypesOfTheCoreProtocol) {
  traffic_.exchange("server/discover", nullptr, discovered())
      .exchange("tools/call", {{"name", "a"}}, {{"resultType", "done"}});
  EXPECT_EQ(traffic_.broken("result_type_monitor"), Rules{"jsonrpc.result-type-known"});
}

const Json kTasks = {{"extensions", {{"io.modelcontextprotocol/tasks", Json::object()}}}};

TEST_F(ResultTypeMonitorTest, LeavesTypesToExtensions) {
  traffic_.declares(kTasks)
      .exchange("server/discover", nullptr, discovered(kTasks))
      .exchange("tools/call", {{"name", "a"}}, {{"resultType", "task"}});
  EXPECT_THAT(traffic_.broken("result_type_monitor"), IsEmpty());
}

TEST_F(ResultTypeMonitorTest, WantsTheCoreProtocolWhereTheClientHasNoExtension) {
  traffic_.exchange("server/discover", nullptr, discovered(kTasks))
      .exchange("tools/call", {{"name", "a"}}, {{"resultType", "task"}});
  EXPECT_EQ(traffic_.broken("result_type_monitor"), Rules{"versioning.extension-unsupported"});
}

TEST_F(CachingMonitorTest, WantsHintsOnCompleteResults) {
  for (const char* method : {"server/discover", "tools/list", "prompts/list", "resources/list",
                             "resources/templates/list", "resources/read"}) {
    traffic_.exchange(method, nullptr, complete());
  }
  EXPECT_EQ(
      traffic_.broken("caching_monitor"),
      (Rules{"caching.hints-on-discover", "caching.hints-on-tools-list",
             "caching.hints-on-prompts-list", "caching.hints-on-resources-list",
             "caching.hints-on-resources-templates-list", "caching.hints-on-resources-read"}));
}

TEST_F(CachingMonitorTest, WantsNoneOnOtherResults) {
  traffic_.exchange("tools/call", {{"name", "a"}}, complete({{"content", Json::array()}}))
      .exchange("resources/read", {{"uri", "a:b"}}, input_required({{"r", kAskRoots}}));
  EXPECT_THAT(traffic_.broken("caching_monitor"), IsEmpty());
  EXPECT_THAT(traffic_.held("caching_monitor"), IsEmpty());
}

TEST_F(CachingMonitorTest, TellsAMissingHintFromABadOne) {
  Json list = cacheable({{"tools", Json::array()}});
  list.erase("cacheScope");
  list["ttlMs"] = -1;
  traffic_.exchange("tools/list", nullptr, list);
  EXPECT_EQ(traffic_.broken(), (Rules{"caching.hints-on-tools-list", "caching.ttl-not-negative"}));
}

TEST_F(CachingMonitorTest, WantsOneScopeOnAllPages) {
  const auto page = [](const char* scope, Json next) {
    Json list = cacheable({{"tools", Json::array()}});
    list["cacheScope"] = scope;
    if (!next.is_null()) list["nextCursor"] = std::move(next);
    return list;
  };
  traffic_.exchange("tools/list", nullptr, page("public", "2"))
      .exchange("tools/list", {{"cursor", "2"}}, page("public", "3"));
  EXPECT_THAT(traffic_.broken("caching_monitor"), IsEmpty());
  EXPECT_THAT(traffic_.held("caching_monitor"), Contains("caching.scope-same-on-pages"));
  // Another list is another matter, and so is a new walk.
  traffic_.exchange("prompts/list", {{"cursor", "3"}}, page("private", nullptr))
      .exchange("tools/list", nullptr, page("private", nullptr));
  EXPECT_THAT(traffic_.broken("caching_monitor"), IsEmpty());
  traffic_.exchange("tools/list", {{"cursor", "3"}}, page("private", nullptr));
  EXPECT_EQ(traffic_.broken("caching_monitor"), Rules{"caching.scope-same-on-pages"});
}

TEST_F(MrtrMonitorTest, LetsWhatMayBeAskedPass) {
  traffic_.declares({{"elicitation", Json::object()}, {"roots", Json::object()}})
      .exchange("tools/call", {{"name", "a"}}, input_required({{"r", kAskRoots}, {"u", kAskUser}}))
      .exchange("prompts/get", {{"name", "a"}, {"requestState", "s"}},
                {{"resultType", "input_required"}, {"requestState", "s"}});
  EXPECT_THAT(traffic_.broken(), IsEmpty());
  EXPECT_THAT(traffic_.held("mrtr_monitor"),
              IsSupersetOf(Rules{"mrtr.only-declared-inputs", "mrtr.no-elicitation-undeclared",
                                 "mrtr.requests-by-result", "mrtr.input-request-kinds",
                                 "mrtr.input-required-again", "mrtr.result-not-empty",
                                 "mrtr.unsupported-requests", "mrtr.input-request-keys-unique",
                                 "stdio.server-no-requests", "elicitation.asked-during-request"}));
}

TEST_F(MrtrMonitorTest, TellsWhereNothingMayBeAsked) {
  traffic_.declares({{"roots", Json::object()}})
      .exchange("tools/list", nullptr, input_required({{"r", kAskRoots}}));
  EXPECT_EQ(traffic_.broken(), Rules{"mrtr.unsupported-requests"});
}

TEST_F(MrtrMonitorTest, TellsAnEmptyQuestion) {
  traffic_.exchange("tools/call", {{"name", "a"}}, {{"resultType", "input_required"}});
  EXPECT_EQ(traffic_.broken(), Rules{"mrtr.result-not-empty"});
}

TEST_F(MrtrMonitorTest, HoldsQuestionsAgainstWhatTheRequestDeclares) {
  traffic_.declares({{"sampling", Json::object()}})
      .exchange("tools/call", {{"name", "a"}}, input_required({{"u", kAskUser}}));
  EXPECT_EQ(traffic_.broken("mrtr_monitor"),
            (Rules{"mrtr.only-declared-inputs", "mrtr.no-elicitation-undeclared"}));
}

TEST_F(MrtrMonitorTest, TellsAnotherKindOfQuestion) {
  traffic_.exchange("tools/call", {{"name", "a"}}, input_required({{"p", {{"method", "ping"}}}}));
  EXPECT_EQ(traffic_.broken(), Rules{"mrtr.input-request-kinds"});
}

TEST_F(MrtrMonitorTest, TellsAQuestionWithoutAMethod) {
  traffic_.exchange("tools/call", {{"name", "a"}}, input_required({{"p", Json::object()}}));
  EXPECT_EQ(traffic_.broken("mrtr_monitor"), Rules{"mrtr.input-request-kinds"});
}

TEST_F(MrtrMonitorTest, TellsTwoQuestionsOfOneKey) {
  traffic_.declares({{"roots", Json::object()}});
  const std::string id = std::to_string(traffic_.asks("tools/call", {{"name", "a"}}));
  traffic_.came(R"({"jsonrpc":"2.0","id":)" + id +
                R"(,"result":{"resultType":"input_required","inputRequests":)"
                R"({"r":{"method":"roots/list"},"r":{"method":"roots/list"}}}})");
  EXPECT_EQ(traffic_.broken(), Rules{"mrtr.input-request-keys-unique"});
}

TEST_F(MrtrMonitorTest, TellsARequestOfTheServers) {
  traffic_.asked("roots/list");
  EXPECT_EQ(traffic_.broken("mrtr_monitor"),
            (Rules{"mrtr.no-server-requests", "mrtr.requests-by-result", "stdio.server-no-requests",
                   "transport.binding-directions"}));
}

TEST(MrtrMonitor, TellsARequestOnAStream) {
  Traffic traffic(Revision::v2026_07_28, TransportKind::kHttp);
  HttpExchange(traffic, 1)
      .request("POST", wire::encode(wire::make_request(wire::Id::of(1), "tools/call",
                                                       Traffic::stateless({{"name", "a"}}))))
      .head(200, HttpExchange::kEvents)
      .event(R"({"jsonrpc":"2.0","id":"q","method":"ping"})");
  EXPECT_EQ(traffic.broken("mrtr_monitor"),
            (Rules{"mrtr.no-server-requests", "http.no-requests-on-stream",
                   "transport.binding-directions"}));
}

TEST_F(SchemaMonitorTest, NamesTheRequestWithinAResult) {
  Json question = kAskUser;
  question["params"].erase("message");
  traffic_.declares({{"elicitation", Json::object()}})
      .exchange("tools/call", {{"name", "a"}}, input_required({{"u", question}}));
  EXPECT_EQ(traffic_.broken("schema_monitor"), Rules{"schema.server-requests"});
}

TEST_F(SchemaMonitorTest, NamesTheSentenceAboutMessages) {
  const auto ask = [](Json message) {
    return input_required(
        {{"s",
          {{"method", "sampling/createMessage"},
           {"params", {{"maxTokens", 1}, {"messages", Json::array({std::move(message)})}}}}}});
  };
  traffic_.declares({{"sampling", Json::object()}})
      .exchange("tools/call", {{"name", "a"}},
                ask({{"role", "user"}, {"content", {{"type", "text"}, {"text", "Hi"}}}}));
  EXPECT_THAT(traffic_.held("schema_monitor"), Contains("sampling.message-fields"));
  traffic_.exchange("tools/call", {{"name", "a"}}, ask({{"role", "user"}}));
  EXPECT_EQ(traffic_.broken("schema_monitor"), Rules{"sampling.message-fields"});
}

TEST_F(SchemaMonitorTest, JudgesListsAsBefore) {
  traffic_.exchange("tools/list", nullptr, cacheable({{"tools", 1}}))
      .exchange("completion/complete", nullptr, complete({{"completion", 1}}));
  EXPECT_EQ(traffic_.broken("schema_monitor"),
            (Rules{"schema.tools-list-result", "schema.completion-result"}));
}

TEST(StructuredContentMonitor, TakesAnyJsonValueForStructured) {
  const auto broken_by = [](const Json& result) {
    Traffic traffic(Revision::v2026_07_28);
    const Json tool = {
        {"name", "a"}, {"inputSchema", {{"type", "object"}}}, {"outputSchema", {{"type", "null"}}}};
    traffic.exchange("tools/list", nullptr, cacheable({{"tools", Json::array({tool})}}))
        .exchange("tools/call", {{"name", "a"}}, result);
    return traffic.broken("structured_content_monitor");
  };
  const Json text = Json::array({{{"type", "text"}, {"text", "null"}}});
  EXPECT_THAT(broken_by(complete({{"content", text}, {"structuredContent", nullptr}})), IsEmpty());
  EXPECT_THAT(broken_by({{"resultType", "input_required"}, {"requestState", "s"}}), IsEmpty());
  EXPECT_EQ(broken_by(complete({{"content", text}})), Rules{"tools.structured-content-conforms"});
}

TEST(ElicitationMonitor, KnowsNoIdsWithoutSessions) {
  Traffic traffic(Revision::v2026_07_28);
  traffic.declares({{"elicitation", {{"url", Json::object()}}}})
      .exchange(
          "tools/call", {{"name", "a"}},
          input_required(
              {{"u",
                {{"method", "elicitation/create"},
                 {"params",
                  {{"mode", "url"}, {"message", "Sign in"}, {"url", "https://example.com/"}}}}}}));
  EXPECT_THAT(traffic.broken(), IsEmpty());
  EXPECT_THAT(traffic.held("elicitation_monitor"), Contains("elicitation.url-parameters"));
}

TEST(ResourceUriMonitor, WaitsUntilItIsKnownWhatTheServerDeclares) {
  Traffic traffic(Revision::v2026_07_28);
  const Json embedded = complete(
      {{"content",
        Json::array({{{"type", "resource"}, {"resource", {{"uri", "a:b"}, {"text", "c"}}}}})}});
  traffic.exchange("tools/call", {{"name", "a"}}, embedded);
  EXPECT_THAT(traffic.broken("resource_uri_monitor"), IsEmpty());
  traffic.exchange("server/discover", nullptr, discovered())
      .exchange("tools/call", {{"name", "a"}}, embedded);
  EXPECT_EQ(traffic.broken("resource_uri_monitor"), Rules{"tools.embedding-declares-resources"});
}

TEST(Watch, LetsSoundStatelessTrafficPass) {
  Traffic traffic(Revision::v2026_07_28);
  const Json tool = {{"name", "a"}, {"inputSchema", {{"type", "object"}}}};
  const Json question = {
      {"method", "elicitation/create"},
      {"params",
       {{"mode", "form"},
        {"message", "Who are you?"},
        {"requestedSchema",
         {{"type", "object"}, {"properties", {{"name", {{"type", "string"}}}}}}}}}};
  const Json content = Json::array({{{"type", "text"}, {"text", "Hello"}}});
  traffic.declares({{"elicitation", {{"form", Json::object()}}}})
      .exchange("server/discover", nullptr, discovered({{"tools", Json::object()}}))
      .exchange("tools/list", nullptr, cacheable({{"tools", Json::array({tool})}}))
      .exchange("tools/call", {{"name", "a"}}, input_required({{"who", question}}))
      .exchange(
          "tools/call",
          {{"name", "a"},
           {"inputResponses", {{"who", {{"action", "accept"}, {"content", {{"name", "Ada"}}}}}}}},
          complete({{"content", content}}))
      .refused("prompts/get", {{"name", "none"}}, -32602);
  EXPECT_THAT(traffic.broken(), IsEmpty());
  EXPECT_THAT(traffic.held(),
              IsSupersetOf(Rules{"jsonrpc.result-type", "caching.hints-on-tools-list",
                                 "mrtr.only-declared-inputs", "mrtr.requests-by-result",
                                 "elicitation.mode-and-message", "jsonrpc.result-response-id"}));
}

}  // namespace
}  // namespace assay::harness
