// What the traffic of a cell shows of each act, and where two peers parted.
#include "harness/interop/act_sights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "harness/recording/recording_testing.h"

namespace assay::harness {
namespace {

using reports::ActSeen;
using ::testing::HasSubstr;

constexpr const char* kHandshake = R"(
{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}
{"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}}
{"from":"client","message":{"jsonrpc":"2.0","method":"notifications/initialized"}}
)";
constexpr const char* kList = R"(
{"from":"client","message":{"jsonrpc":"2.0","id":2,"method":"tools/list"}}
{"from":"server","message":{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}}
)";
constexpr const char* kCall = R"(
{"from":"client","message":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{}}}}
{"from":"server","message":{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"hello"}]}}}
)";
constexpr const char* kRefusedCall = R"(
{"from":"client","message":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{}}}}
{"from":"server","message":{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no such tool"}}}
)";

// A cell over stdio with one start, in which these messages passed.
class Cell {
 public:
  explicit Cell(const std::string& messages) : read_(messages) {
    offer_.newest = "2025-11-25";
    offer_.lists = {"tools/list"};
    offer_.call = ToolUse{.name = "echo"};
    SeenStart start;
    start.start.has_plan = true;
    start.start.aims = askable_acts();
    start.sessions = read_.conversations;
    starts_.push_back(std::move(start));
  }

  SeenStart& start() { return starts_.front(); }
  Offer& offer() { return offer_; }
  KnownClient& client() { return client_; }

  ActSight sight(std::string_view act) {
    const std::vector<ReadSession> sessions = read_sessions(starts_);
    const CellView view{offer_, client_, starts_, sessions, TransportKind::kStdio};
    const reports::Agreement agreement = agreement_of(view);
    const std::vector<ActSight> sights = sights_of(view, agreement);
    for (std::size_t i = 0; i < sights.size(); ++i) {
      if (reports::pair_acts()[i].id == act) return sights[i];
    }
    return {};
  }
  reports::Agreement agreement() {
    const std::vector<ReadSession> sessions = read_sessions(starts_);
    return agreement_of({offer_, client_, starts_, sessions, TransportKind::kStdio});
  }

 private:
  ReadBack read_;
  Offer offer_;
  KnownClient client_;
  std::vector<SeenStart> starts_;
};

GuestEnd exit_with(int code) {
  GuestEnd end;
  end.exit.code = code;
  return end;
}

TEST(ActSights, WholeExchangesWork) {
  Cell cell(std::string(kHandshake) + kList + kCall);
  EXPECT_EQ(cell.sight("connect").seen, ActSeen::kWorked);
  EXPECT_EQ(cell.sight("list").seen, ActSeen::kWorked);
  EXPECT_EQ(cell.sight("call").seen, ActSeen::kWorked);
  EXPECT_EQ(cell.sight("prompt").seen, ActSeen::kNotBegun);
}

// A bridge opens a session of its own; who is on its other side gets none.
TEST(ActSights, NothingIsReachedWhereTheClientSaysThatItDoesNotConnect) {
  Cell cell(kHandshake);
  cell.start().words["connect"] = {ClientWord::Kind::kFailed, "no session"};
  EXPECT_EQ(cell.sight("connect").seen, ActSeen::kFailed);
  EXPECT_EQ(cell.sight("connect").detail, "the client says: no session");
  EXPECT_EQ(cell.sight("list").seen, ActSeen::kNotReached);
  EXPECT_EQ(cell.sight("list").detail, "the client did not connect");
}

TEST(ActSights, RefusalIsWhereTheyParted) {
  const ActSight call = Cell(std::string(kHandshake) + kList + kRefusedCall).sight("call");
  EXPECT_EQ(call.seen, ActSeen::kFailed);
  ASSERT_TRUE(call.parting);
  EXPECT_EQ(call.parting->n, 7u);
  EXPECT_THAT(call.detail, HasSubstr("error -32602: no such tool"));
}

TEST(ActSights, ToolThatFailsIsNoSuccess) {
  Cell cell(std::string(kHandshake) + R"(
{"from":"client","message":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{}}}}
{"from":"server","message":{"jsonrpc":"2.0","id":3,"result":{"isError":true,"content":[{"type":"text","text":"bad"}]}}}
)");
  EXPECT_EQ(cell.sight("call").seen, ActSeen::kFailed);
  EXPECT_THAT(cell.sight("call").detail, HasSubstr("the tool failed: bad"));
}

