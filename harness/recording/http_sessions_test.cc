#include "harness/recording/http_sessions.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/monitors/trace.h"
#include "harness/recording/recording_testing.h"
#include "harness/recording/session_builder.h"
#include "reference/wire/json.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

// What a reverse proxy sees of its clients.
class Proxy {
 public:
  // A request and its answer.
  void pass(const std::string& method, transport::Headers sent, const Json& result,
            transport::Headers answered = {}, Json params = Json::object()) {
    const transport::Lane lane{transport::Lane::Kind::kHttp, ++lanes_};
    sent.emplace_back("Accept", "application/json, text/event-stream");
    answered.emplace_back("Content-Type", "application/json");
    transport::Observation request = about(Kind::kHttpRequest, Party::kClient, lane);
    request.http = transport::HttpHead{"POST", "/mcp", 0, std::move(sent)};
    request.bytes = Json{{"jsonrpc", "2.0"},
                         {"id", lane.number},
                         {"method", method},
                         {"params", std::move(params)}}
                        .dump();
    add(request);
    transport::Observation head = about(Kind::kHttpResponse, Party::kServer, lane);
    head.http = transport::HttpHead{"", "", 200, std::move(answered)};
    add(head);
    transport::Observation body = about(Kind::kHttpBody, Party::kServer, lane);
    body.http = head.http;
    body.bytes = Json{{"jsonrpc", "2.0"}, {"id", lane.number}, {"result", result}}.dump();
    add(body);
    add(about(Kind::kClosed, Party::kServer, lane));
  }
  void initialize(const transport::Headers& answered = {}, const transport::Headers& sent = {}) {
    pass("initialize", sent,
         {{"protocolVersion", "2025-06-18"},
          {"capabilities", Json::object()},
          {"serverInfo", {{"name", "s"}, {"version", "1"}}}},
         answered,
         {{"protocolVersion", "2025-06-18"},
          {"capabilities", Json::object()},
          {"clientInfo", {{"name", "c"}, {"version", "1"}}}});
  }
  void ping(const transport::Headers& sent) { pass("ping", sent, Json::object()); }
  // What no client sends before the answer to initialize.
  void announce(const transport::Headers& sent) {
    pass("notifications/initialized", sent, Json::object());
  }

  std::vector<RecordedSession> sessions() { return split_http(builder_.finish(true)); }
  // Whether the client of the first session lost its id.
  bool is_accused() {
    PassiveJudge judge(Party::kClient);
    for (const RecordedSession& each : sessions()) judge.add(each);
    for (const reports::Run& run : judge.finish({}).runs) {
      for (const reports::Verdict& verdict : run.verdicts) {
        if (verdict.requirement == "http.session-id-sent" &&
            verdict.outcome == reports::Outcome::kViolated) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  static transport::Observation about(Kind kind, Party speaker, transport::Lane lane) {
    transport::Observation observation;
    observation.kind = kind;
    observation.speaker = speaker;
    observation.lane = lane;
    return observation;
  }
  void add(const transport::Observation& observation) { builder_.add(observation, {}); }

  SessionBuilder builder_{std::make_shared<reports::Vault>(), TransportKind::kHttp};
  std::uint64_t lanes_ = 0;
};

const transport::Headers kOne = {{"Mcp-Session-Id", "one"}};

TEST(HttpSessions, HaveWhatAClientSendsWithoutItsId) {
  Proxy proxy;
  proxy.initialize(kOne);
  proxy.ping(kOne);
  EXPECT_FALSE(Proxy(proxy).is_accused());
  proxy.ping({});
  EXPECT_EQ(Proxy(proxy).sessions().size(), 1u);
  // It may have been sent before the session was there.
  EXPECT_FALSE(Proxy(proxy).is_accused());
  proxy.announce({});
  EXPECT_EQ(Proxy(proxy).sessions().size(), 1u);
  EXPECT_TRUE(proxy.is_accused());
}

TEST(HttpSessions, HaveWhatAClientSendsWithAnIdThatNobodyAssigned) {
  Proxy proxy;
  proxy.initialize(kOne);
  proxy.announce({{"Mcp-Session-Id", "ONE"}});
  EXPECT_TRUE(proxy.is_accused());
}

// Somebody else may go on with a session from before.
TEST(HttpSessions, DoNotTakeInAnotherClient) {
  Proxy older;
  older.initialize(kOne);
  older.ping(kOne);
  older.ping({{"Mcp-Session-Id", "zero"}});
  EXPECT_EQ(Proxy(older).sessions().size(), 2u);
  EXPECT_FALSE(older.is_accused());
  Proxy other;
  other.initialize(kOne, {{"User-Agent", "a"}});
  other.ping({{"User-Agent", "b"}});
  EXPECT_FALSE(other.is_accused());
}

TEST(HttpSessions, AreInDoubtWhereClientsMayHaveSpokenAtOnce) {
  Proxy proxy;
  proxy.initialize();
  proxy.initialize();
  proxy.ping({});
  const auto sessions = proxy.sessions();
  ASSERT_EQ(sessions.size(), 2u);
  EXPECT_EQ(sessions[0].gap, "");
  EXPECT_NE(sessions[1].gap, "");
}

TEST(HttpSessions, WithoutAHandshakeAreKnownUnlessClientsAreMixed) {
  const Json meta = {{"_meta", {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}}}};
  Proxy proxy;
  proxy.pass("tools/list", {{"User-Agent", "a"}}, Json::object(), {}, meta);
  EXPECT_EQ(Proxy(proxy).sessions()[0].gap, "");
  proxy.pass("tools/list", {{"User-Agent", "b"}}, Json::object(), {}, meta);
  EXPECT_NE(proxy.sessions()[0].gap, "");
}

// As of a bridge that tries a handshake first, and then passes on what its client says.
TEST(HttpSessions, OfAHandshakeHaveNoRequestsThatNameTheirRevision) {
  const Json meta = {{"_meta", {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}}}};
  Proxy proxy;
  proxy.initialize();
  proxy.announce({});
  proxy.pass("server/discover", {}, Json::object(), {}, meta);
  proxy.ping({});
  proxy.pass("tools/list", {}, Json::object(), {}, meta);
  const auto sessions = proxy.sessions();
  ASSERT_EQ(sessions.size(), 2u);
  EXPECT_EQ(revision_of(sessions[0].events), model::Revision::v2025_06_18);
  EXPECT_EQ(revision_of(sessions[1].events), model::Revision::v2026_07_28);
  for (const RecordedSession& each : sessions) EXPECT_EQ(each.gap, "");
}

}  // namespace
}  // namespace assay::harness
