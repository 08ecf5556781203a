#include "harness/tap/recorder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

class RecorderTest : public testing::Test {
 protected:
  RecordedSession finish(Recorder& recorder) {
    recorder.ended(Party::kClient, false);
    recorder.ended(Party::kServer, false);
    return recorder.finish({});
  }
  static std::vector<std::string> lines(const RecordedSession& session, Party party) {
    std::vector<std::string> out;
    for (const EventPtr& event : session.events) {
      const auto& observation = event->observation;
      if (observation.kind == Kind::kLine && event->is_from(party)) {
        out.emplace_back(observation.bytes());
      }
    }
    return out;
  }
  const std::shared_ptr<reports::Vault> vault_ = std::make_shared<reports::Vault>();
  int told_ = 0;
};

TEST_F(RecorderTest, PutsLinesTogether) {
  Recorder recorder(vault_, [this](const EventPtr&) { ++told_; });
  recorder.passed(Party::kClient, "{\"a\"");
  recorder.passed(Party::kServer, "one\ntw");
  recorder.passed(Party::kClient, ":1}\r\n");
  recorder.passed(Party::kServer, "o");
  const RecordedSession session = finish(recorder);
  EXPECT_EQ(lines(session, Party::kClient), std::vector<std::string>{"{\"a\":1}"});
  EXPECT_EQ(lines(session, Party::kServer), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(recorder.shortfall(), "");
  EXPECT_TRUE(session.is_whole);
  EXPECT_EQ(session.events.back()->observation.kind, Kind::kExit);
  EXPECT_EQ(told_, static_cast<int>(session.events.size()));
}

TEST_F(RecorderTest, KeepsTheOrderInWhichLinesEnded) {
  Recorder recorder(vault_, [](const EventPtr&) {});
  std::string expected;
  for (int i = 0; i < 500; ++i) {
    recorder.passed(Party::kClient, "c\n");
    recorder.passed(Party::kServer, "s\n");
    expected += "cs";
  }
  std::string came;
  for (const EventPtr& event : finish(recorder).events) {
    if (event->observation.kind == Kind::kLine) came += event->observation.bytes();
  }
  EXPECT_EQ(came, expected);
}

// Whoever exits makes his client's pipe break: that is not the client's end.
TEST_F(RecorderTest, TellsWhoEnded) {
  Recorder recorder(vault_, [](const EventPtr&) {});
  recorder.ended(Party::kClient, true);
  recorder.ended(Party::kServer, false);
  const RecordedSession session = recorder.finish({});
  ASSERT_EQ(session.events.size(), 3u);
  EXPECT_EQ(session.events[0]->observation.kind, Kind::kBroken);
  EXPECT_EQ(session.events[1]->observation.kind, Kind::kClosed);
  EXPECT_TRUE(session.events[1]->is_from_server());
}

// Nor is it the server's end where its client reads no more.
TEST_F(RecorderTest, TellsWhoReadsNoMore) {
  Recorder recorder(vault_, [](const EventPtr&) {});
  recorder.ended(Party::kServer, true);
  const RecordedSession session = recorder.finish({});
  EXPECT_EQ(session.events[0]->observation.kind, Kind::kClosed);
  EXPECT_TRUE(session.events[0]->is_from_client());
}

TEST_F(RecorderTest, EndsWhereItFallsBehindAndSaysSo) {
  Recorder recorder(
      vault_, [](const EventPtr&) {}, 100);
  recorder.passed(Party::kClient, "first\n");
  recorder.passed(Party::kClient, std::string(200, 'x'));
  recorder.passed(Party::kClient, "\nlater\n");
  const RecordedSession session = finish(recorder);
  EXPECT_EQ(lines(session, Party::kClient), std::vector<std::string>{"first"});
  EXPECT_EQ(session.events.back()->observation.kind, Kind::kCutOff);
  EXPECT_NE(recorder.shortfall().find("fell behind"), std::string::npos);
}

// What is too much to be judged may still be kept.
TEST_F(RecorderTest, TellsOfMoreThanItHolds) {
  constexpr int kLines = 60;
  Recorder recorder(
      vault_,
      [this](const EventPtr& event) { EXPECT_EQ(event->n, static_cast<std::uint64_t>(++told_)); },
      200u << 20);
  const std::string line = std::string(1u << 20, 'x') + '\n';
  for (int i = 0; i < kLines; ++i) recorder.passed(Party::kClient, line);
  const RecordedSession session = finish(recorder);
  EXPECT_EQ(told_, kLines + 3);
  EXPECT_LT(session.events.size(), static_cast<std::size_t>(kLines));
  EXPECT_EQ(session.events.back()->observation.kind, Kind::kCutOff);
  EXPECT_NE(recorder.shortfall(), "");
}

TEST_F(RecorderTest, EndsAtALineThatIsTooLong) {
  Recorder recorder(
      vault_, [](const EventPtr&) {}, Recorder::kLongestLine * 4);
  recorder.passed(Party::kServer, std::string(Recorder::kLongestLine + 1, 'x'));
  recorder.passed(Party::kServer, "\n{}\n");
  const RecordedSession session = finish(recorder);
  EXPECT_EQ(lines(session, Party::kServer), std::vector<std::string>());
  EXPECT_NE(recorder.shortfall().find("longer than"), std::string::npos);
}

}  // namespace
}  // namespace assay::harness