TEST(ActSights, EmptyListIsNoSuccessWhereOthersAreShownMore) {
  Cell cell(std::string(kHandshake) + R"(
{"from":"client","message":{"jsonrpc":"2.0","id":2,"method":"tools/list"}}
{"from":"server","message":{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}}
)");
  EXPECT_EQ(cell.sight("list").seen, ActSeen::kFailed);
}

TEST(ActSights, ListThatNoServerOffersIsNotMissed) {
  Cell cell(std::string(kHandshake) + kList + R"(
{"from":"client","message":{"jsonrpc":"2.0","id":4,"method":"prompts/list"}}
{"from":"server","message":{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"unknown"}}}
)");
  EXPECT_EQ(cell.sight("list").seen, ActSeen::kWorked);
}

// The client alone knows whether it could use an answer.
TEST(ActSights, ClientThatDoesNotTakeAnAnswerHasFailed) {
  Cell cell(std::string(kHandshake) + kList);
  cell.start().words["list"] = {ClientWord::Kind::kFailed, "unknown dialect draft-07"};
  const ActSight list = cell.sight("list");
  EXPECT_EQ(list.seen, ActSeen::kFailed);
  ASSERT_TRUE(list.parting);
  EXPECT_EQ(list.parting->n, 5u);
  EXPECT_EQ(list.detail, "the client says: unknown dialect draft-07");
}

TEST(ActSights, WordOfAClientDoesNotOutweighTheTraffic) {
  Cell cell(std::string(kHandshake) + kList + kRefusedCall);
  cell.start().words["call"] = {ClientWord::Kind::kWorked, ""};
  EXPECT_EQ(cell.sight("call").seen, ActSeen::kFailed);
}

// It says nothing of single acts, but it ended before it did what it does with others.
TEST(ActSights, ClientThatEndsEarlyFailedInWhatItDidLast) {
  Cell cell(std::string(kHandshake) + kList);
  cell.client() = {true, {"connect", "list", "call"}, true, false};
  cell.start().end = exit_with(1);
  EXPECT_EQ(cell.sight("connect").seen, ActSeen::kWorked);
  EXPECT_EQ(cell.sight("list").seen, ActSeen::kFailed);
  EXPECT_EQ(cell.sight("list").parting->why, "the client ended after this answer");
  EXPECT_EQ(cell.sight("call").seen, ActSeen::kNotReached);
}

TEST(ActSights, ExitOfAClientThatAlwaysEndsSoTellsNothing) {
  Cell cell(std::string(kHandshake) + kList);
  cell.client() = {true, {"connect", "list", "call"}, false, false};
  cell.start().end = exit_with(1);
  EXPECT_EQ(cell.sight("list").seen, ActSeen::kWorked);
}

TEST(ActSights, ClientThatWasStartedForOneActFailsInIt) {
  Cell cell(std::string(kHandshake) + kList);
  cell.start().start.has_plan = false;
  cell.start().start.aims = {"call"};
  cell.start().end = exit_with(1);
  EXPECT_EQ(cell.sight("list").seen, ActSeen::kWorked);
  EXPECT_EQ(cell.sight("call").seen, ActSeen::kFailed);
  EXPECT_EQ(cell.sight("call").parting->why, "the client did not go on after this");
}

