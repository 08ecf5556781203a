// Fuzzing in a revision without a handshake: what is sent, and what is wrong with its answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fuzz/live/fuzzer.h"
#include "fuzz/live/judge/http_rules.h"
#include "fuzz/live/judge/judge.h"
#include "fuzz/live/operators/generator.h"
#include "fuzz/live/operators/sweep.h"
#include "fuzz/live/target/era.h"
#include "fuzz/live/target/pipe_target_testing.h"
#include "fuzz/live/target/stateless_testing.h"
#include "fuzz/live/values/request_states.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

constexpr const char* kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

std::string request_with(const std::string& method, const std::string& params) {
  return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params + "}}";
}

std::string answer_of(const std::string& result) {
  return R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}";
}

class StatelessJudge : public testing::Test {
 protected:
  std::string said_of(const std::string& sent, const std::string& heard) {
    LiveJudge judge(words_, true);
    judge.sent(sent, 1);
    judge.heard(heard);
    std::string all;
    for (const Suspicion& each : judge.take_suspicions()) all += each.signature() + "\n";
    return all;
  }

  Vocabulary words_ = stateless_words();
  const std::string discovered_ = answer_of(
      R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"})");
};

TEST_F(StatelessJudge, IsContentWithARequestThatHasAllItNeeds) {
  EXPECT_EQ(said_of(request_with("server/discover", kMeta), discovered_), "");
}

TEST_F(StatelessJudge, MissesWhatMetaMustHave) {
  const std::string bare = request_with(
      "server/discover", R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})");
  EXPECT_EQ(said_of(bare, discovered_),
            "accepted: _meta without a proper io.modelcontextprotocol/clientCapabilities\n");
  EXPECT_EQ(said_of(bare, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"x"}})"), "");
  const std::string other = request_with(
      "server/discover",
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01","io.modelcontextprotocol/clientCapabilities":{}})");
  EXPECT_EQ(said_of(other, discovered_), "accepted: unknown protocol version in _meta\n");
}

// Who speaks older revisions, too, may take it for a request of one of those, and answer so.
TEST_F(StatelessJudge, LeavesARequestWithoutARevisionToServersOfBothEras) {
  const std::string bare = request_with("tools/list", R"("a":1)");
  EXPECT_NE(said_of(bare, answer_of(R"({"tools":[]})")), "");
  words_.is_modern_only = false;
  EXPECT_EQ(said_of(bare, answer_of(R"({"tools":[]})")), "");
}

TEST_F(StatelessJudge, LeavesTheHandshakeToTheOtherEra) {
  EXPECT_EQ(said_of(request_with("initialize", R"("protocolVersion":"2025-11-25")"),
                    answer_of(R"({"protocolVersion":"2025-11-25"})")),
            "");
}

TEST_F(StatelessJudge, LetsAnAnswerBeRefusedAsWhatNobodyAskedFor) {
  const std::string refusal =
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request"}})";
  EXPECT_EQ(said_of(answer_of("{}"), refusal), "");
}

TEST_F(StatelessJudge, KnowsWhoMayAskForInputAndForWhat) {
  const std::string asked = answer_of(
      R"({"resultType":"input_required","inputRequests":{"a":{"method":"roots/list","params":{}}}})");
  EXPECT_EQ(said_of(request_with("tools/call", std::string(R"("name":"read",)") +
                                                   R"("arguments":{"place":"x"},)" + kMeta),
                    asked),
            "accepted: roots/list of a client without roots\n");
  EXPECT_NE(said_of(request_with("server/discover", kMeta), asked)
                .find("accepted: input for server/discover"),
            std::string::npos);
}

TEST_F(StatelessJudge, HoldsASubscriptionAgainstItsFilter) {
  const auto listen = [](const std::string& filter) {
    return request_with("subscriptions/listen", R"("notifications":)" + filter + "," + kMeta);
  };
  const std::string acknowledged =
      R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{"toolsListChanged":true}}})";
  EXPECT_EQ(said_of(listen(R"({"toolsListChanged":true})"), acknowledged), "");
  EXPECT_EQ(said_of(listen(R"({"toolsListChanged":"yes"})"), acknowledged), "");
  EXPECT_EQ(said_of(listen(R"({"toolsListChanged":false})"), acknowledged),
            "accepted: subscription to toolsListChanged\n");
}

