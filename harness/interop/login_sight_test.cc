// What the traffic of a cell over HTTP shows of a login.
#include "harness/interop/login_sight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/recording/http_sessions.h"
#include "harness/recording/session_builder.h"
#include "reference/wire/json.h"

namespace assay::harness {
namespace {

using reports::ActSeen;
using ::testing::HasSubstr;
using Kind = transport::Observation::Kind;

transport::Observation about(Kind kind, Party speaker, const transport::Lane& lane) {
  transport::Observation out;
  out.kind = kind;
  out.speaker = speaker;
  out.lane = lane;
  return out;
}

// One start of a client over HTTP, whose requests are answered with these statuses.
class Visit {
 public:
  void ask(const std::string& method, int status, bool has_token) {
    const transport::Lane lane{transport::Lane::Kind::kHttp, ++lanes_};
    transport::Observation request = about(Kind::kHttpRequest, Party::kClient, lane);
    request.http = transport::HttpHead{"POST", "/mcp", 0, {}};
    if (has_token) request.http->headers.emplace_back("Authorization", "Bearer x");
    request.bytes = Json{{"jsonrpc", "2.0"},
                         {"id", lane.number},
                         {"method", method},
                         {"params", {{"protocolVersion", "2025-11-25"}}}}
                        .dump();
    add(request);
    transport::Observation head = about(Kind::kHttpResponse, Party::kServer, lane);
    head.http = transport::HttpHead{"", "", status, {{"Content-Type", "application/json"}}};
    add(head);
    if (status == 200) {
      transport::Observation body = about(Kind::kHttpBody, Party::kServer, lane);
      body.http = head.http;
      body.bytes = Json{{"jsonrpc", "2.0"},
                        {"id", lane.number},
                        {"result", {{"protocolVersion", "2025-11-25"}}}}
                       .dump();
      add(body);
    }
    add(about(Kind::kClosed, Party::kServer, lane));
  }
  SeenStart& start() { return start_; }

  LoginSight sight() {
    start_.sessions = split_http(builder_.finish(true));
    const std::vector<SeenStart> starts = {start_};
    const std::vector<ReadSession> sessions = read_sessions(starts);
    return login_in({offer_, client_, starts, sessions, TransportKind::kHttp});
  }

 private:
  void add(const transport::Observation& observation) {
    builder_.add(observation, std::chrono::milliseconds(++time_));
  }

  SessionBuilder builder_{std::make_shared<reports::Vault>(), TransportKind::kHttp};
  std::uint64_t lanes_ = 0;
  int time_ = 0;
  Offer offer_;
  KnownClient client_;
  SeenStart start_;
};

TEST(LoginSight, WorksWhereTheClientIsLetInWithAToken) {
  Visit visit;
  visit.ask("initialize", 401, false);
  visit.ask("initialize", 200, true);
  const LoginSight seen = visit.sight();
  EXPECT_EQ(seen.act.seen, ActSeen::kWorked);
  EXPECT_FALSE(seen.is_kept_out);
  // The refusal and what it was let in with.
  EXPECT_EQ(seen.act.events.size(), 7u);
}

TEST(LoginSight, IsNoneWhereNobodyAsksForAToken) {
  Visit visit;
  visit.ask("initialize", 200, true);
  const LoginSight seen = visit.sight();
  EXPECT_EQ(seen.act.seen, ActSeen::kNotBegun);
  EXPECT_FALSE(seen.is_kept_out);
}

TEST(LoginSight, IsNotBegunByAClientThatAsksNobody) {
  Visit visit;
  visit.ask("initialize", 401, false);
  const LoginSight seen = visit.sight();
  EXPECT_EQ(seen.act.seen, ActSeen::kNotBegun);
  EXPECT_TRUE(seen.is_kept_out);
}

TEST(LoginSight, FailsWhereTheClientAskedAndDidNotComeBack) {
  Visit visit;
  visit.ask("initialize", 401, false);
  visit.start().was_asked_for_login = true;
  const LoginSight seen = visit.sight();
  EXPECT_EQ(seen.act.seen, ActSeen::kFailed);
  EXPECT_TRUE(seen.act.parting);
  EXPECT_TRUE(seen.is_kept_out);
}

TEST(LoginSight, FailsWhereTheTokenIsRefused) {
  Visit visit;
  visit.ask("initialize", 401, false);
  visit.ask("initialize", 401, true);
  const LoginSight seen = visit.sight();
  EXPECT_EQ(seen.act.seen, ActSeen::kFailed);
  EXPECT_THAT(seen.act.detail, HasSubstr("refused the token: HTTP 401"));
  EXPECT_TRUE(seen.is_kept_out);
}

// That is because the client passes by us: neither party failed.
TEST(LoginSight, IsNotTestedWhereTheServerHasAnotherName) {
  Visit visit;
  visit.ask("initialize", 401, false);
  visit.start().was_asked_for_login = true;
  visit.start().other_name = "https://example.com/mcp";
  const LoginSight seen = visit.sight();
  EXPECT_EQ(seen.act.seen, ActSeen::kNotReached);
  EXPECT_THAT(seen.act.detail, HasSubstr("https://example.com/mcp"));
  EXPECT_TRUE(seen.is_kept_out);
}

}  // namespace
}  // namespace assay::harness