TEST(ActSights, NothingIsReachedWithoutAnAgreement) {
  Cell cell(R"(
{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}
{"from":"server","message":{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unsupported protocol version"}}}
)");
  EXPECT_EQ(cell.sight("connect").seen, ActSeen::kFailed);
  EXPECT_EQ(cell.sight("call").seen, ActSeen::kNotReached);
  EXPECT_EQ(cell.agreement().dead_end,
            "the server refused initialize with error -32602: Unsupported protocol version, and "
            "the client gave up");
}

TEST(Agreement, TellsProbeRefusalAndFallback) {
  Cell cell(
      R"({"from":"client","message":{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}}
{"from":"server","message":{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}}})" +
      std::string(kHandshake) + kList);
  const reports::Agreement agreement = cell.agreement();
  EXPECT_EQ(agreement.asked, "2026-07-28");
  EXPECT_EQ(agreement.revision, "2025-11-25");
  EXPECT_THAT(agreement.steps,
              ::testing::ElementsAre("server/discover (2026-07-28): error -32601: Method not found",
                                     "initialize (2025-11-25): 2025-11-25"));
  EXPECT_EQ(cell.sight("down").seen, ActSeen::kWorked);
  EXPECT_EQ(cell.sight("up").seen, ActSeen::kNotBegun);
}

// A server that starts slowly answers the probe, and the handshake that followed it.
TEST(Agreement, IsNotThatOfAProbeWhichTheClientGaveUp) {
  Cell cell(R"(
{"from":"client","message":{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}}
{"from":"client","message":{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}}
{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}
{"from":"server","message":{"jsonrpc":"2.0","id":0,"result":{"supportedVersions":["2026-07-28"]}}}
{"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}}
{"from":"client","message":{"jsonrpc":"2.0","method":"notifications/initialized"}}
)" + std::string(kList));
  EXPECT_EQ(cell.agreement().revision, "2025-11-25");
}

// As some bridges do, to see whether they can fall back.
TEST(Agreement, IsThatOfTheSessionWhichTheClientUses) {
  Cell cell(kHandshake);
  const ReadBack used(R"(
{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}}
{"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[]}}}
)");
  EXPECT_EQ(cell.agreement().revision, "2025-11-25");
  cell.start().sessions.push_back(used.conversations.front());
  EXPECT_EQ(cell.agreement().revision, "2026-07-28");
}

TEST(Agreement, IsNoneWhereTheClientDoesNotGoOn) {
  Cell cell(R"(
{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}
{"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}}
)");
  EXPECT_EQ(cell.agreement().revision, "");
  EXPECT_EQ(cell.agreement().dead_end, "the client did not go on after the answer to initialize");
}

TEST(ActSights, ProgressNeedsAReportBeforeTheAnswer) {
  const std::string call =
      R"({"from":"client","message":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"slow","arguments":{},"_meta":{"progressToken":"p"}}}}
)";
  const std::string report =
      R"({"from":"server","message":{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}}
)";
  const std::string answer =
      R"({"from":"server","message":{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"done"}]}}}
)";
  Cell with(std::string(kHandshake) + call + report + answer);
  with.offer().progress = ToolUse{.name = "slow"};
  EXPECT_EQ(with.sight("progress").seen, ActSeen::kWorked);
  Cell without(std::string(kHandshake) + call + answer);
  without.offer().progress = ToolUse{.name = "slow"};
  EXPECT_EQ(without.sight("progress").seen, ActSeen::kFailed);
}

TEST(ActSights, CancelledCallMayStayUnansweredAndTheSessionGoesOn) {
  const std::string cancelled = R"(
{"from":"client","message":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"slow","arguments":{}}}}
{"from":"client","message":{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}}
{"from":"client","message":{"jsonrpc":"2.0","id":4,"method":"ping"}}
)";
  Cell alive(std::string(kHandshake) + cancelled +
             R"({"from":"server","message":{"jsonrpc":"2.0","id":4,"result":{}}})");
  alive.offer().slow = ToolUse{.name = "slow"};
  EXPECT_EQ(alive.sight("cancel").seen, ActSeen::kWorked);
  Cell dead(std::string(kHandshake) + cancelled);
  dead.offer().slow = ToolUse{.name = "slow"};
  EXPECT_EQ(dead.sight("cancel").seen, ActSeen::kFailed);
  EXPECT_EQ(dead.sight("cancel").detail, "after the cancellation, ping had no answer");
}