// The id of a subscription is the client's own.
TEST_F(StatelessJudge, AccusesNobodyOfAnIdOfOurs) {
  const std::string sent =
      R"({"jsonrpc":"2.0","id":1.5,"method":"subscriptions/listen","params":{"notifications":{},)" +
      std::string(kMeta) + "}}";
  EXPECT_EQ(
      said_of(
          sent,
          R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1.5},"notifications":{}}})"),
      "");
}

TEST(StatelessEra, RepeatsInHeadersWhatTheBodySays) {
  const Vocabulary words = stateless_words();
  Json call = with_request_meta(words, words.rounds[0].request);
  call["id"] = 1;
  const auto fields = repeated_fields(words, call.dump());
  EXPECT_EQ(transport::find_header(fields, "MCP-Protocol-Version"), "2026-07-28");
  EXPECT_EQ(transport::find_header(fields, "Mcp-Method"), "tools/call");
  EXPECT_EQ(transport::find_header(fields, "Mcp-Name"), "read");
  EXPECT_EQ(transport::find_header(fields, "Mcp-Param-Place"), "here");
  EXPECT_EQ(repeated_fields(words, "no message").size(), 1u);
}

TEST(StatelessEra, AccusesOfFieldsThatDiffer) {
  const Vocabulary words = stateless_words();
  Json call = with_request_meta(words, words.rounds[0].request);
  call["id"] = 1;
  const auto said = [&](const char* field, const char* value) {
    Step step;
    step.kind = Step::Kind::kHttp;
    step.headers = {{field, value}};
    const auto url =
        std::get<transport::HttpUrl>(transport::HttpUrl::parse("http://127.0.0.1:1/mcp"));
    const auto wrong = wrong_http_success(words, step, url, false, false, call.dump());
    return wrong ? wrong->about : "";
  };
  EXPECT_EQ(said("Mcp-Method", ""), "without Mcp-Method");
  EXPECT_EQ(said("Mcp-Name", "assay-no-such"), "another Mcp-Name");
  EXPECT_EQ(said("Mcp-Name", "=?base64?YXNzYXktbm8tc3VjaA==?="), "another Mcp-Name");
  EXPECT_EQ(said("Mcp-Name", "=?base64?cmVhZA==?="), "");
  EXPECT_EQ(said("X-Other", "assay-no-such"), "");
}

TEST(RequestStates, ArePutIntoTheirPlacesChangedAsTheyShallBe) {
  RequestStates states;
  states.note(answer_of(R"({"resultType":"input_required","requestState":"ab\"cd"})"));
  const auto filled = [&](StateChange change) {
    return states.fill("{\"requestState\":\"" + state_place(1, change) + "\"}");
  };
  EXPECT_EQ(filled(StateChange::kNone), R"({"requestState":"ab\"cd"})");
  EXPECT_EQ(filled(StateChange::kFlipped), R"({"requestState":"abacd"})");
  EXPECT_EQ(filled(StateChange::kCut), R"({"requestState":"ab"})");
  EXPECT_EQ(filled(StateChange::kOdd), R"({"requestState":"ab\"c"})");
  EXPECT_EQ(filled(StateChange::kTwice), R"({"requestState":"ab\"cdab\"cd"})");
  EXPECT_EQ(states.fill("\"" + state_place(2, StateChange::kNone) + "\""),
            R"("assay-no-such-state")");
  EXPECT_EQ(states.fill("@STATE 1@ @STATE x flipped@"), "@STATE 1@ @STATE x flipped@");
  EXPECT_EQ(state_places(state_place(7, StateChange::kCut)), std::vector<std::uint64_t>{7});
}

