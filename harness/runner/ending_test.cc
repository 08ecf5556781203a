// Who ended a connection, and whether it owed something.
#include "harness/runner/ending.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using transport::Party;

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
  std::string broken() const {
    const auto finding = unexpected_end(transcript_.events(), model::Revision::v2025_11_25,
                                        TransportKind::kStdio, "ending");
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

TEST_F(Ending, OursEndsWhatIsOwed) {
  ask();
  closed(Party::kClient);
  closed(Party::kServer);
  exit(std::nullopt, false);
  EXPECT_EQ(broken(), "");
}

}  // namespace
}  // namespace assay::harness