// Otherwise a rule that the server breaks in that question would count for the cancelled call.
TEST(ActSights, WhatTheServerAsksAfterACancellationIsNotOfTheCancelledCall) {
  Cell cell(std::string(kHandshake) + R"(
{"from":"client","message":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"slow","arguments":{}}}}
{"from":"client","message":{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}}
{"from":"client","message":{"jsonrpc":"2.0","id":4,"method":"ping"}}
{"from":"server","message":{"jsonrpc":"2.0","id":4,"result":{}}}
{"from":"server","message":{"jsonrpc":"2.0","id":7,"method":"ping"}}
{"from":"client","message":{"jsonrpc":"2.0","id":7,"result":{}}}
)");
  cell.offer().slow = ToolUse{.name = "slow"};
  const ActSight cancel = cell.sight("cancel");
  EXPECT_EQ(cancel.seen, ActSeen::kWorked);
  EXPECT_FALSE(cancel.events.contains({0, 8}));
}

TEST(ActSights, ServerThatEndsBehindWhatWentOnDidNotEndForTheCancellation) {
  const std::string cancelled = R"(
{"from":"client","message":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"slow","arguments":{}}}}
{"from":"client","message":{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}}
)";
  const std::string ping = R"(
{"from":"client","message":{"jsonrpc":"2.0","id":4,"method":"ping"}}
{"from":"server","message":{"jsonrpc":"2.0","id":4,"result":{}}}
)";
  for (const bool has_gone_on : {true, false}) {
    Cell cell(std::string(kHandshake) + cancelled + (has_gone_on ? ping : ""));
    cell.offer().slow = ToolUse{.name = "slow"};
    auto& events = cell.start().sessions.front().events;
    transport::Observation closed;
    closed.kind = transport::Observation::Kind::kClosed;
    closed.lane = events.back()->observation.lane;
    const auto end = std::make_shared<Event>(KeptObservation(closed));
    end->n = events.back()->n + 1;
    events.push_back(end);
    EXPECT_EQ(cell.sight("cancel").seen, has_gone_on ? ActSeen::kWorked : ActSeen::kFailed);
  }
}

// Bridges open a session to see whether they can, and another for their client: neither is begun
// because the old one expired.
TEST(ActSights, OnlyASessionBegunAfterTheRefusalGoesOnAfterAnExpiry) {
  const std::string opened = std::string(kHandshake) + kHandshake;
  const std::string first =
      R"({"from":"client","at_ms":1,"message":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{}}}}
{"from":"server","at_ms":2,"message":{"jsonrpc":"2.0","id":3,"result":{"content":[]}}}
)";
  const std::string refused =
      R"({"from":"client","at_ms":3,"message":{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{}}}}
{"from":"server","at_ms":4,"message":{"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"no session"}}}
)";
  const std::string begun =
      R"({"from":"client","at_ms":5,"message":{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}
{"from":"server","at_ms":6,"message":{"jsonrpc":"2.0","id":5,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}}
{"from":"client","at_ms":7,"message":{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo","arguments":{}}}}
{"from":"server","at_ms":8,"message":{"jsonrpc":"2.0","id":6,"result":{"content":[]}}}
)";
  const auto expire = [&](const std::string& messages) {
    Cell cell(messages);
    cell.start().start.ends_session = true;
    cell.start().session_end = 200;
    return cell.sight("expire");
  };
  EXPECT_EQ(expire(opened + first + refused).seen, ActSeen::kFailed);
  EXPECT_TRUE(expire(opened + first + refused).is_undecided);
  EXPECT_EQ(expire(opened + first + refused + begun).seen, ActSeen::kWorked);
}

TEST(ActSights, QuestionThatTheClientCannotAnswerIsNotItsFailure) {
  Cell cell(std::string(kHandshake) + R"(
{"from":"client","message":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask","arguments":{}}}}
{"from":"server","message":{"jsonrpc":"2.0","id":3,"result":{"isError":true,"content":[{"type":"text","text":"no sampling"}]}}}
)");
  cell.offer().sample = ToolUse{.name = "ask"};
  EXPECT_EQ(cell.sight("sample").seen, ActSeen::kNotBegun);
  EXPECT_EQ(cell.sight("sample").detail, "the client does not declare sampling");
}

}  // namespace
}  // namespace assay::harness
