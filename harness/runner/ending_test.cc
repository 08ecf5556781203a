// Who ended a connection, and whether it owed something.
#include "harness/runner/ending.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using transport::Party;

constexpr const char* kProbe =
    R"({"jsonrpc":"2.0","id":"probe","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})";
constexpr const char* kProbeRefused =
    R"({"jsonrpc":"2.0","id":"probe","error":{"code":-32602,"message":"Invalid request parameters"}})";
constexpr const char* kHandshake =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}})";

class Ending : public testing::Test {
 protected:
  void line(Party speaker, const std::string& text) {
    auto observation = of(Kind::kLine, speaker);
    observation.bytes = text;
    transcript_.observe(observation);
  }
  void closed(Party speaker) { transcript_.observe(of(Kind::kClosed, speaker)); }
  void exit(std::optional<int> signal, bool was_killed_by_us) {
    auto observation = of(Kind::kExit, Party::kServer);
    observation.lane = {.kind = transport::Lane::Kind::kProcess};
    observation.exit = transport::ProcessExit{};
    observation.exit->signal = signal;
    observation.exit->was_killed_by_us = was_killed_by_us;
    transcript_.observe(observation);
  }
  // The rule that the end breaks; empty if it breaks none.
  std::string broken(model::Revision revision = model::Revision::v2025_11_25) const {
    const auto finding =
        unexpected_end(transcript_.events(), revision, TransportKind::kStdio, "ending");
    const bool is_broken = finding && finding->kind == Finding::Kind::kBroke;
    return is_broken ? std::string(finding->requirement.text()) : "";
  }
  void ask() { line(Party::kClient, R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})"); }

 private:
  static transport::Observation of(Kind kind, Party speaker) {
    transport::Observation observation;
    observation.kind = kind;
    observation.speaker = speaker;
    return observation;
  }
  Transcript transcript_;
};

TEST_F(Ending, WhoLeavesARequestUnansweredBreaksARule) {
  ask();
  closed(Party::kServer);
  exit(std::nullopt, false);
  closed(Party::kClient);
  EXPECT_EQ(broken(), "jsonrpc.request-answered-once");
}

TEST_F(Ending, WhoClosesItsOutputAndStaysUntilItIsKilledBreaksIt) {
  ask();
  closed(Party::kServer);
  closed(Party::kClient);
  exit(SIGTERM, true);
  EXPECT_EQ(broken(), "jsonrpc.request-answered-once");
}

TEST_F(Ending, WhomWeKilledHasNotEndedByItself) {
  ask();
  closed(Party::kServer);
  exit(SIGTERM, true);
  closed(Party::kClient);
  EXPECT_EQ(broken(), "");
}

TEST_F(Ending, WhoOwesNothingMayEnd) {
  ask();
  line(Party::kServer, R"({"jsonrpc":"2.0","id":2,"result":{"tools":[]}})");
  closed(Party::kServer);
  exit(std::nullopt, false);
  EXPECT_EQ(broken(), "");
}

TEST_F(Ending, WhatWasCancelledIsNotOwedByWhoWentOn) {
  ask();
  line(Party::kClient,
       R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  line(Party::kClient, R"({"jsonrpc":"2.0","id":3,"method":"ping"})");
  line(Party::kServer, R"({"jsonrpc":"2.0","id":3,"result":{}})");
  closed(Party::kServer);
  exit(std::nullopt, false);
  EXPECT_EQ(broken(), "");
}

// Nobody can tell which of its requests an error without an id refuses.
TEST_F(Ending, ABatchThatMayHaveBeenRefusedIsNotOwedByWhoWentOn) {
  line(Party::kClient, R"([{"jsonrpc":"2.0","id":2,"method":"tools/list"}])");
  line(Party::kServer, R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"No"}})");
  line(Party::kClient, R"({"jsonrpc":"2.0","id":3,"method":"ping"})");
  line(Party::kServer, R"({"jsonrpc":"2.0","id":3,"result":{}})");
  closed(Party::kServer);
  exit(std::nullopt, false);
  EXPECT_EQ(broken(model::Revision::v2025_03_26), "");
}

TEST_F(Ending, WhoEndsOverACancellationBreaksIt) {
  ask();
  line(Party::kClient,
       R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  closed(Party::kServer);
  exit(std::nullopt, false);
  EXPECT_EQ(broken(), "jsonrpc.request-answered-once");
}

TEST_F(Ending, OursEndsWhatIsOwed) {
  ask();
  closed(Party::kClient);
  closed(Party::kServer);
  exit(std::nullopt, false);
  EXPECT_EQ(broken(), "");
}

// Servers of older revisions may end after a request that they do not know. A client that asks for
// a handshake at that moment has sent it to a server that was about to end.
TEST_F(Ending, WhoRefusesTheProbeMayEnd) {
  line(Party::kClient, kProbe);
  line(Party::kServer, kProbeRefused);
  line(Party::kClient, kHandshake);
  closed(Party::kServer);
  exit(std::nullopt, false);
  closed(Party::kClient);
  EXPECT_EQ(broken(), "");
}

TEST_F(Ending, WhoAnswersAfterItsRefusalOfTheProbeOwesTheRest) {
  line(Party::kClient, kProbe);
  line(Party::kServer, kProbeRefused);
  line(Party::kClient, kHandshake);
  line(Party::kServer, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  ask();
  closed(Party::kServer);
  exit(std::nullopt, false);
  closed(Party::kClient);
  EXPECT_EQ(broken(), "jsonrpc.request-answered-once");
}

TEST_F(Ending, WhoRefusesTheProbeOwesWhatWasAskedBefore) {
  ask();
  line(Party::kClient, kProbe);
  line(Party::kServer, kProbeRefused);
  closed(Party::kServer);
  exit(std::nullopt, false);
  closed(Party::kClient);
  EXPECT_EQ(broken(), "jsonrpc.request-answered-once");
}

}  // namespace
}  // namespace assay::harness
