#include "harness/host/house.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/monitors/http_traffic_testing.h"

namespace assay::harness {
namespace {

using model::Revision;

// What a client says, and the status that it gets.
void say(Traffic& traffic, std::uint64_t number, const std::string& message, int status,
         const std::string& answer) {
  HttpExchange exchange(traffic, number);
  exchange.request("POST", message,
                   {{"Mcp-Session-Id", "s"}, {"MCP-Protocol-Version", "2025-11-25"}});
  exchange.head(status, HttpExchange::kJson);
  if (!answer.empty()) exchange.body(answer);
  exchange.closed();
}

// A session in which a call is answered with that status, and a request is cancelled behind it.
Recorded session_with(int status_of_call, int cancelled) {
  Traffic traffic(Revision::v2025_11_25, TransportKind::kHttp);
  say(traffic, 1,
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
      R"("capabilities":{},"clientInfo":{"name":"c","version":"1"}}})",
      200,
      R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":)"
      R"({"tools":{}},"serverInfo":{"name":"s","version":"1"}}})");
  say(traffic, 2, R"({"jsonrpc":"2.0","method":"notifications/initialized"})", 202, "");
  say(traffic, 3, R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t"}})",
      status_of_call, "");
  say(traffic, 4,
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
          std::to_string(cancelled) + "}}",
      202, "");
  Recorded recorded;
  RecordedSession& session = recorded.sessions.emplace_back();
  session.transport = TransportKind::kHttp;
  session.is_whole = true;
  for (const EventPtr& event : traffic.transcript().events()) session.events.push_back(event);
  return recorded;
}

bool is_blamed(const Recorded& recorded) {
  const Judgements all =
      judge_session(recorded.sessions.at(0), Party::kClient, Revision::v2025_11_25, "test");
  return std::any_of(all.begin(), all.end(), [](const Judgement& each) {
    return is_breach(each.finding) &&
           each.finding.requirement.text() == "cancellation.same-direction";
  });
}

// The call was sent, and stands beside the session now.
TEST(SetRefusedAside, BlamesNobodyForCancellingWhatWasRefused) {
  Recorded recorded = session_with(403, 3);
  set_refused_aside(recorded);
  ASSERT_EQ(recorded.sessions.size(), 1u);
  EXPECT_EQ(recorded.beside.events.size(), 3u);
  EXPECT_FALSE(is_blamed(recorded));
}

TEST(SetRefusedAside, LeavesOtherSessionsAsTheyAre) {
  Recorded sound = session_with(202, 3);
  set_refused_aside(sound);
  EXPECT_EQ(sound.sessions.at(0).gap, "");
  EXPECT_FALSE(is_blamed(sound));
  Recorded faulty = session_with(202, 9);
  set_refused_aside(faulty);
  EXPECT_TRUE(is_blamed(faulty));
}

}  // namespace
}  // namespace assay::harness