TEST(StatelessGenerator, GoesWrongInWhatRequestsCarry) {
  const Vocabulary words = stateless_words();
  Generator generator(words, 1, true);
  std::set<std::string> origins;
  for (int i = 0; i < 16000; ++i) origins.insert(generator.next().origin);
  for (const char* wanted :
       {"meta: without protocolVersion", "meta: none", "meta: twice clientInfo",
        "meta: no such version", "meta: no capabilities", "round: state flipped",
        "round: state as-it-is moved", "round: replayed", "round: nothing given", "listen: filter",
        "field: Mcp-Method missing", "field: Mcp-Param-Place badly-coded"}) {
    EXPECT_TRUE(origins.contains(wanted)) << wanted;
  }
}

TEST(StatelessGenerator, MakesAFieldOddInEveryWayBeforeItRepeatsOne) {
  const Vocabulary words = stateless_words();
  Generator generator(words, 1, true);
  std::map<std::string, std::vector<std::string>> ways;
  for (std::size_t made = 0; made < 60;) {
    const Case one = generator.next();
    const bool is_odd_field =
        one.origin.starts_with("field: M") && one.steps[0].kind == Step::Kind::kHttp;
    if (!is_odd_field || one.origin.ends_with(" again")) continue;
    ways[one.steps[0].headers[0].first].push_back(one.origin);
    ++made;
  }
  EXPECT_EQ(ways.size(), 4u);
  for (const auto& [field, seen] : ways) {
    ASSERT_GE(seen.size(), 10u) << field;
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.begin() + 10).size(), 10u) << field;
  }
}

TEST(StatelessGenerator, EndsEverySubscriptionWhereItBegins) {
  const Vocabulary words = stateless_words();
  Generator generator(words, 1, false);
  for (int i = 0; i < 8000; ++i) {
    const Case made = generator.next();
    if (!made.origin.starts_with("listen: ") || made.origin.ends_with(" again")) continue;
    EXPECT_NE(made.steps[0].bytes.find("notifications/cancelled"), std::string::npos);
  }
}

TEST(StatelessSweep, TriesMetaWithOneRequestForAll) {
  const Vocabulary words = stateless_words();
  Sweep sweep(words);
  std::map<std::string, int> origins;
  while (auto made = sweep.next(7)) ++origins[made->origin];
  EXPECT_TRUE(origins.contains(
      "sweep: server/discover /params/_meta/io.modelcontextprotocol~1clientCapabilities"));
  EXPECT_TRUE(origins.contains("sweep: tools/call again /params/requestState"));
  for (const auto& [origin, count] : origins) {
    const bool is_of_call = origin.starts_with("sweep: tools/call");
    EXPECT_FALSE(is_of_call && origin.find("_meta") != std::string::npos) << origin;
  }
}

bool serve_alone(PipeLife& life, std::string_view, const wire::Message* message) {
  if (message == nullptr || message->kind() != wire::MessageKind::kRequest) return true;
  if (!message->id() || !message->id()->is_valid()) return true;
  if (message->method() != "server/discover") {
    life.say(wire::encode_error(*message->id(), wire::kMethodNotFound, "Method not found"));
    return true;
  }
  life.answer(*message, {{"resultType", "complete"},
                         {"supportedVersions", {"2026-07-28"}},
                         {"capabilities", Json::object()},
                         {"ttlMs", 0},
                         {"cacheScope", "private"}});
  return true;
}

TEST(StatelessSurvey, FindsTheEraOfAServerThatRefusesInitialize) {
  const auto words = survey(over_pipe(serve_alone), {}, {}, {});
  ASSERT_TRUE(std::holds_alternative<Vocabulary>(words))
      << std::get<transport::Failure>(words).detail;
  EXPECT_EQ(std::get<Vocabulary>(words).revision, model::Revision::v2026_07_28);
  EXPECT_TRUE(std::get<Vocabulary>(words).is_modern_only);
  const auto older = survey(over_pipe(serve_alone), {}, {}, {}, model::Revision::v2025_11_25);
  EXPECT_TRUE(std::holds_alternative<transport::Failure>(older));
}

}  // namespace
}  // namespace assay::fuzz
