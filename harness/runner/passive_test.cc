#include "harness/runner/passive.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace assay::harness {
namespace {

using reports::Outcome;
using transport::Observation;

class Passive : public testing::Test {
 protected:
  void line(Party speaker, std::string_view text) {
    Observation observation;
    observation.speaker = speaker;
    observation.bytes = text;
    transcript_.observe(observation);
  }
  void shake_hands() {
    line(
        Party::kClient,
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
        R"("capabilities":{},"clientInfo":{"name":"asker","version":"1"}}})");
    line(Party::kServer,
         R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":)"
         R"({"tools":{}},"serverInfo":{"name":"teller","version":"2"}}})");
  }
  reports::Result judge(Party party, const std::string& gap = "") const {
    PassiveJudge judge(party);
    RecordedSession session;
    session.events = transcript_.events();
    session.gap = gap;
    judge.add(session);
    return judge.finish({});
  }
  static const reports::Verdict& verdict(const reports::Result& result, std::string_view rule) {
    static const reports::Verdict kNone;
    for (const reports::Run& run : result.runs) {
      for (const reports::Verdict& each : run.verdicts) {
        if (each.requirement == rule) return each;
      }
    }
    ADD_FAILURE() << "no verdict on " << rule;
    return kNone;
  }

 private:
  Transcript transcript_;
};

TEST_F(Passive, NamesThePartyThatItJudges) {
  shake_hands();
  const reports::Result server = judge(Party::kServer);
  EXPECT_EQ(server.target.subject, "server");
  EXPECT_EQ(server.target.name, "teller");
  EXPECT_EQ(judge(Party::kClient).target.subject, "client");
  EXPECT_EQ(judge(Party::kClient).target.name, "asker");
  ASSERT_EQ(server.runs.size(), 1u);
  EXPECT_EQ(server.runs[0].revision, "2025-11-25");
  EXPECT_EQ(server.runs[0].cost.requests, 1);
}

TEST_F(Passive, SaysWhatNobodyProvoked) {
  shake_hands();
  const reports::Result result = judge(Party::kServer);
  EXPECT_EQ(verdict(result, "pagination.invalid-cursor").outcome, Outcome::kNotExercised);
  // What depends on a capability that nobody declares cannot arise.
  EXPECT_EQ(verdict(result, "prompts.unknown-name-error").outcome, Outcome::kNotApplicable);
}

TEST_F(Passive, SaysThatNothingCouldBeJudged) {
  line(Party::kClient, R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  const reports::Result result = judge(Party::kServer);
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(result.runs[0].status, reports::RunStatus::kFailed);
  EXPECT_NE(result.runs[0].reason.find("--revision"), std::string::npos);
}

TEST_F(Passive, IsNoGreenForAPartyThatSaidNothing) {
  line(Party::kClient,
       R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
       R"("capabilities":{},"clientInfo":{"name":"asker","version":"1"}}})");
  const reports::Result result = judge(Party::kServer);
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(result.runs[0].status, reports::RunStatus::kFailed);
  EXPECT_EQ(result.runs[0].reason, "nothing that the server sent could be judged");
}

TEST_F(Passive, ReportsWhatWasCutShortAsIncomplete) {
  shake_hands();
  PassiveJudge judge(Party::kServer);
  judge.cut_short("it fell behind");
  EXPECT_EQ(judge.finish({}).was_interrupted, true);
}

}  // namespace
}  // namespace assay::harness
